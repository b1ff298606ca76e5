"""Every error muninn raises on purpose, with its exit code and HTTP status in one place.

    MuninnError                 1  500
    ├── UsageError              2  400   what was asked cannot be asked
    │   ├── NotFoundError       1  404   no such memory, vault, dream, suggestion
    │   ├── ConflictError       1  409   it changed, or exists already
    │   └── TooLargeError       2  413   over a documented limit
    ├── ConfigError             2  500   config.toml, environment or flags
    ├── NotRunningError         3  503   the daemon does not answer
    ├── AlreadyRunningError     3  503   another daemon holds the lock
    ├── GateClosedError         4  409   the dream gates are closed
    ├── LockedError             5  503   somebody else holds the data directory
    ├── ProviderError           6  502   a language model or embedding endpoint failed
    │   └── EgressRefusedError  6  403   the trust tier forbids that this text goes there
    └── StoreError              1  500   the store is damaged, newer, or cannot be written
        ├── StoreFullError      1  507   no space, or read-only
        └── StoreNewerError     1  500   written by a newer muninn; untouched

A message is one line: what happened, to which thing, what to do next.
"""

from __future__ import annotations

__all__ = [
    "AlreadyRunningError",
    "ConfigError",
    "ConflictError",
    "EgressRefusedError",
    "GateClosedError",
    "LockedError",
    "MuninnError",
    "NotFoundError",
    "NotRunningError",
    "ProviderError",
    "StoreError",
    "StoreFullError",
    "StoreNewerError",
    "TooLargeError",
    "UsageError",
]


class MuninnError(Exception):
    """Base of everything raised on purpose; ``hint`` says what to do next."""

    exit_code: int = 1
    status: int = 500

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class UsageError(MuninnError):
    exit_code = 2
    status = 400


class NotFoundError(UsageError):
    exit_code = 1
    status = 404


class ConflictError(UsageError):
    exit_code = 1
    status = 409


class TooLargeError(UsageError):
    status = 413


class ConfigError(MuninnError):
    exit_code = 2


class NotRunningError(MuninnError):
    exit_code = 3
    status = 503


class AlreadyRunningError(MuninnError):
    exit_code = 3
    status = 503


class GateClosedError(MuninnError):
    exit_code = 4
    status = 409


class LockedError(MuninnError):
    exit_code = 5
    status = 503


class ProviderError(MuninnError):
    exit_code = 6
    status = 502


class EgressRefusedError(ProviderError):
    status = 403


class StoreError(MuninnError):
    pass


class StoreFullError(StoreError):
    status = 507


class StoreNewerError(StoreError):
    pass
