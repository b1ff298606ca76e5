"""A stop that comes while the daemon is still importing does not wait for the rest of the waking."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from muninn.client import Client
from muninn.errors import NotRunningError
from tests.torture.home import ROOT

pytestmark = pytest.mark.slow

_SLOW_TO_LOAD = """
import os, sys, time
from pathlib import Path
from muninn.config import Config
from muninn.daemon.run import serve

def load():
    Path(sys.argv[1], "loading").touch()
    for _ in range(6000):
        try:
            time.sleep(0.01)
        except Exception:  # whatever an import on the way catches
            pass

def build(lock):
    raise AssertionError("it was told to stop")

sys.exit(serve(Config(home=Path(sys.argv[1], "home")), os.environ, load, build, no_dream=sys.argv[2] == "fresh"))
"""


@pytest.mark.parametrize("dream", ["fresh", "pending"])
def test_a_stop_while_importing_leaves_at_once_and_owes_a_dream(tmp_path: Path, dream: str) -> None:
    home = tmp_path / "home"
    if dream == "pending":
        (home / "data").mkdir(parents=True, mode=0o700)
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_RUNTIME_DIR": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", _SLOW_TO_LOAD, str(tmp_path), dream], env=environ)
    try:
        while not (tmp_path / "loading").exists():
            assert process.poll() is None
            time.sleep(0.01)
        assert (home / "muninn.sock").exists() == (dream == "fresh")
        waiting = Client(home / "muninn.sock", timeout=60)
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert time.monotonic() - began < 10
        with pytest.raises(NotRunningError):
            waiting.get("/v1/vaults")
    finally:
        process.kill()
        process.wait()
    assert (home / "data" / "dream.due").exists()
    assert not (home / "muninn.sock").exists()
