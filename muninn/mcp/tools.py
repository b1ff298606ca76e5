"""Knows the tools an agent is offered: name, description, schema, and the call of the API behind each.

A tool is a row of ``TOOLS``: ``run(session, arguments, key)`` gets checked arguments and returns a JSON document; ``key``
makes a write that is sent twice count once. What needs a person (accepting suggestions, erasing, dreaming) is no tool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from muninn.errors import EgressRefusedError, NotFoundError, UsageError
from muninn.mcp.answers import brief, quoted
from muninn.mcp.project import vault_key
from muninn.mcp.schema import check
from muninn.mcp.session import Session, path_of

Json = dict[str, Any]
Run = Callable[[Session, Mapping[str, Any], str], Json]

_KINDS = ["fact", "decision", "observation", "preference", "issue", "task", "procedure", "event", "reference", "schema"]
_RELATIONS = ["relates_to", "supports", "contradicts", "causes", "depends_on", "part_of", "refines", "implements", "blocks",
              "resolves", "references", "preceded_by", "followed_by", "mentions"]  # fmt: skip
_WINDOW = 16_000  # characters of content that one read returns
_MANY = 100


def _text(description: str) -> Json:
    return {"type": "string", "description": description}


_ID = {"type": "string", "minLength": 1, "description": "Id of a memory, as another tool returned it."}
_VAULT = _text("Name of a vault. Leave it out for this project's.")
_TIME = "ISO 8601 with offset, e.g. 2026-03-28T06:00:00Z"
_PROVENANCE = {
    "type": "object",
    "description": "Which run is writing, if there is one.",
    "properties": {
        "session_id": _text("Session of the agent."),
        "agent_role": _text("Role in a team of agents, e.g. reviewer."),
        "run_id": _text("Run that this belongs to."),
        "run_trigger": _text("What started the run, e.g. cron."),
        "iteration": {"type": "integer", "description": "Which round of the run."},
    },
}
_FIELDS: Json = {
    "content": {"type": "string", "minLength": 1, "description": "One self-contained statement: names, numbers, dates, why."},
    "title": _text("Short unique name. Other memories that mention it are linked to it."),
    "kind": {"type": "string", "enum": _KINDS, "description": "What sort of memory; fact if left out."},
    "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 64, "description": "A few words to sort by."},
    "valid_from": _text(f"Since when it holds. {_TIME}"),
    "valid_until": _text(f"Until when it holds. {_TIME}"),
    "pinned": {"type": "boolean", "description": "Never merge or fade."},
}  # fmt: skip
_NEW: Json = {
    **_FIELDS,
    "supersedes": {**_ID, "description": "Id of the memory that this one replaces because it is no longer true."},
    "metadata": {"type": "object", "description": "Further facts as JSON."},
}
_MEMORY: Json = {"type": "object", "properties": _NEW, "required": ["content"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """``writes``: changes something. ``destroys``: takes something out of sight."""

    name: str
    title: str
    description: str
    properties: Mapping[str, Any]
    required: tuple[str, ...] = ()
    run: Run
    writes: bool = False
    destroys: bool = False
    repeatable: bool = True

    @property
    def schema(self) -> Json:
        return {"type": "object", "properties": dict(self.properties), "required": list(self.required),
                "additionalProperties": False}  # fmt: skip

    def document(self) -> Json:
        """As ``tools/list`` shows it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.schema,
            "annotations": {
                "title": self.title,
                "readOnlyHint": not self.writes,
                "destructiveHint": self.destroys,
                "idempotentHint": self.repeatable,
                "openWorldHint": False,
            },
        }


def _stored(session: Session, made: Mapping[str, Any]) -> Json:
    """What came of one ``remember``."""
    if "error" in made:
        return {"error": made["error"]}
    if not session.may_see(made):
        return {"vault": made["vault"], "stored": True, "sealed": "what a legal vault holds is not told to agents"}
    links = [
        {"to": link["target"], "relation": link["relation"]} for link in made["links"] if link["source"] == made["id"]
    ]
    back = [
        {"from": link["source"], "relation": link["relation"]} for link in made["links"] if link["target"] == made["id"]
    ]
    similar = list(made.get("similar", []))
    document = {"id": made["id"], "vault": made["vault"], "created": made["created"], "links": links + back}
    if not made["created"]:
        document["meaning"] = "this was known already; it now counts as said again"
    if made.get("vault_created"):
        document["vault_created"] = True
    if similar:
        document["similar"] = similar
        if any(one["relation"] == "possible_conflict" for one in similar):
            document["advice"] = "if it replaces one of these, remember it again with supersedes"
    return {**document, **({"notes": made["notes"]} if made.get("notes") else {})}


def _remember(session: Session, given: Mapping[str, Any], key: str) -> Json:
    body = {name: value for name, value in given.items() if name not in ("provenance", "vault")}
    vault = session.writing(given.get("vault"))
    if vault is not None:
        body["vault"] = vault
    if "supersedes" in given:
        session.require_open(given["supersedes"], tool="remember")
    made = session.call(
        "POST", "/v1/memories", body, tool="remember", key=key, provenance=given.get("provenance")
    )  # fmt: skip
    return quoted(**_stored(session, made))


def _remember_many(session: Session, given: Mapping[str, Any], key: str) -> Json:
    vault = session.writing(given.get("vault"))
    wrong = [_misfit(session, memory, f"memories[{at}]") for at, memory in enumerate(given["memories"])]
    body = [
        {**memory, **({"vault": vault} if vault is not None else {})}
        for memory, why in zip(given["memories"], wrong, strict=True)
        if why is None
    ]
    made = session.call(
        "POST", "/v1/memories", body, tool="remember_many", key=key, provenance=given.get("provenance")
    )  # fmt: skip
    stored = iter(made["results"])
    results = [_stored(session, next(stored) if why is None else {"error": why}) for why in wrong]
    for one in results:
        one.pop("vault", None)
    refused = sum("error" in one for one in results)
    return {"stored": len(results) - refused, "refused": refused, "results": results}


def _misfit(session: Session, memory: Mapping[str, Any], where: str) -> str | None:
    try:
        check(memory, _MEMORY, where)
        if "supersedes" in memory:
            session.require_open(memory["supersedes"], tool="remember_many")
    except (UsageError, NotFoundError, EgressRefusedError) as error:
        return str(error)
    return None


def _recall(session: Session, given: Mapping[str, Any], _key: str) -> Json:
    vaults = session.reading(given.get("vault"), tool="recall")
    if not vaults:
        return {"results": [], "abstained": True, "searched": []}
    body = {"query": given["query"], "vault": vaults, "limit": given.get("limit", 8)}
    body |= {name: given[name] for name in ("as_of", "include_archived") if name in given}
    answer = session.call("POST", "/v1/recall", body, tool="recall")
    document = quoted(results=[brief(hit) for hit in answer["results"] if session.may_see(hit)], searched=vaults)
    if answer.get("abstained"):
        document["abstained"] = True
    return document | {name: answer[name] for name in ("degraded", "notes") if answer.get(name)}


def _read(session: Session, given: Mapping[str, Any], _key: str) -> Json:
    memory = session.require(session.call("GET", path_of("memories", given["id"]), tool="read"))
    start = given.get("offset", 0)
    content = memory["content"][start : start + _WINDOW]
    document = quoted(**{**brief(memory), "content": content})
    if start + len(content) < len(memory["content"]):
        document |= {"characters": len(memory["content"]), "next_offset": start + len(content)}
    document["provenance"] = {name: value for name, value in memory["provenance"].items() if value is not None}
    if memory.get("head") != memory["id"]:
        document["replaced_by"] = memory["head"]
    links = [{"source": one["source"], "target": one["target"], "relation": one["relation"]} for one in memory["links"]]
    return document | ({"links": links} if links else {})


def _edit(session: Session, given: Mapping[str, Any], key: str) -> Json:
    session.require_open(given["id"], tool="edit")
    changes = {name: value for name, value in given.items() if name not in ("id", "provenance")}
    memory = session.call(
        "PATCH", path_of("memories", given["id"]), changes, tool="edit", key=key, provenance=given.get("provenance")
    )
    return _changed(memory)


def _forget(session: Session, given: Mapping[str, Any], key: str) -> Json:
    session.require_open(given["id"], tool="forget")
    memory = session.call(
        "DELETE", path_of("memories", given["id"]), tool="forget", key=key, provenance=given.get("provenance")
    )
    return {**_changed(memory), "undo": f"muninn restore {memory['id']}"}


def _changed(memory: Mapping[str, Any]) -> Json:
    return quoted(**{name: memory[name] for name in ("id", "vault", "state", "updated_at", "title")})


def _link(session: Session, given: Mapping[str, Any], key: str) -> Json:
    body = {name: given[name] for name in ("source", "target") if name in given}
    for end in body.values():
        session.require_open(end, tool="link")
    body["relation"] = given.get("relation", "relates_to")
    if given.get("remove"):
        session.call("DELETE", "/v1/links", body, tool="link", key=key, provenance=given.get("provenance"))
        return {**body, "removed": True}
    if "weight" in given:
        body["weight"] = given["weight"]
    made = session.call("POST", "/v1/links", body, tool="link", key=key, provenance=given.get("provenance"))
    return {name: made[name] for name in ("source", "target", "relation", "weight", "origin", "vault")}


def _neighbours(session: Session, given: Mapping[str, Any], _key: str) -> Json:
    memory = session.require(session.call("GET", path_of("memories", given["id"]), tool="neighbours"))
    around = session.call("GET", path_of("memories", memory["id"], "links"), tool="neighbours")
    others = {name: other for name, other in around["memories"].items() if session.may_see(other)}
    links = [
        {name: link[name] for name in ("source", "target", "relation", "weight", "origin")}
        for link in around["links"]
        if {link["source"], link["target"]} - {memory["id"]} <= others.keys()
    ]
    return quoted(id=memory["id"], title=memory["title"], links=links, memories=others)


def _vaults(session: Session, _given: Mapping[str, Any], _key: str) -> Json:
    found = session.call("GET", "/v1/vaults", tool="vaults").get("vaults", [])
    rows = [{name: vault[name] for name in ("name", "tier", "memories")} for vault in found if session.may_see(
        {"vault": vault["name"], "tier": vault["tier"]})]  # fmt: skip
    document: Json = {"vaults": rows, "writes_go_to": session.writing(None) or session.default_vault}
    return document | ({"closed_to_agents": len(found) - len(rows)} if len(rows) < len(found) else {})


def _journal(session: Session, given: Mapping[str, Any], _key: str) -> Json:
    path = path_of("journal", last=given.get("last", 1), since=given.get("since"))
    entries = session.call("GET", path, tool="journal").get("entries", [])
    return quoted(entries=[{**entry, "text": without(entry["text"], closed)} for entry in entries]
                  if (closed := session.closed_vaults(tool="journal")) else entries)  # fmt: skip


def without(text: str, names: Iterable[str]) -> str:
    """``text`` without the lines that name one of the vaults."""
    keys = [vault_key(name) for name in names]
    return "\n".join(line for line in text.split("\n") if not any(key in vault_key(line) for key in keys))


def _suggestions(session: Session, given: Mapping[str, Any], _key: str) -> Json:
    path = path_of("suggestions", status=given.get("status"))
    found = session.call("GET", path, tool="suggestions").get("suggestions", [])
    closed = {vault_key(name) for name in session.closed_vaults(tool="suggestions")} if found else set()
    shown = [one for one in found if not closed & {vault_key(one["source_vault"]), vault_key(one["target_vault"])}]
    return quoted(suggestions=shown, decide="a person does: muninn suggestions accept ID, or reject ID")


def _status(session: Session, _given: Mapping[str, Any], _key: str) -> Json:
    status = session.call("GET", "/v1/status", tool="status")
    kept = ("state", "memories", "vaults", "embedding_pending", "last_dream", "dream_due", "gate", "warnings")
    return {name: status[name] for name in kept if name in status}


_WHO = {"provenance": _PROVENANCE}

TOOLS = (
    Tool(name="remember", title="Remember", run=_remember, writes=True, required=("content",),
         properties={**_NEW, "vault": _VAULT, **_WHO},
         description="Store one memory that a later session should know: a decision with its reason, a preference, a fix that "
                     "worked, a fact about the project. Says which memories it was linked to, what is similar and what it may "
                     "contradict. Storing the same text twice is harmless."),
    Tool(name="remember_many", title="Remember several", run=_remember_many, writes=True, required=("memories",),
         properties={"memories": {"type": "array", "minItems": 1, "maxItems": _MANY,
                                  "items": _MEMORY},
                     "vault": _VAULT, **_WHO},
         description=f"Store up to {_MANY} memories at once, each as its own statement. One that is refused does not stop the rest."),
    Tool(name="recall", title="Recall", run=_recall, required=("query",),
         properties={"query": {"type": "string", "minLength": 1, "description": "A question or a few words, in any language."},
                     "vault": _text("Name of a vault, or * for all. Left out: this project's and the default one."),
                     "limit": {"type": "integer", "minimum": 1, "maximum": 25, "description": "How many at most; 8 if left out."},
                     "as_of": _text(f"What was held true at that time. {_TIME}"),
                     "include_archived": {"type": "boolean", "description": "Also merged, replaced and faded ones."}},
         description="Find memories by meaning and words. Use it before starting work, before asking the person something they "
                     "may have said already, and when an error looks familiar. No results means nothing matched. A score below 0.2 means "
                     "that hardly a word is shared: an answer in other words, or a mere guess."),
    Tool(name="read", title="Read one memory", run=_read, required=("id",),
         properties={"id": _ID, "offset": {"type": "integer", "minimum": 0, "description": "Character to start at, for long texts."}},
         description="One memory whole: text, state, links, who wrote it, and what replaced it."),
    Tool(name="edit", title="Edit a memory", run=_edit, writes=True, required=("id",),
         properties={"id": _ID, **_FIELDS, **_WHO},
         description="Correct a memory in place. When a fact changed in the world, rather remember the new one with supersedes, "
                     "so that the history stays."),
    Tool(name="forget", title="Forget a memory", run=_forget, writes=True, destroys=True, required=("id",),
         properties={"id": _ID, **_WHO},
         description="Put a memory out of sight. A person can bring it back; nothing is erased."),
    Tool(name="link", title="Link two memories", run=_link, writes=True, required=("source", "target"),
         properties={"source": _ID, "target": _ID,
                     "relation": {"type": "string", "enum": _RELATIONS, "description": "How source relates to target; relates_to if left out."},
                     "weight": {"type": "number", "minimum": 0, "maximum": 1, "description": "How strong it is."},
                     "remove": {"type": "boolean", "description": "Take this link away instead."}, **_WHO},
         description="Relate two memories of one vault. Mentions of a title are linked by themselves; use this for causes, "
                     "contradictions, dependencies."),
    Tool(name="neighbours", title="Neighbours of a memory", run=_neighbours, required=("id",), properties={"id": _ID},
         description="What a memory is linked to and how, with the titles at the other ends."),
    Tool(name="vaults", title="List vaults", run=_vaults, properties={},
         description="The vaults there are, their trust tier and size, and which one this project writes to."),
    Tool(name="journal", title="Dream journal", run=_journal,
         properties={"last": {"type": "integer", "minimum": 1, "maximum": 20, "description": "How many entries; 1 if left out."},
                     "since": _text(f"Only entries since then. {_TIME}")},
         description="What muninn did in its last dreams: connections found, duplicates merged, contradictions resolved."),
    Tool(name="suggestions", title="Suggested connections", run=_suggestions,
         properties={"status": {"type": "string", "enum": ["pending", "accepted", "rejected", "all"]}},
         description="Connections between vaults that wait for a person. Show them; only a person may accept one."),
    Tool(name="status", title="Status", run=_status, properties={},
         description="Whether muninn is awake, how much it holds, when it last dreamed."),
)  # fmt: skip

BY_NAME: Mapping[str, Tool] = {tool.name: tool for tool in TOOLS}
