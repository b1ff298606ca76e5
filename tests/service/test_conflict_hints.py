"""A hint that two memories may contradict each other: given where one thing has two values, not where two things have one each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from muninn.domain.draft import Draft
from muninn.domain.memory import Memory, Provenance
from muninn.ports import Neighbour
from muninn.service import MemoryService
from muninn.service.similar import similar_to
from muninn.testing import MemoryStore

DISAGREE = (
    ("The API listens on port 8081 in production.", "The API listens on port 8080 in production."),
    ("Standup is at 9:45 since April", "Standup is at 9:30"),
    ("The deploy freeze ends on Friday May 9", "The deploy freeze ends on May 2"),
    ("We now use Go 1.23 for the billing service", "The billing service is written in Go 1.22"),
    ("The rate limit was raised to 500 requests per minute", "The API rate limit is 100 requests per minute"),
    ("Do not deploy on Fridays", "Deploy on Fridays"),
    ("El despliegue no se hace los martes a las 10:00", "El despliegue se hace los martes a las 10:00"),
    ("La reunión semanal pasa a los jueves a las 11:00", "La reunión semanal es los lunes a las 10:00"),
)
APART = (
    ("Checkout failed on March 21. Root cause: the k8s DNS timeout", "ndots:5 made every DNS lookup try four domains first"),
    ("The office closes at 19:00", "Standup is at 9:45 since April"),
    ("The parser must accept trailing commas", "We chose Rust for the parser because of memory safety"),
    ("Después del despliegue hay que avisar a Marta", "El despliegue no se hace los martes a las 10:00"),
    ("Marta prefiere Slack al correo", "Después del despliegue hay que avisar a Marta"),
    ("La gata se llama Niebla", "La contraseña del wifi la tiene Begoña"),
    ("Backups run at 02:00 every night", "The backup bucket is called acme-backups"),
)  # fmt: skip


@dataclass
class _Beside:
    """A service whose read model finds one neighbour at a given similarity, whatever the embedder makes of the texts."""

    neighbour: Neighbour

    @property
    def read(self) -> _Beside:
        return self

    def neighbours(self, _memory_id: str, *, limit: int, minimum: float) -> tuple[Neighbour, ...]:
        return (self.neighbour,)[:limit] if self.neighbour.similarity >= minimum else ()


def hint(service_over: Callable[..., MemoryService], newer: str, older: str) -> list[str]:
    service = service_over(MemoryStore())
    made: list[Memory] = [
        service.remember(Draft(content=text), by=Provenance(client="test")).memory for text in (older, newer)
    ]
    beside = _Beside(Neighbour(memory=made[0], similarity=0.65))
    return [relation for _, relation in similar_to(beside, made[1])]  # type: ignore[arg-type]


@pytest.mark.parametrize(("newer", "older"), DISAGREE)
def test_another_value_of_the_same_thing_is_a_possible_conflict(
    service_over: Callable[..., MemoryService], newer: str, older: str
) -> None:
    assert hint(service_over, newer, older) == ["possible_conflict"]


@pytest.mark.parametrize(("newer", "older"), APART)
def test_another_thing_is_none(service_over: Callable[..., MemoryService], newer: str, older: str) -> None:
    assert hint(service_over, newer, older) == []
