"""A dream leaves lines of a log and steps of a sequence alone, and still tells what contradicts itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from muninn.domain.memory import Kind

if TYPE_CHECKING:
    from tests.dream.conftest import World


def queued(world: World, one: str, other: str, kind: Kind = Kind.FACT) -> list[str]:
    """The verdicts on two texts whose vectors are the same."""
    first = world.tell(one, kind=kind)
    direction = next(np.frombuffer(vector, dtype="<f4") for memory, vector in world.store.memories() if vector)
    world.tell(other, kind=kind, vector=direction)
    operations = world.dreamer.dream(force=True).document()["operations"]
    assert world.get(first).active
    return [row["verdict"] for row in operations if row["op"] == "near_duplicates"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2026-03-01 09:00 INFO backup finished", "2026-03-02 09:00 INFO backup finished"),
        ("Step 3 of 7: restart the relay", "Step 4 of 7: restart the relay"),
        ("Paso 3 de 7: reinicia el relay", "Paso 4 de 7: reinicia el relay"),
    ],
)
def test_occasions_are_not_queued(world: World, one: str, other: str) -> None:
    assert queued(world, one, other) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("El contrato de Arcos vence el 30 de junio.", "El contrato de Arcos vence el 31 de julio."),
        ("2026-03-01 the relay listens on port 8080", "2026-03-02 the relay listens on port 8081"),
        ("The migration has 3 steps", "The migration has 4 steps"),
    ],
)
def test_statements_still_are(world: World, one: str, other: str) -> None:
    assert queued(world, one, other) == ["conflict"]


@pytest.mark.parametrize(("kind", "verdicts"), [(Kind.EVENT, []), (Kind.FACT, ["conflict"])])
def test_events_on_two_days_do_not_contradict_each_other(world: World, kind: Kind, verdicts: list[str]) -> None:
    one, other = "We moved the servers to Gijón on 2026-03-01", "We moved the servers to Gijón on 2026-03-02"
    assert queued(world, one, other, kind) == verdicts
