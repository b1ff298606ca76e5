"""What somebody meets on the first day: a start that is done when it says so, and words that do not mislead."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from muninn import errors
from muninn.daemon import backup
from muninn_cmd import backup as backup_verb
from muninn_cmd import lifecycle
from muninn_cmd import start as start_verb
from muninn_cmd.connect import path_of

ID = "01JQ4W5Z9V8M3T2R7K6H5G4F3D"


def test_start_ends_when_the_daemon_serves_not_when_its_socket_answers(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"])
    states = iter(["waking", "waking", "waking"])
    monkeypatch.setattr(lifecycle, "spawn", lambda *_arguments: child)
    monkeypatch.setattr(lifecycle, "answering", lambda _environ: {"state": next(states, "awake"), "pid": child.pid})
    try:
        assert lifecycle.wake(environ, at_most=10, meanwhile=lambda: None)["state"] == "awake"
    finally:
        child.kill()
        child.wait()


def test_a_daemon_that_dies_while_it_wakes_is_no_start(
    environ: dict[str, str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.mkdir()
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.3); raise SystemExit(1)"])
    (home / "muninn.log").write_text("")
    monkeypatch.setattr(lifecycle, "spawn", lambda *_arguments: child)
    monkeypatch.setattr(lifecycle, "answering", lambda _environ: {"state": "waking", "pid": child.pid})
    began = time.monotonic()
    with pytest.raises(errors.MuninnError, match="the daemon did not start"):
        lifecycle.wake(environ, at_most=10, meanwhile=lambda: None)
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("words", [("show", ""), ("forget", " "), ("vault", "remove", ""), ("links", "")])
def test_a_blank_id_is_named_as_such(daemon: Any, muninn: Any, words: tuple[str, ...]) -> None:
    done = muninn(*words)
    assert done.code == 2
    assert "/v1/" not in done.err
    assert done.err.count("\n") == 1


def test_a_path_has_no_blank_part() -> None:
    assert path_of("memories", ID) == f"/v1/memories/{ID}"
    with pytest.raises(errors.UsageError):
        path_of("memories", "", "links")


def test_snippets_are_printed_where_no_agent_is_found(muninn: Any) -> None:
    done = muninn("init", "--print")
    assert done.code == 0
    assert "# Claude Code: " in done.out
    assert "mcpServers" in done.out


def test_a_derived_title_is_not_shown_twice(daemon: Any, muninn: Any) -> None:
    memory = {"id": ID, "vault": "v", "title": "El puerto es 8443", "content": "El puerto es 8443"}
    daemon.on(f"GET /v1/memories/{ID}", memory)
    daemon.on(f"GET /v1/memories/{ID}/links", {"id": ID, "links": []})
    assert muninn("show", ID).out.count("El puerto es 8443") == 1
    daemon.on(f"GET /v1/memories/{ID}", {**memory, "content": "El puerto es 8443\n\ndesde mayo"})
    assert muninn("show", ID).out.count("El puerto es 8443") == 2


def test_undoing_a_quiet_night_says_that_it_was_one(daemon: Any, muninn: Any) -> None:
    daemon.on("POST /v1/dreams/last/undo", {"dream_id": ID, "restored": [], "left_alone": []})
    assert "it had changed no memory" in muninn("undo").out


def test_explained_figures_are_words_not_code(daemon: Any, muninn: Any) -> None:
    result = {
        "id": ID, "title": "t", "content": "c", "score": 0.5, "why": "covers all",
        "components": {"words": ["check", "out"], "in_time": False, "path": [{"id": ID, "relation": "mentions"}], "modulation": {"factor": 1.06}},
    }  # fmt: skip
    daemon.on("POST /v1/recall", {"results": [result]})
    shown = muninn("recall", "check", "--explain").out
    assert "words: check; out\n" in shown
    assert "in time: no\n" in shown
    assert f"path: id {ID}, relation mentions\n" in shown
    assert "modulation: factor 1.06" in shown


def test_a_folder_that_is_no_backup_is_refused_before_anything_is_asked(muninn: Any, tmp_path: Path) -> None:
    assert backup_verb.MANIFEST == backup.MANIFEST
    done = muninn("backup", "restore", str(tmp_path))
    assert (done.code, "is not a backup" in done.err) == (2, True)


def test_lines_that_were_refused_come_in_the_order_of_the_file(daemon: Any, muninn: Any, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"content": "a"\n{"text": ""}\n[1]\n')
    daemon.on("POST /v1/import", {"imported": 0, "rejected": [{"line": 1, "why": "blank"}]})
    done = muninn("import", str(file), "--no-wait", "--json")
    assert [one["line"] for one in done.json["rejected"]] == [1, 2, 3]
    assert "ends too early" in done.json["rejected"][0]["why"]


@pytest.mark.parametrize(
    "words",
    [
        ("remember", "x", "--vault", ""), ("remember", "x", "--vault="), ("recall", "x", "--as-of", ""),
        ("remember", "x", "--supersedes", ""), ("import", "x.csv", "--vault", ""),
    ],
)  # fmt: skip
def test_an_empty_option_is_refused_not_overlooked(daemon: Any, muninn: Any, words: tuple[str, ...]) -> None:
    done = muninn(*words)
    assert (done.code, daemon.asked) == (2, [])
    assert "is blank (give a value, or leave it out)" in done.err


def test_an_empty_title_or_an_argument_behind_the_dashes_is_no_empty_option(daemon: Any, muninn: Any) -> None:
    daemon.on(f"PATCH /v1/memories/{ID}", {"id": ID, "vault": "v"})
    assert muninn("edit", ID, "--title", "").code == 0
    daemon.on("POST /v1/memories", {"id": ID, "vault": "v"})
    assert muninn("remember", "--", "--vault", "").code == 0
    assert daemon.last.body["content"] == "--vault "


def test_show_names_stability_what_it_is(daemon: Any, muninn: Any) -> None:
    daemon.on(f"GET /v1/memories/{ID}", {"id": ID, "title": "t", "content": "c", "stability": 14.0, "relevance": 0.5})
    daemon.on(f"GET /v1/memories/{ID}/links", {"id": ID, "links": []})
    assert "stability  14.00 days, 0.50 relevance" in muninn("show", ID).out


def test_words_that_begin_with_a_dash_are_told_where_to_go(daemon: Any, muninn: Any) -> None:
    done = muninn("remember", "- first bullet")
    assert done.code == 2
    assert done.err.endswith("(see: muninn remember --help; words that begin with a dash go after --)\n")
    daemon.on("POST /v1/memories", {"id": ID, "vault": "v", "created": True})
    assert muninn("remember", "--", "- first bullet").code == 0
    assert daemon.last.body["content"] == "- first bullet"
    assert "after --" not in muninn("status", "--nope").err


def test_entries_of_the_journal_stand_apart(daemon: Any, muninn: Any) -> None:
    daemon.on("GET /v1/journal", {"entries": [{"text": "## One\n\n*undone*"}, {"text": "## Two\n"}]})
    assert muninn("journal", "--last", "2").out == "## One\n\n*undone*\n\n## Two\n"


def test_the_last_entries_since_a_day_are_as_many_as_asked(daemon: Any, muninn: Any) -> None:
    daemon.on("GET /v1/journal", {"entries": []})
    assert muninn("journal", "--since", "2026-03-01", "--last", "2").out == "No entry since 2026-03-01.\n"
    assert daemon.last.path == "/v1/journal?last=2&since=2026-03-01"


def test_a_request_for_no_vault_says_so_in_the_ledger(daemon: Any, muninn: Any) -> None:
    daemon.on("GET /v1/egress", {"entries": [{"at": "2026-03-28T06:00:00Z", "vault": "", "tier": "global"}]})
    shown = muninn("egress").out
    assert "no vault" in shown
    assert "(global)" not in shown


def test_the_doctor_sees_a_configuration_over_which_the_next_start_would_stumble(
    daemon: Any, muninn: Any, home: Path
) -> None:
    daemon.on("GET /v1/doctor", {"ok": True, "checks": [{"name": "disk", "ok": True, "detail": "3 GiB"}]})
    (home / "config.toml").write_text("[dream]\ntimeot = 3\n")
    done = muninn("doctor")
    assert done.code == 1
    assert "✘ configuration loads: unknown key dream.timeot" in done.out
    assert muninn("doctor", "--json").json["ok"] is False
    (home / "config.toml").write_text("[dream]\ntimeout = 3\n")
    assert muninn("doctor").out == "✔ disk: 3 GiB\n"


@pytest.mark.parametrize(
    ("is_open", "line"),
    [
        (False, "  no dream: 3.0 h since the last dream, 12 h needed"),
        (True, "  no dream: none at this start, though the gate is open; one now: muninn dream"),
    ],
)
def test_a_start_without_a_dream_does_not_give_an_open_gate_as_the_reason(is_open: bool, line: str) -> None:
    gate = {"open": is_open, "why": "3.0 h since the last dream, 12 h needed"}
    told = start_verb.text({"state": "awake", "pid": 7, "socket": "/s", "dream": None, "gate": gate})
    assert told.splitlines()[1] == line
