"""Knows the prompts a person can pick: where did we leave off, and what did the night bring."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from muninn.errors import NotFoundError, UsageError
from muninn.mcp.answers import brief, quoted, rendered
from muninn.mcp.newest import newest
from muninn.mcp.session import Session
from muninn.mcp.tools import BY_NAME

Json = dict[str, Any]

_SHOWN = 12


def _left_off(session: Session, given: Mapping[str, str]) -> str:
    topic = given.get("topic", "").strip()
    if topic:
        found = BY_NAME["recall"].run(session, {"query": topic, "limit": _SHOWN}, "")
    else:
        found = quoted(newest_first=[brief(memory) for memory in newest(session, _SHOWN)])
    about = f" on {topic!r}" if topic else ""
    return (
        f"Where did we leave off{about}? Below is what muninn holds. Say in a few sentences what was decided, what is open "
        "and what the next step is; name the ids you rely on; say so when it is thin. Ask before you act on it.\n\n"
        f"{rendered(found)}"
    )


def _night(session: Session, _given: Mapping[str, str]) -> str:
    entries = BY_NAME["journal"].run(session, {"last": 1}, "")
    waiting = BY_NAME["suggestions"].run(session, {}, "")
    return (
        "Tell me briefly what my memory did in its last dream and whether anything waits for my decision. "
        "Below are the journal entry and the open suggestions.\n\n"
        f"{rendered(entries)}\n\n{rendered(waiting)}"
    )


PROMPTS: Mapping[str, tuple[Json, Callable[[Session, Mapping[str, str]], str]]] = {
    "where_did_we_leave_off": (
        {
            "name": "where_did_we_leave_off",
            "title": "Where did we leave off?",
            "description": "Pick up the thread of earlier sessions in this project.",
            "arguments": [{"name": "topic", "description": "Only about this.", "required": False}],
        },
        _left_off,
    ),
    "what_did_the_night_bring": (
        {
            "name": "what_did_the_night_bring",
            "title": "What did the night bring?",
            "description": "The last dream in a few sentences, and what waits for a decision.",
            "arguments": [],
        },
        _night,
    ),
}


def filled(session: Session, name: str, given: Mapping[str, object]) -> Json:
    """A prompt with what memory has to say. Raises NotFoundError, UsageError."""
    if name not in PROMPTS:
        raise NotFoundError(f"no prompt {name[:80]!r}", hint=f"there are: {', '.join(PROMPTS)}")
    document, write = PROMPTS[name]
    known = {argument["name"] for argument in document["arguments"]}
    odd = sorted(set(given) - known) or sorted(key for key, value in given.items() if not isinstance(value, str))
    if odd:
        raise UsageError(f"prompt {name} does not take {odd[0][:40]!r}")
    text = write(session, {key: str(value) for key, value in given.items()})
    return {
        "description": document["description"],
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
    }
