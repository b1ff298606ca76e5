"""The log: one JSON object a line whoever writes, and never what an exception quotes."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from muninn import logs

SECRET = "la clave es 4711"


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    before = logging.getLogger().handlers[:]
    path = tmp_path / "muninn.log"
    logs.configure(path)
    yield path
    logs.configure(None)
    logging.getLogger().handlers[:] = before


def fail() -> None:
    try:
        {}[SECRET]  # type: ignore[index]
    except KeyError as error:
        raise ValueError(f"cannot handle {SECRET}") from error


@pytest.mark.parametrize("foreign", [False, True])
def test_an_exception_shows_its_way_and_not_its_words(file: Path, *, foreign: bool) -> None:
    try:
        fail()
    except ValueError as error:
        if foreign:
            logging.getLogger("another.library").exception("it failed")
        else:
            logs.logger("muninn.test").error("failed", error=type(error).__name__, exc_info=error)
    text = file.read_text("utf-8")
    (line,) = text.splitlines()
    entry = json.loads(line)
    assert SECRET not in text
    assert entry["level"] == "error"
    assert entry["exception"].endswith("ValueError")
    assert "KeyError" in entry["exception"]
    assert "in fail" in entry["exception"]


def test_every_line_is_an_object_with_a_time(file: Path) -> None:
    logs.logger("muninn.test").info("awake", memories=3)
    logging.getLogger("another.library").warning("watch out: %s", "ñ")
    entries = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [entry["event"] for entry in entries] == ["awake", "watch out: ñ"]
    assert entries[0]["memories"] == 3
    assert all(entry["timestamp"].endswith("Z") for entry in entries)
    assert file.stat().st_mode & 0o777 == 0o600


def alone() -> logging.FileHandler:
    """Our handler, without those of pytest."""
    root = logging.getLogger()
    (ours,) = [one for one in root.handlers if isinstance(one, logging.FileHandler) and one.baseFilename != "/dev/null"]
    root.handlers[:] = [ours]
    return ours


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_costs_the_line_and_nothing_is_said_elsewhere(
    file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    handler = alone()
    with suppress(OSError), Path("/dev/full").open("w") as full:
        there, handler.stream = handler.stream, full
        logs.logger("muninn.test").info("awake", clue=SECRET)
        handler.stream = there
    logs.logger("muninn.test").info("there is room")
    assert capfd.readouterr() == ("", "")
    assert [json.loads(line)["event"] for line in file.read_text("utf-8").splitlines()] == ["there is room"]


def test_a_line_that_cannot_be_written_for_a_fault_of_ours_is_still_told(
    file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    alone()
    logging.getLogger("another.library").warning("%d", "no number")
    assert "Logging error" in capfd.readouterr().err
