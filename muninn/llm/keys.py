"""API keys: from the environment handed in, or from a file that only its owner can read. Never from anywhere else."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path

from muninn.errors import ConfigError

KEY_LIMIT = 4096  # bytes
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class Key:
    """A key that does not show itself: only ``reveal`` gives it away."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "Key(***)"

    __str__ = __repr__

    def __reduce__(self) -> str:
        raise TypeError("a key is not written anywhere")


def read_key(environ: Mapping[str, str], name: str, key_file: str = "") -> Key | None:
    """The key in the file, else in the environment variable ``name``, else None. Raises ConfigError, never showing a key."""
    text = _from_file(Path(key_file).expanduser()) if key_file else environ.get(name, "")
    text = text.strip()
    if not text:
        return None
    if len(text) > KEY_LIMIT or not text.isascii() or not text.isprintable() or " " in text:
        raise ConfigError(f"the key in {key_file or name} is not one printable word")
    return Key(text)


def _from_file(file: Path) -> str:
    try:
        mode = file.stat().st_mode
        if not stat.S_ISREG(mode):
            raise ConfigError(f"{file} is not a file")
        if mode & _OTHERS:
            raise ConfigError(f"{file} can be read by others ({mode & 0o777:04o})", hint=f"chmod 600 {file}")
        with file.open("rb") as stream:
            return stream.read(KEY_LIMIT + 1).decode("utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read key_file {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{file} does not hold a key") from None
