"""``muninn show``: one memory, whole."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from muninn_cmd import connect, render
from muninn_cmd.text import columns, encode, kin, moment, one_line, plain


def show(
    identifier: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="The id of a memory, or its first characters (six at least); a merged one leads to its heir.",
        ),
    ],
) -> None:
    """Everything that is known about a memory, and who wrote it."""
    with connect.door() as door:
        memory = door.call("GET", connect.path_of("memories", identifier))
        around = door.call("GET", connect.path_of("memories", str(memory["id"]), "links"))
    render.show({**memory, "links": around.get("links", [])}, lambda: text({**memory, **around}))


def text(memory: dict[str, Any]) -> str:
    rows = [(label, value) for label, value in _facts(memory) if value]
    title, content = one_line(memory.get("title", "")), plain(memory.get("content", ""))
    parts = [render.bold(title), "" if one_line(content) == title else content, columns(rows)]
    links = memory.get("links") or []
    if links:
        parts.append("\n".join(neighbours(memory)))
    return "\n\n".join(part.rstrip() for part in parts if part.strip())


def neighbours(document: dict[str, Any]) -> list[str]:
    """The links of a memory, heaviest first, with the titles the answer brought along."""
    titles = document.get("memories") or {}
    links = sorted(document.get("links") or (), key=lambda link: -float(link.get("weight") or 0))
    return [relation(link, str(document.get("id")), titles) for link in links]


def relation(link: dict[str, Any], seen_from: str, titles: dict[str, Any] | None = None) -> str:
    """A link as seen from one of its ends: ``→ causes 01J…`` or ``← mentions 01H…``."""
    outward = link.get("source") == seen_from
    other = link.get("target") if outward else link.get("source")
    title = ((titles or {}).get(str(other)) or {}).get("title", "")
    weight = f" {float(link['weight']):.2f}" if isinstance(link.get("weight"), (int, float)) else ""
    tail = f"  {one_line(title, 60)}" if title else ""
    return f"{'→' if outward else '←'} {one_line(link.get('relation', ''))}{weight} {one_line(other)}{tail}  ({one_line(link.get('origin', ''))})"


def _facts(memory: dict[str, Any]) -> list[tuple[str, str]]:
    provenance = memory.get("provenance") or {}
    return [
        ("id", one_line(memory.get("id", ""))),
        ("vault", " · ".join(one_line(memory[key]) for key in ("vault", "tier", "kind", "state") if memory.get(key))),
        ("tags", one_line(", ".join(map(str, memory.get("tags") or ())))),
        ("created", moment(memory.get("created_at"))),
        ("learned", moment(memory.get("learned_at")) if memory.get("learned_at") != memory.get("created_at") else ""),
        ("changed", moment(memory.get("updated_at")) if memory.get("updated_at") != memory.get("created_at") else ""),
        ("valid", _between(memory.get("valid_from"), memory.get("valid_until"))),
        ("stability", _standing(memory)),
        ("accessed", _accessed(memory)),
        ("lineage", _lineage(memory)),
        ("metadata", one_line(encode(memory["metadata"])) if memory.get("metadata") else ""),
        (
            "written by",
            " · ".join(
                f"{one_line(k).replace('_', ' ')} {one_line(v)}" for k, v in provenance.items() if v not in (None, "")
            ),
        ),
        ("embedding", one_line(memory.get("embedding_model") or "still to come")),
    ]


def _between(start: object, end: object) -> str:
    return f"{moment(start) or '…'} to {moment(end) or '…'}" if start or end else ""


def _standing(memory: dict[str, Any]) -> str:
    named = (("stability", "days"), ("relevance", "relevance"), ("confidence", "confidence"))
    figures = [f"{float(memory[key]):.2f} {label}" for key, label in named if isinstance(memory.get(key), (int, float))]
    return ", ".join(figures + (["pinned"] if memory.get("pinned") else []))


def _accessed(memory: dict[str, Any]) -> str:
    times = memory.get("access_count") or 0
    return f"{times} times, last {moment(memory.get('last_accessed_at'))}" if times else ""


def _lineage(memory: dict[str, Any]) -> str:
    merged = memory.get("merged_from") or ()
    parts = ["merged from " + ", ".join(kin(one, memory) for one in merged)] if merged else []
    return "; ".join(
        parts + ([f"superseded by {kin(memory['superseded_by'], memory)}"] if memory.get("superseded_by") else [])
    )
