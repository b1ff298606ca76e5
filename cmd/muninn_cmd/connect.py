"""How a verb reaches the memory: the daemon when it answers, otherwise the same routes in this process under the same lock.

Rules: every verb speaks the HTTP API, so it is written once. While somebody holds the lock and no socket answers (a dream
at start, or another command at work) it waits, at most ``--wait`` seconds, then gives up with exit code 5. Provenance
comes from the environment and goes as headers.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote, urlencode

from muninn import errors, paths
from muninn.client import Client, error_of
from muninn_cmd import render
from muninn_cmd.holder import holder
from muninn_cmd.session import current

if TYPE_CHECKING:
    from muninn.config import Config

Json = dict[str, Any]

PROVENANCE = {
    "X-Muninn-Client": "MUNINN_CLIENT",
    "X-Muninn-Session": "MUNINN_SESSION_ID",
    "X-Muninn-Agent-Role": "MUNINN_AGENT_ROLE",
    "X-Muninn-Run": "MUNINN_RUN_ID",
    "X-Muninn-Trigger": "MUNINN_RUN_TRIGGER",
    "X-Muninn-Iteration": "MUNINN_ITERATION",
}
PATIENCE = 600.0  # seconds of silence before a daemon counts as hung; dreams and imports take their time
QUIET = {"LANCE_LOG": "error", "OMP_WAIT_POLICY": "passive", "OPENBLAS_NUM_THREADS": "1"}
_POLL = 0.1  # seconds


class Door(Protocol):
    """Something that answers the API: the daemon, or this process."""

    def call(self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None) -> Json: ...
    def text(self, path: str, *, headers: Mapping[str, str] | None = None) -> str: ...
    def send(self, path: str, rows: Json) -> Json: ...
    def embed_late(self) -> None: ...
    def lines(self, path: str, *, headers: Mapping[str, str] | None = None) -> Iterator[bytes]: ...


class Served:
    """The API of a daemon that answered."""

    def __init__(self, client: Client) -> None:
        self.call, self.text, self.lines = client.call, client.text, client.lines

    def send(self, path: str, rows: Json) -> Json:
        """A large POST, encoded by the faster encoder."""
        import msgspec

        return self.call("POST", path, msgspec.json.encode(rows))

    def embed_late(self) -> None:
        """It does so unasked."""


class Inside:
    """The API without the daemon: the same routes, dispatched in this process."""

    def __init__(self, app: Any, dispatch: Callable[..., tuple[int, Any]], headers: Mapping[str, str]) -> None:
        self._app, self._dispatch, self._headers = app, dispatch, dict(headers)

    def call(self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None) -> Json:
        document = self._answer(method, path, body, headers)
        return document if isinstance(document, dict) else {"results": document}

    def text(self, path: str, *, headers: Mapping[str, str] | None = None) -> str:
        return str(self._answer("GET", path, None, headers))

    def send(self, path: str, rows: Json) -> Json:
        return self.call("POST", path, rows)

    def embed_late(self) -> None:
        """Begin to embed what waits for its vector."""
        self._app.start_background()

    def lines(self, path: str, *, headers: Mapping[str, str] | None = None) -> Iterator[bytes]:
        for line in self._answer("GET", path, None, headers):
            yield line.rstrip(b"\n")

    def _answer(self, method: str, path: str, body: object, headers: Mapping[str, str] | None) -> Any:
        status, answer = self._dispatch(self._app, method, path, body, {**self._headers, **(headers or {})})
        if status >= 400:
            raise error_of(status, answer)
        return answer


@contextmanager
def door(*, timeout: float = PATIENCE, read_only: bool = False) -> Iterator[Door]:
    """A way to the memory for one or more requests. Raises LockedError when it stays locked for ``--wait`` seconds.

    ``read_only``: in process, the store is opened so that not a byte under the home changes.
    """
    home = paths.home_name(current.environ)
    client = Client(paths.socket_name(home, current.environ), timeout=timeout, headers=provenance(current.environ))
    began = time.monotonic()
    said = False
    while True:
        if _answers(client):
            yield Served(client)
            return
        if holder(f"{home}/{paths.LOCK}") is None:
            with ExitStack() as stack:
                inside = _enter(stack, read_only=read_only or _closed(home))
                if inside is not None:
                    yield inside
                    return
        waited = time.monotonic() - began
        if waited > 1 and not said and render.lively():
            render.remark("muninn is waking, dreaming or otherwise busy; waiting (Ctrl-C gives up) …")
            said = True
        if waited >= current.wait:
            raise errors.LockedError(_locked(home, client.path), hint="see: muninn status")
        time.sleep(_POLL)


def call(method: str, path: str, body: object = None, *, timeout: float = PATIENCE, read_only: bool = False) -> Json:
    """One request through whichever door is open."""
    with door(timeout=timeout, read_only=read_only) as opened:
        return opened.call(method, path, body)


def get(path: str) -> Json:
    return call("GET", path)


def post(path: str, body: object = None) -> Json:
    return call("POST", path, {} if body is None else body)


def local_status(environ: Mapping[str, str]) -> Json:
    """The status of a store that nobody serves, read by opening it."""
    current.environ, current.wait = environ, 0.0
    return call("GET", "/v1/status", read_only=True)


def provenance(environ: Mapping[str, str]) -> dict[str, str]:
    """The headers that say which run is speaking; ``cli`` unless the environment names the client."""
    given = {header: environ[name] for header, name in PROVENANCE.items() if environ.get(name)}
    return {"X-Muninn-Client": "cli", "X-Muninn-Tool": "muninn", **given}


def path_of(*parts: str, **query: object) -> str:
    """``path_of("memories", id, vault="a")`` → ``/v1/memories/…?vault=a``; empty and None values are left out."""
    pairs = [
        (name, str(value).lower() if isinstance(value, bool) else str(value))
        for name, values in query.items()
        for value in (values if isinstance(values, (list, tuple)) else (values,))
        if value not in (None, "", False)
    ]
    if not all(part.strip() for part in parts):
        raise errors.UsageError("an id or a name is blank", hint="muninn recall finds ids, muninn vault list names")
    path = "/v1/" + "/".join(quote(part, safe="", errors="replace") for part in parts)
    return f"{path}?{urlencode(pairs, errors='replace')}" if pairs else path


def _answers(client: Client) -> bool:
    try:
        client.probe()
    except errors.NotRunningError:
        return False
    return True


def _enter(stack: ExitStack, *, read_only: bool) -> Door | None:
    """The in-process door, closed by ``stack``; None when somebody else took the lock first."""
    from muninn.config import load

    try:
        return stack.enter_context(local_door(load(current.environ), read_only=read_only))
    except errors.LockedError:
        return None


def _closed(home: str) -> bool:
    """Whether a home is there that cannot be written: it is read, and a write says so."""
    return os.path.isdir(home) and not os.access(home, os.W_OK)  # noqa: PTH112 - pathlib costs more than a whole `muninn status`


@contextmanager
def local_door(config: Config, *, read_only: bool = False) -> Iterator[Door]:
    """The API in this process over the home that ``config`` names. Raises LockedError."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)  # read by native libraries when they load
    if not read_only:
        os.umask(0o077)  # by which LanceDB makes its files
    from muninn import logs
    from muninn.api.local import dispatch
    from muninn.app import build

    logs.configure(None)
    with build(config, environ=current.environ, read_only=read_only) as app:
        if not read_only:
            logs.configure(paths.log_path(config.home))
        yield Inside(app, dispatch, provenance(current.environ))


def _locked(home: str, socket: str) -> str:
    held = holder(f"{home}/{paths.LOCK}")
    if held is not None and (lost := held.lost(socket)):
        return lost
    who = f"process {held.pid}" if held is not None and held.pid else "another process"
    return f"{home} is held by {who}, which did not answer in {current.wait:g} s"
