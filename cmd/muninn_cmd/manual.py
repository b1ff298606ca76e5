"""The manual page, muninn(1), in troff: made from the table of verbs and from what Typer knows of each."""

from __future__ import annotations

from typing import Any

from muninn import __version__
from muninn_cmd.app import CODES, SHARED, load
from muninn_cmd.text import one_line
from muninn_cmd.verbs import VERBS, Verb


def page() -> str:
    """The whole page."""
    sections = dict.fromkeys(verb.section for verb in VERBS)
    lines = [
        f'.TH MUNINN 1 "" "muninn {__version__}" "User Commands"',
        ".SH NAME", "muninn \\- a memory for AI agents that dreams",
        ".SH SYNOPSIS", ".B muninn", ".I VERB", "[\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]",
        ".SH DESCRIPTION",
        "A daemon remembers what agents learn, and dreams while it falls asleep and wakes. Verbs go to the daemon when it is",
        "awake and otherwise do their work in process, under the same lock. Every verb takes \\fB\\-\\-json\\fR.",
    ]  # fmt: skip
    for section in sections:
        lines.append(f".SH {_plain(section).upper()}")
        for verb in VERBS:
            if verb.section == section:
                lines += _verb(verb)
    lines += [".SH OPTIONS OF EVERY VERB", *_common()]
    lines += [".SH EXIT STATUS", _plain(CODES.removeprefix("Exit codes: "))]
    lines += [
        ".SH FILES",
        ".TP",
        ".I ~/.muninn",
        "Memories, journal, configuration; or where \\fBMUNINN_HOME\\fR says.",
    ]
    return "\n".join(lines)


def _verb(verb: Verb) -> list[str]:
    command: Any = load(verb)
    inner: dict[str, Any] = dict(getattr(command, "commands", None) or {})
    lines = [".TP", f".B muninn {verb.name}", _plain(verb.help)]
    if not inner:
        return [*lines, *_options(command), *_example(verb.example)]
    for name, sub in inner.items():
        lines += [
            ".RS",
            ".TP",
            f".B {verb.name} {_plain(name)}",
            _plain((sub.help or "").split("\n\n")[0]),
            *_options(sub),
            ".RE",
        ]
    return [*lines, *_example(verb.example)]


def _common() -> list[str]:
    lines = []
    for annotation, _ in SHARED.values():
        option = annotation.__metadata__[0]
        names = [option.default if isinstance(option.default, str) else "", *(option.param_decls or ())]
        lines += [".TP", f".B {_plain(', '.join(filter(None, names)))}", _plain(option.help)]
    return lines


def _options(command: Any) -> list[str]:
    lines = []
    for option in command.params:
        names = [name for name in (*option.opts, *option.secondary_opts) if name.startswith("-")]
        if names and option.name not in SHARED and "--help" not in names and getattr(option, "help", None):
            lines += [".RS", ".TP", f".B {_plain(', '.join(names))}", _plain(option.help), ".RE"]
    return lines


def _example(example: str) -> list[str]:
    return [".RS", f"Example: \\fI{_plain(example)}\\fR", ".RE"]


def _plain(text: str) -> str:
    """Text in which troff finds no command."""
    escaped = one_line(text).replace("\\", "\\e").replace("-", "\\-")
    escaped = "".join(c if c.isascii() else f"\\[u{ord(c):04X}]" for c in escaped)
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
