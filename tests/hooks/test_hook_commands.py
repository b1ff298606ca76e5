"""`muninn hook` and `muninn learnings` from the shell."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def shell(tmp_path: Path) -> Any:
    (tmp_path / "project" / ".git").mkdir(parents=True)
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONPATH": f"{ROOT}:{ROOT / 'cmd'}"}

    def run(*words: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [sys.executable, "-m", "muninn_cmd", *words], env=environ, cwd=tmp_path / "project", capture_output=True, text=True, check=False
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.mark.slow
def test_install_status_and_uninstall(shell: Any, tmp_path: Path) -> None:
    file = tmp_path / "project" / ".claude" / "settings.local.json"
    file.parent.mkdir()
    file.write_text('{ "a":1 }')
    code, out, _ = shell("hook", "install", "--project", "--json")
    assert code == 0
    assert json.loads(out)["changed"] is True
    code, out, _ = shell("hook", "status", "--json")
    document = json.loads(out)
    assert code == 0
    assert [place["path"] for place in document["installed"]] == [str(file)]
    assert document["installed"][0]["current"] is True
    assert document["canary"]["ok"] is False
    code, out, _ = shell("hook", "uninstall", "--project", "--json")
    assert json.loads(out)["changed"] is True
    assert file.read_text() == '{ "a":1 }'


@pytest.mark.slow
def test_a_dry_run_and_a_broken_file_change_nothing(shell: Any, tmp_path: Path) -> None:
    file = tmp_path / ".claude" / "settings.json"
    assert shell("hook", "install", "--dry-run")[0] == 0
    assert not file.exists()
    file.parent.mkdir()
    file.write_text("{\n  // mine\n}")
    code, out, err = shell("hook", "install")
    assert (code, out) == (2, "")
    assert "line 2" in err
    assert "Traceback" not in err
    assert file.read_text() == "{\n  // mine\n}"


@pytest.mark.slow
def test_learnings_are_listed_shown_and_forgotten(shell: Any, tmp_path: Path) -> None:
    assert json.loads(shell("learnings", "list", "--json")[1]) == {"learnings": []}
    file = tmp_path / "project" / ".claude" / "metacog-learnings.jsonl"
    file.parent.mkdir()
    file.write_text(
        '{"pattern": "error_loop", "type": "detection", "detected_at": "2026-03-20T10:00:00Z", "session": "a"}\n'
    )
    assert json.loads(shell("learnings", "list", "--json")[1])["learnings"][0]["pattern"] == "error_loop"
    assert "error_loop" in shell("learnings", "show", "error_loop")[1]
    assert json.loads(shell("learnings", "forget", "error_loop", "--json")[1]) == {
        "pattern": "error_loop",
        "removed": 1,
    }
    code, _, err = shell("learnings", "show", "error_loop")
    assert code == 1
    assert "error_loop" in err
