"""No secret survives, ordinary text does."""

from __future__ import annotations

import pytest

from muninn.senses.redaction import redact

SECRETS = [
    ("export OPENAI_API_KEY=sk-proj-abcdefghij1234567890", "abcdefghij1234567890"),
    ("curl -H 'Authorization: Bearer abc.def-ghi_jkl'", "abc.def-ghi_jkl"),
    ("git clone https://bob:s3cr3t@example.org/x", "s3cr3t"),
    ("psql postgres://app:pa55w0rd@db/prod", "pa55w0rd"),
    ("contraseña = «x» password: 'hunter2'", "hunter2"),
    ("contraseña=azulverde", "azulverde"),
    ("mysql --password hunter2 -u root", "hunter2"),
    ("aws AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
    ("token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "eyJhbGciOiJIUzI1NiJ9"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "MIIE"),
    ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijklmnop"),
    ("value aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF"),
]


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_a_secret_goes(text: str, secret: str) -> None:
    assert secret not in redact(text)
    assert "[redacted]" in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "pytest -q tests/test_token_bucket.py",
        "ModuleNotFoundError: No module named 'pandas'",
        "el fichero src/clavebase/index.ts no compila",
        "commit 3f2a9bc1d0e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9",
        "/Users/ana/Projects/MyApp2/node_modules/some-package/dist/index.js",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert redact(text) == text
