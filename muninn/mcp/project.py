"""Knows which vault a working folder stands for.

The nearest ``.muninn.toml`` decides (``vault = "name"``); without one, the name of the git root; without that, nothing.
A git worktree counts as its main working tree. The home folder is never a project.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from muninn.errors import ConfigError

MARKER = ".muninn.toml"
_LEVELS = 40
_FOREIGN = re.compile(r"[^\w.:/-]+")
_NAME = re.compile(r"[\w.:/-]{1,64}")


@dataclass(frozen=True, slots=True)
class Project:
    """``chosen``: a person wrote the vault's name down, in a flag or in ``.muninn.toml``."""

    vault: str | None = None
    chosen: bool = False


def vault_key(name: str) -> str:
    """As ``muninn.domain.memory.vault_key``, which would load numpy."""
    return unicodedata.normalize("NFKC", name).casefold()


def project_at(folder: Path, *, home: Path) -> Project:
    """The project of an absolute folder. Raises ConfigError when its ``.muninn.toml`` is wrong."""
    for level in (folder, *folder.parents)[:_LEVELS]:
        if level == home:
            break
        if (level / MARKER).is_file():
            return Project(_written(level / MARKER), chosen=True)
        if (level / ".git").exists():
            return Project(_vault_name(_main_tree(level)))
    return Project()


def _written(file: Path) -> str:
    try:
        values = tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"cannot read {file}: {error}", hint='it should hold: vault = "name"') from None
    unknown = sorted(set(values) - {"vault"})
    if unknown:
        raise ConfigError(f"unknown key {unknown[0]} in {file}", hint="known here: vault")
    name = values.get("vault")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ConfigError(f"vault in {file} is {name!r}", hint="1 to 64 letters, digits or . _ - : /")
    return name


def _main_tree(root: Path) -> str:
    """The name of the folder that holds the repository, for a worktree that of its main tree."""
    link = root / ".git"
    if link.is_file():
        try:
            target = link.read_text("utf-8").strip().removeprefix("gitdir:").strip()
        except (OSError, UnicodeDecodeError):
            return root.name
        store, worktrees, _ = (root / target).as_posix().partition("/.git/worktrees/")
        if worktrees:
            return Path(store).name
    return root.name


def _vault_name(folder: str) -> str | None:
    name = _FOREIGN.sub("-", unicodedata.normalize("NFC", folder)).strip("-")[:64]
    return name or None
