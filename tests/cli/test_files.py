"""Files a verb writes or sends: whole or not at all, batches that fit, units that systemd reads."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muninn import errors
from muninn.importers import IMPORTERS, Importer, Rejected, Remark, Row, Vaults
from muninn_cmd import assets, files, importer, launchd, service
from muninn_cmd.session import begin


def test_a_file_is_replaced_whole_and_private(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("before")
    assert files.write(path, iter([b"one\n", b"two\n"])) == 8
    assert path.read_bytes() == b"one\ntwo\n"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_failure_on_the_way_leaves_what_was_there(tmp_path: Path) -> None:
    def broken() -> Iterator[bytes]:
        yield b"half"
        raise errors.NotRunningError("the daemon went away")

    path = tmp_path / "out.jsonl"
    path.write_text("before")
    with pytest.raises(errors.NotRunningError):
        files.write(path, broken())
    assert path.read_text() == "before"
    assert [found.name for found in tmp_path.iterdir()] == ["out.jsonl"]


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(errors.MuninnError, match=r"cannot write .*missing/x: No such file"):
        files.write(tmp_path / "missing" / "x", b"")


def test_a_pipe_is_written_to_and_not_replaced() -> None:
    assert files.write(Path("/dev/null"), b"abc") == 3
    assert not Path("/dev/null").is_file()


# -- import


class Items:
    """A source that says what a test wants."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, items: list[Any], *, exact: bool = False) -> None:
        reader = Importer(
            name="jsonl", title="test", detects=lambda _path: True, read=lambda _path: iter(items), exact=exact
        )
        monkeypatch.setitem(IMPORTERS, "jsonl", reader)


def accept(asked: Any) -> dict[str, Any]:
    rows = asked.body["rows"]
    return {"imported": len(rows), "duplicates": 0, "rejected": [], "unresolved_links": [], "links": 0, "pending": 0}


def test_rows_go_in_batches_and_nothing_is_lost(
    daemon: Any, muninn: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    amount = importer.BATCH_ROWS * 2 + 3
    Items(monkeypatch, [Row({"content": f"nota {i}"}, i + 1) for i in range(amount)])
    daemon.on("POST /v1/import", accept)
    done = muninn("import", str(tmp_path), "--format", "jsonl", "--vault", "v", "--json")
    assert (done.code, done.json["imported"]) == (0, amount)
    sent = [asked.body for asked in daemon.asked if asked.path == "/v1/import"]
    assert [row["content"] for body in sent for row in body["rows"]] == [f"nota {i}" for i in range(amount)]
    assert max(len(body["rows"]) for body in sent) == importer.BATCH_ROWS
    assert {body["vault"] for body in sent} == {"v"}


def test_a_vault_that_is_made_on_the_way_is_named(
    daemon: Any, muninn: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    Items(monkeypatch, [Row({"content": "x"}, 1)])
    daemon.on("POST /v1/import", lambda asked: {**accept(asked), "notes": ["vault v created with tier personal"]})
    assert muninn("import", str(tmp_path), "--format", "jsonl").out == (
        "Imported 1 memory\n  vault v created with tier personal\n"
    )


def test_long_texts_make_small_batches(
    daemon: Any, muninn: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    Items(monkeypatch, [Row({"content": "x" * 900_000}, i) for i in range(5)])
    daemon.on("POST /v1/import", accept)
    assert muninn("import", str(tmp_path), "--format", "jsonl").code == 0
    assert [len(asked.body["rows"]) for asked in daemon.asked if asked.path == "/v1/import"] == [2, 2, 1]


def test_a_batch_that_is_too_large_is_halved_until_the_culprit_is_named(
    daemon: Any, muninn: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    problem = {"type": "urn:muninn:TooLargeError", "title": "the request is too large", "exit_code": 2}
    Items(monkeypatch, [Row({"content": c}, i + 1) for i, c in enumerate(["a", "b", "huge", "d"])])

    class Switch(dict[str, Any]):
        def get(self, key: str, default: Any = None) -> Any:
            if key == "POST /v1/import":
                last = daemon.asked[-1]
                huge = any(row["content"] == "huge" for row in last.body["rows"])
                return (413, problem) if huge else (200, accept)
            return super().get(key, default)

    daemon.answers = Switch(daemon.answers)
    done = muninn("import", str(tmp_path), "--format", "jsonl", "--json")
    assert done.json["imported"] == 3
    assert done.json["rejected"] == [{"file": str(tmp_path), "line": 3, "why": "the request is too large"}]


def test_what_was_not_understood_is_named_by_file_and_line(
    daemon: Any, muninn: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    Items(
        monkeypatch,
        [
            Rejected(2, "not JSON", "a.jsonl"),
            Row({"content": "bueno"}, 3),
            Row({"content": ""}, 7),
            Remark(9, "field 'x' kept"),
        ],
    )
    daemon.on(
        "POST /v1/import", lambda asked: {**accept(asked), "imported": 1, "rejected": [{"line": 2, "why": "blank"}]}
    )
    done = muninn("import", str(tmp_path), "--format", "jsonl")
    assert done.code == 0
    assert done.out.splitlines() == [
        "Imported 1 memory",
        f"  not understood: {tmp_path}/a.jsonl:2: not JSON",
        f"  not understood: {tmp_path}:7: blank",
        f"  note: {tmp_path}:9: field 'x' kept",
    ]


def test_links_to_later_memories_are_tried_again_and_an_export_stays_exact(
    daemon: Any, muninn: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    late = {"source": "01A", "target": "Último", "relation": "mentions"}
    Items(monkeypatch, [Vaults(({"name": "v", "tier": "legal"},)), Row({"content": "a"}, 2)], exact=True)
    daemon.on("POST /v1/import", lambda asked: {**accept(asked), "unresolved_links": [late] if asked.body["rows"] else [],
                                                "links": len(asked.body.get("links") or ())})  # fmt: skip
    done = muninn("import", str(tmp_path), "--format", "jsonl", "--json")
    first, second = [asked.body for asked in daemon.asked if asked.path == "/v1/import"]
    assert (first["exact"], first["vaults"]) == (True, [{"name": "v", "tier": "legal"}])
    assert (second["rows"], second["links"]) == ([], [late])
    assert (done.json["links"], done.json["unresolved_links"]) == (1, [])


def test_import_returns_when_everything_is_embedded(
    daemon: Any, muninn: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    Items(monkeypatch, [Row({"content": "a"}, 1)])
    left = iter([3, 2, 0])
    daemon.on("POST /v1/import", lambda asked: {**accept(asked), "pending": 3})
    daemon.on("GET /v1/status", lambda _asked: {"state": "awake", "embedding_pending": next(left)})
    assert muninn("import", str(tmp_path), "--format", "jsonl", "--json").json["pending"] == 0
    assert list(left) == []
    left = iter([])
    assert muninn("import", str(tmp_path), "--format", "jsonl", "--json", "--no-wait").json["pending"] == 3


def test_an_import_of_nothing_is_named(daemon: Any, muninn: Any) -> None:
    done = muninn("import", "/nowhere/notes.jsonl")
    assert done.code == 1
    assert "there is no /nowhere/notes.jsonl" in done.err


# -- service


def test_the_unit_starts_this_installation(environ: dict[str, str]) -> None:
    environ["MUNINN_HOME"] = "/home/ana/mis recuerdos 100%"
    begin(environ)
    unit = service.unit()
    assert 'Environment="MUNINN_HOME=/home/ana/mis recuerdos 100%%"' in unit
    start = next(line for line in unit.splitlines() if line.startswith("ExecStart="))
    assert start.endswith(" start --foreground")
    assert start.removeprefix("ExecStart=").startswith(("/", '"/'))


def test_install_is_idempotent_and_uninstall_exact(muninn: Any, environ: dict[str, str]) -> None:
    folder = Path(environ["HOME"]) / ".config/systemd/user"
    first = muninn("service", "install", "--no-start", "--cloud", "--json").json
    assert first["changed"] == [str(folder / "muninn.service"), str(folder / "muninn.service.d/cloud.conf")]
    assert muninn("service", "install", "--no-start", "--cloud", "--json").json["changed"] == []
    assert muninn("service", "install", "--no-start", "--json").json["changed"] == [
        str(folder / "muninn.service.d/cloud.conf")
    ]
    assert muninn("service", "status", "--json").json["installed"] is True
    assert muninn("service", "uninstall", "--json").json["removed"] == [str(folder / "muninn.service")]
    assert sorted(folder.iterdir()) == []
    assert muninn("service", "uninstall").out == "There was no unit.\n"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_reads_the_unit_and_finds_it_closed(tmp_path: Path, environ: dict[str, str]) -> None:
    begin(environ)
    unit = tmp_path / "muninn.service"
    unit.write_text(assets.find("muninn.service").read_text().replace(service.SHIPPED_START, "ExecStart=/bin/true"))
    run = {"XDG_RUNTIME_DIR": str(tmp_path), "PATH": os.environ["PATH"]}
    verify = subprocess.run(
        ["systemd-analyze", "--user", "verify", "--man=no", str(unit)],
        capture_output=True,
        text=True,
        env=run,
        check=False,
    )
    assert (verify.returncode, verify.stderr) == (0, "")
    security = ["systemd-analyze", "security", "--offline=true", "--threshold=30", "--no-pager", str(unit)]
    assert subprocess.run(security, capture_output=True, env=run, check=False).returncode == 0


def test_a_launchd_agent_is_a_valid_property_list() -> None:
    import plistlib

    agent = plistlib.loads(launchd.agent(["/opt/a & b/muninn", "start", "--foreground"], "/home/<ana>").encode())
    assert agent["ProgramArguments"] == ["/opt/a & b/muninn", "start", "--foreground"]
    assert agent["EnvironmentVariables"] == {"MUNINN_HOME": "/home/<ana>"}


def test_the_log_is_shown_from_its_end(muninn: Any, home: Path) -> None:
    assert muninn("logs").code == 1
    home.mkdir()
    (home / "muninn.log").write_text('{"event": "waking"}\nTraceback \x1b[31m\n{"event": "awake"}\n')
    assert muninn("logs", "-n", "2").out == 'Traceback \u241b[31m\n{"event": "awake"}\n'
    assert muninn("logs", "--json").json["entries"] == [
        {"event": "waking"},
        {"event": "Traceback \x1b[31m"},
        {"event": "awake"},
    ]


def test_a_backup_is_restored_only_while_asleep(daemon: Any, muninn: Any, tmp_path: Path) -> None:
    done = muninn("backup", "restore", str(tmp_path), "--yes")
    assert (done.code, "muninn stop" in done.err) == (2, True)


def test_backups_are_listed_without_the_store(muninn: Any, home: Path) -> None:
    assert muninn("backup", "list", "--json").json == {"backups": []}
    for name in ("20260102T000000Z", "20260101T000000Z"):
        (home / "backups" / name).mkdir(parents=True)
        (home / "backups" / name / "manifest.json").write_text(json.dumps({"files": {}}))
    assert [Path(row["folder"]).name for row in muninn("backup", "list", "--json").json["backups"]] == [
        "20260101T000000Z",
        "20260102T000000Z",
    ]
