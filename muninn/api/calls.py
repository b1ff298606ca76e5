"""What a route is given and what it answers. The same for HTTP over the socket and for a command in process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from muninn.errors import StoreError, TooLargeError, UsageError

if TYPE_CHECKING:  # the socket opens before these are loaded
    from datetime import datetime
    from pathlib import Path

    from muninn.config import Config
    from muninn.domain.memory import Provenance
    from muninn.dream.engine import Dreamer
    from muninn.embed.registry import Embedders
    from muninn.hooks.service import HookService
    from muninn.llm.models import Models
    from muninn.ports import Clock, Ids
    from muninn.service import MemoryService

REQUEST_LIMIT = 16 << 20  # bytes


class Core(Protocol):
    """What routes need of the application."""

    @property
    def config(self) -> Config: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def ids(self) -> Ids: ...
    @property
    def service(self) -> MemoryService: ...
    @property
    def dreamer(self) -> Dreamer: ...
    @property
    def models(self) -> Models: ...
    @property
    def embedders(self) -> Embedders: ...
    @property
    def hooks(self) -> HookService: ...
    def astray(self) -> StoreError | None: ...
    def rehearsal(self) -> AbstractContextManager[None]: ...
    def status(self) -> dict[str, Any]: ...
    def doctor(self, *, verify: bool) -> dict[str, Any]: ...
    def backup(self, folder: str | None) -> dict[str, Any]: ...
    def copies_since(self, at: datetime) -> tuple[Path, ...]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request: names from the path, the query string, the decoded body, lower-cased headers."""

    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def object(self) -> dict[str, Any]:
        """The body, which must be a JSON object; an absent one is empty."""
        if self.body is None:
            return {}
        if not isinstance(self.body, dict):
            raise UsageError("the body must be a JSON object")
        return self.body

    def flag(self, name: str) -> bool:
        value = self.query.get(name, "").casefold()
        if value not in ("", "0", "1", "true", "false"):
            raise UsageError(f"{name} must be true or false, not {value[:40]!r}")
        return value in ("1", "true")

    def choice(self, name: str, known: Iterable[str], *, default: str) -> str:
        """One of ``known``, or "all"."""
        value = self.query.get(name) or default
        names = [*known, "all"]
        if value not in names:
            raise UsageError(f"unknown {name} {value[:40]!r}", hint=f"one of: {', '.join(names)}")
        return value

    def number(self, name: str, default: int, *, low: int = 1, high: int = 1000) -> int:
        value = self.query.get(name, "")
        if not value:
            return default
        try:
            number = int(value)
        except ValueError:
            raise UsageError(f"{name} must be a whole number, not {value[:40]!r}") from None
        if not low <= number <= high:
            raise UsageError(f"{name} {number} is out of range", hint=f"{low} to {high}")
        return number

    @property
    def provenance(self) -> Provenance:
        """Who is speaking, from the headers; a caller that names nothing is ``api``."""
        given = {name: self.headers.get(header) or None for name, header in _PROVENANCE_HEADERS.items()}
        return provenance_from(given, client=self.headers.get("x-muninn-client") or "api")


_PROVENANCE_HEADERS = {
    "session_id": "x-muninn-session",
    "agent_role": "x-muninn-agent-role",
    "run_id": "x-muninn-run",
    "run_trigger": "x-muninn-trigger",
    "iteration": "x-muninn-iteration",
    "tool": "x-muninn-tool",
}
_PROVENANCE_CHARACTERS = 256


def provenance_from(given: Mapping[str, object], *, client: str) -> Provenance:
    """A provenance from loose values; too long ones are refused."""
    texts = {name: given.get(name) for name in ("session_id", "agent_role", "run_id", "run_trigger", "tool")}
    named = {"client": given.get("client") or client, **texts}
    for name, value in named.items():
        if value is not None and (not isinstance(value, str) or len(value) > _PROVENANCE_CHARACTERS):
            raise UsageError(f"provenance {name} must be text of at most {_PROVENANCE_CHARACTERS} characters")
    iteration = given.get("iteration")
    if iteration is not None:
        try:
            iteration = int(str(iteration))
        except ValueError:
            raise UsageError("provenance iteration must be a whole number") from None
        if not -(2**31) <= iteration < 2**31:
            raise UsageError(f"provenance iteration {iteration} is out of range")
    from muninn.domain.memory import Provenance

    return Provenance(**named, iteration=iteration)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A JSON document, or lines of JSON, or text of another kind. ``erases``: nothing that was answered before may be kept."""

    document: Any = None
    status: int = 200
    lines: Iterator[bytes] | None = None
    text: str | None = None
    media: str = "application/json"
    erases: bool = False


Handler = Callable[[Core, Call], Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One row of the API table. ``body`` describes the request body for OpenAPI, ``writes`` makes retries idempotent."""

    method: str
    path: str
    handler: Handler
    summary: str
    body: type | None = None
    writes: bool = False
    query: tuple[str, ...] = ()


def decode_body(data: bytes) -> Any:
    """A request body as JSON data. Raises UsageError, TooLargeError."""
    if len(data) > REQUEST_LIMIT:
        raise TooLargeError(f"the request has {len(data):,} bytes", hint=f"at most {REQUEST_LIMIT:,}")
    if not data:
        return None
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"the body is not JSON: {error}") from None


def typed(call: Call, kind: type[Any]) -> Any:
    """The body as a value of ``kind`` (a msgspec Struct). Raises UsageError naming the field."""
    try:
        return msgspec.convert(call.object(), kind, strict=True)
    except msgspec.ValidationError as error:
        raise UsageError(f"the request does not fit: {error}") from None
