"""Tiers x providers x places x environment traps x purposes: no request reaches a host that the design does not allow.

The oracle is what the servers received. What is allowed is written out here once more, not read from the policy table.
"""

from __future__ import annotations

import itertools
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

import pytest

from muninn.clock import SystemClock
from muninn.config import AnthropicConfig, EmbedConfig, LlmConfig, OllamaConfig, OpenAIConfig
from muninn.domain.trust import Tier
from muninn.embed.endpoint import EndpointEmbedder
from muninn.errors import ConfigError, MuninnError
from muninn.llm.models import Models
from muninn.ports import Request
from muninn.testing import SequentialIds
from tests.fakes.llm_server import FakeLlm
from tests.llm.conftest import KEYS, MemoryLedger, deadline, lan_address

CANARY = "canary-7f3a"
TIERS = ("legal", "work", "personal", "project", "global", "legl", "WORK", "")
PROVIDERS = ("ollama", "anthropic", "openai")
PLACES = ("loopback", "localhost", "unspecified", "lan", "cloud", "fronted", "redirecting", "misleading")
TRAPS = ("none", "proxies", "base_urls", "headers", "no_proxy", "tls")
PURPOSES = ("consolidate", "embed")
LOCAL = ("loopback", "localhost", "unspecified", "redirecting")


@dataclass
class Hosts:
    here: FakeLlm
    lan: FakeLlm | None
    trap: FakeLlm

    def all(self) -> list[FakeLlm]:
        return [server for server in (self.here, self.lan, self.trap) if server]


@pytest.fixture(scope="module")
def hosts() -> Iterator[Hosts]:
    address = lan_address()
    with FakeLlm() as here, FakeLlm() as trap:
        if address is None:
            yield Hosts(here, None, trap)
        else:
            with FakeLlm(host=address) as lan:
                yield Hosts(here, lan, trap)


def may_ask(tier: str, provider: str, place: str, purpose: str) -> bool:
    """Whether the fake server at ``place`` may see the text; by hand, from the table of the design."""
    if place == "misleading":
        return False
    if purpose == "embed" and provider == "anthropic":
        return False
    if tier in ("project", "global"):
        return not (place == "lan" and provider in ("anthropic", "openai") and _needs_key(provider))
    if tier not in ("work", "personal"):
        return False
    if provider == "ollama":
        return place in LOCAL
    cloud_is_nothing_to_it = place in (*LOCAL, "cloud", "fronted")
    return provider == "anthropic" and purpose == "consolidate" and cloud_is_nothing_to_it


def _needs_key(provider: str) -> bool:
    return provider == "anthropic"


def traps(kind: str, trap: FakeLlm) -> dict[str, str]:
    names: tuple[str, ...]
    match kind:
        case "proxies":
            names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
            return dict.fromkeys(names, trap.url)
        case "base_urls":
            names = ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_BASE", "OLLAMA_HOST", "OLLAMA_BASE_URL")
            return dict.fromkeys(names, trap.url)
        case "headers":
            return {
                "ANTHROPIC_CUSTOM_HEADERS": f"x-leak: {CANARY}\nHost: {trap.host}", "OPENAI_CUSTOM_HEADERS": f"x-leak: {CANARY}",
                "ANTHROPIC_AUTH_TOKEN": "leaked-token", "OLLAMA_API_KEY": "leaked-token", "OPENAI_ORG_ID": "leaked-org",
                "OPENAI_PROJECT_ID": "leaked-project", "ANTHROPIC_LOG": "debug", "OPENAI_LOG": "debug",
            }  # fmt: skip
        case "no_proxy":
            return {"HTTP_PROXY": trap.url, "NO_PROXY": "example.org", "no_proxy": ""}
        case "tls":
            return {
                "SSL_CERT_FILE": "/nonexistent",
                "SSL_CERT_DIR": "/nonexistent",
                "REQUESTS_CA_BUNDLE": "/nonexistent",
            }
    return {}


def url_of(place: str, hosts: Hosts) -> str:
    port = hosts.here.port
    match place:
        case "localhost":
            return f"http://localhost:{port}"
        case "unspecified":
            return f"http://0.0.0.0:{port}"
        case "lan":
            return hosts.lan.url if hosts.lan else "http://192.0.2.250:9"
        case "misleading":
            return f"http://127.0.0.1@{hosts.trap.host}:{hosts.trap.port}"
    return hosts.here.url


def ask(
    tier: str, provider: str, purpose: str, url: str, model: str, ledger: MemoryLedger, environ: dict[str, str]
) -> None:
    config = LlmConfig(
        providers=(provider,),
        ollama=OllamaConfig(url=url, model=model),
        anthropic=AnthropicConfig(base_url=url, model=model),
        openai=OpenAIConfig(base_url=f"{url}/v1", model=model),
    )
    models = Models(
        config, ledger=ledger, clock=SystemClock(), ids=SequentialIds(), environ=environ, jitter=lambda: 0.5,
        wait=lambda _seconds: None,
    )  # fmt: skip
    if purpose == "consolidate":
        request = Request(
            purpose=purpose,
            vault="acme",
            tier=cast("Tier", tier),
            system="s",
            prompt=f'{{"groups": []}} {CANARY}',
            schema={"type": "object"},
        )
        models.complete(request, deadline=deadline(5))
    else:
        suffix = "/v1" if provider == "openai" else ""
        embed = EmbedConfig(model=f"{provider}/{model}", url=url + suffix, dimensions=16)
        embedder = EndpointEmbedder(embed, gate=models.gate, key=lambda: None)
        embedder.passages([f"text {CANARY}"], tier=cast("Tier", tier), vault="acme")


CELLS = list(itertools.product(TIERS, PROVIDERS, PLACES, TRAPS, PURPOSES))


def test_the_matrix_is_large_enough() -> None:
    assert len(CELLS) >= 2000


@pytest.mark.parametrize("trap", TRAPS)
@pytest.mark.parametrize("place", PLACES)
def test_no_text_reaches_a_host_that_is_not_allowed(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch, place: str, trap: str, caplog: pytest.LogCaptureFixture
) -> None:
    if place == "lan" and hosts.lan is None:
        pytest.skip("this machine has no address but loopback")
    environ = {**KEYS, **traps(trap, hosts.trap)}
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    hosts.here.remote_host = "https://ollama.com" if place == "fronted" else ""
    hosts.here.mode = f"redirect:307:{hosts.trap.url}/api/chat" if place == "redirecting" else "ok"
    model = "gpt-oss:120b-cloud" if place == "cloud" else "m"
    caplog.set_level(0)
    for tier, provider, purpose in itertools.product(TIERS, PROVIDERS, PURPOSES):
        for server in hosts.all():
            server.requests.clear()
        ledger = MemoryLedger()
        with suppress(MuninnError):
            ask(tier, provider, purpose, url_of(place, hosts), model, ledger, environ)
        cell: tuple[str, ...] = (tier, provider, place, trap, purpose)
        right = hosts.lan if place == "lan" else hosts.here
        wrong = [server for server in hosts.all() if server is not right]
        assert all(server.requests == [] for server in wrong), cell
        carried = [request for request in right.requests if CANARY.encode() in request.raw] if right else []
        assert bool(carried) == may_ask(tier, provider, place, purpose), (
            cell,
            [entry.reason for entry in ledger.writes],
        )
        check_ledger(right, ledger, cell)
        check_headers(right, cell)
    assert CANARY not in caplog.text


def check_ledger(server: FakeLlm | None, ledger: MemoryLedger, cell: tuple[str, ...]) -> None:
    sent = sorted((entry.bytes_out, entry.content_hash) for entry in ledger.entries.values() if entry.bytes_out)
    seen = sorted((len(request.body), request.hash) for request in server.requests) if server else []
    assert sent == seen, cell
    assert all(CANARY not in str(entry) and "sk-" not in str(entry) for entry in ledger.writes), cell


def check_headers(server: FakeLlm | None, cell: tuple[str, ...]) -> None:
    for request in server.requests if server else ():
        text = str(request.headers)
        assert "leak" not in text, cell
        assert "stainless" not in text.lower(), cell
        if "api_key" not in text and cell[1] == "ollama":
            assert "authorization" not in request.headers, cell


@pytest.mark.parametrize("damage", ["olama", "OLLAMA", "ollama ", "", "gpt", "anthropic,openai"])
def test_a_misspelt_provider_is_an_error_and_nobody_is_asked(damage: str, hosts: Hosts, ledger: MemoryLedger) -> None:
    with pytest.raises(ConfigError, match="unknown provider"):
        Models(
            LlmConfig(providers=(damage,)),
            ledger=ledger,
            clock=SystemClock(),
            ids=SequentialIds(),
            environ=KEYS,
            jitter=lambda: 0.5,
        )


def test_a_key_in_the_environment_is_not_consent(hosts: Hosts, ledger: MemoryLedger) -> None:
    hosts.here.requests.clear()
    url = hosts.here.url
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{free.getsockname()[1]}"
    config = LlmConfig(
        ollama=OllamaConfig(url=dead),
        anthropic=AnthropicConfig(base_url=url),
        openai=OpenAIConfig(base_url=f"{url}/v1"),
    )
    models: Any = Models(
        config, ledger=ledger, clock=SystemClock(), ids=SequentialIds(), environ=KEYS, jitter=lambda: 0.5
    )
    with pytest.raises(MuninnError, match="not reachable"):
        models.complete(
            Request(purpose="consolidate", vault="v", tier=Tier.GLOBAL, system="s", prompt="p", schema={}),
            deadline=deadline(5),
        )
    assert hosts.here.requests == []
