"""Embeddings over Ollama and OpenAI-compatible servers, through the gate."""

from __future__ import annotations

import json

import numpy as np
import pytest

from muninn.config import EmbedConfig
from muninn.domain.trust import Tier
from muninn.embed.endpoint import EndpointEmbedder
from muninn.errors import ConfigError, EgressRefusedError, ProviderError, UsageError
from tests.fakes.llm_server import FakeLlm
from tests.llm.conftest import MakeModels, MemoryLedger


def embedder(
    server: FakeLlm, make_models: MakeModels, *, provider: str = "ollama", dimensions: int = 0, key: str | None = None
) -> EndpointEmbedder:
    url = server.url + ("/v1" if provider == "openai" else "")
    config = EmbedConfig(model=f"{provider}/nomic", url=url, dimensions=dimensions)
    return EndpointEmbedder(config, gate=make_models(server).gate, key=lambda: key)


@pytest.mark.parametrize(("provider", "tier"), [("ollama", Tier.WORK), ("openai", Tier.PROJECT)])
def test_texts_become_unit_rows(provider: str, tier: Tier, server: FakeLlm, make_models: MakeModels) -> None:
    made = embedder(server, make_models, provider=provider, key="sk-e")
    rows = made.passages([f"nota {n}" for n in range(130)], tier=tier, vault="v")
    assert rows.shape == (130, 16)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-6)
    assert np.array_equal(made.query("nota 7", tier=tier), rows[7:8])
    assert made.dimensions == 16
    assert made.model == f"{provider}/nomic"
    assert made.location == "loopback"
    assert len(json.loads(server.prompts[0].body)["input"]) == 64
    assert ("authorization" in server.prompts[0].headers) == (provider == "openai")


@pytest.mark.parametrize(
    ("provider", "tier"),
    [("ollama", Tier.LEGAL), ("openai", Tier.LEGAL), ("openai", Tier.WORK), ("openai", Tier.PERSONAL)],
)
def test_tiers_that_may_not_are_refused(
    provider: str, tier: Tier, server: FakeLlm, make_models: MakeModels, ledger: MemoryLedger
) -> None:
    with pytest.raises(EgressRefusedError):
        embedder(server, make_models, provider=provider).passages(["x"], tier=tier, vault="v")
    assert server.requests == []
    assert [entry.allowed for entry in ledger.writes] == [False]


def test_a_fronted_model_sees_no_private_text(server: FakeLlm, make_models: MakeModels) -> None:
    server.remote_host = "https://ollama.com"
    made = embedder(server, make_models)
    with pytest.raises(EgressRefusedError):
        made.passages(["secreto"], tier=Tier.PERSONAL, vault="v")
    assert server.prompts == []
    made.passages(["público"], tier=Tier.GLOBAL, vault="v")
    assert len(server.prompts) == 1


@pytest.mark.parametrize(
    "mode",
    ["body:[]", "body:{}", 'body:{"embeddings":[]}', 'body:{"embeddings":[[1,2],[3]]}', 'body:{"embeddings":[[1e999]]}', 'body:{"embeddings":[["a"]]}',
     'body:{"embeddings":[[0,0]]}', 'body:{"embeddings":null}', "body:" + "[" * 100_000, "status:500", "status:404", "trunc:20", "html_error_page", "gzipbomb"],
)  # fmt: skip
def test_bad_answers_are_one_provider_error(mode: str, server: FakeLlm, make_models: MakeModels) -> None:
    made = embedder(server, make_models)
    server.mode = mode
    with pytest.raises(ProviderError) as caught:
        made.passages(["x"], tier=Tier.GLOBAL, vault="v")
    assert "\n" not in str(caught.value)


def test_another_width_is_an_error_that_says_so(server: FakeLlm, make_models: MakeModels) -> None:
    with pytest.raises(ProviderError, match=r"16 dimensions, not 384.*embed\.dimensions"):
        embedder(server, make_models, dimensions=384).passages(["x"], tier=Tier.GLOBAL, vault="v")


def test_until_it_is_calibrated_nothing_counts_as_similar(server: FakeLlm, make_models: MakeModels) -> None:
    made = embedder(server, make_models)
    server.mode = "status:503"
    cautious = made.calibration
    assert cautious.a * 1.0 + cautious.b <= 0
    asked = len(server.requests)
    assert made.calibration == cautious
    assert len(server.requests) == asked, "a failed calibration is not tried again at once"


def test_blank_text_is_refused_before_anything_leaves(server: FakeLlm, make_models: MakeModels) -> None:
    with pytest.raises(UsageError):
        embedder(server, make_models).passages(["x", "  "], tier=Tier.GLOBAL, vault="v")
    assert server.requests == []


@pytest.mark.parametrize("model", ["nanoe6", "ollama/", "ollama", "mistral/embed", "", "/x"])
def test_an_unknown_model_is_a_configuration_error(model: str, server: FakeLlm, make_models: MakeModels) -> None:
    with pytest.raises(ConfigError, match=r"embed\.model"):
        EndpointEmbedder(EmbedConfig(model=model), gate=make_models(server).gate)


def test_the_official_host_wants_a_key(server: FakeLlm, make_models: MakeModels) -> None:
    made = EndpointEmbedder(EmbedConfig(model="openai/text-embedding-3-small"), gate=make_models(server).gate)
    assert made.location == "remote"
    with pytest.raises(ProviderError, match="OPENAI_API_KEY"):
        made.passages(["x"], tier=Tier.GLOBAL, vault="v")
