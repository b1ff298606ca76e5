"""What the journal says of a disagreement, of answers lost and found again, and of a vault it left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from muninn.domain.operations import Suggest, to_json
from muninn.domain.records import DreamRecord, OperationRecord
from muninn.dream.phrases import difference_in, unfinished_in
from muninn.dream.teller import Teller
from muninn.dream.telling import entry
from muninn.testing import FakeClock

if TYPE_CHECKING:
    from tests.dream.conftest import World

NOW = FakeClock().now()


@pytest.mark.parametrize(
    ("language", "one", "other", "told"),
    [
        (
            "en",
            "The proxy listens on port 8080.",
            "The proxy listens on port 8081.",
            "(port: 8081 / 8080), the newest is shown first",
        ),
        (
            "es",
            "El servidor escucha en el puerto 8080.",
            "El servidor escucha en el puerto 8081.",
            "(puerto: 8081 / 8080), la más nueva se muestra primero",
        ),
    ],
)
def test_a_disagreement_says_what_differs(
    make_world: Callable[..., World], language: str, one: str, other: str, told: str
) -> None:
    world = make_world(language=language)
    old = world.tell(one)
    world.sleep(hours=1)
    new = world.tell(other)
    journal = world.dreamer.dream(force=True).journal
    (line,) = (line for line in journal.splitlines() if "8081" in line)
    assert told in line
    assert line.index(new.id) < line.index(old.id)


@pytest.mark.parametrize(
    ("language", "same", "more"),
    [
        ("en", "These may be the same", "2 more sets may be the same, among them"),
        ("es", "Estas pueden ser la misma", "2 grupos más pueden ser lo mismo, entre ellos"),
    ],
)
def test_each_set_that_waits_is_told_until_they_are_too_many(
    make_world: Callable[..., World], language: str, same: str, more: str
) -> None:
    world = make_world(language=language)
    subjects = ["Grafana panel", "mail worker", "garden pump", "night backup", "coffee machine", "piano tuner"]
    told = [[world.tell(f"The {one} is looked after by {who}.") for who in ("Lucía", "Bruno")] for one in subjects]
    journal = world.dreamer.dream(force=True).journal
    assert sum(line.startswith(f"- {same}: ") for line in journal.splitlines()) == 4
    assert f"- {more}: " in journal
    assert sum(all(memory.id in journal for memory in pair) for pair in told) >= 5


def test_the_newest_is_the_one_asserted_last_not_the_one_stored_last(world: World) -> None:
    now = world.clock.now()
    world.sleep(days=9)
    newer = world.tell("The proxy listens on port 8081.", learned_at=world.clock.now())
    older = world.tell("The proxy listens on port 8080.", learned_at=now)
    journal = world.dreamer.dream(force=True).journal
    (line,) = (line for line in journal.splitlines() if "8081" in line)
    assert "(port: 8081 / 8080)" in line
    assert line.index(newer.id) < line.index(older.id)


def test_what_differs_is_told_in_both_languages() -> None:
    why = "antonym differs: nunca / siempre; negation differs: no / (nothing)"
    assert difference_in("en", why) == "antonym: nunca / siempre; negation: no / (nothing)"
    assert difference_in("es", why) == "opuestos: nunca / siempre; negación: no / (nada)"
    assert difference_in("es", "the fee differs: by country") == "the fee differs: by country"


def test_memories_of_one_title_are_told_apart_by_their_text() -> None:
    long = "El servidor de producción que usamos para las copias de seguridad de la empresa escucha en el puerto "
    texts = {"A": long + "8080 por la noche", "B": long + "8081", "C": "otra cosa", "D": "short 1", "E": "short 2"}
    titles = {"A": "El servidor de producción", "B": "El servidor de producción", "C": "Cosa", "D": "Note", "E": "Note"}
    told = Teller("es", titles.get, texts.get).names(["A", "B", "C"])
    assert "8080" in told
    assert "8081" in told
    assert "“Cosa” (C)" in told
    assert Teller("en", titles.get, texts.get).names(["D", "E"]) == "“Note: short 1” (D), “Note: short 2” (E)"


def test_equal_texts_of_one_title_keep_their_title() -> None:
    titles, texts = {"A": "Note", "B": "Note"}, {"A": "same", "B": "same"}
    assert Teller("en", titles.get, texts.get).names(["A", "B"]) == "“Note” (A), “Note” (B)"
    assert Teller("en", titles.get).names(["A", "B"]) == "“Note” (A), “Note” (B)"


def record(probe: dict[str, object]) -> DreamRecord:
    return DreamRecord(
        id="D1", kind="dream", started_at=NOW, finished_at=NOW, status="completed",
        report={"vaults": [], "phases": [], "seconds": 0.1, "probe": probe},
    )  # fmt: skip


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_reason_that_ends_a_sentence_ends_it_once(language: str) -> None:
    one = Suggest(
        vault="v",
        ids=("A", "B"),
        why="They share a cause.",
        seen={},
        suggestion="s1",
        other_vault="w",
        relation="relates_to",
    )
    told = OperationRecord(dream_id="D1", seq=0, vault="v", op="suggest", operation=to_json(one), applied=True)
    text = entry(record({}), [told], titles=lambda _: None, language=language)
    assert "They share a cause. (" in text


def test_what_the_deadline_left_undone_is_told_in_spanish(make_world: Callable[..., World]) -> None:
    world = make_world(language="es")
    world.tell("El proxy escucha en el puerto 8080.")
    journal = world.dreamer.dream(force=True, timeout=0.0).journal
    assert "default: sin tiempo para replay." in journal
    assert "no time" not in journal
    assert unfinished_in("es", "a: 1 memory still to be compared; b: 2 memories still to be compared") == (
        "a: 1 recuerdo por comparar; b: 2 recuerdos por comparar"
    )
