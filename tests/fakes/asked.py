"""An app of its own folder, asked through its routes as a client would."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from muninn.api.local import dispatch
from muninn.app import App, build
from muninn.config import load


def opened(folder: Path) -> App:
    """The app of the home in ``folder``, with the hashed embedder."""
    environ = {"MUNINN_HOME": str(folder / "home"), "MUNINN_EMBED__MODEL": "hashed", "HOME": str(folder)}
    return build(load(environ), environ=environ)


def ask(
    app: App, method: str, path: str, body: Any = None, *, status: int = 0, headers: Mapping[str, str] | None = None
) -> Any:
    """The document of an answer that must be good, or have this ``status``."""
    given, document = dispatch(app, method, path, body, headers)
    assert given in ((status,) if status else (200, 201)), document
    return document
