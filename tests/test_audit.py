"""The audit of pinned dependencies: fails on a known vulnerability, says when nobody could be asked, never hangs."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FLAW = {"id": "PYSEC-1", "fix_versions": ["9.9"]}
OLD = {"name": "jinja2", "version": "2.4.1", "vulns": [FLAW]}
SOUND = {"name": "numpy", "version": "2", "vulns": []}
BAD = {"name": "h11", "version": "0.1", "vulns": [FLAW]}
SKIPPED = {"name": "jinja2", "skip_reason": "not found"}


def audit(folder: Path, known: object, pinned: object, *, seconds: float = 20.0) -> subprocess.CompletedProcess[str]:
    """A run with a pip-audit that answers ``known`` for the old version and ``pinned`` for the lock; text is said as it is."""
    fake = folder / "pip-audit"
    answers = [one if isinstance(one, str) else json.dumps({"dependencies": one}) for one in (known, pinned)]
    fake.write_text(
        f"#!{sys.executable}\nimport sys, time\nanswer = {answers!r}['known.txt' not in sys.argv[-1]]\n"
        "time.sleep(60) if answer == 'hang' else print(answer)\nsys.exit(1)\n"
    )
    fake.chmod(0o700)
    words = [sys.executable, str(ROOT / ".ci" / "audit.py"), str(fake), str(seconds)]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)


def test_a_known_vulnerability_fails_and_is_named(tmp_path: Path) -> None:
    done = audit(tmp_path, [OLD], [SOUND, BAD])
    assert done.returncode == 1
    assert "h11 0.1: PYSEC-1; fixed in 9.9" in done.stdout


def test_none_known_passes(tmp_path: Path) -> None:
    done = audit(tmp_path, [OLD], [SOUND, SKIPPED])
    assert done.returncode == 0
    assert "1 pinned dependencies audited by pypi, 1 unknown to it" in done.stdout


@pytest.mark.parametrize("known", [[SKIPPED], [SOUND], "Traceback: no such host", "", "[]", "{}"])
def test_where_nobody_knows_the_old_flaw_nothing_is_called_sound(tmp_path: Path, known: object) -> None:
    done = audit(tmp_path, known, [BAD])
    assert done.returncode == 0
    assert done.stdout == "not audited: no vulnerability service answers (pypi, osv)\n"


@pytest.mark.slow
@pytest.mark.parametrize(("known", "pinned"), [("hang", [BAD]), ([OLD], "hang")])
def test_it_does_not_hang(tmp_path: Path, known: object, pinned: object) -> None:
    began = time.monotonic()
    done = audit(tmp_path, known, pinned, seconds=1.0)
    assert time.monotonic() - began < 20
    assert done.returncode == 0
    assert "not audited" in done.stdout


def test_without_pip_audit_it_says_so(tmp_path: Path) -> None:
    words = [sys.executable, str(ROOT / ".ci" / "audit.py"), str(tmp_path / "absent")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "not audited" in done.stdout) == (0, True)
