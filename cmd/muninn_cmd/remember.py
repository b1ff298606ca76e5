"""``muninn remember``: store a memory, then say what is similar to it or contradicts it."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from muninn.errors import UsageError
from muninn_cmd import connect, render
from muninn_cmd.text import one_line, plain


def remember(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="What to remember; - reads it from standard input.", show_default=False),
    ] = None,
    *,
    title: Annotated[str, typer.Option(help="A title; otherwise the first sentence is used.")] = "",
    vault: Annotated[str, typer.Option(help="The vault; otherwise the default one.")] = "",
    tag: Annotated[list[str] | None, typer.Option(help="A tag; may be repeated.")] = None,
    kind: Annotated[
        str, typer.Option(help="fact, decision, observation, preference, issue, task, procedure, event …")
    ] = "",
    created_at: Annotated[str, typer.Option(help="When it became known, as ISO 8601.")] = "",
    supersedes: Annotated[str, typer.Option(metavar="ID", help="The memory that this one replaces.")] = "",
    stdin: Annotated[bool, typer.Option("--stdin", help="Read the text from standard input.")] = False,
) -> None:
    """The text is stored as it is. It is embedded and on disk before this returns."""
    body: dict[str, Any] = {"content": _content(words or [], stdin)}
    given = {
        "title": title,
        "vault": vault,
        "tags": tag,
        "kind": kind,
        "created_at": created_at,
        "supersedes": supersedes,
    }
    body |= {name: value for name, value in given.items() if value}
    answer = connect.post("/v1/memories", body)
    render.show(answer, lambda: _text(answer))


def _content(words: list[str], stdin: bool) -> str:
    if stdin and words:
        raise UsageError("TEXT and --stdin exclude each other", hint="give one of them")
    if not stdin and words != ["-"]:
        if not words:
            raise UsageError("nothing to remember", hint='muninn remember "…", or --stdin')
        return " ".join(words)
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"standard input is not UTF-8 (byte {error.start})", hint="convert it, e.g. with iconv"
        ) from None


def _text(answer: dict[str, Any]) -> str:
    verb = "Remembered" if answer.get("created", True) else "Already known"
    lines = [f"{verb} {render.bold(str(answer.get('id', '')))} in {plain(answer.get('vault', ''))}"]
    links = answer.get("links") or []
    if links:
        lines.append("  linked to " + ", ".join(one_line(link["target"]) for link in links))
    for other in answer.get("similar") or []:
        says = {"duplicate": "same as", "possible_conflict": "may contradict"}.get(other.get("relation"), "near")
        lines.append(
            f"  {says} {other.get('id')} ({float(other.get('similarity') or 0):.2f})  {one_line(other.get('title', ''), 70)}".rstrip()
        )
    lines += [f"  {one_line(note)}" for note in answer.get("notes") or []]
    return "\n".join(lines)
