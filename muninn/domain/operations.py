"""What a dream would do, one value per operation, and its JSON form. Closed union: a new kind must be handled everywhere.

Values are absolute (before -> after), never factors. ``seen`` holds the fingerprint of every memory the operation was
decided on: when one has changed, the operation does nothing.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from muninn.domain.memory import Kind, LinkKey
from muninn.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class _Common:
    vault: str
    ids: tuple[str, ...]
    why: str
    seen: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Oriented(_Common):
    """What phase 0 found; changes nothing and is not recorded as an operation."""

    memories: int
    active: int
    embedded: int
    mean_relevance: float
    mean_stability: float
    tier: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bond:
    """The co-activation weight between the reinforced memory and ``partner``: ``before`` is None for a new link."""

    partner: str
    before: float | None
    after: float
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinforce(_Common):
    """Accesses of ``ids[0]`` since the last dream, and the bonds to memories recalled with it."""

    before: int
    after: int
    last_before: datetime | None
    last_after: datetime
    bonds: tuple[Bond, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge(_Common):
    """``ids[1:]`` become part of ``into`` (= ``ids[0]``). ``content`` and ``title`` are set when a model wrote a new text.

    ``vector`` and ``model`` belong to the new text; without them the embedding is pending. ``level``: how many
    times over models have written it (``lineage``).
    """

    into: str
    similarity: float = 1.0
    content: str | None = None
    title: str | None = None
    vector: bytes | None = None
    model: str | None = None
    level: int = 0

    @property
    def losers(self) -> tuple[str, ...]:
        return self.ids[1:]


@dataclass(frozen=True, slots=True, kw_only=True)
class NearDuplicates(_Common):
    """A set queued for review. ``verdict``: "pending" (perhaps the same) or "conflict" (same subject, other value)."""

    similarity: float
    verdict: str = "pending"


@dataclass(frozen=True, slots=True, kw_only=True)
class Supersede(_Common):
    """``ids`` = (old, new): the old memory is closed at ``until``, the new one is its successor."""

    until: datetime

    @property
    def old(self) -> str:
        return self.ids[0]

    @property
    def new(self) -> str:
        return self.ids[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Distinct(_Common):
    """Judged different: not to be asked again until one changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggest(_Common):
    """A connection to a memory of another vault, for a human to decide. ``ids`` = (source, target)."""

    suggestion: str
    other_vault: str
    relation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Advise(_Common):
    """A model's advice on the stability (days) of ``ids[0]``; the stability phase acts on it."""

    stability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Promote(_Common):
    """``ids[0]`` becomes a schema."""

    kind_before: Kind
    relevance_before: float
    relevance_after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Stabilise(_Common):
    """``ids[0]`` gets another stability (days)."""

    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Connect(_Common):
    """An inferred link ``ids[0]`` -> ``ids[1]``. ``before`` None: new. ``after`` None: it falls, its premise is gone."""

    relation: str
    before: float | None
    after: float | None
    premises: tuple[str, ...] = ()

    @property
    def key(self) -> LinkKey:
        return LinkKey(self.ids[0], self.ids[1], self.relation)


Operation = (
    Oriented
    | Reinforce
    | Merge
    | NearDuplicates
    | Supersede
    | Distinct
    | Suggest
    | Advise
    | Promote
    | Stabilise
    | Connect
)

NAMES: Mapping[type[Operation], str] = {
    Oriented: "orient",
    Reinforce: "reinforce",
    Merge: "merge",
    NearDuplicates: "near_duplicates",
    Supersede: "supersede",
    Distinct: "distinct",
    Suggest: "suggest",
    Advise: "advise",
    Promote: "promote",
    Stabilise: "stabilise",
    Connect: "link",
}
_TYPES: Mapping[str, type[Operation]] = {name: kind for kind, name in NAMES.items()}


def name_of(operation: Operation) -> str:
    """The operation's name in JSON, journal and records."""
    return NAMES[type(operation)]


def to_json(operation: Operation) -> dict[str, object]:
    """The operation as plain JSON data: ``op vault ids into reason`` and what ``from_json`` needs to make it again."""
    data: dict[str, object] = {"op": name_of(operation)}
    for key in _fields(type(operation)):
        value = getattr(operation, key)
        data["reason" if key == "why" else key] = _plain(value)
    data.setdefault("into", None)
    return data


def from_json(data: Mapping[str, Any]) -> Operation:
    """The operation that ``to_json`` wrote. Raises UsageError when ``data`` is not one."""
    kind = _TYPES.get(str(data.get("op")))
    if kind is None:
        raise UsageError(f"no such operation: {data.get('op')!r}", hint=f"known: {', '.join(sorted(_TYPES))}")
    values: dict[str, Any] = {}
    try:
        for key in _fields(kind):
            name = "reason" if key == "why" else key
            if name in data:
                values[key] = _typed(key, data[name])
        return kind(**values)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"operation {data.get('op')!r} is damaged: {error}") from None


def _fields(kind: type[Operation]) -> tuple[str, ...]:
    return tuple(kind.__dataclass_fields__)


def _plain(value: object) -> object:
    match value:
        case Bond():
            return {"partner": value.partner, "before": value.before, "after": value.after, "at": value.at.isoformat()}
        case datetime():
            return value.isoformat()
        case bytes():
            return base64.b64encode(value).decode("ascii")
        case tuple():
            return [_plain(item) for item in value]
        case Mapping():
            return {str(key): _plain(item) for key, item in value.items()}
        case _:
            return value


def _typed(key: str, value: Any) -> Any:
    match key:
        case "ids" | "premises":
            return tuple(str(item) for item in value)
        case "seen":
            return {str(name): str(mark) for name, mark in value.items()}
        case "last_before" | "last_after" | "until":
            return None if value is None else datetime.fromisoformat(value)
        case "bonds":
            return tuple(
                Bond(
                    partner=bond["partner"],
                    before=bond["before"],
                    after=bond["after"],
                    at=datetime.fromisoformat(bond["at"]),
                )
                for bond in value
            )
        case "vector":
            return None if value is None else base64.b64decode(value, validate=True)
        case "kind_before":
            return Kind(value)
        case _:
            return value
