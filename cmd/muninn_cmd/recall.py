"""``muninn recall``: ask the memory."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from muninn_cmd import connect, render
from muninn_cmd.text import beginning, kin, moment, number, one_line, plain

SHOWN, SHOWN_LINES = 2000, 40  # characters and lines of one memory; a terminal is no place for a whole book


def recall(
    words: Annotated[list[str], typer.Argument(metavar="QUERY", help="A question, or some words.")],
    *,
    vault: Annotated[list[str] | None, typer.Option(help="Only this vault; may be repeated.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="At most so many.")] = 10,
    as_of: Annotated[str, typer.Option(help="As things were known at this time, ISO 8601.")] = "",
    explain: Annotated[bool, typer.Option("--explain", help="Say how each score came about.")] = False,
    include_archived: Annotated[bool, typer.Option("--include-archived", help="Also what dreams put away.")] = False,
    run: Annotated[str, typer.Option(metavar="ID", help="Only what this run wrote.")] = "",
) -> None:
    """Scores lie between 0 and 1 and can be compared between queries. When nothing matches, it says so."""
    body: dict[str, Any] = {"query": " ".join(words), "limit": limit}
    given = {"as_of": as_of, "explain": explain, "include_archived": include_archived, "run": run}
    body |= {name: value for name, value in given.items() if value}
    if vault:
        body["vault"] = vault[0] if len(vault) == 1 else vault
    answer = connect.post("/v1/recall", body)
    render.show(answer, lambda: _text(answer, explain))


def _text(answer: dict[str, Any], explain: bool) -> str:
    results = answer.get("results") or []
    lines = [_result(result, explain) for result in results]
    if not results:
        lines.append("Nothing comes to mind.")
    if answer.get("degraded"):
        lines.append(render.faint(f"degraded: {one_line(answer['degraded'])}"))
    lines += [render.faint(one_line(note)) for note in answer.get("notes") or []]
    return "\n\n".join(lines)


def _result(result: dict[str, Any], explain: bool) -> str:
    head = f"{float(result.get('score') or 0):.2f}  {render.bold(one_line(result.get('title', ''), 90))}"
    where = " · ".join(
        one_line(part)
        for part in (result.get("id"), result.get("vault"), moment(result.get("created_at")), result.get("state"))
        if part and part != "active"
    )
    lines = [head, render.faint(f"      {where}")]
    content = plain(result.get("content", "")).strip()
    if content and one_line(content) != one_line(result.get("title", "")):
        shown = beginning(content, characters=SHOWN, lines=SHOWN_LINES)
        lines += [f"      {line}" for line in shown.splitlines()]
        if shown != content:
            whole = f"{number(len(content))} characters; whole with: muninn show {one_line(result.get('id', ''))}"
            lines.append(render.faint(f"      {whole}"))
    if result.get("superseded_by"):
        lines.append(f"      superseded by {kin(result['superseded_by'], result)}")
    if result.get("conflicts_with"):
        lines.append("      disagrees with " + ", ".join(map(one_line, result["conflicts_with"])))
    if explain:
        lines.append(f"      {one_line(result.get('why', ''))}")
        lines += [
            f"        {one_line(name).replace('_', ' ')}: {_component(value)}"
            for name, value in (result.get("components") or {}).items()
        ]
    return "\n".join(lines)


def _component(value: object) -> str:
    """``{"factor": 1.06, "path": []}`` → ``factor 1.06, path –``."""
    if isinstance(value, dict):
        return ", ".join(f"{one_line(name)} {_component(part)}" for name, part in value.items()) or "–"
    if isinstance(value, list):
        return "; ".join(map(_component, value)) or "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return one_line(value)
