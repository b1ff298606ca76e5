"""``muninn mcp``: serve MCP on stdio, or over HTTP on loopback."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from muninn import __version__, paths
from muninn.client import Client
from muninn.errors import ConfigError, MuninnError, UsageError
from muninn.mcp.gateway import Gateway
from muninn.mcp.project import Project, project_at
from muninn.mcp.session import Session
from muninn_cmd import connect, render
from muninn_cmd.session import current

TOKEN = "mcp.token"  # noqa: S105 - the name of the file that holds it
_TOKEN_BYTES = 32


def mcp(
    *,
    vault: Annotated[
        str, typer.Option(help="Vault of this agent; else .muninn.toml or the git root names it.", show_default=False)
    ] = "",
    project: Annotated[
        Path | None, typer.Option(help="Folder the agent works in; else the current one.", show_default=False)
    ] = None,
    no_start: Annotated[bool, typer.Option("--no-start", help="Never wake the daemon.")] = False,
    http: Annotated[
        int,
        typer.Option("--http", metavar="PORT", min=0, max=65535, help="Streamable HTTP on 127.0.0.1 instead of stdio."),
    ] = 0,
) -> None:
    """Agents start this by themselves once ``muninn init`` has told them to. It ends when its input ends."""
    session = _session(current.environ, vault=vault, folder=project, may_wake=not no_start)
    if http:
        _serve_http(session, http)
    else:
        _serve_stdio(session, ready=None if no_start else _wake_early(session))


def _session(environ: Mapping[str, str], *, vault: str, folder: Path | None, may_wake: bool) -> Session:
    from muninn.config import load

    home = paths.home_name(environ)
    client = Client(paths.socket_name(home, environ))
    where = (folder or Path.cwd()).absolute()
    if not where.is_dir():
        raise UsageError(f"no folder {where}", hint="give --project a folder")
    return Session(
        gateway=Gateway(client, monotonic=time.monotonic, wake=_waker(environ) if may_wake else None),
        nonce=os.urandom(8).hex(),
        epoch=time.time,
        project=Project(vault, chosen=True) if vault else project_at(where, home=Path(environ.get("HOME", "/"))),
        default_vault=load(environ).vault.default,
        headers={name: value for name, value in connect.provenance(environ).items() if name not in _OURS},
    )


_OURS = ("X-Muninn-Client", "X-Muninn-Tool")


def _waker(environ: Mapping[str, str]) -> Callable[[float], None]:
    def wake(at_most: float) -> None:
        from muninn_cmd import lifecycle

        lifecycle.wake(environ, at_most=at_most, meanwhile=lambda: None)

    return wake


def _wake_early(session: Session) -> Callable[[], None]:
    """Begin to wake the daemon while the agent is still getting ready; what goes wrong shows at the first call."""

    def begin() -> None:
        import threading

        def ask() -> None:
            try:
                session.call("GET", "/v1/status", tool="status")
            except MuninnError as error:
                sys.stderr.write(f"muninn: {' '.join(str(error).split())}\n")

        threading.Thread(target=ask, daemon=True).start()

    return begin


def _serve_stdio(session: Session, *, ready: Callable[[], None] | None) -> None:
    """The protocol gets the real streams; whatever else prints, prints to standard error."""
    from muninn.mcp.protocol import Protocol
    from muninn.mcp.stdio import Conversation

    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    protocol = Protocol(session, version=__version__, on_ready=ready or (lambda: None), on_fault=_tell_fault)
    conversation = Conversation(protocol, source, sink)
    conversation.hold()
    session.gateway.close()
    conversation.finish()


def _tell_fault(error: Exception) -> None:
    """A fault of ours on standard error, which agents keep: its kind and its way through the code, not its words."""
    from muninn import logs

    logs.configure(sys.stderr)
    logs.logger("muninn.mcp").error("fault", error=type(error).__name__, exc_info=error)


def _serve_http(session: Session, port: int) -> None:
    import uvicorn

    from muninn.mcp.http import PATH, application

    host = "127.0.0.1"
    file = Path(paths.home_name(current.environ)) / TOKEN
    token = _token(file)
    document: dict[str, Any] = {"url": f"http://{host}:{port}{PATH}", "token_file": str(file)}
    render.show(document, lambda: f"MCP at {document['url']} (bearer token in {file}); Ctrl-C ends it")
    app = application(session, version=__version__, token=token, host=host, on_fault=_tell_fault)
    uvicorn.run(app, host=host, port=port, log_level="warning", access_log=False)


def _token(file: Path) -> str:
    """The bearer token, made at the first use; readable only by this user."""
    from muninn.atomic import private_folder, write_atomically

    if not file.exists():
        private_folder(file.parent)
        write_atomically(file, os.urandom(_TOKEN_BYTES).hex() + "\n")
    token = file.read_text("ascii").strip()
    if len(token) < _TOKEN_BYTES:
        raise ConfigError(f"{file} holds no usable token", hint="delete it and start again")
    return token
