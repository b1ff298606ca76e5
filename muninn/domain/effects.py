"""What each operation changes, given what there is: the one place that knows how a merge unites, or a successor closes.

Every link key an effect reads is among the keys it returns, changed or not, so that a record of them suffices to know
the effect again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol, assert_never

from muninn.domain.lineage import noted
from muninn.domain.memory import Kind, Link, LinkKey, Memory, Origin, State, content_hash
from muninn.domain.operations import (
    Advise,
    Connect,
    Distinct,
    Merge,
    NearDuplicates,
    Operation,
    Oriented,
    Promote,
    Reinforce,
    Stabilise,
    Suggest,
    Supersede,
)
from muninn.domain.records import Decision, Suggestion
from muninn.domain.trust import strictest

_AUTHORITY = (Origin.MANUAL, Origin.AGENT, Origin.AUTO, Origin.DREAM)  # who is believed when two links become one


class Reader(Protocol):
    """The present state, as far as operations need it (``ports.ReadModel`` is one)."""

    def get(self, memory_id: str) -> Memory | None: ...
    def vector(self, memory_id: str) -> bytes | None: ...
    def links_of(self, memory_id: str) -> tuple[Link, ...]: ...
    def link(self, key: LinkKey) -> Link | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Rows as they become; ``links`` maps a key to None where the link goes."""

    memories: tuple[Memory, ...] = ()
    vectors: Mapping[str, bytes] = field(default_factory=dict)
    links: Mapping[LinkKey, Link | None] = field(default_factory=dict)
    decisions: tuple[Decision, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()


def effect(operation: Operation, state: Reader, *, now: datetime, dream_id: str) -> Effect:
    """What ``operation`` changes in ``state``. The caller has made sure that it may."""
    match operation:
        case Oriented() | Advise():
            return Effect()
        case Reinforce():
            return _reinforced(operation, state)
        case Merge():
            return _merged(operation, state, now, dream_id)
        case NearDuplicates() | Distinct():
            return Effect(decisions=(_decision(operation, state, now, dream_id),))
        case Supersede():
            return _superseded(operation, state, now)
        case Suggest():
            return Effect(suggestions=(suggestion_of(operation, now=now, dream_id=dream_id),))
        case Promote():
            memory = _present(state, operation.ids[0])
            grown = replace(memory, kind=Kind.SCHEMA, relevance=operation.relevance_after, updated_at=now)
            return Effect(memories=(grown,))
        case Stabilise():
            return Effect(memories=(replace(_present(state, operation.ids[0]), stability=operation.after),))
        case Connect():
            return _connected(operation, state, now)
        case _:
            assert_never(operation)


def _present(state: Reader, memory_id: str) -> Memory:
    memory = state.get(memory_id)
    if memory is None:
        raise KeyError(memory_id)
    return memory


def _reinforced(operation: Reinforce, state: Reader) -> Effect:
    memory = _present(state, operation.ids[0])
    links: dict[LinkKey, Link | None] = {}
    for bond in operation.bonds:
        key = LinkKey(min(memory.id, bond.partner), max(memory.id, bond.partner), "co_activated")
        old = state.link(key)
        if old is None:
            links[key] = Link(
                source=key.source, target=key.target, relation=key.relation, vault=operation.vault,
                weight=bond.after, origin=Origin.DREAM, created_at=bond.at, last_activated_at=bond.at,
            )  # fmt: skip
        elif old.rejected or old.weight != bond.before:
            links[key] = old
        else:
            links[key] = replace(old, weight=bond.after, last_activated_at=bond.at)
    used = replace(memory, access_count=operation.after, last_accessed_at=operation.last_after)
    return Effect(memories=(used,), links=links)


def _merged(operation: Merge, state: Reader, now: datetime, dream_id: str) -> Effect:
    survivor = _present(state, operation.into)
    losers = [_present(state, key) for key in operation.losers]
    everyone = (survivor, *losers)
    united = replace(
        survivor,
        tags=tuple(dict.fromkeys(tag for memory in everyone for tag in memory.tags)),
        metadata={key: value for memory in reversed(everyone) for key, value in memory.metadata.items()},
        created_at=min(memory.created_at for memory in everyone),
        learned_at=max(memory.learned_at for memory in everyone),
        updated_at=now,
        valid_from=min((m.valid_from for m in everyone if m.valid_from is not None), default=None),
        access_count=sum(memory.access_count for memory in everyone),
        last_accessed_at=max((m.last_accessed_at for m in everyone if m.last_accessed_at is not None), default=None),
        relevance=max(memory.relevance for memory in everyone),
        stability=max(memory.stability for memory in everyone),
        confidence=max(memory.confidence for memory in everyone),
        tier=strictest(*(memory.tier for memory in everyone)),
        merged_from=tuple(dict.fromkeys((*survivor.merged_from, *(k for m in losers for k in (m.id, *m.merged_from))))),
    )
    vectors: dict[str, bytes] = {}
    if operation.content is not None:
        united = _rewritten(united, operation)
        if operation.vector is not None:
            vectors[united.id] = operation.vector
    archived = tuple(
        replace(loser, state=State.ARCHIVED, superseded_by=survivor.id, updated_at=now) for loser in losers
    )
    level = (noted(united, operation.level, at=now, dream_id=dream_id),) if operation.level else ()
    return Effect(memories=(united, *archived), vectors=vectors, links=repointed(operation, state), decisions=level)


def _rewritten(memory: Memory, operation: Merge) -> Memory:
    content = operation.content if operation.content is not None else memory.content
    return replace(
        memory,
        content=content,
        content_hash=content_hash(content),
        title=operation.title or memory.title,
        title_derived=memory.title_derived and operation.title is None,
        embedding_model=operation.model if operation.vector is not None else None,
    )


def repointed(operation: Merge, state: Reader) -> dict[LinkKey, Link | None]:
    """The losers' links as the survivor's: no self-links, no doubles, nothing a person rejected."""
    merged = {*operation.losers, operation.into}
    links: dict[LinkKey, Link | None] = {}
    for loser in operation.losers:
        for old in sorted(state.links_of(loser), key=lambda link: link.key):
            links[old.key] = None
            source = operation.into if old.source in merged else old.source
            target = operation.into if old.target in merged else old.target
            if source == target:
                continue
            if old.relation == "co_activated" and source > target:
                source, target = target, source
            key = LinkKey(source, target, old.relation)
            present = links.get(key) or state.link(key)
            origin = Origin.DREAM if old.origin is Origin.AUTO else old.origin  # the survivor's text may not mention it
            links[key] = _united(present, replace(old, source=source, target=target, origin=origin))
    return links


def _united(present: Link | None, moved: Link) -> Link:
    if present is None:
        return moved
    if present.rejected:
        return present
    return replace(
        present,
        weight=max(present.weight, moved.weight),
        origin=min(present.origin, moved.origin, key=_AUTHORITY.index),
        created_at=min(present.created_at, moved.created_at),
        last_activated_at=max((at for at in (present.last_activated_at, moved.last_activated_at) if at), default=None),
        premises=present.premises if present.premises and moved.premises else (),
    )


def _superseded(operation: Supersede, state: Reader, now: datetime) -> Effect:
    old = _present(state, operation.old)
    closed = operation.until if old.valid_until is None else min(old.valid_until, operation.until)
    ended = replace(old, state=State.SUPERSEDED, superseded_by=operation.new, valid_until=closed, updated_at=now)
    key = LinkKey(operation.new, operation.old, "supersedes")
    present = state.link(key)
    link = present or Link(
        source=key.source, target=key.target, relation="supersedes", vault=operation.vault,
        weight=1.0, origin=Origin.DREAM, created_at=now,
    )  # fmt: skip
    return Effect(memories=(ended,), links={key: link})


def _connected(operation: Connect, state: Reader, now: datetime) -> Effect:
    if operation.after is None:
        return Effect(links={operation.key: None})
    present = state.link(operation.key)
    if present is not None:
        return Effect(links={operation.key: replace(present, weight=operation.after, premises=operation.premises)})
    made = Link(
        source=operation.ids[0], target=operation.ids[1], relation=operation.relation, vault=operation.vault,
        weight=operation.after, origin=Origin.DREAM, created_at=now, premises=operation.premises,
    )  # fmt: skip
    return Effect(links={operation.key: made})


def _decision(operation: NearDuplicates | Distinct, state: Reader, now: datetime, dream_id: str) -> Decision:
    ids = tuple(sorted(operation.ids))
    return Decision(
        ids=ids,
        op="merge",
        verdict="distinct" if isinstance(operation, Distinct) else operation.verdict,
        fingerprints=tuple(_present(state, key).fingerprint for key in ids),
        at=now,
        vault=operation.vault,
        dream_id=dream_id or None,
        reason=operation.why,
    )


def suggestion_of(operation: Suggest, *, now: datetime, dream_id: str) -> Suggestion:
    """The suggestion as it is stored, pending."""
    return Suggestion(
        id=operation.suggestion,
        source=operation.ids[0],
        source_vault=operation.vault,
        target=operation.ids[1],
        target_vault=operation.other_vault,
        relation=operation.relation,
        reason=operation.why,
        created_at=now,
        dream_id=dream_id or None,
    )
