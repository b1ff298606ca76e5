"""``muninn edit``: change what a memory says or how it is filed."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from muninn.errors import UsageError
from muninn_cmd import connect, render
from muninn_cmd.text import plain


def edit(
    identifier: Annotated[
        str, typer.Argument(metavar="ID", help="The id of a memory, or its first characters (six at least).")
    ],
    *,
    title: Annotated[str | None, typer.Option(help="A new title; empty derives it from the text again.")] = None,
    content: Annotated[str | None, typer.Option(help="A new text.")] = None,
    stdin: Annotated[bool, typer.Option("--stdin", help="Read the new text from standard input.")] = False,
    tag: Annotated[list[str] | None, typer.Option(help="Its tags from now on; may be repeated.")] = None,
    no_tags: Annotated[bool, typer.Option("--no-tags", help="Take all tags away.")] = False,
    kind: Annotated[str | None, typer.Option(help="fact, decision, observation, preference, issue, task …")] = None,
    relevance: Annotated[float | None, typer.Option(min=0, max=1, help="How important it is.")] = None,
    confidence: Annotated[float | None, typer.Option(min=0, max=1, help="How far it is believed.")] = None,
    pin: Annotated[
        bool | None, typer.Option("--pin/--unpin", help="A pinned memory is never merged and does not fade.")
    ] = None,
    valid_from: Annotated[str | None, typer.Option(help="From when it holds, ISO 8601.")] = None,
    valid_until: Annotated[str | None, typer.Option(help="Until when it holds, ISO 8601.")] = None,
    no_validity: Annotated[bool, typer.Option("--no-validity", help="It holds without limits in time.")] = False,
) -> None:
    """Only what is named changes. Links that come from mentions follow the new text."""
    _refuse_both("--content", content is not None, "--stdin", stdin)
    _refuse_both("--tag", bool(tag), "--no-tags", no_tags)
    _refuse_both("--no-validity", no_validity, "a limit", valid_from is not None or valid_until is not None)
    given: dict[str, Any] = {
        "title": title,
        "content": sys.stdin.read() if stdin else content,
        "tags": [] if no_tags else tag,
        "kind": kind,
        "relevance": relevance,
        "confidence": confidence,
        "pinned": pin,
        "valid_from": valid_from,
        "valid_until": valid_until,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    if title == "":
        changes["title"] = None
    if no_validity:
        changes |= {"valid_from": None, "valid_until": None}
    if not changes:
        raise UsageError("nothing to change", hint="name something, e.g. --title; see: muninn edit --help")
    memory = connect.call("PATCH", connect.path_of("memories", identifier), changes)
    render.show(
        memory,
        lambda: f"Changed {', '.join(sorted(changes))} of {memory.get('id')} in {plain(memory.get('vault', ''))}",
    )


def _refuse_both(one: str, given: bool, other: str, given_too: bool) -> None:
    if given and given_too:
        raise UsageError(f"{one} and {other} exclude each other", hint="give one of them")
