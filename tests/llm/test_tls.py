"""TLS end to end: the right certificate passes, a wrong name and an unknown issuer do not, the environment has no say."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from muninn.clock import SystemClock, Ulids
from muninn.domain.trust import Tier
from muninn.errors import ProviderError
from muninn.llm.gate import Gate
from muninn.ports import Envelope
from tests.fakes.llm_server import FakeLlm
from tests.llm.conftest import MemoryLedger, deadline

openssl = shutil.which("openssl")
pytestmark = pytest.mark.skipif(openssl is None, reason="needs the openssl command to make a certificate")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tls")
    assert openssl
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost", "-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")],
        check=True, capture_output=True,
    )  # fmt: skip
    return folder / "cert.pem"


@pytest.fixture
def secure_server(certificate: Path) -> Iterator[FakeLlm]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))
    with FakeLlm(tls=context) as server:
        yield server


def gate_trusting(certificate: Path | None, ledger: MemoryLedger) -> Gate:
    def trust() -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if certificate is not None:
            context.load_verify_locations(certificate)
        return context

    return Gate(ledger=ledger, clock=SystemClock(), ids=Ulids(), trust=trust)


def post(gate: Gate, url: str) -> bytes:
    envelope = Envelope(vault="v", tier=Tier.PROJECT, purpose="embed", provider="openai", model="m")
    body = b'{"model":"m","input":["secreto"]}'
    return gate.exchange(
        envelope,
        method="POST",
        url=f"{url}/v1/embeddings",
        body=body,
        key="sk-x",
        deadline=deadline(5),
        max_bytes=10_000,
    )


def test_a_trusted_host_gets_the_text_and_the_key(
    certificate: Path, secure_server: FakeLlm, ledger: MemoryLedger
) -> None:
    answer = post(gate_trusting(certificate, ledger), f"https://localhost:{secure_server.port}")
    (request,) = secure_server.requests
    assert request.headers["authorization"] == "Bearer sk-x"
    (entry,) = ledger.entries.values()
    assert (entry.bytes_out, entry.bytes_in, entry.reason) == (len(request.body), len(answer), "answered 200")


def test_another_name_or_an_unknown_issuer_gets_nothing(
    certificate: Path, secure_server: FakeLlm, ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setenv("SSL_CERT_DIR", str(certificate.parent))
    with pytest.raises(ProviderError, match="no trusted TLS"):
        post(gate_trusting(certificate, ledger), f"https://127.0.0.1:{secure_server.port}")
    real = Gate(ledger=ledger, clock=SystemClock(), ids=Ulids())
    with pytest.raises(ProviderError, match="no trusted TLS"):
        post(real, f"https://localhost:{secure_server.port}")
    assert secure_server.requests == []
    assert {entry.bytes_out for entry in ledger.entries.values()} == {0}
