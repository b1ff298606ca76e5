"""What a person types that is odd, and what a terminal can bear."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from muninn_cmd import start

ID = "01JQ4W5Z9V8M3T2R7K6H5G4F3D"


def test_no_word_at_all_is_a_question_for_help(muninn: Any) -> None:
    done = muninn()
    assert (done.code, done.err) == (0, "")
    assert "Usage: muninn" in done.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("recall", "x", "--vault"), "see: muninn recall --help"),
        (("edit", ID, "--tag", "a", "--no-tags"), "--tag and --no-tags exclude each other"),
        (("edit", ID, "--no-validity", "--valid-from", "2026-01-01"), "--no-validity and a limit exclude each other"),
        (("links", ID, "--vault", "v"), "--vault goes with --orphans"),
    ],
)
def test_words_that_do_not_go_together_are_refused(daemon: Any, muninn: Any, words: tuple[str, ...], says: str) -> None:
    done = muninn(*words)
    assert (done.code, daemon.asked) == (2, [])
    assert says in done.err


def test_limits_in_time_can_be_taken_away(daemon: Any, muninn: Any) -> None:
    daemon.on(f"PATCH /v1/memories/{ID}", {"id": ID, "vault": "v"})
    assert muninn("edit", ID, "--no-validity").code == 0
    assert daemon.last.body == {"valid_from": None, "valid_until": None}


@pytest.mark.parametrize("content", ["palabra " * 2000, "línea\n" * 500])
def test_recall_shows_the_beginning_of_a_long_memory_and_where_the_rest_is(
    daemon: Any, muninn: Any, content: str
) -> None:
    daemon.on("POST /v1/recall", {"results": [{"id": ID, "title": "Largo", "content": content, "score": 0.5}]})
    shown = muninn("recall", "x").out
    assert len(shown) < 2500
    assert shown.count("\n") < 50
    assert f"whole with: muninn show {ID}" in shown
    assert muninn("recall", "x", "--json").json["results"][0]["content"] == content


def test_recall_shows_a_short_memory_whole(daemon: Any, muninn: Any) -> None:
    content = "\n".join(f"línea {at}" for at in range(30))
    daemon.on("POST /v1/recall", {"results": [{"id": ID, "title": "Corto", "content": content, "score": 0.5}]})
    shown = muninn("recall", "x").out
    assert "línea 29" in shown
    assert "whole with" not in shown


def test_show_tells_everything(daemon: Any, muninn: Any) -> None:
    memory = {"id": ID, "title": "T", "content": "c", "created_at": "2026-03-28T06:00:00Z", "updated_at": "2026-04-01T07:00:00Z",
              "metadata": {"fuente": "Málaga"}}  # fmt: skip
    daemon.on(f"GET /v1/memories/{ID}", memory)
    daemon.on(f"GET /v1/memories/{ID}/links", {"id": ID, "links": []})
    shown = muninn("show", ID).out
    assert "changed    2026-04-01 07:00" in shown
    assert 'metadata   { "fuente": "Málaga" }' in shown


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "Nothing has left this process."),
        (("--vault", "v"), "Nothing has left this process for vault v."),
        (("--vault", "v", "--dream", "01D"), "Nothing has left this process for vault v in dream 01D."),
    ],
)
def test_an_empty_ledger_says_of_what(daemon: Any, muninn: Any, words: tuple[str, ...], says: str) -> None:
    daemon.on("GET /v1/egress", {"entries": [], "totals": {}})
    assert muninn("egress", *words).out == says + "\n"


def test_a_dry_run_knows_the_rows_it_has_seen(daemon: Any, muninn: Any, tmp_path: Any) -> None:
    daemon.on("POST /v1/import", lambda asked: {"imported": len(asked.body["rows"]), "rejected": []})
    one, two = tmp_path / "uno.jsonl", tmp_path / "dos.jsonl"
    one.write_text('{"content": "a"}\n{"content": "b", "vault": "v"}\n{"content": "b", "vault": "V"}\n{"content": 5}\n')
    two.write_text('{"content": "a"}\n{"content": "a", "vault": "w"}\n')
    found = muninn("import", str(one), str(two), "--dry-run", "--json").json
    assert (found["imported"], found["duplicates"]) == (4, 2)
    assert muninn("import", str(one), "--no-wait", "--json").json["imported"] == 4


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_an_output_that_is_full_is_no_fault_of_ours(daemon: Any, environ: dict[str, str]) -> None:
    daemon.on("GET /v1/vaults", {"vaults": []})
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([sys.executable, "-m", "muninn_cmd", "vault", "list"], env={**os.environ, **environ}, stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False)  # fmt: skip
    says = "muninn: cannot write the output: No space left on device (make room, then try again)\n"
    assert (done.returncode, done.stderr) == (1, says)


@pytest.mark.parametrize(
    ("is_open", "says"), [(True, "though the gate is open; one now: muninn dream"), (False, "no dream: 2 of 3 writes")]
)
def test_a_start_without_a_dream_says_why(is_open: bool, says: str) -> None:
    status = {"state": "awake", "pid": 1, "socket": "/s", "gate": {"open": is_open, "why": "2 of 3 writes"}}
    assert says in start.text(status)


def test_the_service_is_told_in_sentences(muninn: Any, environ: dict[str, str]) -> None:
    assert muninn("service", "status").out == (
        "No unit is installed; run muninn service install\nNo systemd serves this user here.\n"
    )
    assert muninn("service", "install", "--no-start").code == 0
    assert muninn("service", "status").out.startswith("The unit is installed\n")


def test_a_note_given_by_itself_is_named_once(daemon: Any, muninn: Any, tmp_path: Path) -> None:
    note, folder = tmp_path / "vacía.md", tmp_path / "b.md"
    note.write_text("")
    folder.mkdir()
    (folder / "b.md").write_text("")
    found = muninn("import", str(note), str(folder), "--no-wait", "--json").json["rejected"]
    assert [one["file"] for one in found] == [str(note), str(folder / "b.md")]
