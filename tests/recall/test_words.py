"""Tokens, stems, languages and the weights of words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn.recall.commonness import LEAST, SETTLED_BELOW, table, weight
from muninn.recall.language import CODES, language_of
from muninn.recall.tokens import fold, stem, tokens, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Deadlines", "deadline"),
        ("decidimos", "DECIDIMOS"),
        ("migración", "migracion"),
        ("migraciones", "migración"),
        ("planning", "planned"),
        ("planes", "plan"),
        ("tests", "testing"),
        ("claramente", "clara"),
        ("configurado", "configurada"),
        ("policies", "policy"),
        ("ﬁle", "file"),
        ("Straße", "STRASSE"),
        ("Ⅳ", "iv"),
    ],
)
def test_forms_of_a_word_meet(one: str, other: str) -> None:
    assert tokens(one) == tokens(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("5432", "5433"), ("v1.2", "v1.3"), ("port", "part"), ("casa", "caso1"), ("mcp", "mcps2"), ("bus", "bu")],
)
def test_different_things_stay_apart(one: str, other: str) -> None:
    assert tokens(one) != tokens(other)


def test_unspaced_scripts_become_pairs() -> None:
    assert tokens("会議室") == ["会議", "議室"]
    assert tokens("鍵") == ["鍵"]
    assert tokens("ฉันกิน") != []
    assert tokens("서버 비밀번호") == tokens("서버") + tokens("비밀번호")


@given(st.text(max_size=200))
def test_any_text_gives_tokens_without_case_or_marks(text: str) -> None:
    found = tokens(text)
    assert all(found)
    assert tokens(fold(text)) == found


LATIN = st.text(alphabet=st.characters(max_codepoint=0x24F), max_size=80)


@given(LATIN)
def test_what_stands_beside_a_word_does_not_change_it(text: str) -> None:
    """Latin letters alone, and beside another script, take two ways that must agree."""
    assert [*words(text), "語"] == words(f"{text} 語")
    assert f"{fold(text)} 語" == fold(f"{text} 語")


@given(st.text(alphabet=st.characters(categories=["Ll"]), min_size=1, max_size=30))
def test_a_stem_is_never_empty_and_hardly_longer(word: str) -> None:
    assert 1 <= len(stem(word)) <= len(word)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What did we decide about the database?", "en"),
        ("¿Qué decidimos sobre la base de datos?", "es"),
        ("calendario de la poda", "es"),
        ("Quand est la prochaine réunion avec les clients ?", "fr"),
        ("Wann ist die nächste Besprechung?", "de"),
        ("会議はいつですか", "ja"),
        ("上周我们决定了什么", "zh"),
        ("Где лежит ключ", "ru"),
        ("postgres 5432", None),
        ("", None),
    ],
)
def test_languages_show(text: str, language: str | None) -> None:
    assert language_of(words(text)) == language


def test_every_language_has_a_code() -> None:
    assert CODES[0] == ""
    assert len(set(CODES)) == len(CODES) < 128


def test_common_words_weigh_little_and_names_weigh_all() -> None:
    assert weight(stem("the"), 10_000) == weight(stem("the"), 0) == LEAST
    assert weight(stem("que"), 3) == LEAST
    assert weight(stem("chlorosis"), 1) == 1.0
    assert weight(stem("chlorosis"), 100) < weight(stem("chlorosis"), 40) < weight(stem("chlorosis"), 20) < 1.0
    assert weight(stem("chlorosis"), 10**6) >= LEAST


@given(st.sampled_from(sorted(table())), st.integers(0, 10**6))
def test_settled_words_do_not_depend_on_what_is_stored(token: str, frequency: int) -> None:
    assert LEAST <= weight(token, frequency) <= 1.0
    if weight(token, 0) < SETTLED_BELOW:
        assert weight(token, frequency) == weight(token, 0)
