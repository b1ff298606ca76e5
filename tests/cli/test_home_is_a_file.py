"""A home that is a file: every verb says so, and what to do; none blames the permissions of a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from muninn.errors import ConfigError
from muninn.paths import require_folder
from muninn_cmd import glance
from muninn_cmd.app import run

VERBS = (
    "start", "stop", "restart", "logs", "recall x", "remember x", "show 01ABCDEF", "dream", "dream --dry-run", "doctor",
    "vault list", "backup", "export", "undo", "graph export", "service install", "mcp --no-start", "mcp", "init --yes --agent codex", "status",
)  # fmt: skip


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "notes").write_text("mine")
    return {"HOME": str(tmp_path), "MUNINN_HOME": str(tmp_path / "notes"), "XDG_CONFIG_HOME": str(tmp_path / "config")}


@pytest.mark.parametrize("line", VERBS)
def test_every_verb_says_that_it_is_a_file(
    environ: dict[str, str], line: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(line.split(), environ) == (0 if line == "status" else 2)
    told = "".join(capsys.readouterr())
    assert f"{environ['MUNINN_HOME']} is a file, not a folder" in told
    assert "set MUNINN_HOME" in told
    assert "File exists" not in told
    assert (tmp_path / "notes").read_text() == "mine"
    assert not (tmp_path / "config").exists()


def test_status_has_an_answer_and_names_the_problem(
    environ: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert glance.run(environ, as_json=True) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["state"] == "asleep"
    assert "is a file, not a folder" in document["problem"]


def test_a_file_on_the_way_to_the_home_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes").touch()
    with pytest.raises(ConfigError, match="/notes is a file"):
        require_folder(str(tmp_path / "notes" / "deep" / "home"))


@pytest.mark.parametrize("target", ["unmounted", "home"])
@pytest.mark.parametrize("line", ["remember x", "start", "recall x"])
def test_a_home_that_is_a_link_to_nothing_is_not_an_empty_one(
    tmp_path: Path, target: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "home").symlink_to(target)
    environ = {"HOME": str(tmp_path), "MUNINN_HOME": str(tmp_path / "home")}
    assert run(line.split(), environ) == 2
    assert "home is a link to nothing" in capsys.readouterr().err
    assert glance.run(environ, as_json=True) == 0
    assert "is a link to nothing" in json.loads(capsys.readouterr().out)["problem"]


def test_a_home_that_is_yet_to_be_made_is_none_of_its_business(tmp_path: Path) -> None:
    require_folder(str(tmp_path / "not" / "there"))
    require_folder("relative")
    (tmp_path / "link").symlink_to(tmp_path)
    require_folder(str(tmp_path / "link"))
