"""The wire protocols of Ollama, Anthropic and OpenAI: what a request asks, and how an answer is wrapped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

QUESTIONS = ("/api/chat", "/api/generate", "/v1/messages", "/v1/chat/completions")


@dataclass(slots=True)
class Recorded:
    """One request as it came in. ``answered`` counts the body bytes sent back."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    raw: bytes
    peer: tuple[str, int]
    answered: int = 0

    @property
    def hash(self) -> str:
        return hashlib.sha256(self.body).hexdigest() if self.body else ""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a model sees, whatever protocol brought it."""

    protocol: str
    model: str
    system: str
    prompt: str
    schema: Mapping[str, Any] | None
    stream: bool


def read_json(body: bytes) -> Any:
    try:
        return json.loads(body) if body else {}
    except ValueError:
        return {}


def asked_in(record: Recorded) -> Asked | None:
    if record.path not in QUESTIONS:
        return None
    sent = read_json(record.body)
    protocol = {"/v1/messages": "anthropic", "/v1/chat/completions": "openai"}.get(record.path, "ollama")
    system = sent.get("system", "")
    prompt = sent.get("prompt", "")
    for message in sent.get("messages", ()):
        content = message["content"]
        content = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
        if message["role"] == "system":
            system = content
        else:
            prompt = content
    schema = sent.get("format")
    if protocol == "anthropic":
        schema = next((tool["input_schema"] for tool in sent.get("tools", ())), None)
    elif protocol == "openai":
        schema = sent.get("response_format", {}).get("json_schema", {}).get("schema")
    stream = sent.get("stream", protocol == "ollama")
    return Asked(
        protocol, sent.get("model", ""), system, prompt, schema if isinstance(schema, dict) else None, bool(stream)
    )


def content_type(asked: Asked) -> str:
    if not asked.stream:
        return "application/json"
    return "application/x-ndjson" if asked.protocol == "ollama" else "text/event-stream"


def render(asked: Asked, text: str, *, stop: str = "") -> bytes:
    """A model's text as the protocol wraps it."""
    if asked.protocol == "ollama":
        return _ollama(asked, text, stop or "stop")
    if asked.protocol == "anthropic":
        body: dict[str, Any] = {
            "id": "msg_1", "type": "message", "role": "assistant", "model": asked.model, "content": _blocks(asked, text),
            "stop_reason": stop or "tool_use", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
        }  # fmt: skip
        return json.dumps(body).encode()
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": stop or "stop"}
    return json.dumps(
        {"id": "c", "object": "chat.completion", "created": 1, "model": asked.model, "choices": [choice]}
    ).encode()


def _blocks(asked: Asked, text: str) -> list[dict[str, Any]]:
    """A tool call where the text is a JSON object, else a text block after a thinking one."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if asked.schema and isinstance(found, dict):
        return [{"type": "tool_use", "id": "toolu_1", "name": "answer", "input": found}]
    return [{"type": "thinking", "thinking": "hm", "signature": "x"}, {"type": "text", "text": text}]


def _ollama(asked: Asked, text: str, stop: str) -> bytes:
    frame = {"model": asked.model, "created_at": "2026-01-01T00:00:00Z", "done": False}
    end = {**frame, "done": True, "done_reason": stop, "prompt_eval_count": len(asked.prompt) // 4, "eval_count": 1}
    if not asked.stream:
        return json.dumps({**end, "message": {"role": "assistant", "content": text}}).encode()
    size = max(1, len(text) // 8)
    parts = [text[at : at + size] for at in range(0, len(text), size)]
    rows = [{**frame, "message": {"role": "assistant", "content": part}} for part in parts]
    rows.append({**end, "message": {"role": "assistant", "content": ""}})
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)
