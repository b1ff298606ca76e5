"""Laws of operations: evolve and apply agree, twice is once, the inverse is exact, disjoint operations commute."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from muninn.domain.evolution import Changes, SnapshotReader, apply, evolve
from muninn.domain.inversion import invert
from muninn.domain.memory import (
    Kind,
    Link,
    LinkKey,
    Memory,
    Origin,
    Provenance,
    Snapshot,
    State,
    Vault,
    Vectors,
    content_hash,
)
from muninn.domain.operations import (
    Advise,
    Bond,
    Connect,
    Distinct,
    Merge,
    NearDuplicates,
    Operation,
    Promote,
    Reinforce,
    Stabilise,
    Suggest,
    Supersede,
    from_json,
    to_json,
)
from muninn.domain.trust import Tier
from muninn.store.erasure import without

NOW = datetime(2026, 3, 28, 6, 0, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
IDS = tuple(f"m{number}" for number in range(6))
RELATIONS = ("mentions", "causes", "co_activated", "inferred")


def memory(key: str, **fields: object) -> Memory:
    content = str(fields.pop("content", f"text of {key}"))
    base = Memory(
        id=key, vault="v", tier=Tier.PERSONAL, title=f"title of {key}", content=content,
        content_hash=content_hash(content), created_at=NOW - timedelta(days=30), updated_at=NOW - timedelta(days=30),
        learned_at=NOW - timedelta(days=int(key[1:]) + 1), provenance=Provenance(client="test"), embedding_model="e",
    )  # fmt: skip
    return replace(base, **fields)  # type: ignore[arg-type]


@st.composite
def snapshots(draw: st.DrawFn) -> Snapshot:
    memories = {
        key: memory(
            key,
            tags=tuple(draw(st.lists(st.sampled_from(["a", "b", "ñ"]), max_size=2, unique=True))),
            metadata=draw(st.dictionaries(st.sampled_from(["k", "clé"]), st.integers(0, 3), max_size=2)),
            access_count=draw(st.integers(0, 9)),
            last_accessed_at=draw(st.one_of(st.none(), st.just(NOW - timedelta(days=2)))),
            stability=float(draw(st.integers(14, 300))),
            relevance=draw(st.sampled_from([0.1, 0.5, 0.9])),
            pinned=draw(st.booleans()),
        )
        for key in IDS
    }
    links: dict[LinkKey, Link] = {}
    for _ in range(draw(st.integers(0, 10))):
        source, target = draw(st.permutations(IDS))[:2]
        key = LinkKey(source, target, draw(st.sampled_from(RELATIONS)))
        links[key] = Link(
            source=source, target=target, relation=key.relation, vault="v", weight=draw(st.sampled_from([0.2, 0.8])),
            origin=draw(st.sampled_from(list(Origin))), created_at=NOW - timedelta(days=draw(st.integers(1, 9))),
            rejected=draw(st.booleans()), premises=("m5",) if key.relation == "inferred" else (),
        )  # fmt: skip
    matrix = np.eye(len(IDS), 8, dtype=np.float32)
    return Snapshot(
        vault=Vault(name="v", tier=Tier.PERSONAL, created_at=NOW),
        memories=memories,
        links=links,
        vectors=(Vectors("e", IDS, matrix),),
    )


def _seen(snapshot: Snapshot, ids: tuple[str, ...]) -> dict[str, str]:
    return {key: snapshot.memories[key].fingerprint for key in ids}


@st.composite
def operations_on(draw: st.DrawFn, snapshot: Snapshot, *, among: tuple[str, ...] = IDS) -> Operation:
    """An operation somebody could plan on ``snapshot``."""
    chosen = tuple(draw(st.permutations(among)))
    one, two = chosen[:2]
    first = snapshot.memories[one]
    common: dict[str, Any] = {"vault": "v", "why": "because"}
    kind = draw(st.integers(0, 9))
    if kind == 0:
        pair = (min(one, two), max(one, two))
        link = snapshot.links.get(LinkKey(*pair, "co_activated"))
        lower = snapshot.memories[pair[0]]
        return Reinforce(
            **common, ids=pair, seen=_seen(snapshot, pair), before=lower.access_count, after=lower.access_count + 2,
            last_before=lower.last_accessed_at, last_after=NOW,
            bonds=(Bond(partner=pair[1], before=link.weight if link else None, after=0.9, at=NOW),),
        )  # fmt: skip
    if kind in (1, 2):
        ids = chosen[: draw(st.integers(2, min(3, len(chosen))))]
        new = "a new text" if kind == 2 else None
        vector = np.ones(8, dtype="<f4").tobytes() if kind == 2 and draw(st.booleans()) else None
        return Merge(
            **common, ids=ids, into=one, seen=_seen(snapshot, ids), content=new, vector=vector,
            model="e" if vector else None,
        )  # fmt: skip
    if kind == 3:
        return NearDuplicates(**common, ids=(one, two), seen=_seen(snapshot, (one, two)), similarity=0.9)
    if kind == 4:
        return Supersede(**common, ids=(one, two), seen=_seen(snapshot, (one, two)), until=NOW)
    if kind == 5:
        return Distinct(**common, ids=(one, two), seen=_seen(snapshot, (one, two)))
    if kind == 6:
        return Promote(
            **common, ids=(one,), seen=_seen(snapshot, (one,)), kind_before=first.kind,
            relevance_before=first.relevance, relevance_after=0.95,
        )  # fmt: skip
    if kind == 7:
        return Stabilise(**common, ids=(one,), seen=_seen(snapshot, (one,)), before=first.stability, after=99.5)
    if kind == 8:
        link = snapshot.links.get(LinkKey(one, two, "inferred"))
        gone = link is not None and draw(st.booleans())
        return Connect(
            **common, ids=(one, two), seen=_seen(snapshot, (one, two)), relation="inferred",
            before=link.weight if link else None, after=None if gone else 0.5, premises=("m5",),
        )  # fmt: skip
    if draw(st.booleans()):
        return Advise(**common, ids=(one,), seen=_seen(snapshot, (one,)), stability=50.0)
    return Suggest(
        **common, ids=(one, two), seen=_seen(snapshot, (one, two)), suggestion="s1", other_vault="w",
        relation="relates_to",
    )  # fmt: skip


@st.composite
def dreams(draw: st.DrawFn) -> tuple[Snapshot, list[Operation]]:
    """A snapshot and operations, each planned on what the ones before it leave."""
    snapshot = draw(snapshots())
    present, planned = snapshot, []
    for _ in range(draw(st.integers(0, 6))):
        operation = draw(operations_on(present))
        planned.append(operation)
        present = evolve(present, [operation], now=NOW)
    return snapshot, planned


def written(snapshot: Snapshot, changes: Changes) -> Snapshot:
    """The snapshot after a writer wrote ``changes``."""
    links = {key: link for key, link in snapshot.links.items() if key not in changes.unlink}
    links.update((link.key, link) for link in changes.links)
    rows = {key: snapshot.vectors[0].matrix[row].tobytes() for row, key in enumerate(snapshot.vectors[0].ids)}
    rows.update(changes.vectors)
    ids = tuple(sorted(rows))
    matrix = np.stack([np.frombuffer(rows[key], dtype="<f4") for key in ids])
    memories = {**snapshot.memories, **{one.id: one for one in changes.memories}}
    return replace(snapshot, memories=memories, links=links, vectors=(Vectors("e", ids, matrix),))


def plain(snapshot: Snapshot) -> object:
    vectors = {
        key: block.matrix[row].tobytes()
        for block in snapshot.vectors
        for row, key in enumerate(block.ids)
        if snapshot.memories[key].embedding_model is not None
    }
    return dict(snapshot.memories), dict(snapshot.links), vectors


@settings(max_examples=60, deadline=None)
@given(dreams())
def test_evolve_and_apply_agree(dream: tuple[Snapshot, list[Operation]]) -> None:
    snapshot, operations = dream
    changes = apply(SnapshotReader(snapshot), operations, now=NOW, dream_id="d")
    assert plain(written(snapshot, changes)) == plain(evolve(snapshot, operations, now=NOW))


@settings(max_examples=60, deadline=None)
@given(dreams())
def test_inverse_restores_every_byte(dream: tuple[Snapshot, list[Operation]]) -> None:
    snapshot, operations = dream
    changes = apply(SnapshotReader(snapshot), operations, now=NOW, dream_id="d")
    after = written(snapshot, changes)
    inverse = invert(changes.records, SnapshotReader(after), now=LATER, suggestions={})
    assert inverse.left_alone == ()
    assert plain(written(after, inverse.changes)) == plain(snapshot)


@settings(max_examples=60, deadline=None)
@given(dreams())
def test_applying_twice_changes_no_row_further(dream: tuple[Snapshot, list[Operation]]) -> None:
    snapshot, operations = dream
    once = written(snapshot, apply(SnapshotReader(snapshot), operations, now=NOW, dream_id="d"))
    twice = written(once, apply(SnapshotReader(once), operations, now=NOW, dream_id="d"))
    structural = [one for one in operations if isinstance(one, (Merge, Supersede, Reinforce, Promote, Stabilise))]
    if len(structural) == len(operations) == 1:
        assert plain(twice) == plain(once)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_disjoint_operations_commute(data: st.DataObject) -> None:
    snapshot = data.draw(snapshots())
    one = data.draw(operations_on(snapshot, among=IDS[:3]))
    other = data.draw(operations_on(snapshot, among=IDS[3:]))
    crossing = any(
        {key.source, key.target} & set(one.ids) and {key.source, key.target} & set(other.ids) for key in snapshot.links
    )
    if crossing:
        return
    forth = evolve(snapshot, [one, other], now=NOW)
    back = evolve(snapshot, [other, one], now=NOW)
    assert plain(forth) == plain(back)


@settings(max_examples=60, deadline=None)
@given(dreams())
def test_json_makes_the_same_operation_again(dream: tuple[Snapshot, list[Operation]]) -> None:
    for operation in dream[1]:
        data = to_json(operation)
        assert {"op", "vault", "ids", "into", "reason"} <= data.keys()
        assert from_json(data) == operation


@settings(max_examples=40, deadline=None)
@given(dreams(), st.sampled_from(IDS))
def test_undo_leaves_what_a_person_changed(dream: tuple[Snapshot, list[Operation]], edited: str) -> None:
    snapshot, operations = dream
    changes = apply(SnapshotReader(snapshot), operations, now=NOW, dream_id="d")
    after = written(snapshot, changes)
    mine = replace(after.memories[edited], content="edited by hand", content_hash=content_hash("edited by hand"))
    after = replace(after, memories={**after.memories, edited: mine})
    inverse = invert(changes.records, SnapshotReader(after), now=LATER)
    restored = written(after, inverse.changes)
    assert restored.memories[edited] == mine
    touched = any(edited in record.after for record in changes.records)
    assert (edited in dict(inverse.left_alone)) == touched
    assert not (touched and edited in inverse.restored)


@settings(max_examples=100, deadline=None)
@given(dreams(), st.sampled_from(IDS))
def test_undo_restores_all_that_was_not_erased(dream: tuple[Snapshot, list[Operation]], erased: str) -> None:
    snapshot, operations = dream
    changes = apply(SnapshotReader(snapshot), operations, now=NOW, dream_id="d")
    after = written(snapshot, changes)
    after = replace(
        after,
        memories={key: one for key, one in after.memories.items() if key != erased},
        links={key: link for key, link in after.links.items() if erased not in (link.source, link.target)},
    )
    records = [without(one, {erased}) if erased in from_json(one.operation).ids else one for one in changes.records]
    inverse = invert(records, SnapshotReader(after), now=LATER)
    rows = {**after.memories, **{one.id: one for one in inverse.changes.memories}}
    unused = {key: replace(one, access_count=0, last_accessed_at=None) for key, one in rows.items()}
    before = {key: replace(one, access_count=0, last_accessed_at=None) for key, one in snapshot.memories.items()}
    assert unused == {key: one for key, one in before.items() if key != erased}
    assert not any(erased in one.ids for one in inverse.changes.decisions)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_in_whatever_order_merges_are_undone_none_keeps_what_stands_by_itself_again(data: st.DataObject) -> None:
    snapshot = data.draw(snapshots())
    present, dreams_ = snapshot, []
    for number in range(data.draw(st.integers(1, 4))):
        active = sorted(key for key, one in present.memories.items() if one.active)
        ids = tuple(data.draw(st.permutations(active))[: data.draw(st.integers(2, 3))])
        if len(ids) < 2:
            break
        merge = Merge(vault="v", why="because", ids=ids, into=ids[0], seen=_seen(present, ids))
        changes = apply(SnapshotReader(present), [merge], now=NOW + timedelta(days=number), dream_id=f"d{number}")
        dreams_.append(changes.records)
        present = written(present, changes)
    for records in data.draw(st.permutations(dreams_)):
        present = written(present, invert(records, SnapshotReader(present), now=LATER).changes)
        standing = {key for key, one in present.memories.items() if one.active}
        assert {key: one.merged_from for key, one in present.memories.items() if standing & {*one.merged_from}} == {}
    assert {one.merged_from for one in present.memories.values()} == {()}


def test_merge_unites_what_it_merges() -> None:
    snapshot = Snapshot(
        vault=Vault(name="v", tier=Tier.PERSONAL, created_at=NOW),
        memories={
            "m0": memory("m0", tags=("a",), access_count=2, metadata={"k": 1}, stability=20.0),
            "m1": memory("m1", tags=("b", "a"), access_count=3, metadata={"k": 2, "j": 3}, stability=40.0,
                         created_at=NOW - timedelta(days=90), last_accessed_at=NOW),
            "m2": memory("m2"),
        },
        links={
            key: Link(source=key.source, target=key.target, relation=key.relation, vault="v", weight=weight,
                      origin=origin, created_at=NOW)
            for key, weight, origin in (
                (LinkKey("m1", "m2", "causes"), 0.9, Origin.MANUAL),
                (LinkKey("m0", "m2", "causes"), 0.3, Origin.AUTO),
                (LinkKey("m0", "m1", "mentions"), 0.9, Origin.AUTO),
                (LinkKey("m2", "m1", "supports"), 0.5, Origin.AGENT),
            )
        },
        vectors=(),
    )  # fmt: skip
    merge = Merge(vault="v", ids=("m0", "m1"), into="m0", why="same", seen=_seen(snapshot, ("m0", "m1")))
    after = evolve(snapshot, [merge], now=NOW)
    survivor, loser = after.memories["m0"], after.memories["m1"]
    assert survivor.tags == ("a", "b")
    assert survivor.metadata == {"k": 1, "j": 3}
    assert (survivor.access_count, survivor.last_accessed_at, survivor.stability) == (5, NOW, 40.0)
    assert survivor.created_at == NOW - timedelta(days=90)
    assert survivor.merged_from == ("m1",)
    assert (loser.state, loser.superseded_by) == (State.ARCHIVED, "m0")
    assert set(after.links) == {LinkKey("m0", "m2", "causes"), LinkKey("m2", "m0", "supports")}
    causes = after.links[LinkKey("m0", "m2", "causes")]
    assert (causes.weight, causes.origin) == (0.9, Origin.MANUAL)


def test_merge_does_not_bring_back_a_rejected_link() -> None:
    rejected = Link(source="m0", target="m2", relation="mentions", vault="v", weight=0.5, origin=Origin.AUTO,
                    created_at=NOW, rejected=True)  # fmt: skip
    mentions = replace(rejected, source="m1", rejected=False)
    snapshot = Snapshot(
        vault=Vault(name="v", tier=Tier.PERSONAL, created_at=NOW),
        memories={key: memory(key) for key in ("m0", "m1", "m2")},
        links={rejected.key: rejected, mentions.key: mentions},
        vectors=(),
    )
    merge = Merge(vault="v", ids=("m0", "m1"), into="m0", why="same", seen=_seen(snapshot, ("m0", "m1")))
    assert evolve(snapshot, [merge], now=NOW).links == {rejected.key: rejected}


def test_an_operation_on_a_changed_memory_is_skipped_and_says_why() -> None:
    snapshot = Snapshot(
        vault=Vault(name="v", tier=Tier.PERSONAL, created_at=NOW),
        memories={"m0": memory("m0"), "m1": memory("m1", content="changed since")},
        links={},
        vectors=(),
    )
    merge = Merge(vault="v", ids=("m0", "m1"), into="m0", why="same",
                  seen={**_seen(snapshot, ("m0",)), "m1": "something else"})  # fmt: skip
    changes = apply(SnapshotReader(snapshot), [merge], now=NOW, dream_id="d")
    assert changes.memories == ()
    assert changes.records[0].applied is False
    assert "m1 changed" in str(changes.records[0].skipped_because)


def test_supersede_closes_the_old_and_keeps_it() -> None:
    snapshot = Snapshot(
        vault=Vault(name="v", tier=Tier.PERSONAL, created_at=NOW),
        memories={"m0": memory("m0"), "m1": memory("m1", learned_at=NOW, kind=Kind.FACT)},
        links={},
        vectors=(),
    )
    done = evolve(snapshot, [Supersede(vault="v", ids=("m0", "m1"), why="newer", until=NOW)], now=LATER)
    old = done.memories["m0"]
    assert (old.state, old.superseded_by, old.valid_until) == (State.SUPERSEDED, "m1", NOW)
    assert LinkKey("m1", "m0", "supersedes") in done.links
