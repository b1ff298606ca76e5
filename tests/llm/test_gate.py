"""The gate: refuses before a packet leaves, records before a byte does, and never outstays its deadline."""

from __future__ import annotations

import ast
import socket
import time
from contextlib import suppress
from pathlib import Path

import pytest

import muninn
from muninn.clock import SystemClock
from muninn.domain.records import Egress
from muninn.domain.trust import Tier
from muninn.errors import ConfigError, EgressRefusedError, ProviderError, StoreFullError
from muninn.llm.gate import Endpoint, ExchangeError, Gate
from muninn.ports import Envelope
from muninn.testing import SequentialIds
from tests.fakes.llm_server import FakeLlm
from tests.llm.conftest import MakeModels, MemoryLedger, deadline, lan_address, request_for


def gate_with(ledger: MemoryLedger) -> Gate:
    return Gate(ledger=ledger, clock=SystemClock(), ids=SequentialIds())


def envelope(
    tier: Tier = Tier.PERSONAL, *, provider: str = "ollama", purpose: str = "embed", model: str = "m"
) -> Envelope:
    return Envelope(vault="v", tier=tier, purpose=purpose, provider=provider, model=model)


def post(
    gate: Gate, server: FakeLlm, *, tier: Tier = Tier.PERSONAL, url: str = "", model: str = "m", patience: float = 10.0
) -> bytes:
    return gate.exchange(
        envelope(tier, model=model), method="POST", url=url or f"{server.url}/api/embed", body=b'{"model":"m","input":["x"]}',
        deadline=deadline(patience), max_bytes=100_000,
    )  # fmt: skip


def test_an_exchange_is_recorded_before_its_bytes_and_completed_after(server: FakeLlm) -> None:
    seen: list[tuple[str, int]] = []

    class Watching(MemoryLedger):
        def record(self, entry: Egress) -> None:
            seen.append((entry.reason, len(server.requests)))
            super().record(entry)

    ledger = Watching()
    answer = post(gate_with(ledger), server)
    assert seen == [("sending", 0), ("answered 200", 1)]
    (entry,) = ledger.entries.values()
    (request,) = server.requests
    assert (entry.bytes_out, entry.bytes_in) == (len(request.body), len(answer))
    assert entry.content_hash == request.hash
    assert entry.address == f"127.0.0.1:{server.port}"
    assert entry.allowed
    assert entry.sent


def test_an_empty_answer_to_an_empty_request_was_an_exchange_and_no_answer_none(
    server: FakeLlm, ledger: MemoryLedger
) -> None:
    gate = gate_with(ledger)
    outcomes = []
    for mode in ("body:", "reset"):
        server.mode = mode
        with suppress(ProviderError):
            gate.exchange(envelope(), method="POST", url=f"{server.url}/api/embed", deadline=deadline(), max_bytes=9)
        entry = max(ledger.entries.values(), key=lambda one: one.id)
        outcomes.append((entry.bytes_out, entry.bytes_in, entry.sent))
    assert outcomes == [(0, 0, True), (0, 0, False)]


def test_what_cannot_be_recorded_does_not_leave(server: FakeLlm) -> None:
    class Full(MemoryLedger):
        def record(self, entry: Egress) -> None:
            raise StoreFullError("no space left")

    with pytest.raises(ProviderError, match="ledger cannot be written"):
        post(gate_with(Full()), server)
    assert server.requests == []


def test_legal_is_refused_in_the_transport_and_recorded(server: FakeLlm, ledger: MemoryLedger) -> None:
    with pytest.raises(EgressRefusedError, match="tier legal"):
        post(gate_with(ledger), server, tier=Tier.LEGAL)
    assert server.requests == []
    (entry,) = ledger.writes
    assert (entry.allowed, entry.bytes_out, entry.content_hash) == (False, 0, "")


def test_a_cloud_model_is_refused_where_only_loopback_is_allowed(server: FakeLlm, ledger: MemoryLedger) -> None:
    with pytest.raises(EgressRefusedError):
        post(gate_with(ledger), server, model="gpt-oss:120b-cloud")
    assert server.requests == []
    post(gate_with(ledger), server, model="gpt-oss:120b-cloud", tier=Tier.PROJECT)
    assert len(server.requests) == 1


def test_a_lan_address_is_not_loopback_even_on_this_machine(ledger: MemoryLedger) -> None:
    address = lan_address()
    if address is None:
        pytest.skip("this machine has no address but loopback")
    with FakeLlm(host=address) as lan:
        with pytest.raises(EgressRefusedError, match="remote"):
            post(gate_with(ledger), lan)
        assert lan.requests == []
        post(gate_with(ledger), lan, tier=Tier.GLOBAL)
        assert len(lan.requests) == 1


@pytest.mark.parametrize("answers", [["192.0.2.77"], ["192.0.2.77", "127.0.0.1"]])
def test_a_name_is_what_it_resolves_to(
    server: FakeLlm, ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch, answers: list[str]
) -> None:
    def resolver(host: str, port: int, **_: object) -> list[object]:
        assert host == "127.0.0.1.evil.example"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in answers]

    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    url = f"http://127.0.0.1.evil.example:{server.port}/api/embed"
    if "127.0.0.1" in answers:
        post(gate_with(ledger), server, url=url)
        assert ledger.writes[0].address == f"127.0.0.1:{server.port}"
    else:
        with pytest.raises(EgressRefusedError, match=r"192\.0\.2\.77"):
            post(gate_with(ledger), server, url=url)
        assert server.requests == []


def test_every_address_of_a_server_means_loopback_for_its_client(server: FakeLlm, ledger: MemoryLedger) -> None:
    post(gate_with(ledger), server, url=f"http://0.0.0.0:{server.port}/api/embed")
    assert ledger.writes[0].address == f"127.0.0.1:{server.port}"


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost@evil.example:80", "http://a:b@127.0.0.1", "ftp://127.0.0.1", "127.0.0.1:11434", "", "http://",
        "http://127.0.0.1:99999", "http://127.0.0.1/?x=1", "http://127.0.0.1/#a", "http://127.0.0.1\\@evil.example",
        "http://127.0.0.1 evil", "http://[::1", "file:///etc/passwd", "http://127.0.0.1%2eevil.example", "http://localhost%00.evil.example",
        "http://127.0.0.1%lo:11434", "http://localhost:0", "http://127.0.0.1:-1", "http://127.0.0.1:１１４３４",
    ],
)  # fmt: skip
def test_strange_urls_are_configuration_errors(url: str) -> None:
    with pytest.raises(ConfigError, match=r"llm\.ollama\.url"):
        Endpoint.parse(url, "llm.ollama.url")


def test_an_endpoint_is_read_strictly() -> None:
    here = Endpoint.parse("http://[::1]:8080/base/")
    assert (here.host, here.port, here.path, here.authority) == ("::1", 8080, "/base", "[::1]:8080")
    assert Endpoint.parse("https://api.anthropic.com").official_for("anthropic")
    assert not Endpoint.parse("http://api.anthropic.com").official_for("anthropic")
    assert not Endpoint.parse("https://api.anthropic.com.evil.example").official_for("anthropic")
    assert not Endpoint.parse("https://api.anthropic.com:8443").official_for("anthropic")


def test_a_key_does_not_travel_in_the_clear(ledger: MemoryLedger) -> None:
    address = lan_address()
    if address is None:
        pytest.skip("this machine has no address but loopback")
    with FakeLlm(host=address) as lan:
        with pytest.raises(EgressRefusedError, match="plain http"):
            gate_with(ledger).exchange(
                envelope(Tier.GLOBAL, provider="openai"), method="POST", url=f"{lan.url}/v1/embeddings", body=b"{}", key="k",
                deadline=deadline(), max_bytes=100,
            )  # fmt: skip
        assert lan.requests == []


def test_tls_wants_a_trusted_certificate(server: FakeLlm, ledger: MemoryLedger) -> None:
    with pytest.raises(ProviderError, match="no trusted TLS"):
        post(gate_with(ledger), server, url=f"https://127.0.0.1:{server.port}/api/embed", patience=2.0)
    assert all(request.method != "POST" for request in server.requests)
    assert ledger.writes[0].reason == "sending"
    assert next(iter(ledger.entries.values())).bytes_out == 0


def test_an_unreachable_server_is_one_line_and_an_entry(ledger: MemoryLedger) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ExchangeError, match="not reachable") as caught:
        gate_with(ledger).exchange(
            envelope(),
            method="POST",
            url=f"http://127.0.0.1:{port}/api/embed",
            body=b"{}",
            deadline=deadline(),
            max_bytes=10,
        )
    assert "\n" not in str(caught.value)
    (entry,) = ledger.writes
    assert entry.allowed
    assert entry.bytes_out == 0


def test_closing_the_gate_ends_an_exchange_under_way(server: FakeLlm, make_models: MakeModels) -> None:
    import threading

    server.mode = "hang_accept"
    models = make_models(server, wait=None)
    threading.Timer(0.3, models.close).start()
    before = time.monotonic()
    with pytest.raises(ProviderError):
        models.complete(request_for(), deadline=deadline(20))
    assert time.monotonic() - before < 3
    with pytest.raises(ProviderError):
        models.complete(request_for(), deadline=deadline(20))


def test_only_the_gate_touches_the_network() -> None:
    """No other module of the package may import a socket or an HTTP library; Unix sockets have their own modules."""
    root = Path(muninn.__file__).parent
    forbidden = {"httpx", "httpx2", "httpcore", "requests", "urllib3", "aiohttp", "h11", "ssl"}
    offenders = []
    for file in root.rglob("*.py"):
        inside = file.relative_to(root).as_posix()
        if inside.startswith("llm/gate/"):
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            offenders += [
                f"{inside}: {name}" for name in names if name.partition(".")[0] in forbidden or name == "urllib.request"
            ]
    assert offenders == []
