"""What the bench of unmoved scores calls same, shifted, displaced and lost; and that it sees a store that answers alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench import invariance


def test_every_answer_has_one_fate() -> None:
    before = {"q": {"same": 0.5, "shifted": 0.4, "displaced": 0.2, "lost": 0.39}}
    found = invariance.compare(before, {"q": {"same": 0.5, "shifted": 0.45, "new": 0.3}})
    assert dict(found.fates) == {"same": 1, "shifted": 1, "displaced": 1, "lost": 1}
    assert found.worst == pytest.approx(0.05)
    assert not found.turned


def test_an_answer_that_became_an_abstention_is_said() -> None:
    assert invariance.compare({"q": {}}, {"q": {"a": 0.3}}).turned == ["q"]
    assert invariance.compare({"q": {"a": 0.3}}, {"q": {}}).turned == ["q"]


@pytest.mark.slow
def test_a_restart_moves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turns = [
        {"dia_id": f"D1:{n}", "speaker": "Ada", "text": text}
        for n, text in enumerate(
            ("I sold my old bicycle to Ben.", "The choir sings on Friday.", "Rain again today."), 1
        )
    ]
    dialogue = {
        "sample_id": "one",
        "conversation": {"session_1": turns, "session_1_date_time": "6:40 am on 3 October, 2021"},
        "qa": [{"question": "who bought the old bicycle", "category": 1, "evidence": ["D1:1"]}],
    }
    file = tmp_path / "dialogues.json"
    file.write_text(json.dumps([dialogue]), "utf-8")
    assert invariance.main([str(file), "--embedder", "hashed"]) == 0
    shown = capsys.readouterr().out
    assert "restart" in shown
    assert "200 invented notes" in shown
