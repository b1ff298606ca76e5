"""A rule that works grows stronger because nothing happens."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from muninn.domain.evidence import Evidence, Outcome, confidence, faded, promotable, rules

NOW = datetime(2026, 3, 28, tzinfo=UTC)


def seen(
    days_ago: float,
    outcome: Outcome = Outcome.DETECTION,
    session: str = "",
    pattern: str = "error_loop",
    project: str = "",
) -> Evidence:
    return Evidence(
        pattern=pattern, outcome=outcome, at=NOW - timedelta(days=days_ago), session=session, project=project
    )


@given(st.integers(0, 60), st.integers(0, 60))
def test_both_kinds_of_evidence_raise_confidence(detections: int, suppressions: int) -> None:
    here = confidence(detections, suppressions)
    assert 0.4 <= here <= 0.95
    assert confidence(detections + 1, suppressions) > here
    assert confidence(detections, suppressions + 1) > here


def test_five_sessions_with_a_working_rule_raise_it_each_time() -> None:
    evidence = [seen(40, session="a")]
    last = rules(evidence, [], NOW)[0].confidence
    for i in range(5):
        evidence.append(seen(30 - i, Outcome.SUPPRESSION, session=f"s{i}"))
        rule = rules(evidence, [], NOW)[0]
        assert rule.confidence > last
        last = rule.confidence
    assert rule.working
    assert (rule.detections, rule.suppressions) == (1, 5)


def test_59_idle_days_change_nothing_and_then_it_fades_slowly() -> None:
    evidence = [seen(0, session="a"), seen(0, Outcome.SUPPRESSION, session="b")]
    course = [rules(evidence, [], NOW + timedelta(days=d))[0].confidence for d in (0, 59, 60, 90, 150, 400)]
    assert course[0] == course[1] == course[2]
    assert course[2] > course[3] > course[4] > course[5] > 0
    assert course[4] > course[0] * 0.49


@given(st.floats(0, 1), st.floats(0, 2000), st.floats(0, 2000))
def test_fading_never_turns_round(value: float, a: float, b: float) -> None:
    assert faded(value, max(a, b)) <= faded(value, min(a, b)) <= value


def test_the_same_line_in_both_places_counts_once() -> None:
    old = [seen(9), seen(3)]
    rule = rules(old, old, NOW)[0]
    assert rule.detections == 2
    ours = [seen(5, session="a")]
    assert rules(ours, ours, NOW)[0].detections == 1


def test_a_session_counts_once_and_its_failure_outweighs() -> None:
    both = [seen(2, Outcome.SUPPRESSION, session="a"), seen(1, session="a")]
    for order in (both, both[::-1]):
        rule = rules(order, [], NOW)[0]
        assert (rule.detections, rule.suppressions) == (1, 0)


def test_what_the_project_saw_comes_first() -> None:
    strong = [seen(i, session=str(i), pattern="elsewhere") for i in range(9)]
    found = rules([seen(1, session="x", pattern="here")], strong, NOW)
    assert [(r.pattern, r.local) for r in found] == [("here", True), ("elsewhere", False)]


def test_two_projects_make_a_rule_general() -> None:
    one = [seen(1, session="a", project="p"), seen(2, session="b", project="p")]
    assert promotable(one) == frozenset()
    assert promotable([*one, seen(1, session="c", project="q")]) == {"error_loop"}
