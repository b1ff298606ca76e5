"""When two memories are merged, queued or left alone: thresholds, and what the memories themselves forbid."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from muninn.domain.memory import Kind, Memory, Provenance, State, content_hash
from muninn.domain.separation import Text, merge_verdict, mergeable
from muninn.domain.trust import Tier

AT = datetime(2026, 3, 14, 9, tzinfo=UTC)
ONE = Memory(
    id="01A", vault="default", tier=Tier.PERSONAL, title="T", content="c", content_hash=content_hash("c"),
    created_at=AT, updated_at=AT, learned_at=AT, provenance=Provenance(client="test"),
)  # fmt: skip
TWO = replace(ONE, id="01B")

PORT, OTHER_PORT = "The proxy listens on port 8443", "The proxy listens on port 9443"
CONTRACTED, SPELLED = "Don't push to main", "Do not push to main"
SENTENCES, SWAPPED = "The cache is warm. The disk is full.", "The disk is full. The cache is warm."
RAIN, WET = "Heavy rain flooded the data centre in Bilbao", "The Bilbao data centre was flooded by heavy rain"


@pytest.mark.parametrize(
    ("left", "right", "cosine", "action"),
    [
        (PORT, PORT.upper(), 0.72, "merge"),
        (PORT, PORT.upper(), 0.69, "none"),
        (PORT, OTHER_PORT, 0.99, "review"),
        (PORT, OTHER_PORT, 0.85, "review"),
        (PORT, OTHER_PORT, 0.84, "none"),
        (CONTRACTED, SPELLED, 0.95, "merge"),
        (CONTRACTED, SPELLED, 0.94, "review"),
        (SENTENCES, SWAPPED, 0.85, "merge"),
        (SENTENCES, SWAPPED, 0.84, "review"),
        (RAIN, WET, 0.99, "review"),
        (RAIN, WET, 0.71, "review"),
        (RAIN, WET, 0.69, "none"),
        (RAIN, "Lunch was good", 0.80, "none"),
        (RAIN, "Lunch was good", 0.86, "review"),
    ],
)
def test_thresholds(left: str, right: str, cosine: float, action: str) -> None:
    verdict = merge_verdict(Text(None, left), Text(None, right), cosine=cosine)
    assert verdict.action == action
    assert verdict.reason


def test_procedures_are_not_merged_across_a_reordering() -> None:
    assert merge_verdict(Text(None, SENTENCES), Text(None, SWAPPED), cosine=0.99, ordered=True).action == "review"


def test_a_refusal_is_told_in_the_reason() -> None:
    assert merge_verdict(Text(None, PORT), Text(None, OTHER_PORT), cosine=0.99).reason == "port differs: 8443 / 9443"


@pytest.mark.parametrize(
    ("left", "right", "told"),
    [
        ("Nunca reinicies la base de datos de noche", "Siempre reinicia la base de datos de noche", "nunca"),
        ("Always run the linter first", "Never run the linter first", "never"),
        ("The migration is reversible", "The migration is irreversible", "irreversible"),
        ("La migración es reversible", "La migración es irreversible", "irreversible"),
        ("You may push to main", "You may not push to main", "not"),
    ],
)
@pytest.mark.parametrize("cosine", [0.72, 0.84])
def test_the_opposite_is_named_at_low_similarity_too(left: str, right: str, told: str, cosine: float) -> None:
    verdict = merge_verdict(Text(None, left), Text(None, right), cosine=cosine)
    assert verdict.action == "review"
    assert told in verdict.reason.lower()
    assert "the same values" not in verdict.reason


def test_two_plain_memories_are_mergeable() -> None:
    assert mergeable(ONE, TWO) is None
    assert mergeable(ONE, replace(TWO, tags=("x",), provenance=Provenance(client="other", session_id="s"))) is None


@pytest.mark.parametrize(
    ("other", "word"),
    [
        (replace(TWO, pinned=True), "pinned"),
        (replace(TWO, kind=Kind.DECISION), "kinds"),
        (replace(TWO, vault="work"), "vaults"),
        (replace(TWO, tier=Tier.WORK), "vaults"),
        (replace(TWO, valid_from=AT), "validity"),
        (replace(TWO, valid_until=AT), "validity"),
        (replace(TWO, state=State.ARCHIVED), "active"),
    ],
)
def test_what_memories_forbid(other: Memory, word: str) -> None:
    for reason in (mergeable(ONE, other), mergeable(other, ONE)):
        assert reason is not None
        assert word in reason


def test_metadata_that_says_whom_a_text_is_about_separates() -> None:
    tom, ana = (replace(memory, metadata={"speaker": who}) for memory, who in ((ONE, "Tom"), (TWO, "Ana")))
    assert mergeable(tom, ana) == "speaker differs: Tom / Ana"
    assert mergeable(tom, replace(TWO, metadata={"speaker": "Tom", "turn": 7})) is None
    assert mergeable(tom, TWO) is None


def test_the_same_event_on_two_days_is_two_events() -> None:
    monday, tuesday = replace(ONE, kind=Kind.EVENT), replace(TWO, kind=Kind.EVENT, created_at=AT + timedelta(days=1))
    assert mergeable(monday, tuesday) == "events of different days"
    assert mergeable(monday, replace(tuesday, created_at=AT + timedelta(hours=1))) is None
