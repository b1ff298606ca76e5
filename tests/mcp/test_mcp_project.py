"""Which vault a folder stands for."""

from __future__ import annotations

from pathlib import Path

import pytest

from muninn.domain.memory import vault_key
from muninn.errors import ConfigError
from muninn.mcp import project
from muninn.mcp.project import Project, project_at


def folder(path: Path, *, git: bool = False, marker: str | None = None) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    if git:
        (path / ".git").mkdir()
    if marker is not None:
        (path / ".muninn.toml").write_text(marker, "utf-8")
    return path


def test_the_git_root_names_the_vault(tmp_path: Path) -> None:
    folder(tmp_path / "mi proyecto (ñ)", git=True)
    inside = folder(tmp_path / "mi proyecto (ñ)" / "src" / "deep")
    assert project_at(inside, home=tmp_path) == Project("mi-proyecto-ñ")


def test_a_marker_wins_when_it_is_nearer(tmp_path: Path) -> None:
    root = folder(tmp_path / "repo", git=True, marker='vault = "shared/core"\n')
    assert project_at(root, home=tmp_path) == Project("shared/core", chosen=True)
    nested = folder(root / "vendored", git=True)
    assert project_at(nested, home=tmp_path) == Project("vendored")


def test_home_and_plain_folders_are_no_projects(tmp_path: Path) -> None:
    home = folder(tmp_path / "home", git=True, marker='vault = "x"')
    assert project_at(home, home=home) == Project()
    assert project_at(folder(home / "notes"), home=home) == Project()
    assert project_at(folder(tmp_path / "plain"), home=home) == Project()


def test_a_worktree_is_its_main_tree_and_a_submodule_itself(tmp_path: Path) -> None:
    main = folder(tmp_path / "main", git=True)
    tree = folder(tmp_path / "feature-x")
    (tree / ".git").write_text(f"gitdir: {main}/.git/worktrees/feature-x\n")
    assert project_at(tree, home=tmp_path) == Project("main")
    part = folder(main / "part")
    (part / ".git").write_text("gitdir: ../.git/modules/part\n")
    assert project_at(part, home=tmp_path) == Project("part")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("vault = ", "cannot read"),
        ("vault = 5", "vault in"),
        ('vault = ""', "vault in"),
        ('vault = "a b"', "vault in"),
        ("", "vault in"),
        ('vault = "a"\ntier = "legal"', "unknown key tier"),
    ],
)
def test_a_wrong_marker_is_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        project_at(folder(tmp_path / "p", marker=text), home=tmp_path)


@pytest.mark.parametrize("name", ["Café", "ＷＯＲＫ", "straße", "Ⅷ"])
def test_names_are_compared_as_the_domain_compares_them(name: str) -> None:
    assert project.vault_key(name) == vault_key(name)
