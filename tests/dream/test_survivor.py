"""Who survives a merge: the better informed and better written, then the more used, then the original."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from muninn.domain.memory import Memory, Provenance
from muninn.domain.trust import Tier
from muninn.dream.survivor import survivor_first
from muninn.dream.words import Words

NOW = datetime(2026, 3, 28, 6, 0, tzinfo=UTC)
PLAIN = "The cache is flushed at noon, and the workers restart."


def memory(key: str, content: str, **fields: object) -> Memory:
    base = Memory(
        id=key, vault="v", tier=Tier.PERSONAL, title=content[:20], title_derived=True, content=content, content_hash=key,
        created_at=NOW, updated_at=NOW, learned_at=NOW, provenance=Provenance(client="test"),
    )  # fmt: skip
    return replace(base, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("better", "worse", "reason"),
    [
        (PLAIN, PLAIN.upper(), "better written"),
        (PLAIN, PLAIN.lower(), "better written"),
        (PLAIN, PLAIN.replace(" ", "  "), "better written"),
        (PLAIN, PLAIN.replace(",", ""), "better written"),
        (PLAIN, PLAIN.replace("flushed", "flushd"), "well spelt"),
        ("¿Dónde está el sello? En la CAJA.", "donde esta el sello en la caja", "better written"),
    ],
)
@pytest.mark.parametrize("keys", [("a", "b"), ("b", "a")])
def test_the_better_text_survives(keys: tuple[str, str], better: str, worse: str, reason: str) -> None:
    words = Words(lambda: [better, worse, "Everything was flushed yesterday."])
    good, bad = memory(keys[0], better), memory(keys[1], worse, access_count=9, learned_at=NOW + timedelta(days=1))
    for order in ([good, bad], [bad, good]):
        ordered, why = survivor_first(order, words)
        assert [one.id for one in ordered] == list(keys)
        assert why == reason


def test_the_ordinary_word_survives_where_the_store_has_neither_form() -> None:
    right, odd = "The deployment is done.", "The deploymnt is done!"
    for one, other in ((right, odd), (odd, right)):
        ordered, why = survivor_first([memory("a", one), memory("b", other)], Words(lambda: [right, odd]))
        assert (ordered[0].content, why) == (right, "well spelt")


def test_use_then_recent_use_then_age_decide_between_equals() -> None:
    words = Words(lambda: [PLAIN])
    later = NOW + timedelta(days=1)
    old, new = memory("b", PLAIN), memory("a", PLAIN, created_at=later, learned_at=later)

    def best(*memories: Memory) -> tuple[str, str]:
        ordered, why = survivor_first(memories, words)
        return ordered[0].id, why

    assert best(old, replace(new, access_count=3)) == ("a", "more used")
    assert best(old, replace(new, last_accessed_at=later)) == ("a", "used last")
    assert best(old, new) == ("b", "the original")


def test_a_title_given_by_a_person_weighs_more_than_use() -> None:
    titled = memory("b", PLAIN, title="Noon flush", title_derived=False)
    ordered, why = survivor_first([memory("a", PLAIN, access_count=9), titled], Words(lambda: [PLAIN]))
    assert (ordered[0].id, why) == ("b", "titled")
