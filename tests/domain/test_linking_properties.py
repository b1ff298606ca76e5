"""Whatever the order of births, edits and archivals, the links are those that a recomputation from scratch makes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muninn.domain.linking import LinkChanges, Linker, LinkLimits
from muninn.domain.linking.corpus import Corpus
from muninn.domain.linking.tokens import content_tokens, fold, title_tokens, tokens
from muninn.domain.memory import Link, LinkKey, Memory, Origin, Provenance, State
from muninn.domain.trust import Tier

NOW = datetime(2026, 3, 28, tzinfo=UTC)
LIMITS = LinkLimits(common_floor=2, common_share=0.4, per_memory=3)
WORDS = ["alfa", "beta", "Gámma", "数", "据", "k8s", "Ana", "ana"]

phrases = st.lists(st.sampled_from(WORDS), min_size=0, max_size=4).map(" ".join)
rows = st.builds(
    lambda number, vault, title, content, derived, state: Memory(
        id=f"m{number}",
        vault=vault,
        tier=Tier.PERSONAL,
        title=title,
        content=content,
        content_hash="",
        created_at=NOW,
        updated_at=NOW,
        learned_at=NOW,
        provenance=Provenance(client="test"),
        title_derived=derived,
        state=state,
    ),
    st.integers(0, 11),
    st.sampled_from(["one", "One", "two"]),
    st.lists(st.sampled_from(WORDS), min_size=0, max_size=3).map(" ".join),
    st.lists(st.sampled_from([*WORDS, "other", "words"]), min_size=0, max_size=7).map(" ".join),
    st.booleans(),
    st.sampled_from([State.ACTIVE, State.ACTIVE, State.ACTIVE, State.ARCHIVED]),
)


def brute_force(memories: list[Memory]) -> set[tuple[str, str]]:
    """The rules once more, without any index."""
    pairs: set[tuple[str, str]] = set()
    for vault in {m.vault.casefold() for m in memories}:
        active = [m for m in memories if m.vault.casefold() == vault and m.active]
        texts = {m.id: tuple(content_tokens(m.content)) for m in active}
        titles: dict[tuple[str, ...], list[str]] = {}
        for m in active:
            phrase = () if m.title_derived else title_tokens(m.title, shortest=LIMITS.shortest)
            if phrase:
                titles.setdefault(phrase, []).append(m.id)
        limit = max(LIMITS.common_floor, len(active) * LIMITS.common_share)
        places = {
            (s, p): [i for i in range(len(t)) if t[i : i + len(p)] == p] for s, t in texts.items() for p in titles
        }
        rare = [p for p in titles if sum(bool(places[s, p]) for s in texts) <= limit]
        for source in texts:
            taken: set[int] = set()
            targets: list[str] = []
            hits = [(-len(p), i, p) for p in rare for i in places[source, p]]
            for _, i, phrase in sorted(hits):
                span = set(range(i, i + len(phrase)))
                words = [n for n, word in enumerate(texts[source]) if phrase == ("=Ana",) and word == "ana"]
                if not span & taken and (phrase != ("=Ana",) or set(words) - taken):
                    taken |= span
                    targets += [t for t in sorted(titles[phrase], reverse=True) if t != source]
            pairs |= {(source, t) for t in list(dict.fromkeys(targets))[: LIMITS.per_memory]}
    return pairs


def auto(source: str, target: str) -> Link:
    return Link(
        source=source,
        target=target,
        relation="mentions",
        vault="one",
        weight=0.5,
        origin=Origin.AUTO,
        created_at=NOW,
    )


class Replay:
    """A linker, the rows it was told of, and the links somebody keeps for it."""

    def __init__(self, loaded: list[Memory], *, backfill: bool) -> None:
        self.links: dict[LinkKey, Link] = {}
        self.rows = {row.id: row for row in loaded}
        self.linker = Linker(LIMITS)
        self.linker.load(self.rows.values())
        if backfill:
            for vault in ("one", "two"):
                self.keep(self.linker.backfill(vault, existing=self.existing, now=NOW))
        else:
            self.keep(LinkChanges(add=tuple(auto(*pair) for pair in brute_force(list(self.rows.values())))))

    def existing(self, memory_id: str) -> tuple[Link, ...]:
        return tuple(link for link in self.links.values() if link.source == memory_id)

    def keep(self, changes: LinkChanges) -> None:
        for key in changes.withdraw:
            del self.links[key]
        self.links.update({link.key: link for link in changes.add})

    def purge(self, memory_ids: list[str]) -> None:
        self.linker.drop(memory_ids)
        for memory_id in memory_ids:
            self.rows.pop(memory_id, None)
        self.links = {key: link for key, link in self.links.items() if not set(memory_ids) & set(key[:2])}

    def write(self, rows: list[Memory], *, applied: bool) -> None:
        if applied:
            self.linker.apply(rows)
        self.keep(self.linker.links_for(rows, existing=self.existing, now=NOW))
        self.rows |= {row.id: row for row in rows}
        for vault in ("one", "two"):
            self.keep(self.linker.settle(vault, existing=self.existing, now=NOW))

    def check(self) -> None:
        assert {(key.source, key.target) for key in self.links} == brute_force(list(self.rows.values()))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(rows, st.integers(0, 11)), max_size=40), st.integers(0, 40), st.data())
def test_incremental_equals_recomputed(steps: list[Memory | int], loaded: int, data: st.DataObject) -> None:
    first = [step for step in steps[:loaded] if isinstance(step, Memory)]
    replay = Replay(first, backfill=data.draw(st.booleans()))
    replay.check()
    rest = steps[loaded:]
    while rest:
        size = data.draw(st.integers(1, 4))
        batch, rest = rest[:size], rest[size:]
        replay.purge([f"m{step}" for step in batch if isinstance(step, int)])
        replay.write([step for step in batch if isinstance(step, Memory)], applied=data.draw(st.booleans()))
        replay.check()
    assert all(not replay.linker.backfill(v, existing=replay.existing, now=NOW) for v in ("one", "two"))


@given(st.text())
def test_folding_is_stable_and_blind_to_case_and_form(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert tokens(text.casefold()) == tokens(text)
    assert " ".join(tokens(" ".join(tokens(text)))) == " ".join(tokens(text))


@given(st.lists(st.tuples(st.integers(0, 5), st.lists(st.integers(1, 4), max_size=8)), max_size=30), st.integers(0, 30))
@pytest.mark.parametrize("few", [0, 48])
def test_a_corpus_finds_what_a_scan_finds(few: int, writes: list[tuple[int, list[int]]], loaded: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("muninn.domain.linking.corpus._FEW", few)
        check_corpus(writes, loaded)


def check_corpus(writes: list[tuple[int, list[int]]], loaded: int) -> None:
    corpus = Corpus()
    texts: dict[str, list[int]] = {}
    for owner, numbers in writes[:loaded]:
        texts[str(owner)] = numbers
    numbered = corpus.encode("abcd")
    for name, numbers in texts.items():
        corpus.gather(name, ["abcd"[n - 1] for n in numbers])
    corpus.index()
    for owner, numbers in writes[loaded:]:
        if str(owner) in texts:
            corpus.discard(str(owner))
        texts[str(owner)] = numbers
        corpus.add(str(owner), numbers)
    assert numbered == [1, 2, 3, 4]
    assert {owner: corpus.text(owner) for owner in texts} == texts
    for phrase in ([1], [2], [1, 2], [1, 1], [1, 2, 3], [4, 4, 4]):
        want = {o for o, t in texts.items() if any(t[i : i + len(phrase)] == phrase for i in range(len(t)))}
        assert set(corpus.holding(phrase)) == want
        assert corpus.most(phrase) >= len(want)
