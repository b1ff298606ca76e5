"""A memory proposed from what ended a repeated failure: the body of ``POST /v1/memories``, kind ``procedure``."""

from __future__ import annotations

from muninn.hooks.sessions import MAIN
from muninn.senses.window import Cure

_TEXT = {
    "en": ("How an error was resolved: {error}", "`{attempt}` failed {count} times with «{error}». It succeeded after: {steps}."),
    "es": ("Cómo se resolvió un error: {error}", "`{attempt}` falló {count} veces con «{error}». Funcionó después de: {steps}."),
}  # fmt: skip
_DIRECT = {"en": "a changed attempt", "es": "un intento distinto"}
_TITLE_LIMIT = 120


def proposal(cure: Cure, session_id: str, agent: str, language: str) -> dict[str, object]:
    """What to remember about one cure, with the session it comes from. The text was redacted when it was recorded."""
    language = language if language in _TEXT else "en"
    title, content = _TEXT[language]
    error = cure.error or cure.attempt
    steps = "; ".join(cure.steps) or _DIRECT[language]
    return {
        "title": title.format(error=error)[:_TITLE_LIMIT],
        "content": content.format(attempt=cure.attempt, count=cure.count, error=error, steps=steps),
        "kind": "procedure",
        "tags": ["resolved-failure"],
        "provenance": {
            "client": "claude-code",
            "session_id": session_id,
            "agent_role": "main" if agent == MAIN else "subagent",
            "run_trigger": "hook",
        },
    }
