"""Who imports a file, found without a shell, in the time there is."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from muninn.hooks import dependants
from muninn.hooks.dependants import Dependants
from muninn.hooks.projects import is_tree, project_of


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "router.ts").write_text("export const route = 1\n")
    for i in range(6):
        (tmp_path / "src" / f"page{i}.ts").write_text("import { route } from './router'\n")
    return tmp_path


def test_importers_are_counted_without_git_and_without_the_file_itself(project: Path) -> None:
    (project / "src" / "router.test.ts").write_text("import './router'\n")
    assert Dependants(time.monotonic).count(project, str(project / "src" / "router.ts")) == 7
    assert Dependants(time.monotonic).count(project, "src/page1.ts") == 0


def test_changes_are_seen(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependants, "FRESH", 0.0)
    index = Dependants(time.monotonic)
    target = str(project / "src" / "router.ts")
    assert index.count(project, target) == 6
    (project / "src" / "page0.ts").unlink()
    page = project / "src" / "page1.ts"
    page.write_text("export const a = 1\n")
    os.utime(page, ns=(1, 1))
    (project / "new.ts").write_text("import { route } from './src/router'\n")
    assert index.count(project, target) == 5


def test_what_is_built_or_hidden_or_linked_does_not_count(project: Path) -> None:
    for folder in ("node_modules/x", ".next", "dist"):
        place = project / folder
        place.mkdir(parents=True)
        (place / "copy.ts").write_text("import '../src/router'\nimport '../../src/router'\n")
    (project / "loop").symlink_to(project)
    assert Dependants(time.monotonic).count(project, "src/router.ts") == 6


def test_other_languages_do_not_mix(project: Path) -> None:
    (project / "src" / "router.py").write_text("")
    (project / "src" / "use.py").write_text("from . import router\n")
    index = Dependants(time.monotonic)
    assert index.count(project, "src/router.py") == 1
    assert index.count(project, "src/router.ts") == 6


def test_files_of_one_go_package_are_not_its_importers(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module acme.io/shop\n")
    for name, text in {
        "net/a.go": "package net",
        "net/b.go": 'package net\nimport "acme.io/shop/net/tls"',
        "main.go": 'package main\nimport "acme.io/shop/net"',
        "cmd/x/x.go": 'package main\nimport (\n\t"fmt"\n\t"acme.io/shop/net"\n)',
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert Dependants(time.monotonic).count(tmp_path, "net/a.go") == 2


def test_strange_names_are_only_names(project: Path) -> None:
    name = "x$(touch PWNED).js"
    (project / name).write_text("export {}\n")
    assert Dependants(time.monotonic).count(project, str(project / name)) == 0
    assert not list(project.rglob("PWNED"))


@pytest.mark.parametrize("target", ["/etc/passwd.py", "../outside.ts", "notes.md", "", "a\0b.ts", "src/router"])
def test_what_is_outside_or_no_source_is_not_known(project: Path, target: str) -> None:
    assert not Dependants(time.monotonic).count(project, target)


def test_past_its_budget_it_is_silent_and_goes_on_in_the_background(project: Path) -> None:
    ticks = iter(range(10_000_000))
    slow = Dependants(lambda: next(ticks) * 0.02)
    target = str(project / "src" / "router.ts")
    assert slow.count(project, target) is None
    answer = None
    for _ in range(200):
        answer = slow.count(project, target)
        if answer is not None:
            break
        time.sleep(0.01)
    slow.close()
    assert answer == 6


@pytest.mark.slow
def test_a_large_project_answers_within_its_budget(tmp_path: Path) -> None:
    for i in range(40):
        folder = tmp_path / f"d{i}"
        folder.mkdir()
        for j in range(40):
            (folder / f"m{j}.py").write_text("import os\nfrom d0 import m0\n" * 20)
    index = Dependants(time.monotonic)
    start = time.perf_counter()
    first = index.count(tmp_path, "d0/m0.py")
    assert time.perf_counter() - start < 1.0
    for _ in range(300):
        if first is not None:
            break
        time.sleep(0.02)
        first = index.count(tmp_path, "d0/m0.py")
    index.close()
    assert first == 1_599


def test_a_project_is_the_git_root_or_the_folder_itself(tmp_path: Path) -> None:
    deep = tmp_path / "repo" / "a" / "b"
    deep.mkdir(parents=True)
    assert project_of(str(deep)) == deep
    (tmp_path / "repo" / ".git").write_text("gitdir: elsewhere\n")
    assert project_of(str(deep)) == tmp_path / "repo"
    for odd in ("", "relative", "/none/such", "a\0b", str(tmp_path / "repo" / ".git")):
        assert project_of(odd) is None


def test_a_home_is_not_looked_through(tmp_path: Path) -> None:
    assert is_tree(tmp_path / "code", tmp_path)
    for place in (tmp_path, tmp_path.parent, Path("/")):
        assert not is_tree(place, tmp_path)


def test_while_it_is_looked_through_again_the_last_index_answers(project: Path) -> None:
    now = [0.0]
    step = [0.0]

    def clock() -> float:
        now[0] += step[0]
        return now[0]

    index = Dependants(clock)
    assert index.count(project, "src/router.ts") == 6
    now[0], step[0] = 60.0, 0.06
    assert index.count(project, "src/router.ts") == 6
    index.close()
    now[0] += 3_600.0
    assert index.count(project, "src/router.ts") is None
    index.close()
