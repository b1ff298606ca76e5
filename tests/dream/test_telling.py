"""What the journal says of a disagreement, of answers lost and found again, and of a vault it left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from muninn.domain.records import DreamRecord
from muninn.domain.trust import Tier
from muninn.dream.phrases import difference_in
from muninn.dream.teller import Teller
from muninn.dream.telling import entry, undo_line
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


@pytest.mark.parametrize(
    ("language", "count", "told"),
    [
        ("en", 1, "Recall lost an answer (A); one operation was taken back: A"),
        ("en", 2, "Recall lost 2 answers (A, B); 2 operations were taken back: A, B"),
        ("es", 1, "Se perdió una respuesta (A); se deshizo una operación: A"),
        ("es", 2, "Se perdieron 2 respuestas (A, B); se deshicieron 2 operaciones: A, B"),
    ],
)
def test_what_was_taken_back_is_counted_as_people_do(language: str, count: int, told: str) -> None:
    ids = ["A", "B"][:count]
    probe: dict[str, object] = {
        "asked": 9, "right_before": 8, "right_after": 8 - count, "right_after_taking_back": 8,
        "lost": ids, "taken_back": list(range(count)), "taken_back_ids": ids,
    }  # fmt: skip
    text = entry(record(probe), [], titles=lambda _: None, language=language)
    assert f"- {told}\n" in text
    closing = text.splitlines()[-1]
    assert ("8 of 9 questions answered before, 8 after" if language == "en" else "8 de 9") in closing
    assert "7" not in closing


@pytest.mark.parametrize(("language", "told"), [("en", "tier legal"), ("es", "nivel legal")])
def test_a_vault_left_out_names_its_tier(make_world: Callable[..., World], language: str, told: str) -> None:
    world = make_world(language=language)
    world.vault("court", Tier.LEGAL)
    world.tell("A sealed file.", vault="court")
    journal = world.dreamer.dream(force=True).journal
    assert f": {told}\n" in journal
    assert "sealed" not in journal


def test_the_text_of_a_legal_memory_never_tells_memories_apart(world: World) -> None:
    world.vault("court", Tier.LEGAL)
    memory = world.tell("A sealed file.", vault="court", title="File")
    assert world.dreamer._cycle._text(memory.id) is None


def test_what_was_taken_back_is_not_queued_again(world: World) -> None:
    first, second = world.tell("The Docker bridge drops packets."), world.tell("the docker bridge drops packets")
    world.tell("The Docker bridge often drops packets.")
    with world.losing(first, without=second):
        outcome = world.dreamer.dream(force=True)
    assert "one operation was taken back" in outcome.journal
    world.sleep(days=1)
    assert world.dreamer.dream(force=True).document()["operations"] == []


@pytest.mark.parametrize(
    ("language", "one", "two"),
    [
        ("en", "*Scanned 1 memory in 1 vault (legal: 1 skipped) in ", "*Scanned 3 memories in 2 vaults (legal: 2 skipped) in "),
        ("es", "*Revisado 1 recuerdo en 1 bóveda (legal: 1 omitido) en ", "*Revisados 3 recuerdos en 2 bóvedas (legal: 2 omitidos) en "),
    ],
)  # fmt: skip
def test_one_is_told_as_one_and_several_as_several(
    make_world: Callable[..., World], language: str, one: str, two: str
) -> None:
    world = make_world(language=language)
    world.vault("legal", Tier.LEGAL)
    world.tell("The mast is made of larch.")
    world.tell("Clause 7 ends in June.", vault="legal")
    assert one in world.dreamer.dream(force=True).journal
    world.tell("Supper is at eight.")
    world.tell("The stove burns beech.", vault="other")
    world.tell("Clause 9 ends in July.", vault="legal")
    assert two in world.dreamer.dream(force=True).journal


@pytest.mark.parametrize(
    ("language", "one", "two"),
    [
        ("en", "one memory is as it was before", "2 memories are as they were before"),
        ("es", "un recuerdo está como antes", "2 recuerdos están como antes"),
    ],
)
def test_an_undo_tells_one_as_one(language: str, one: str, two: str) -> None:
    assert f"; {one}*" in undo_line("01D", 1, [], at=NOW, language=language)
    assert f"; {two}*" in undo_line("01D", 2, [], at=NOW, language=language)
