"""``muninn start`` with a dream due and a model that hangs, drips or floods: it serves at the deadline all the same."""

from __future__ import annotations

import json
import time
from itertools import cycle
from pathlib import Path

import pytest

from tests.fakes.llm_server import FakeLlm
from tests.torture.home import Home

pytestmark = pytest.mark.slow

TIMEOUT = 5.0  # seconds, of the dream
GRACE = 5.0  # seconds on top of it, and of what a start takes anyway
MODES = ("hang_after_headers", "ws_flood", "drip:20")
CASES = list(zip(MODES, cycle(("ollama", "anthropic", "openai")), strict=False))


@pytest.mark.parametrize(("mode", "provider"), CASES)
def test_a_start_is_served_by_the_deadline(tmp_path: Path, mode: str, provider: str) -> None:
    with FakeLlm(mode=mode) as fake:
        home = Home(tmp_path / "home", {
            "MUNINN_LLM__PROVIDERS": provider, "MUNINN_LLM__OLLAMA__URL": fake.url, "MUNINN_LLM__ANTHROPIC__BASE_URL": fake.url,
            "MUNINN_LLM__OPENAI__BASE_URL": f"{fake.url}/v1", "ANTHROPIC_API_KEY": "sk-canary",
            "MUNINN_DREAM__TIMEOUT": str(TIMEOUT), "MUNINN_STORE__RESERVE_MB": "0",
        })  # fmt: skip
        try:
            usual = timed(home, "start", "--no-dream")
            home.client.post("/v1/vaults", {"name": "lab", "tier": "project"})
            for text in (
                "The relay listens on port 4242.",
                "The relay listens on port 4343.",
                "Tea is at five.",
                "Tea is at six.",
            ):
                home.client.post("/v1/memories", {"content": text, "vault": "lab"})
            assert home.muninn("stop").returncode == 0
            assert timed(home, "start") < usual + TIMEOUT + GRACE
            status = home.client.get("/v1/status")
            (dream,) = home.client.get("/v1/dreams")["dreams"]
            journal = home.client.get("/v1/journal")["entries"][-1]["text"]
            assert (status["state"], status["memories"]) == ("awake", 4)
        finally:
            home.muninn("stop")
    assert dream["status"] in ("completed", "aborted")
    assert "judgement by a model" in journal
    if "still loading" not in journal:  # a busy machine may not load the client in time
        assert fake.prompts, "the model was asked"
        assert f" to {provider}, " in journal.splitlines()[-1], "egress of a failed attempt is told"
    assert "Traceback" not in home.log()
    assert "sk-canary" not in home.log() + journal


def timed(home: Home, *words: str) -> float:
    before = time.monotonic()
    done = home.muninn(*words, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["state"] == "awake"
    return time.monotonic() - before
