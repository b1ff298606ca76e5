"""Structured logs (structlog, one JSON object a line): event names and figures, never memory text, keys or prompts.

Of an exception its kind and its way through the code are kept, not its message: that may quote what was being handled.
"""

from __future__ import annotations

import logging
import logging.handlers
import sys
from contextlib import suppress
from pathlib import Path
from traceback import format_tb
from types import TracebackType
from typing import Any, TextIO

import structlog

_LIMIT = 10 << 20  # bytes a file
_KEPT = 3
_LIBRARIES = ("apscheduler", "uvicorn", "httpx", "httpcore", "anthropic", "openai")


def _trace(exc_info: tuple[type[BaseException], BaseException, TracebackType | None]) -> str:
    """Kinds and frames of an exception and of what caused it, the cause first."""
    raised: BaseException | None
    _, raised, traceback = exc_info
    parts: list[str] = []
    while raised is not None:
        parts.append("".join(format_tb(traceback)) + type(raised).__name__)
        raised = raised.__cause__ or (None if raised.__suppress_context__ else raised.__context__)
        traceback = raised.__traceback__ if raised is not None else None
    return "\nthen:\n".join(reversed(parts))


_SHARED = (
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.ExceptionRenderer(_trace),
)


class _Rotated(logging.handlers.RotatingFileHandler):
    """A disk that takes no line costs the line: told on standard error it would be quoted, and often go to the same file."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is the library's
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


def configure(to: Path | TextIO | None) -> None:
    """Log to a file (rotated, 0600), to a stream, or to nowhere; so, too, where the file cannot be written."""
    handler: logging.Handler = logging.NullHandler()
    if isinstance(to, Path):
        with suppress(OSError):
            handler = _Rotated(to, maxBytes=_LIMIT, backupCount=_KEPT, encoding="utf-8")
            to.chmod(0o600)
    elif to is not None:
        handler = logging.StreamHandler(to)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(ensure_ascii=False),
            ],
            foreign_pre_chain=_SHARED,
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    for name in _LIBRARIES:
        logging.getLogger(name).setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            *_SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )


def logger(name: str) -> Any:
    return structlog.get_logger(name)
