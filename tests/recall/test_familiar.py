"""Sense and nonsense, told by words alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn.recall import scoring
from muninn.recall.familiar import share
from muninn.recall.tokens import words

QUESTIONS = (
    "who repairs the heating and on which day", "¿quién arregla la calefacción y qué día?", "wer repariert die Heizung und wann",
    "qui répare le chauffage et quel jour", "chi ripara il riscaldamento e in che giorno", "quem repara o aquecimento e quando",
    "кто и когда чинит отопление", "谁来修暖气，哪一天？", "暖房を修理するのは誰で、何曜日ですか", "난방은 누가 무슨 요일에 고치나요",
    "हीटिंग को कौन ठीक करेगा और किस दिन",
)  # fmt: skip
NONSENSE = (
    "zorb flimquat ned", "qwerty asdf zxcv", "wug tove gyre", "ñoqui zarp lumbre fax", "krzk wrtl pfft", "щзкш фывапр ждлорп",
    "鼪鬮龘齉 爨癵驫麤", "뷁쀍쩳 훎꿹", "", "!!! ??? ...", "0xdeadbeef 777",
)  # fmt: skip


@pytest.mark.parametrize("text", QUESTIONS)
def test_questions_are_in_words_that_people_use(text: str) -> None:
    assert share(words(text)) >= scoring.SENSE_FROM


@pytest.mark.parametrize("text", NONSENSE)
def test_nonsense_is_not(text: str) -> None:
    assert share(words(text)) <= scoring.NONSENSE_BELOW


def test_one_common_word_may_be_an_accident() -> None:
    assert share(words("the zorb flimquat")) == 0.0
    assert share(words("the zorb and the flimquat")) > 0.0


@given(st.text(max_size=60))
def test_a_share_is_a_share(text: str) -> None:
    assert 0.0 <= share(words(text)) <= 1.0


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_more_evidence_never_makes_an_answer_less_of_one(
    meaning: float, wording: float, familiar: float, more: float
) -> None:
    if scoring.grounded(meaning, wording, familiar):
        assert scoring.grounded(max(meaning, more), wording, familiar)
        assert scoring.grounded(meaning, max(wording, more), familiar)
        assert scoring.grounded(meaning, wording, max(familiar, more))
