"""``muninn help``: what a verb's own help has no room for, by topic; and the manual page, made from the verbs themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from muninn.errors import NotFoundError
from muninn_cmd import render

FOLDER = Path(__file__).with_name("topics")


def help(  # noqa: A001 - the verb's name
    topic: Annotated[str, typer.Argument(metavar="[TOPIC]", help="A topic, or a verb.")] = "",
    *,
    man: Annotated[
        bool, typer.Option("--man", help="Print the manual page (troff), for man -l or an installer.")
    ] = False,
) -> None:
    """Without a topic, it lists them."""
    if man:
        from muninn_cmd.manual import page

        text = page()
    elif topic:
        text = _topic(topic)
    else:
        text = _list()
    render.show({"topics": sorted(topics()), "text": text}, lambda: text)


def topics() -> dict[str, Path]:
    """The topics by name."""
    return {path.stem: path for path in FOLDER.glob("*.md")}


def _list() -> str:
    heads = {
        name: path.read_text("utf-8").splitlines()[0].removeprefix("# ") for name, path in sorted(topics().items())
    }
    lines = [f"  {name.ljust(10)} {head.partition(': ')[2]}" for name, head in heads.items()]
    return "\n".join(["Topics:", *lines, "", "Read one with: muninn help TOPIC. The verbs: muninn --help."])


def _topic(name: str) -> str:
    from muninn_cmd.verbs import BY_NAME

    if name in topics():
        head, *rest = topics()[name].read_text("utf-8").rstrip().splitlines()
        return "\n".join([render.bold(head.removeprefix("# ")), *rest])
    if name in BY_NAME:
        return _verb(name)
    raise NotFoundError(f"no topic {name!r}", hint=f"there are: {', '.join(sorted(topics()))}; and every verb")


def _verb(name: str) -> str:
    from muninn_cmd.app import load
    from muninn_cmd.verbs import BY_NAME

    command: Any = load(BY_NAME[name])
    with command.make_context(f"muninn {name}", [], resilient_parsing=True) as context:
        return str(command.get_help(context))
