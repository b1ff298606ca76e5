"""Which project a working folder belongs to: the git root above it, or the folder itself. No shell, no git."""

from __future__ import annotations

from pathlib import Path

_LEVELS = 40


def project_of(cwd: str) -> Path | None:
    """The project of an absolute working folder; None for a relative, missing or odd one. Worktrees are their own root."""
    try:
        folder = Path(cwd)
        if not folder.is_absolute() or not folder.is_dir():
            return None
        for candidate in (folder, *folder.parents)[:_LEVELS]:
            if (candidate / ".git").exists():
                return candidate
        return folder
    except (OSError, ValueError):
        return None


def is_tree(project: Path, home: Path) -> bool:
    """Whether the folder can be looked through: a home, the root, or what holds a home is not a project."""
    return project != project.parent and project != home and project not in home.parents
