"""The routes without HTTP: the same table, called in process. HTTP is a thin wrapper around this."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from muninn.api.calls import Answer, Call, Core, Route
from muninn.api.routes import ROUTES
from muninn.errors import MuninnError, NotFoundError, UsageError

_NAME = re.compile(r"\{(\w+)\}")
_TABLE: list[tuple[re.Pattern[str], Route]] = [
    (re.compile(_NAME.sub(r"(?P<\1>[^/]+)", route.path) + r"\Z"), route) for route in ROUTES
]


def find(method: str, path: str) -> tuple[Route, dict[str, str]]:
    """The route for a request and the names in its path. Raises NotFoundError, UsageError (wrong method)."""
    allowed = []
    for pattern, route in _TABLE:
        if match := pattern.match(path):
            if route.method == method:
                return route, {name: unquote(value) for name, value in match.groupdict().items()}
            allowed.append(route.method)
    if allowed:
        raise MethodError(f"{method} is not possible on {path[:80]}", hint=f"possible: {', '.join(allowed)}")
    raise NotFoundError(f"there is nothing at {path[:80]}", hint="GET /openapi.json describes the API")


class MethodError(UsageError):
    status = 405


def prepare(method: str, target: str, body: Any = None, headers: Mapping[str, str] | None = None) -> tuple[Route, Call]:
    """Route and call for a request target (path and query string)."""
    try:
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query, keep_blank_values=True, errors="strict", max_num_fields=64))
        route, names = find(method, parts.path)
    except (ValueError, UnicodeDecodeError):
        raise UsageError(f"the address {target[:80]!r} is not valid") from None
    unknown = sorted(set(query) - set(route.query))
    if unknown:
        raise UsageError(f"unknown parameter {unknown[0][:40]!r}", hint=f"known: {', '.join(route.query) or 'none'}")
    lowered = {name.lower(): value for name, value in (headers or {}).items()}
    return route, Call(path=names, query=query, body=body, headers=lowered)


def problem(error: MuninnError) -> dict[str, Any]:
    """An error as a document of RFC 9457."""
    return {
        "type": f"urn:muninn:{type(error).__name__}",
        "title": error.message,
        "detail": str(error),
        "status": error.status,
        "exit_code": error.exit_code,
        "hint": error.hint,
    }


def dispatch(
    core: Core, method: str, target: str, body: Any = None, headers: Mapping[str, str] | None = None
) -> tuple[int, Any]:
    """Serve one request in process: status and document, lines of bytes for streams, text for other kinds."""
    try:
        route, call = prepare(method, target, body, headers)
        answer = route.handler(core, call)
    except MuninnError as error:
        return error.status, problem(error)
    return answer.status, content(answer)


def content(answer: Answer) -> Any:
    if answer.lines is not None:
        return answer.lines
    return answer.document if answer.text is None else answer.text
