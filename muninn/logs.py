"""Structured logs (structlog, one JSON object a line): event names and figures, never memory text, keys or prompts."""

from __future__ import annotations

import logging
import logging.handlers
from pathlib import Path
from typing import Any

import structlog

_LIMIT = 10 << 20  # bytes a file
_KEPT = 3
_LIBRARIES = ("apscheduler", "uvicorn", "httpx", "httpcore", "anthropic", "openai")


def configure(file: Path | None) -> None:
    """Log to ``file`` (rotated, 0600), or to nowhere."""
    handler: logging.Handler = logging.NullHandler()
    if file is not None:
        handler = logging.handlers.RotatingFileHandler(file, maxBytes=_LIMIT, backupCount=_KEPT, encoding="utf-8")
        file.chmod(0o600)
    handler.setFormatter(logging.Formatter("%(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    for name in _LIBRARIES:
        logging.getLogger(name).setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )


def logger(name: str) -> Any:
    return structlog.get_logger(name)
