"""``muninn doctor --prove`` with models that help, obey what they read, or talk nonsense: no promise depends on them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes.llm_server import FakeLlm, obedient, truthful
from tests.torture.home import Home

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "model", [truthful, obedient, lambda _: "I would rather write a poem."], ids=["truthful", "obedient", "poet"]
)
def test_the_promises_hold_whatever_the_model_says(tmp_path: Path, model: object) -> None:
    with FakeLlm(model=model) as fake:  # type: ignore[arg-type]
        home = Home(tmp_path / "home", {"MUNINN_LLM__PROVIDERS": "ollama", "MUNINN_LLM__OLLAMA__URL": fake.url})
        done = home.muninn("doctor", "--prove", "--json")
    checks = json.loads(done.stdout)["checks"]
    assert {check["name"]: check["status"] for check in checks if check["status"] != "pass"} == {}
    assert done.returncode == 0
    assert fake.prompts, "the model was never asked"
    assert not any(b"Arcos" in record.raw for record in fake.prompts)
    assert not home.path.exists()
