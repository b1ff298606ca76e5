"""The events of a coding agent, answered: the only door between hooks and senses.

Rules: ``handle`` never raises and is silent when in doubt. State is per (session, agent), one lock around it, on disk before
the answer. Sessions are judged before the next digest is compiled, at their end or lazily; each counts once per rule. The
person's words are never kept. Nothing is said on Stop and SessionEnd, where text would keep the agent going or be lost.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from muninn.config import SensesConfig
from muninn.domain.evidence import Evidence, Outcome, Rule
from muninn.hooks import learnings
from muninn.hooks.dependants import Dependants
from muninn.hooks.projects import is_tree, project_of
from muninn.hooks.proposals import proposal
from muninn.hooks.sessions import MAIN, Session, Sessions, with_agent
from muninn.senses.action import Action, Doing, read_action
from muninn.senses.detectors import CATEGORIES, LESSONS, findings
from muninn.senses.digest import digest, lesson_of
from muninn.senses.response import answer, context
from muninn.senses.table import perceive
from muninn.senses.window import Window, compacted, record, spoken

if TYPE_CHECKING:
    from muninn.ports import Clock

CANARY = "MuninnCanary"
WORKING_CONFIDENCE = 0.5
_LOG = logging.getLogger("muninn.hooks")
_ID_LIMIT = 300

Remember = Callable[[Mapping[str, object]], object]
Reply = dict[str, object] | None
Payload = Mapping[str, Any]


class HookService:
    """Answers hook events. ``state_dir`` is private to it; ``home`` is the person's home (``~/.claude`` lies in it).

    ``remember`` takes the body of ``POST /v1/memories``; it is called only when ``propose_memories`` is on.
    """

    def __init__(
        self,
        config: SensesConfig,
        clock: Clock,
        state_dir: Path,
        home: Path,
        remember: Remember | None = None,
        *,
        language: str = "en",
    ) -> None:
        self._config = config
        self._clock = clock
        self._home = home
        self._remember = remember if config.propose_memories else None
        self._language = language
        self._sessions = Sessions(state_dir)
        self._dependants = Dependants(clock.monotonic)
        self._lock = RLock()
        self._events: dict[str, Callable[[str, Payload, datetime], Reply]] = {
            "SessionStart": self._start,
            "UserPromptSubmit": self._prompt,
            "PostToolUse": self._tool,
            "PostToolUseFailure": self._tool,
            "PreCompact": self._compact,
            "Stop": self._stop,
            "SessionEnd": self._end,
            CANARY: lambda _event, payload, _now: {"muninn": "canary", "nonce": str(payload.get("nonce", ""))[:100]},
        }

    def handle(self, event_name: str, payload: Mapping[str, object]) -> Reply:
        """The JSON to print after an event, or None for silence. Thread-safe; never raises."""
        if not isinstance(payload, Mapping):
            return None
        try:
            given = payload.get("hook_event_name")
            event = given if isinstance(given, str) else event_name
            act = self._events.get(event)
            if act is None or (event != CANARY and not _identifier(payload, "session_id")):
                return None
            return act(event, payload, self._clock.now())
        except Exception:
            _LOG.exception("hook event %s was not understood; nothing was said", event_name[:60])
            return None

    def calls(self, session_id: str) -> int:
        """Tool calls recorded for a session, all agents together."""
        with self._lock:
            session = self._sessions.get(session_id)
            return sum(window.calls for window in session.agents.values()) if session else 0

    def learnings(self, project: str | None = None) -> list[dict[str, object]]:
        """The rules that hold in a project (its folder or one inside it; None: everywhere), the most certain first."""
        folder = project_of(project) if project else None
        return [learnings.as_json(rule) for rule in learnings.known_rules(self._home, folder, self._clock.now())]

    def close(self) -> None:
        """Let go of the background thread; every session is on disk already."""
        self._dependants.close()

    def working_rules(self) -> tuple[Rule, ...]:
        """Rules that have kept a failure away and are likely still right, over every project: for the dream's journal.

        Each comes with its lesson in words; reads only.
        """
        with self._lock:
            projects = [Path(name) for name in sorted(self._sessions.projects())]
        found = learnings.rules_of(self._home, projects, self._clock.now())
        worded = (replace(rule, lesson=lesson_of(rule)) for rule in found if rule.working)
        return tuple(rule for rule in worded if rule.lesson and rule.confidence >= WORKING_CONFIDENCE)

    def _start(self, event: str, payload: Payload, now: datetime) -> Reply:  # noqa: ARG002
        source = payload.get("source")
        with self._lock:
            known = self._sessions.get(_identifier(payload, "session_id"))
            if source == "clear" and known is not None:
                self._sessions.put(self._judged(known))
                self._sessions.drop(known.id)
                known = None
            if known is None and source in ("resume", "compact", "fork"):
                known = self._continued(payload, now)
            self._sessions.put(known or self._session(payload, now))
        return None

    def _prompt(self, event: str, payload: Payload, now: datetime) -> Reply:
        with self._lock:
            session = self._session(payload, now)
            agent = _identifier(payload, "agent_id") or MAIN
            window = spoken(session.agents.get(agent) or _window(agent, now), now)
            session = replace(session, agents=with_agent(session.agents, agent, window))
            if session.greeted or agent != MAIN:
                self._sessions.put(session)
                return None
            self._judge_others(session)
            found = digest(learnings.known_rules(self._home, _folder(session), now))
            injected = found[1] if found else ()
            self._sessions.put(replace(session, greeted=True, injected=injected))
        return context(event, found[0]) if found else None

    def _tool(self, event: str, payload: Payload, now: datetime) -> Reply:
        action = read_action(payload, failure=event == "PostToolUseFailure")
        if action is None:
            return None
        action = self._felt(action, payload)
        agent = _identifier(payload, "agent_id") or MAIN
        with self._lock:
            session = self._session(payload, now)
            window = record(session.agents.get(agent) or _window(agent, now), action, self._config)
            if action.heard:
                window = spoken(window, now)
            signals, window = perceive(window, self._config, now)
            self._sessions.put(replace(session, agents=with_agent(session.agents, agent, window)))
        return answer(event, signals, language=self._language)

    def _felt(self, action: Action, payload: Payload) -> Action:
        """The action with the number of files that import what it wrote, where that is wanted and quick to know."""
        if not self._config.spatial or action.doing is not Doing.EDIT or action.failed or not action.target:
            return action
        with self._lock:
            session = self._sessions.get(_identifier(payload, "session_id"))
        project = _folder(session) if session else project_of(str(payload.get("cwd", "")))
        if project is None or not is_tree(project, self._home):
            return action
        return replace(action, dependants=self._dependants.count(project, action.target))

    def _compact(self, event: str, payload: Payload, now: datetime) -> Reply:  # noqa: ARG002
        agent = _identifier(payload, "agent_id") or MAIN
        with self._lock:
            session = self._session(payload, now)
            if agent in session.agents:
                agents = with_agent(session.agents, agent, compacted(session.agents[agent]))
                session = replace(session, agents=agents)
            self._sessions.put(session)
        return None

    def _stop(self, event: str, payload: Payload, now: datetime) -> Reply:
        with self._lock:
            session = self._session(payload, now)
            if event == "SessionEnd":
                session = self._judged(session)
            proposals: list[dict[str, object]] = []
            if self._remember is not None:
                for agent, window in session.agents.items():
                    proposals += [proposal(cure, session.id, agent, self._language) for cure in window.cures]
                agents = {agent: replace(window, cures=()) for agent, window in session.agents.items()}
                session = replace(session, agents=agents)
            self._sessions.put(session)
        for body in proposals:
            if self._remember is not None:
                self._remember(body)
        return None

    _end = _stop

    def _session(self, payload: Payload, now: datetime) -> Session:
        """The session of an event, new if it is the first one heard of it, with the time moved on."""
        session_id = _identifier(payload, "session_id")
        session = self._sessions.get(session_id)
        transcript = _identifier(payload, "transcript_path")
        if session is None:
            session = Session(id=session_id, root=session_id, started_at=now, seen_at=now)
        project = session.project or str(project_of(str(payload.get("cwd", ""))) or "")
        return replace(session, seen_at=now, project=project, transcript=transcript or session.transcript)

    def _continued(self, payload: Payload, now: datetime) -> Session | None:
        """The session that one under a new id goes on with: same transcript, else the latest of the same project."""
        fresh = self._session(payload, now)
        before = self._sessions.by_transcript(fresh.transcript)
        if before is None:
            before = next(iter(self._sessions.of_project(fresh.project)), None) if fresh.project else None
        if before is None:
            return None
        return replace(before, id=fresh.id, seen_at=now, transcript=fresh.transcript)

    def _judge_others(self, session: Session) -> None:
        for other in self._sessions.of_project(session.project):
            if other.root != session.root and (judged := self._judged(other)) is not other:
                self._sessions.put(judged)

    def _judged(self, session: Session) -> Session:
        """The session with what it proves written down, once per rule; a failure seen later outweighs an earlier absence."""
        found = findings([window.tallies for window in session.agents.values()], frozenset(session.injected))
        fresh = {
            pattern: outcome
            for pattern, outcome in found.items()
            if session.recorded.get(pattern) not in (outcome, Outcome.DETECTION)
        }
        if not fresh:
            return session
        evidence = [_evidence(pattern, outcome, session) for pattern, outcome in fresh.items()]
        others = [Path(name) for name in self._sessions.projects()]
        try:
            learnings.record(self._home, _folder(session), evidence, others)
        except OSError as error:
            _LOG.warning("learnings were not written: %s", error)
            return session
        return replace(session, recorded={**session.recorded, **{p: str(o) for p, o in fresh.items()}})


def _identifier(payload: Payload, name: str) -> str:
    value = payload.get(name)
    if not isinstance(value, str):
        return ""
    return value[:_ID_LIMIT].encode("utf-8", "replace").decode()


def _window(agent: str, now: datetime) -> Window:
    return Window(spoke_at=now, main=agent == MAIN)


def _folder(session: Session) -> Path | None:
    return Path(session.project) if session.project else None


def _evidence(pattern: str, outcome: Outcome, session: Session) -> Evidence:
    return Evidence(
        pattern=pattern,
        outcome=outcome,
        at=session.seen_at,
        session=session.root,
        lesson=LESSONS[pattern],
        category=CATEGORIES[pattern],
    )
