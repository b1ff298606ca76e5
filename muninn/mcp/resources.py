"""Knows the resources an agent can open: the dream journal, and every memory of its project by id."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, unquote

from muninn.errors import NotFoundError
from muninn.mcp.answers import rendered
from muninn.mcp.session import Session, path_of
from muninn.mcp.tools import BY_NAME

Json = dict[str, Any]

JOURNAL = "muninn://journal"
MEMORY = "muninn://memories/"
_PAGE = 50
_JOURNAL_ENTRIES = 10

TEMPLATES: list[Json] = [
    {
        "uriTemplate": MEMORY + "{id}",
        "name": "memory",
        "title": "A memory",
        "description": "One memory by id, as JSON.",
        "mimeType": "application/json",
    }
]


def listing(session: Session, cursor: str | None) -> Json:
    """One page of resources: first the journal, then the vaults' memories by id. ``cursor`` is ``vault/id``."""
    names = session.reading(None, tool="resources")
    resources: list[Json] = []
    if not cursor:
        resources.append(
            {
                "uri": JOURNAL,
                "name": "journal",
                "title": "Dream journal",
                "description": "What muninn did while it slept.",
                "mimeType": "text/markdown",
            }
        )
    vault, _, after = (cursor or "").rpartition("/")
    vault = unquote(vault) or (names[0] if names else "")
    if vault not in names:
        return {"resources": resources}
    page = session.call("GET", path_of("memories", vault=vault, after=after or None, limit=_PAGE), tool="resources")
    rows = page.get("memories", [])
    resources += [_resource(row) for row in rows if session.may_see(row)]
    following = names[names.index(vault) + 1 :]
    if page.get("more"):
        return {"resources": resources, "nextCursor": f"{quote(vault, safe='')}/{rows[-1]['id']}"}
    return {"resources": resources, **({"nextCursor": f"{quote(following[0], safe='')}/"} if following else {})}


def reading(session: Session, uri: str) -> Json:
    """The contents of one resource. Raises NotFoundError."""
    if uri == JOURNAL:
        entries = BY_NAME["journal"].run(session, {"last": _JOURNAL_ENTRIES}, "")["entries"]
        text = "\n".join(str(entry.get("text", "")) for entry in entries) or "No dreams yet.\n"
        return {"contents": [{"uri": uri, "mimeType": "text/markdown", "text": text[-200_000:]}]}
    if uri.startswith(MEMORY) and len(uri) > len(MEMORY):
        document = BY_NAME["read"].run(session, {"id": unquote(uri.removeprefix(MEMORY))}, "")
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": rendered(document)}]}
    raise NotFoundError(f"no resource {uri[:120]!r}", hint=f"there are {JOURNAL} and {MEMORY}ID")


def _resource(memory: Json) -> Json:
    return {
        "uri": MEMORY + quote(memory["id"], safe=""),
        "name": memory["id"],
        "title": " ".join(str(memory["title"]).split())[:120],
        "description": f"{memory['kind']} in {memory['vault']}",
        "mimeType": "application/json",
    }
