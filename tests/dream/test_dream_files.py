"""The sidecars: written whole, never trusted."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from muninn.domain.gates import Verdict
from muninn.dream.files import DreamFiles, DreamState

NOW = datetime(2026, 3, 28, 6, 0, tzinfo=UTC)


def test_a_fresh_folder_owes_nothing(tmp_path: Path) -> None:
    files = DreamFiles(tmp_path)
    assert files.state() == DreamState()
    assert not files.due


def test_attempts_count_up_and_a_finished_dream_clears_them(tmp_path: Path) -> None:
    files = DreamFiles(tmp_path)
    files.mark_due(NOW, why="stopped")
    files.begin(NOW)
    files.begin(NOW)
    assert files.state().attempts == 2
    assert files.state().last_attempt_at == NOW
    files.finish(dream_id="D1", now=NOW, status="aborted")
    assert files.state().attempts == 2
    assert files.due
    files.finish(dream_id="D2", now=NOW, status="completed")
    assert (files.state().attempts, files.state().last_dream_id, files.due) == (0, "D2", False)


def test_the_verdict_is_remembered(tmp_path: Path) -> None:
    files = DreamFiles(tmp_path)
    files.judge(Verdict(False, "too early"), NOW)
    assert files.state().verdict == Verdict(False, "too early")
    assert files.state_file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff", b"[]", b"null", b'{"attempts": -1}', b'{"attempts": "x"}', b'{"verdict": 3}',
     b'{"last_attempt_at": "yesterday"}', b'{"last_attempt_at": "2026-03-28T06:00:00"}', b"[" * 100_000],
)  # fmt: skip
def test_a_damaged_state_is_explained_and_counts_as_due(tmp_path: Path, content: bytes) -> None:
    files = DreamFiles(tmp_path)
    files.state_file.write_bytes(content)
    state = files.state()
    assert state.trouble is not None
    assert "dream.state.json" in state.trouble
    assert state.attempts == 0
    assert files.due
    files.begin(NOW)
    assert files.state().trouble is None


def test_a_failed_write_leaves_the_old_state(tmp_path: Path) -> None:
    files = DreamFiles(tmp_path)
    files.begin(NOW)

    def fail(_path: Path, _text: str) -> None:
        raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        DreamFiles(tmp_path, write=fail).begin(NOW)
    assert files.state().attempts == 1


def test_what_cannot_be_written_is_named_as_people_know_it(tmp_path: Path) -> None:
    files = DreamFiles(tmp_path / "nowhere")
    with pytest.raises(OSError) as caught:
        files.mark_due(NOW, why="stopped")
    assert caught.value.filename == str(files.due_file)
