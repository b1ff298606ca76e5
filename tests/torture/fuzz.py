"""Requests that nobody would write: nasty values in every field of every route, and bytes that are hardly HTTP.

Only refusals may come back: 4xx, or 503 and 507. The daemon stays the same process and does not grow.
"""

from __future__ import annotations

import importlib
import json
import random  # noqa: TID251 - seeded, so that a round can be repeated
import socket as sockets
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from muninn.api.routes import ROUTES
from muninn.client import Client
from tests.torture.home import Home

FINE_5XX = (503, 507)
NASTY: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, 10**400, 0.5, -0.0, 1e308, "", " ", "\x00", "a" * 600, "a" * 70_000, "\ud800", "🪶" * 200,
    "../../etc/passwd", "'; DROP TABLE memories; --", "x' OR 1=1 --", "legal", "LEGAL", "ｌｅｇａｌ", "legal/x", "٣", "\u202eevil", "\x1b]52;c;AA==\x07",
    "2026-13-45T99:99:99Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-03-28", "now", "torture", "last", "true", [], {}, [[]], [None],
    ["a"] * 300, {"a": {"b": {"c": []}}}, [{"content": "x"}], [1, "x", None], "%00", "%2e%2e%2f", "\r\nX: y", "NaN", "dream", "active", "personal",
)  # fmt: skip
FIELDS = (
    "content", "title", "vault", "tags", "kind", "metadata", "created_at", "valid_from", "valid_until", "relevance", "stability", "confidence",
    "pinned", "tier", "supersedes", "query", "limit", "as_of", "explain", "include_archived", "source", "target", "relation", "weight", "rows",
    "links", "vaults", "exact", "dry_run", "force", "no_llm", "timeout", "plan", "name", "state", "id", "embedding", "embedding_model", "folder",
    "expected", "provenance", "first_line", "session_id", "cwd", "tool_name", "tool_input", "prompt", "hook_event_name", "learned_at", "merged_from",
)  # fmt: skip


def fuzz(folder: Path, *, rounds: int, seed: int, say: bool = False) -> dict[str, object]:
    """``rounds`` structured and a third as many raw requests."""
    home, chance = Home(folder / "home"), random.Random(seed)
    began = time.monotonic()
    statuses: Counter[int] = Counter()
    try:
        pid = home.start()["pid"]
        ids = [home.client.post("/v1/memories", {"content": f"note {n}", "vault": "torture"})["id"] for n in range(5)]
        before = home.figures()
        for number in range(rounds):
            method, target, body = _request(chance, ids)
            status, content = _exchange(home, method, target, body)
            statuses[status] += 1
            where = (
                f"request {number} (seed {seed}): {method} {target[:200]} {body[:300]!r} -> {status} {content[:300]!r}"
            )
            assert status < 500 or status in FINE_5XX, where
            if status >= 400:
                assert json.loads(content)["title"], where
            if say and number % 500 == 499:
                sys.stderr.write(f"{number + 1}: {dict(statuses)}\n")
        raw = Counter(_raw(home, chance, ids) for _ in range(rounds // 3))
        after = home.figures()
        assert not any(status >= 500 and status not in FINE_5XX for status in raw), raw
        assert home.client.get("/v1/status")["pid"] == pid, "it is not the same daemon any more"
        assert after["rss_mb"] - before["rss_mb"] < 100, (before, after)
        assert home.stop() == 0
        assert "Traceback" not in home.log(), home.log()[-3000:]
        return {"structured": rounds, "raw": rounds // 3, "statuses": dict(statuses), "raw_statuses": dict(raw), "before": before,
                "after": after, "seconds": round(time.monotonic() - began, 1)}  # fmt: skip
    finally:
        home.kill()


def _request(chance: random.Random, ids: list[str]) -> tuple[str, str, bytes]:
    route = chance.choice([r for r in ROUTES if "/backup" not in r.path])
    path = route.path
    while "{" in path:
        head, _, rest = path.partition("{")
        name, _, tail = rest.partition("}")
        value = chance.choice(ids) if chance.random() < 0.5 else _text(chance)
        path = head + (value if name != "event" or chance.random() < 0.5 else "PostToolUse") + tail
    if chance.random() < 0.3:
        names = [*route.query, "x"]
        path += "?" + "&".join(f"{chance.choice(names)}={_text(chance)}" for _ in range(chance.randint(1, 3)))
    method = (
        route.method if chance.random() < 0.95 else chance.choice(("PUT", "PATCH", "DELETE", "POST", "GET", "OPTIONS"))
    )
    return method, path, _body(chance)


def _text(chance: random.Random) -> str:
    from urllib.parse import quote

    value = chance.choice(NASTY)
    return quote(str(value)[:2000].encode("utf-8", "replace"), safe="") or "x"


def _body(chance: random.Random) -> bytes:
    kind = chance.random()
    if kind < 0.08:
        return chance.choice(
            (
                b"",
                b"{",
                b"[" * 100_000,
                b"\xff\xfe",
                b'{"a":1,"a":2}',
                b"nul",
                b'{"content":"\\ud800"}',
                b"1e999",
                b"{}garbage",
            )
        )
    fields = {chance.choice(FIELDS): _value(chance) for _ in range(chance.randint(0, 5))}
    if kind < 0.5:
        fields.update({"content": f"note {chance.random()}", "vault": "torture"} if kind < 0.3 else {"query": "note"})
    document: Any = fields if kind < 0.9 else chance.choice((list(fields), [fields, fields], chance.choice(NASTY)))
    return json.dumps(document).encode("ascii", "replace")


def _value(chance: random.Random) -> Any:
    value = chance.choice(NASTY)
    return [value, chance.choice(NASTY)] if chance.random() < 0.1 else value


def _exchange(home: Home, method: str, target: str, body: bytes) -> tuple[int, bytes]:
    client = Client(home.client.path, timeout=120)
    status, content = client.exchange(method, target, body or None)
    return (status, content or b'{"title": "no body"}') if method == "OPTIONS" else (status, content)


def _raw(home: Home, chance: random.Random, ids: list[str]) -> int:
    """One request of bytes with a few turned over; the status, or 0 when the daemon hung up."""
    method, target, body = _request(chance, ids)
    head = f"{method} {target[:4000]} HTTP/1.1\r\nhost: m\r\ncontent-length: {len(body[:2000])}\r\n\r\n"
    data = bytearray(head.encode("utf-8", "replace") + body[:2000])
    for _ in range(chance.randint(1, 6)):
        place, turn = chance.randrange(len(data)), chance.random()
        if turn < 0.4:
            data[place] = chance.randrange(256)
        elif turn < 0.7:
            del data[place]
        else:
            data[place:place] = chance.choice(
                (b"\r\n", b"\x00", b"transfer-encoding: chunked\r\n", b" ", b"\n", b"content-length: 5\r\n")
            )
    one = sockets.socket(sockets.AF_UNIX)
    one.settimeout(0.3)
    one.connect(home.client.path)
    answer = b""
    with suppress(OSError):
        one.sendall(bytes(data))
        answer = one.recv(4096)
    one.close()
    return int(answer[9:12]) if answer.startswith(b"HTTP/1.1 ") else 0


def described(folder: Path, *, rounds: int, seed: int, say: bool = False) -> dict[str, object]:
    """Schemathesis over the API's own description, ``rounds`` cases a route. Needs schemathesis, which muninn does not."""
    import hypothesis

    schemathesis: Any = importlib.import_module("schemathesis")

    from muninn.api.server import Gateway
    from muninn.app import build
    from muninn.config import Config, EmbedConfig, LlmConfig

    config = Config(home=folder / "home", embed=EmbedConfig(model="hashed"), llm=LlmConfig(providers=()))
    statuses: Counter[int] = Counter()
    faults: list[str] = []
    with build(config, environ={}) as app:
        gateway = Gateway(dict, lambda *a, **k: faults.append(str((a, k))[:500]))
        gateway.open(app)
        schema = schemathesis.openapi.from_asgi("/openapi.json", gateway)
        for found in schema.get_all_operations():
            operation = found.ok()

            @hypothesis.seed(seed)
            @hypothesis.settings(
                max_examples=rounds, deadline=None, database=None, suppress_health_check=list(hypothesis.HealthCheck),
                phases=[hypothesis.Phase.generate],
            )  # fmt: skip
            @hypothesis.given(case=operation.as_strategy())
            def call(case: Any) -> None:
                response = case.call()
                statuses[response.status_code] += 1
                if response.status_code >= 500 and response.status_code not in FINE_5XX:
                    faults.append(f"{case.method} {case.path}: {response.status_code} {response.text[:200]}")

            call()
            if say:
                sys.stderr.write(f"{operation.label}: {dict(statuses)}\n")
        gateway.close()
    assert not faults, faults[:5]
    return {"cases": sum(statuses.values()), "statuses": dict(statuses)}
