"""The journal: a person enjoys it, nothing in it acts, what they write in it stays."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn import failpoints as points
from muninn.dream.journal import Journal
from muninn.dream.phrases import ENGLISH, SPANISH
from muninn.dream.teller import quoted

if TYPE_CHECKING:
    from tests.dream.conftest import World

NOW = datetime(2026, 3, 28, 6, 0, tzinfo=UTC)


def entry(dream_id: str, at: datetime = NOW, body: str = "- something") -> str:
    return f"---\n## {at:%Y-%m-%dT%H:%M:%SZ} -- Dream {dream_id}\n{body}\n*Scanned 1 memories · undo: muninn undo {dream_id}*\n"


def test_an_entry_has_the_shape_people_know(world: World) -> None:
    world.tell("The Docker bridge drops packets.")
    world.tell("the docker bridge drops packets")
    text = world.dreamer.dream(force=True).journal
    lines = text.splitlines()
    assert lines[0] == "---"
    assert re.fullmatch(r"## 2026-03-28T06:00:00Z -- Dream [0-9A-Z]{26}", lines[1])
    assert "**Cleaned up:**" in lines
    assert re.fullmatch(r"\*Scanned 2 memories in 1 vault in \d+\.\d s · .*undo: muninn undo [0-9A-Z]{26}\*", lines[-1])
    assert world.config.journal_file.read_text("utf-8") == text


def test_every_bullet_names_a_memory(world: World) -> None:
    a, b = world.tell("The Docker bridge drops packets."), world.tell("the docker bridge drops packets")
    c = world.tell("Postgres is primary.", access_count=6)
    world.use(a, c, query="docker")
    world.link(a, c)
    world.link(c, b)
    text = world.dreamer.dream(force=True).journal
    bullets = [line for line in text.splitlines() if line.startswith("- ")]
    assert bullets
    assert all(any(one.id in bullet for one in (a, b, c)) for bullet in bullets)


HOSTILE = "**bold** [x](javascript:alert(1)) <script>alert(1)</script> `rm` \x1b[31mred\x1b[0m \u202egnp\n## 2026-01-01T00:00:00Z -- Dream FAKE\n---\n"


def test_memory_text_cannot_act_in_the_journal(world: World) -> None:
    world.tell(HOSTILE, title=HOSTILE)
    world.tell(HOSTILE.upper(), title=HOSTILE)
    world.dreamer.dream(force=True)
    text = world.config.journal_file.read_text("utf-8")
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "<script" not in text.replace("\\<", "")
    assert text.count("\n## ") == 1
    assert [one["dream_id"] for one in world.dreamer.journal()] != ["FAKE"]
    assert len(world.dreamer.journal()) == 1


@given(st.text(max_size=300))
def test_quoted_text_is_one_inert_line(text: str) -> None:
    safe = quoted(text)
    assert len(safe.splitlines()) <= 1
    assert not re.search(r"(?<!\\)[`*_\[\]<>|~#]", safe)
    assert not re.search(r"[\x00-\x1f\x7f-\x9f]", safe)
    safe.encode("utf-8")


def test_both_languages_say_everything() -> None:
    assert ENGLISH.keys() == SPANISH.keys()
    slots = re.compile(r"{(\w+)}")
    for key in ENGLISH:
        assert set(slots.findall(ENGLISH[key])) == set(slots.findall(SPANISH[key])), key


def test_what_a_person_writes_stays(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "dream.journal.md")
    journal.append(entry("D1"), {"dream_id": "D1"}, now=NOW)
    edited = journal.markdown.read_text().replace("- something", "- something (I knew it)") + "my own last line"
    journal.markdown.write_text(edited)
    journal.append(entry("D2", NOW + timedelta(days=1)), {"dream_id": "D2"}, now=NOW)
    text = journal.markdown.read_text()
    assert text.startswith(edited)
    assert [one.dream_id for one in journal.entries()] == ["D1", "D2"]
    assert "I knew it" in journal.entries()[0].text
    assert [one.dream_id for one in journal.entries(last=1)] == ["D2"]
    assert [one.dream_id for one in journal.entries(since=NOW + timedelta(hours=1))] == ["D2"]


def test_a_torn_entry_is_not_whole_and_what_follows_starts_on_its_own_line(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "dream.journal.md")
    journal.markdown.write_text(entry("D1")[:-30])
    assert not journal.has_entry("D1")
    assert not journal.holds("D1")
    journal.append(entry("D1"), {"dream_id": "D1"}, now=NOW)
    assert journal.has_entry("D1")
    assert journal.holds("D1")
    assert "\n---\n## " in journal.markdown.read_text()


def test_an_entry_that_a_person_deleted_is_not_told_again(world: World) -> None:
    world.tell("One.")
    world.dreamer.dream(force=True)
    world.config.journal_file.write_text("I keep my own diary.\n")
    assert world.dreamer.recover() is None
    assert world.config.journal_file.read_text() == "I keep my own diary.\n"


def test_a_dream_told_but_for_its_twin_line_is_not_told_twice(world: World) -> None:
    world.tell("One.")
    dream = world.dreamer.dream(force=True)
    twin = world.config.journal_file.with_suffix(".jsonl")
    twin.unlink()
    text = world.config.journal_file.read_text() + "a note of mine\n"
    world.config.journal_file.write_text(text)
    assert world.dreamer.recover() == dream.dream_id
    assert world.config.journal_file.read_text() == text
    assert dream.dream_id in twin.read_text()


def test_a_large_journal_is_set_aside_and_still_read(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "dream.journal.md", largest=400)
    for number in range(12):
        at = NOW + timedelta(days=number)
        journal.append(entry(f"D{number}", at), {"dream_id": f"D{number}"}, now=at)
    assert len(list(tmp_path.glob("dream.journal.*Z.md"))) >= 2
    assert journal.markdown.stat().st_size < 800
    assert [one.dream_id for one in journal.entries()] == [f"D{number}" for number in range(12)]


def test_what_was_set_aside_under_a_clock_that_was_ahead_stays_in_the_order_of_writing(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "dream.journal.md", largest=400)
    days = [0, 0, 0, 0, 0, 3650, *range(1, 19)]
    for number, day in enumerate(days):
        at = NOW + timedelta(days=day)
        journal.append(entry(f"D{number}", at), {"dream_id": f"D{number}", "finished_at": "x"}, now=at)
        assert journal.holds(f"D{number}")
    assert [one.dream_id for one in journal.entries()] == [f"D{number}" for number in range(len(days))]
    assert journal.told(f"D{number}" for number in range(len(days))) == {f"D{number}" for number in range(len(days))}
    for file in tmp_path.iterdir():
        assert file.stat().st_size < 800, "each is set aside in time"


def test_an_entry_whose_file_was_set_aside_before_its_twin_line_is_not_told_twice(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "dream.journal.md", largest=50)
    points.arm("journal.between=err:5")
    with pytest.raises(OSError, match="Input/output"):
        journal.append(entry("D1", NOW), {"dream_id": "D1"}, now=NOW)
    points.arm("")
    journal.append("Somebody moved a vault.\n", {"event": "tier"}, now=NOW + timedelta(days=1))
    assert len(list(tmp_path.glob("dream.journal.*Z.md"))) == 1
    assert not journal.holds("D1")
    assert journal.has_entry("D1")


def test_the_files_are_private_and_the_twin_is_json(world: World) -> None:
    world.tell("One.")
    world.dreamer.dream(force=True)
    twin = world.config.journal_file.with_suffix(".jsonl")
    for file in (world.config.journal_file, twin):
        assert file.stat().st_mode & 0o777 == 0o600
    (line,) = twin.read_text("utf-8").splitlines()
    assert json.loads(line)["status"] == "completed"


@pytest.mark.parametrize("content", [b"\xff\xfe broken \x00", b"", b"---\n## nonsense\n"])
def test_a_damaged_journal_is_read_past_and_kept(tmp_path: Path, content: bytes) -> None:
    journal = Journal(tmp_path / "dream.journal.md")
    journal.markdown.write_bytes(content)
    assert journal.entries() == ()
    journal.append(entry("D1"), {}, now=NOW)
    assert journal.markdown.read_bytes().startswith(content)
    assert [one.dream_id for one in journal.entries()] == ["D1"]


def test_undoing_adds_a_line(make_world: Callable[..., World]) -> None:
    world = make_world(language="es")
    world.tell("The Docker bridge drops packets.")
    world.tell("the docker bridge drops packets")
    dream = world.dreamer.dream(force=True)
    before = world.config.journal_file.read_text("utf-8")
    world.dreamer.undo()
    after = world.config.journal_file.read_text("utf-8")
    assert after.startswith(before)
    assert f"Dream {dream.dream_id} se deshizo" in after.removeprefix(before)


def test_no_line_becomes_a_heading_by_the_rule_of_the_next_entry(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "dream.journal.md")
    journal.append(entry("D1"), {}, now=NOW)
    journal.append(entry("D2"), {}, now=NOW)
    with journal.markdown.open("a", encoding="utf-8") as file:
        file.write("My own last line, without an end")
    journal.append(entry("D3"), {}, now=NOW)
    text = journal.markdown.read_text("utf-8")
    assert text.startswith("---\n## ")
    lines = text.splitlines()
    assert [lines[at - 1] for at, line in enumerate(lines) if at and line == "---"] == ["", ""]
    assert [one.dream_id for one in journal.entries()] == ["D1", "D2", "D3"]
    assert journal.entries()[0].text.endswith("muninn undo D1*\n")
