"""What must hold for any two texts: symmetry, caution, and that a verdict never outruns the guard."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from muninn.domain.separation import Text, compare, features, merge_verdict

_VOCABULARY = (
    "the server servidor listens uses puerto port 8080 v1.2 -5 5% €7 not no nunca on off Ana Tom staging is está café "
    "don't /etc/app.conf max_size \"quoted\" lunes Monday 2026-03-14 three tres, first. then? 不 端口 нет C++ :) — ' ( ) …"
)
_WORDS = st.sampled_from(_VOCABULARY.split())
_TEXTS = st.lists(_WORDS, min_size=1, max_size=12).map(" ".join) | st.text(max_size=60)


class _Known:
    def count(self, word: str) -> int:
        return len(word) % 3

    def ordinary(self, word: str, tongue: str) -> bool:
        return tongue == "en" and len(word) % 2 == 0

    def known(self, word: str) -> bool:
        return len(word) % 2 == 0

    def wordlike(self, word: str) -> bool:
        return len(word) % 3 == 0

    def common(self, word: str) -> bool:
        return len(word) % 4 == 0


@given(_TEXTS, _TEXTS)
@example("’", "'")
@example("", "\u200b")
@example("½", "1/2")
def test_comparison_is_symmetric(one: str, other: str) -> None:
    there = compare(Text(None, one), Text(None, other), vocabulary=_Known())
    back = compare(Text(None, other), Text(None, one), vocabulary=_Known())
    assert (there.refusal is None) == (back.refusal is None)
    assert there.equal_after_normalisation == back.equal_after_normalisation
    assert there.sentence_reorder == back.sentence_reorder
    assert there.slots_equal == back.slots_equal
    assert there.coverage == back.coverage
    if there.refusal is not None and back.refusal is not None:
        assert there.refusal.slot == back.refusal.slot


@given(_TEXTS)
def test_every_text_equals_itself(text: str) -> None:
    assert compare(Text(None, text), Text(None, text)).equal_after_normalisation


@given(st.lists(_WORDS, min_size=1, max_size=10), st.data())
def test_one_more_word_is_never_merged(words: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(words)))
    longer = [*words[:place], "sudden", *words[place:]]
    assert compare(Text(None, " ".join(words)), Text(None, " ".join(longer)), vocabulary=_Known()).refusal is not None


@given(st.lists(_WORDS, min_size=1, max_size=10), st.data())
def test_another_number_is_never_merged(words: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(words)))
    one, other = data.draw(st.lists(st.integers(0, 9999), min_size=2, max_size=2, unique=True))
    left = " ".join([*words[:place], str(one), *words[place:]])
    right = " ".join([*words[:place], str(other), *words[place:]])
    assert compare(Text(None, left), Text(None, right), vocabulary=_Known()).refusal is not None


@given(_TEXTS, _TEXTS, st.floats(0, 1))
def test_a_refused_pair_is_never_merged_whatever_its_similarity(one: str, other: str, cosine: float) -> None:
    verdict = merge_verdict(Text(None, one), Text(None, other), cosine=cosine, vocabulary=_Known())
    refusal = compare(Text(None, one), Text(None, other), vocabulary=_Known()).refusal
    assert not (verdict.action == "merge" and refusal is not None)
    if cosine >= 0.85:
        assert verdict.action in {"merge", "review"}
    if cosine < 0.7:
        assert verdict.action == "none"


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    found = features(Text(text, text))
    assert all(found.title_key)
    assert 0 <= compare(found, found).coverage <= 1


@pytest.mark.parametrize(
    "unit",
    [
        "**a ",
        "a. ",
        "1. ",
        "v1a",
        "!",
        "a,",
        "'a ",
        '"a ',
        "(",
        "1.",
        "不",
        "v1.",
        "-",
        "a-b",
        "x=",
        "Ana ",
        "no, ",
        "%",
        "\n- ",
        " ",
        "\t\n",
    ],
)
def test_hostile_repetition_is_read_in_time(unit: str) -> None:
    text = unit * (60_000 // len(unit))
    started = time.perf_counter()
    compare(Text(None, f"a{text}¡"), Text(None, f"a{text} 5"), vocabulary=_Known())
    assert time.perf_counter() - started < 15  # a reading that backtracks never ends


def test_many_marks_that_differ_are_read_in_time() -> None:
    started = time.perf_counter()
    compare(Text(None, "too, " * 20_000), Text(None, "too " * 20_000), vocabulary=_Known())
    compare(Text(None, "too\n" * 20_000), Text(None, "too " * 20_000), vocabulary=_Known())
    compare(Text(None, "It is. " * 10_000), Text(None, "It was. " * 10_000), vocabulary=_Known())
    assert time.perf_counter() - started < 15
