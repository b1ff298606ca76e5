"""The cases of the bench of languages are whole, its nonsense is none of their words, and it runs with any embedder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench import languages

CASES = languages.cases()


@pytest.mark.parametrize("language", CASES)
def test_every_language_says_the_same_twenty_things_each_with_a_question_of_its_own(language: str) -> None:
    listed = CASES[language]
    assert len(listed) == len(CASES["en"]) == 20
    assert len({case.note for case in listed}) == len({case.question for case in listed}) == 20


def test_spanish_and_at_least_nine_others() -> None:
    assert "es" in CASES
    assert len(CASES) >= 10


@pytest.mark.parametrize("language", CASES)
def test_nonsense_is_in_no_note_and_the_same_every_time(language: str) -> None:
    notes = [case.note for case in CASES[language]]
    found = list(languages.nonsense(language, notes))
    assert len(found) == languages.NONSENSE
    assert found == list(languages.nonsense(language, notes))
    assert not {word for text in found for word in text.split()} & {
        word for note in notes for word in note.lower().split()
    }


@pytest.mark.slow
def test_it_tells_shares_and_misses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {language: CASES[language][:3] for language in ("en", "es")}
    monkeypatch.setattr(languages, "cases", lambda: few)
    for language, text in (("en", "The harbour froze."), ("es", "El puerto se heló.")):
        (tmp_path / f"some.{language}.jsonl").write_text(json.dumps({"id": "1", "text": text}), "utf-8")
    languages.main([str(tmp_path), "--embedder", "hashed", "--misses", "5"])
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].split()[:2] == ["hit@1", "hit@5"]
    assert [line.split()[0] for line in shown[1:4]] == ["en", "es", "all"]
    assert all(0 <= float(share) <= 1 for line in shown[1:4] for share in line.split()[1:] if share != "-")
