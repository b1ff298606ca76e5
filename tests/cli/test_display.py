"""What reaches a terminal: memory text that cannot steer it, JSON that stays one document."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn_cmd import charts, notation, render, text

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\r\x08\x7f\u202eevil\u2066"


def harmless(shown: str) -> bool:
    return not any(
        (unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t")
        or c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
        for c in shown
    )


@given(st.text(st.characters()))
def test_no_text_carries_a_control_character_to_the_terminal(value: str) -> None:
    assert harmless(text.plain(value))
    assert harmless(text.one_line(value))
    assert not set(text.one_line(value)) & set("\n\t\u2028\u2029")


@given(st.text(st.characters(blacklist_categories=["Cc", "Cs", "Cf"], blacklist_characters="\u2028\u2029")))
def test_ordinary_text_is_shown_as_it_is(value: str) -> None:
    assert text.plain(value) == value


@given(st.text(), st.integers(1, 40))
def test_a_cut_line_fits(value: str, width: int) -> None:
    assert len(text.one_line(value, width)) <= width


documents = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(documents)
def test_json_is_lossless_and_harmless(document: Any) -> None:
    shown = render.encode(document)
    assert harmless(shown)
    assert json.loads(shown) == document


@given(documents)
def test_the_fast_notation_agrees_with_json(document: Any) -> None:
    assert notation.parse(json.dumps(document).encode()) == document
    assert json.loads(notation.compose(document)) == document


@pytest.mark.parametrize("damaged", [b"", b"{", b"{} {}", b'{"a": }', b"nul", b"\xff", b"[" * 100_000, b'"\n"'])
def test_the_fast_notation_refuses_what_json_refuses(damaged: bytes) -> None:
    with pytest.raises((ValueError, RecursionError)):
        notation.parse(damaged)


def test_a_hostile_memory_is_shown_harmless_by_every_reader(daemon: Any, muninn: Any) -> None:
    memory = {"id": "01A", "title": f"T{ESCAPES}", "content": f"C{ESCAPES}", "vault": f"v{ESCAPES}", "tags": [ESCAPES], "created_at": ESCAPES,
              "provenance": {"client": ESCAPES}, "kind": "fact", "why": ESCAPES, "score": 0.5, "state": "active"}  # fmt: skip
    daemon.on("POST /v1/recall", {"results": [memory], "degraded": ESCAPES})
    daemon.on("GET /v1/memories/01A", memory)
    daemon.on("GET /v1/memories/01A/links", {"id": "01A", "links": [{"source": "01A", "target": "01B", "relation": ESCAPES, "origin": "auto"}],
                                            "memories": {"01B": {"title": ESCAPES}}})  # fmt: skip
    daemon.on("GET /v1/journal", {"entries": [{"text": f"## dream{ESCAPES}"}]})
    daemon.on(
        "POST /v1/memories",
        {**memory, "similar": [{"id": "01B", "title": ESCAPES, "similarity": 0.9, "relation": "near"}]},
    )
    for words in (["recall", "x", "--explain"], ["show", "01A"], ["links", "01A"], ["journal"], ["remember", "x"]):
        done = muninn(*words)
        assert done.code == 0, done.err
        assert harmless(done.out), words


def test_a_moment_and_a_count() -> None:
    assert text.moment("2026-03-28T06:00:12.5+00:00") == "2026-03-28 06:00"
    assert text.moment(None) == ""
    assert text.moment("yesterday") == "yesterday"
    assert [text.count(n, "memory") for n in (0, 1, 12345)] == ["0 memories", "1 memory", "12\u202f345 memories"]


def test_bars_and_pictures() -> None:
    shown = charts.bars("Kinds", [("fact", 8.0), ("decision", 4.0), ("none", 0.0)], width=8)
    assert shown.splitlines() == ["Kinds", "      fact  ████████ 8", "  decision  ████ 4", "      none   0"]
    picture = charts.svg([("A <b>", [("x&y", 1.0)])])
    assert "<b>" not in picture
    assert "A &lt;b&gt;" in picture
