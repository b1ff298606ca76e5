"""A home with a daemon of its own: spawn it, wait for it, ask it, kill it, read what it holds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from muninn.client import Client
from muninn.errors import MuninnError, NotRunningError

ROOT = Path(__file__).parents[2]
Json = dict[str, Any]


class Home:
    """``environ`` are settings on top of the hashed embedder and no language model."""

    def __init__(self, path: Path, environ: Mapping[str, str] | None = None) -> None:
        self.path = path
        self.environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith("MUNINN_")},
            "MUNINN_HOME": str(path),
            "MUNINN_EMBED__MODEL": "hashed",
            "MUNINN_LLM__PROVIDERS": "",
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'cmd'}",
            "HOME": str(path.parent),
            **(environ or {}),
        }
        self.client = Client(path / "muninn.sock", timeout=60)
        self.process: subprocess.Popen[bytes] | None = None

    def spawn(self, *words: str, environ: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """A daemon in the background; what it says goes to ``said`` beside the home."""
        with (self.path.parent / "said").open("ab") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "muninn.daemon", *words],
                env={**self.environ, **(environ or {})}, stdin=subprocess.DEVNULL, stdout=said, stderr=said, cwd=self.path.parent,
            )  # fmt: skip
        return self.process

    def awake(self, *, within: float = 90.0) -> Json:
        """The status once everything is served. Raises AssertionError when the daemon dies or does not come."""
        end = time.monotonic() + within
        while time.monotonic() < end:
            code = self.process.poll() if self.process else None
            if code is not None:
                raise AssertionError(f"the daemon ended with {code}: {self.said()[-2000:]}")
            with suppress(MuninnError, OSError):
                status = self.client.get("/v1/status")
                if status["state"] == "awake":
                    return status
            time.sleep(0.02)
        raise AssertionError(f"not awake after {within} s: {self.said()[-2000:]}")

    def start(self, *words: str, environ: Mapping[str, str] | None = None) -> Json:
        self.spawn(*words, environ=environ)
        return self.awake()

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stop(self, *, within: float = 60.0) -> int:
        """SIGTERM; the exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(within)
        self.process = None
        return code

    def said(self) -> str:
        with suppress(OSError):
            return (self.path.parent / "said").read_text("utf-8", "replace")
        return ""

    def log(self) -> str:
        with suppress(OSError):
            return (self.path / "muninn.log").read_text("utf-8", "replace")
        return ""

    def rows(self) -> dict[str, Json]:
        """Every memory by id, as the export tells it. Raises AssertionError when an id comes twice."""
        rows: dict[str, Json] = {}
        for line in list(self.client.lines("/v1/export"))[1:]:
            row = json.loads(line)
            assert row["id"] not in rows, f"id {row['id']} comes twice"
            rows[row["id"]] = row
        return rows

    def muninn(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", "import sys; from muninn_cmd import main; sys.exit(main())", *words],
            env=self.environ, capture_output=True, text=True, timeout=180, check=False,
        )  # fmt: skip

    def figures(self) -> Json:
        """``rss_mb fds files folder_mb`` of the running daemon and its home."""
        assert self.process is not None
        pid = self.process.pid
        status = Path(f"/proc/{pid}/status").read_text()
        rss = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
        sizes = []
        for path in self.path.rglob("*"):
            with suppress(OSError):  # it may be gone already
                if path.is_file():
                    sizes.append(path.stat().st_size if path.name != "reserve" else 0)
        return {
            "rss_mb": rss // 1024,
            "fds": len(list(Path(f"/proc/{pid}/fd").iterdir())),
            "files": len(sizes),
            "folder_mb": round(sum(sizes) / 1e6, 1),
        }


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


def gone(error: BaseException) -> bool:
    """Whether an error only says that the daemon went away."""
    return isinstance(error, (NotRunningError, OSError))
