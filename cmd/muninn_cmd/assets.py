"""Finds the files that are installed beside the code: the sample configuration and the systemd unit."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

from muninn.errors import MuninnError

DISTRIBUTION = "muninn-memory"
_IN_SOURCE = {"muninn.toml": "config", "muninn.service": "systemd", "cloud.conf": "systemd"}


def find(name: str) -> Path:
    """The path of one such file, installed or in a source tree. Raises MuninnError when the installation lacks it."""
    source = Path(__file__).resolve().parents[2] / _IN_SOURCE[name] / name
    if source.is_file():
        return source
    try:
        files = metadata.files(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if (
            file.name == name
            and file.parent.name == "muninn"
            and (path := Path(str(file.locate())).resolve()).is_file()
        ):
            return path
    raise MuninnError(f"this installation has no {name}", hint=f"install {DISTRIBUTION} again")
