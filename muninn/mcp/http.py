"""Knows how to serve MCP over streamable HTTP: the official package's transport, on loopback, behind a bearer token.

Requests from web pages are refused twice: by the token, and by checks of Host and Origin (DNS rebinding).
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

import anyio.to_thread
import mcp_types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from muninn.errors import MuninnError
from muninn.mcp.protocol import BAD_PARAMS, INSTRUCTIONS, INTERNAL, Protocol, ProtocolError
from muninn.mcp.session import Session, explain

Json = dict[str, Any]

PATH = "/mcp"

_RESULTS: Mapping[str, type[Any]] = {
    "tools/list": mcp_types.ListToolsResult,
    "tools/call": mcp_types.CallToolResult,
    "resources/list": mcp_types.ListResourcesResult,
    "resources/templates/list": mcp_types.ListResourceTemplatesResult,
    "resources/read": mcp_types.ReadResourceResult,
    "prompts/list": mcp_types.ListPromptsResult,
    "prompts/get": mcp_types.GetPromptResult,
}


def application(
    session: Session,
    *,
    version: str,
    token: str,
    host: str,
    on_fault: Callable[[Exception], None] = lambda _: None,
) -> ASGIApp:
    """The ASGI application at ``PATH``. Every client is one agent of ``session``'s project.

    ``on_fault`` is told of what went wrong here, of which the client learns only the kind.
    """
    numbers = count()

    def handler(method: str) -> Callable[[Any, Any], Awaitable[Any]]:
        async def handle(context: Any, params: Any) -> Any:
            given = params.model_dump(by_alias=True, mode="json", exclude_none=True) if params is not None else {}
            protocol = Protocol(_of(session, context), version=version)
            key = f"http-{next(numbers)}"
            try:
                result = await anyio.to_thread.run_sync(lambda: _result(protocol, method, given, key))
                return _RESULTS[method].model_validate(result)
            except MCPError:
                raise
            except Exception as error:  # the package would send its words to the client
                on_fault(error)
                raise MCPError(INTERNAL, f"an internal fault: {type(error).__name__}") from None

        return handle

    server: Server[Any] = Server(
        "muninn",
        version=version,
        instructions=INSTRUCTIONS,
        on_list_tools=handler("tools/list"),
        on_call_tool=handler("tools/call"),
        on_list_resources=handler("resources/list"),
        on_list_resource_templates=handler("resources/templates/list"),
        on_read_resource=handler("resources/read"),
        on_list_prompts=handler("prompts/list"),
        on_get_prompt=handler("prompts/get"),
    )
    return _Guarded(server.streamable_http_app(streamable_http_path=PATH, host=host), token)


def _of(session: Session, context: Any) -> Session:
    """The session under the name that the client gave itself."""
    mine = replace(session)
    params = context.session.client_params
    if params is not None:
        mine.introduce({"name": params.client_info.name, "version": params.client_info.version})
    return mine


def _result(protocol: Protocol, method: str, params: Json, key: str) -> Json:
    try:
        return protocol.result(method, params, key)
    except ProtocolError as error:
        raise MCPError(error.code, error.message) from None
    except MuninnError as error:
        raise MCPError(BAD_PARAMS, explain(error)) from None


class _Guarded:
    """Lets only requests with the token through."""

    def __init__(self, inner: Starlette, token: str) -> None:
        self._inner = inner
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
            if not hmac.compare_digest(given, self._expected):
                refusal = PlainTextResponse("a bearer token is needed", 401, headers={"WWW-Authenticate": "Bearer"})
                await refusal(scope, receive, send)
                return
        await self._inner(scope, receive, send)
