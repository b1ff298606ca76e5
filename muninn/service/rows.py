"""Rows of an import: checked one by one, stored in one commit, answered in order. A bad row never stops the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np

from muninn.domain.draft import Draft, parse_draft, parse_time
from muninn.domain.memory import (
    RELATION_LIMIT,
    Link,
    LinkKey,
    Memory,
    Origin,
    Provenance,
    State,
    relation_of,
    vault_key,
)
from muninn.domain.trust import parse_tier
from muninn.errors import MuninnError, UsageError
from muninn.service import MemoryService, Remembered

_UNIT = 1e-4  # how far from length 1 a vector may be and still count as normalised
_ASIDE = {"links", "provenance", "embedding", "embedding_model", "content_hash", "tier", "head"}
_STANDING = {
    "weight",
    "origin",
    "created_at",
    "last_activated_at",
    "rejected",
    "premises",
}  # of a link, beside its ends
_ORIGINS = frozenset(origin.value for origin in Origin)
_Row = tuple[int, Draft, Provenance, bytes | None, str | None, list[Any]]


@dataclass(slots=True)
class _Outcome:
    imported: int = 0
    duplicates: int = 0
    rejected: list[dict[str, object]] = field(default_factory=list)
    unresolved: list[dict[str, object]] = field(default_factory=list)
    ids: list[str | None] = field(default_factory=list)
    links: int = 0
    notes: list[str] = field(default_factory=list)


def import_rows(
    service: MemoryService,
    rows: Sequence[Any],
    *,
    vault: str | None,
    exact: bool,
    dry_run: bool,
    links: Sequence[Any],
    vaults: Sequence[Any],
    first_line: int,
    by: Provenance,
    provenance: Callable[[Mapping[str, object]], Provenance],
    now: datetime,
) -> dict[str, object]:
    """Store ``rows``; the answer counts what came, what was known, and what was not understood and why, by line."""
    outcome = _Outcome()
    if not dry_run:
        for one in vaults:
            _vault(service, one, by, now)
    good: list[_Row] = []
    for line, values in enumerate(rows, start=first_line):
        try:
            good.append(_row(service, line, values, vault=vault, exact=exact, by=by, provenance=provenance, now=now))
        except MuninnError as error:
            outcome.rejected.append({"line": line, "why": str(error)})
    if dry_run:
        outcome.duplicates = sum(_known(service, draft) for _, draft, *_ in good)
        outcome.imported = len(good) - outcome.duplicates
    else:
        _store(service, good, outcome, exact=exact, now=now)
        _link(service, [(None, values) for values in links], outcome, now, exact=exact)
    return {
        "imported": outcome.imported,
        "duplicates": outcome.duplicates,
        "rejected": outcome.rejected,
        "unresolved_links": outcome.unresolved,
        "links": outcome.links,
        "ids": outcome.ids,
        "notes": outcome.notes,
        "pending": len(service.read.pending_embeddings()),
        "dry_run": dry_run,
    }


def _vault(service: MemoryService, values: Any, by: Provenance, now: datetime) -> None:
    if not isinstance(values, dict) or not isinstance(values.get("name"), str):
        raise UsageError("a vault needs a name")
    tier = parse_tier(str(values["tier"])) if values.get("tier") else None
    service.create_vault(
        values["name"], tier=tier, by=by, created_at=parse_time("created_at", values.get("created_at"), latest=now)
    )


def _known(service: MemoryService, draft: Draft) -> bool:
    return bool(draft.id and service.read.get(draft.id)) or service.holds(draft)


def _row(
    service: MemoryService,
    line: int,
    values: Any,
    *,
    vault: str | None,
    exact: bool,
    by: Provenance,
    provenance: Callable[[Mapping[str, object]], Provenance],
    now: datetime,
) -> _Row:
    if not isinstance(values, dict):
        raise UsageError("a memory must be a JSON object")
    fields = {key: value for key, value in values.items() if key not in _ASIDE}
    if vault is not None:
        fields["vault"] = vault
    tier = parse_tier(str(values["tier"])) if values.get("tier") else None
    draft = parse_draft({**fields, "tier": tier}, now=now)
    given = values.get("provenance")
    if given is not None and not isinstance(given, dict):
        raise UsageError("provenance must be a JSON object")
    links = values.get("links") or []
    if not isinstance(links, list):
        raise UsageError("links must be a list")
    vector, model = _vector(service, draft, values, exact=exact)
    return line, draft, provenance(given) if given else by, vector, model, links


def _vector(
    service: MemoryService, draft: Draft, values: Mapping[str, Any], *, exact: bool
) -> tuple[bytes | None, str | None]:
    """A vector that came with the row, normalised, when it is of the model that serves the vault; and that model.

    A forgotten row of an export keeps the model's name without a vector: it is not embedded again until it is restored.
    """
    numbers, model = values.get("embedding"), values.get("embedding_model")
    if numbers is None or model is None:
        kept = exact and draft.state is State.FORGOTTEN and isinstance(model, str)
        return None, model if kept else None
    embedder = service.embedders.for_tier(service.tier_for(draft))
    if model != embedder.model:
        return None, None
    if not isinstance(numbers, list) or len(numbers) != embedder.dimensions:
        raise UsageError(f"embedding must have {embedder.dimensions} numbers for {model}")
    try:
        vector = np.array(numbers, dtype=np.float32)
    except (TypeError, ValueError):
        raise UsageError("embedding must be a list of numbers") from None
    norm = float(np.linalg.norm(vector)) if vector.shape == (embedder.dimensions,) else 0.0
    if not math.isfinite(norm) or norm == 0.0:
        raise UsageError("embedding must be a flat list of finite numbers, not all zero")
    return (vector / norm if abs(norm - 1.0) > _UNIT else vector).astype("<f4").tobytes(), str(model)


def _store(service: MemoryService, good: list[_Row], outcome: _Outcome, *, exact: bool, now: datetime) -> None:
    results = service.remember_many([(d, by, vector, model) for _, d, by, vector, model, _ in good], exact=exact)
    pairs: list[tuple[Memory | None, Any]] = []
    for (line, _, _, _, _, links), result in zip(good, results, strict=True):
        if isinstance(result, Remembered):
            outcome.imported += result.created
            outcome.duplicates += not result.created
            outcome.ids.append(result.memory.id)
            outcome.notes += (note for note in result.notes if result.vault_created)
            pairs += [(result.memory, link) for link in links]
        else:
            outcome.rejected.append({"line": line, "why": str(result)})
            outcome.ids.append(None)
    _link(service, pairs, outcome, now, exact=exact)


class _Titles:
    """Active memories by vault and title, read once for all the links of a batch; the oldest of several has the title."""

    def __init__(self, service: MemoryService) -> None:
        self._service = service
        self._known: dict[str, dict[str, str]] = {}

    def find(self, vault: str, title: str) -> Memory | None:
        if vault not in self._known:
            active = sorted(
                (m for m in self._service.read.memories(vault) if m.active), key=lambda m: m.id, reverse=True
            )
            self._known[vault] = {vault_key(memory.title): memory.id for memory in active}
        memory_id = self._known[vault].get(vault_key(title))
        return None if memory_id is None else self._service.read.get(memory_id)


def _link(
    service: MemoryService, pairs: Sequence[tuple[Memory | None, Any]], outcome: _Outcome, now: datetime, *, exact: bool
) -> None:
    links: list[Link] = []
    titles = _Titles(service)
    for source, values in pairs:
        try:
            link = _one_link(service, source, values, now, titles=titles, exact=exact)
        except MuninnError as error:
            outcome.rejected.append({"line": 0, "why": f"link: {error}"})
            continue
        if link is None:
            outcome.unresolved.append({**values, "source": source.id if source else values.get("source")})
        else:
            links.append(link)
    outcome.links += service.import_links(links)


def _one_link(
    service: MemoryService, source: Memory | None, values: Any, now: datetime, *, titles: _Titles, exact: bool
) -> Link | None:
    """A link from import data; None while its target (an id or a title of the vault) is not there."""
    if not isinstance(values, dict) or not isinstance(values.get("target"), str):
        raise UsageError("a link needs a target")
    source = source or service.read.get(str(values.get("source")))
    if source is None:
        raise UsageError("a link needs a source that exists")
    target = service.read.get(values["target"]) or titles.find(source.vault, values["target"])
    if target is None:
        return None
    _check_link(values)
    weight = values.get("weight", 0.8)
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0.0 <= weight <= 1.0:
        raise UsageError(f"weight {weight!r} is out of range", hint="0 to 1")
    crossing = vault_key(target.vault) != vault_key(source.vault)
    if target.id == source.id or (crossing and not (exact and values.get("origin") == "manual")):
        raise UsageError("a link joins two memories of one vault")
    origin = values.get("origin")
    relation = relation_of(values.get("relation"))
    known = service.read.link(LinkKey(source.id, target.id, relation))
    if known is not None and not values.keys() & _STANDING:
        return known
    return Link(
        source=source.id,
        target=target.id,
        relation=relation,
        vault=source.vault,
        weight=float(weight),
        origin=Origin(origin) if origin in _ORIGINS else Origin.MANUAL,
        created_at=parse_time("created_at", values.get("created_at"), latest=now) or now,
        last_activated_at=parse_time("last_activated_at", values.get("last_activated_at"), latest=now),
        rejected=values.get("rejected", False),
        premises=tuple(values.get("premises") or ()),
    )


def _check_link(values: Mapping[str, Any]) -> None:
    """The fields of a link that would be taken as they come."""
    relation, origin, premises = values.get("relation"), values.get("origin"), values.get("premises")
    if relation is not None and not (isinstance(relation, str) and len(relation) <= RELATION_LIMIT):
        raise UsageError(f"relation must be a name of at most {RELATION_LIMIT} characters")
    if origin is not None and not isinstance(origin, str):
        raise UsageError("origin must be text")
    if premises is not None and not (isinstance(premises, list) and all(isinstance(one, str) for one in premises)):
        raise UsageError("premises must be a list of ids")
    if not isinstance(values.get("rejected", False), bool):
        raise UsageError("rejected must be true or false")
