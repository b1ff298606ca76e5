"""A home that cannot be written is read: one line and exit code 1 for what would change it. Needs root, for the mount."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.torture.disk import may_mount
from tests.torture.home import Home

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not may_mount(), reason="needs root")]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=80m", "none", str(disk)], check=True)
    try:
        made = Home(disk / "home")
        assert made.muninn("remember", "The staging API listens on port 8080.").returncode == 0
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        yield made
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_reading_goes_on_and_writing_says_why_not(home: Home) -> None:
    for words in (["status"], ["recall", "staging port"], ["export"], ["dream", "--dry-run"], ["vault", "list"]):
        done = home.muninn(*words)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
    assert "8080" in home.muninn("recall", "staging port").stdout
    for words in (["remember", "another"], ["dream", "--force"], ["start"], ["backup"], ["vault", "create", "x"]):
        done = home.muninn(*words)
        assert done.returncode == 1, (words, done.stdout, done.stderr)
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr
        assert str(home.path) in done.stderr
        assert "Traceback" not in done.stderr
