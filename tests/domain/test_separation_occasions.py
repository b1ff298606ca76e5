"""Lines of a log and steps of a sequence are told from statements that contradict each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn.domain.separation import Text, features, occasions

OCCASIONS = [
    ("2026-03-01 09:00 backup finished in vault default", "2026-03-02 09:00 backup finished in vault default"),
    ("[2026-03-01T09:00:00Z] INFO backup finished", "[2026-03-02T09:01:00Z] INFO backup finished"),
    ("2026-03-01 09:00:12 INFO deploy finished", "2026-03-01 10:15:12 INFO deploy failed"),
    ("10:00 the alarm rang again in the lab", "11:00 the alarm rang again in the lab"),
    ("2026-03-01: la copia terminó bien", "2026-03-02: la copia terminó bien"),
    ("Mar 28 06:00:01 sshd: session opened", "Mar 29 06:00:04 sshd: session opened"),
    ("Step 3 of 7: restart the relay", "Step 4 of 7: restart the relay"),
    ("Step 3/4 of the rollout: watch the graphs", "Step 4/4 of the rollout: watch the graphs"),
    ("Paso 3 de 7: reinicia el relay", "Paso 4 de 7: reinicia el relay"),
    ("In the rollout, step 3 of 4 drains the queue", "In the rollout, step 4 of 4 drains the queue"),
    ("Session 3: we read the paper", "Session 4: we read the paper"),
    ("Tercer intento de arrancar el relay", "Cuarto intento de arrancar el relay"),
]
STATEMENTS = [
    ("The proxy listens on port 8080", "The proxy listens on port 8081"),
    ("El contrato de Arcos vence el 30 de junio de 2026.", "El contrato de Arcos vence el 31 de julio de 2026."),
    ("The release is on 2026-03-01", "The release is on 2026-03-02"),
    ("The meeting with Ana is on Monday at 10:00", "The meeting with Ana is on Tuesday at 10:00"),
    ("El 30 de junio vence el contrato", "El 31 de julio vence el contrato"),
    ("2026-03-01 the proxy listens on port 8080", "2026-03-02 the proxy listens on port 8081"),
    ("Step 3 of 7: wait 30 s", "Step 4 of 7: wait 60 s"),
    ("2026-03-01 Ana paid the bill", "2026-03-02 Tom paid the bill"),
    ("The migration has 3 steps", "The migration has 4 steps"),
    ("The migration is at step 3", "The migration is at step 4"),
    ("Backup finished", "Backup finished again"),
    ("2026-03-01", "2026-03-02"),
]


@pytest.mark.parametrize(("one", "other"), OCCASIONS)
def test_two_occasions_are_no_contradiction(one: str, other: str) -> None:
    left, right = features(Text(None, one)), features(Text(None, other))
    assert occasions(left, right)
    assert occasions(right, left)


@pytest.mark.parametrize(("one", "other"), STATEMENTS)
def test_two_values_of_one_statement_are(one: str, other: str) -> None:
    left, right = features(Text(None, one)), features(Text(None, other))
    assert not occasions(left, right)
    assert not occasions(right, left)


def test_what_happened_on_two_days_is_two_events() -> None:
    left = features(Text(None, "We moved the servers on 2026-03-01 at 10:00"))
    right = features(Text(None, "We moved the servers on 2026-03-02 at 11:00"))
    assert not occasions(left, right)
    assert occasions(left, right, events=True)
    assert not occasions(left, features(Text(None, "We moved 3 servers on 2026-03-02 at 11:00")), events=True)


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_can_be_asked_about(one: str, other: str) -> None:
    left, right = features(Text(None, one)), features(Text(None, other))
    assert occasions(left, right) == occasions(right, left)
    assert not occasions(left, left, events=True)
