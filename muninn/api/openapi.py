"""The API described for machines (OpenAPI 3.1), made from the same table that serves it."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from muninn import __version__
from muninn.api.calls import Route
from muninn.api.routes import ROUTES

_PROBLEM = {
    "description": "A problem (RFC 9457)",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
_PROBLEM_SCHEMA = {
    "type": "object",
    "required": ["type", "title", "status"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "detail": {"type": "string"},
        "status": {"type": "integer"},
        "exit_code": {"type": "integer"},
        "hint": {"type": ["string", "null"]},
    },
}


def description() -> dict[str, Any]:
    bodies = [route.body for route in ROUTES if route.body is not None]
    _, components = msgspec.json.schema_components(bodies, ref_template="#/components/schemas/{name}")
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {"title": "muninn", "version": __version__, "description": "A memory for AI agents that dreams."},
        "paths": paths,
        "components": {"schemas": {**components, "Problem": _PROBLEM_SCHEMA}},
    }


def _operation(route: Route) -> dict[str, Any]:
    names = re.findall(r"\{(\w+)\}", route.path)
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}} for name in names
    ]
    parameters += [
        {"name": name, "in": "query", "required": False, "schema": {"type": "string"}} for name in route.query
    ]
    operation: dict[str, Any] = {
        "summary": route.summary,
        "parameters": parameters,
        "responses": {
            "200": {"description": "Done"},
            "201": {"description": "Created"},
            "4XX": _PROBLEM,
            "503": _PROBLEM,
            "507": _PROBLEM,
        },
    }
    if route.body is not None:
        schema: dict[str, Any] = {"$ref": f"#/components/schemas/{route.body.__name__}"}
        if route.path == "/v1/memories":
            schema = {"oneOf": [schema, {"type": "array", "items": schema}]}
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return operation
