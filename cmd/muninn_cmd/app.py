"""The command line itself: finds the verb, gives it the options every verb has, and turns errors into one line and a code.

Rules: only the file of the verb asked for is imported. Exit codes: 0 done, 1 error, 2 usage, 3 daemon not running or
already running, 4 gate closed, 5 locked, 6 provider; 130 interrupted.
"""

from __future__ import annotations

import errno
import functools
import importlib
import inspect
import os
import sys
from collections.abc import Callable, Mapping
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from muninn import paths
from muninn.errors import MuninnError, UsageError
from muninn_cmd.session import WAIT, begin, current
from muninn_cmd.verbs import BY_NAME, VERBS, Verb

if TYPE_CHECKING:
    from collections.abc import Sequence

CODES = (
    "Exit codes: 0 done · 1 error · 2 usage · 3 not running, or already running · 4 gate closed · 5 locked · 6 provider"
)


class Verbs(TyperGroup):
    """The verbs by section; each is imported when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - the signature is Typer's
        return [verb.name for verb in VERBS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        verb = BY_NAME.get(cmd_name)
        return load(verb) if verb is not None else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            from difflib import get_close_matches

            near = get_close_matches(args[0], list(BY_NAME), n=2)
            hint = f"did you mean {' or '.join(near)}?" if near else "see: muninn --help"
            raise UnknownVerbError(f"no verb {args[0]!r}", hint=hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        for section in dict.fromkeys(verb.section for verb in VERBS):
            with formatter.section(section):
                formatter.write_dl([(verb.name, verb.help) for verb in VERBS if verb.section == section])


class UnknownVerbError(MuninnError):
    exit_code = 2


def load(verb: Verb) -> Any:
    """The verb as a command Typer can run, with the shared options, its help and its example."""
    module = importlib.import_module(f"muninn_cmd.{verb.file}")
    program = getattr(module, "app", None)
    if program is None:
        program = _typer()
        program.command(epilog=f"Example: {verb.example}")(getattr(module, verb.file))
    _share(program)
    command = typer.main.get_command(program)
    command.name, command.short_help = verb.name, verb.help
    command.help = f"{verb.help}\n\n{command.help}" if command.help and command.help != verb.help else verb.help
    command.epilog = command.epilog or f"Example: {verb.example}"
    return command


def _typer(**options: Any) -> typer.Typer:
    settings = {"rich_markup_mode": None, "pretty_exceptions_enable": False, "add_completion": False}
    return typer.Typer(**{**settings, **options})


def _share(program: typer.Typer) -> None:
    bare = program.registered_callback
    if bare is not None and bare.callback is not None and program.info.invoke_without_command is True:
        bare.callback = _with_shared_options(bare.callback)
    for command in program.registered_commands:
        if command.callback is not None:
            command.callback = _with_shared_options(command.callback)
    for group in program.registered_groups:
        if group.typer_instance is not None:
            _share(group.typer_instance)


def _json(value: bool) -> bool:
    current.as_json = current.as_json or value
    return value


def _verbose(value: bool) -> bool:
    current.verbose = current.verbose or value
    return value


def _wait(value: float) -> float:
    current.wait = value
    return value


SHARED: Mapping[str, tuple[Any, Any]] = {
    "as_json": (
        Annotated[bool, typer.Option("--json", help="One JSON document on standard output.", callback=_json)],
        False,
    ),
    "wait": (
        Annotated[float, typer.Option("--wait", min=0, help="Seconds to wait for a dream at start.", callback=_wait)],
        WAIT,
    ),
    "verbose": (
        Annotated[bool, typer.Option("-v", "--verbose", help="Show where an error came from.", callback=_verbose)],
        False,
    ),
}


def _with_shared_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` behind a signature that also takes the shared options; a verb that has one of its own keeps it.

    It runs only where the home is, or may become, a folder; status has an answer in every state.
    """
    signature = inspect.signature(function, eval_str=True)
    taken = {flag for parameter in signature.parameters.values() for flag in _flags(parameter)}
    added = {
        name: inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in SHARED.items()
        if name not in signature.parameters and not taken & set(annotation.__metadata__[0].param_decls or ())
    }

    @functools.wraps(function)
    def verb(*args: Any, **values: Any) -> Any:
        if function.__module__ != "muninn_cmd.status":
            paths.require_folder(paths.home_name(current.environ))
        return function(*args, **{name: value for name, value in values.items() if name not in added})

    parameters = [*signature.parameters.values(), *added.values()]
    parameters.sort(key=lambda parameter: parameter.kind)
    del verb.__wrapped__  # Typer would look through it
    verb.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    verb.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return verb


def _flags(parameter: inspect.Parameter) -> Sequence[str]:
    for note in getattr(parameter.annotation, "__metadata__", ()):
        if hasattr(note, "param_decls"):
            first = [note.default] if isinstance(note.default, str) else []
            return [*first, *(note.param_decls or ())]
    return ()


def program() -> typer.Typer:
    """The whole command line as one Typer."""
    root = _typer(cls=Verbs, no_args_is_help=True, add_completion=True, epilog=CODES)

    @root.callback()
    def muninn(
        version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
        verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Show where an error came from.")] = False,
    ) -> None:
        """muninn: a memory for AI agents that dreams."""
        _verbose(verbose)
        if version:
            from muninn import __version__

            typer.echo(f"muninn {__version__}")
            raise typer.Exit

    return root


def run(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run one command line; prints at most one line on standard error, and returns the exit code."""
    begin(environ)
    command = typer.main.get_command(program())
    try:
        _refuse_blanks(arguments)
        code = command.main(args=list(arguments), prog_name="muninn", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except MuninnError as error:
        return _fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        return _fail("interrupted", 130)
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if hasattr(error, "format_message"):  # Typer's own: a flag, a value, a missing argument
            return _usage(error, arguments)
        if type(error).__name__ == "Abort":
            return _fail("interrupted", 130)
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return _no_room(error)
        return _fail(f"unexpected {type(error).__name__}: {error} (a fault of muninn; -v shows where)", 1)


def _refuse_blanks(arguments: Sequence[str]) -> None:
    """An empty variable of a script must not become the default vault. An empty ``--title`` means: derive it."""
    options = list(arguments)[: list(arguments).index("--")] if "--" in arguments else list(arguments)
    for option, value in zip_longest(options, options[1:]):
        name, equals, given = option.partition("=")
        blank = given == "" if equals else value == ""
        if name.startswith("--") and name != "--title" and blank:
            raise UsageError(f"{name} is blank", hint="give a value, or leave it out")


def _usage(error: Any, arguments: Sequence[str]) -> int:
    message = str(error.format_message())
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stdout.write(message + "\n")
        return 0
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else " ".join(["muninn", *_verb(arguments)])
    hint = f"see: {path} --help"
    if (
        type(error).__name__ == "NoSuchOption"
        and context is not None
        and any(one.nargs == -1 for one in context.command.params)
    ):
        hint += "; words that begin with a dash go after --"
    return _fail(f"{message.rstrip('.')} ({hint})", 2)


def _no_room(error: OSError) -> int:
    code = _fail(f"cannot write {error.filename or 'the output'}: {error.strerror} (make room, then try again)", 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left in the buffer would fail again
    return code


def _verb(arguments: Sequence[str]) -> list[str]:
    """The verb of a command line that could not be parsed."""
    return [word for word in arguments if word in BY_NAME][:1]


def _fail(message: str, code: int) -> int:
    from muninn_cmd.text import one_line

    if current.verbose:
        import traceback

        traceback.print_exc()
    sys.stderr.write(f"muninn: {one_line(message)}\n")
    return code
