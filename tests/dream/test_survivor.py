"""Who survives a merge: the better informed and better written, then the more used, then the newest."""

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
        ("¿Dónde está la clave? En el HSM.", "donde esta la clave en el hsm", "better written"),
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


def test_use_and_then_recency_decide_between_equals() -> None:
    words = Words(lambda: [PLAIN])
    used, new = memory("a", PLAIN, access_count=3), memory("b", PLAIN + " ", learned_at=NOW + timedelta(days=1))
    assert survivor_first([used, replace(new, content=PLAIN)], words)[0][0].id == "a"
    even = replace(used, access_count=0)
    ordered, why = survivor_first([even, replace(new, content=PLAIN)], words)
    assert (ordered[0].id, why) == ("b", "newest")


def test_a_title_given_by_a_person_weighs_more_than_use() -> None:
    titled = memory("b", PLAIN, title="Noon flush", title_derived=False)
    ordered, why = survivor_first([memory("a", PLAIN, access_count=9), titled], Words(lambda: [PLAIN]))
    assert (ordered[0].id, why) == ("b", "titled")
