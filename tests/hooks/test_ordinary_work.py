"""A thousand events of ordinary mixed work cost nothing: not one word is said."""

from __future__ import annotations

from random import Random  # noqa: TID251 - seeded, so that a failure can be seen again
from typing import Any

import pytest

ERRORS = [
    "Exit code 1\nModuleNotFoundError: No module named '{0}'",
    "Exit code 1\nAssertionError: expected {0} to be ready",
    "Exit code 2\nsrc/{0}.ts(12,5): error TS2304: Cannot find name '{0}'.",
    "Exit code 1\nFAILED tests/test_{0}.py::test_{0} - KeyError: '{0}'",
    "Exit code 128\nfatal: pathspec '{0}' did not match any files",
    "Exit code 127\nbash: orden «{0}» no encontrada",
    "Exit code 1",
]
COMMANDS = ["git status --short", "git diff --stat", "ls -la", "git log --oneline -5", "npm run lint", "docker ps", "make build", "ruff check ."]  # fmt: skip
WORDS = [
    "config",
    "router",
    "cache",
    "usuario",
    "pedido",
    "token",
    "schema",
    "worker",
    "queue",
    "view",
    "modelo",
    "client",
]


def output(random: Random) -> dict[str, Any]:
    lines = int(random.lognormvariate(2.5, 1.1)) + 1
    return {
        "stdout": "an ordinary line, 0 errors, nothing failed\n" * min(lines, 600),
        "stderr": "",
        "interrupted": False,
    }


def step(claude: Any, random: Random) -> list[str]:
    """A few calls as an agent makes them: look, look for, change and test, run, stumble once or twice."""
    word = random.choice(WORDS)
    file = f"{claude.project}/src/{word}/{random.choice(WORDS)}.py"
    kind = random.random()
    if kind < 0.3:
        return [
            claude.does(
                "Read", file_path=file, output={"type": "text", "file": {"content": "x = 1\n" * random.randint(5, 400)}}
            )
        ]
    if kind < 0.45:
        return [
            claude.does(
                "Grep", pattern=word, path=str(claude.project), output={"content": "a:1\n" * random.randint(0, 60)}
            )
        ]
    if kind < 0.6:
        return [claude.does(command=random.choice(COMMANDS), output=output(random))]
    if kind < 0.7:
        return [
            claude.does("TodoWrite", todos=[word], output={}),
            claude.does("mcp__db__query", sql=f"select {word}", output="ok"),
        ]
    if kind < 0.8:
        said = [
            claude.fails(random.choice(ERRORS).format(word), command=f"pytest -q tests/test_{word}.py")
            for _ in range(random.randint(1, 2))
        ]
        return [*said, claude.does(command=f"pytest -q tests/test_{word}.py", output=output(random))]
    edits = []
    for i in range(random.randint(1, 4)):
        edits.append(claude.does("Edit", file_path=file, old_string=f"a{i}", new_string="b", output={"success": True}))
        edits.append(claude.does(command=f"pytest -q tests/test_{word}.py", output=output(random)))
    return edits


@pytest.mark.parametrize("seed", range(8))
def test_ordinary_work_is_silent(claude: Any, seed: int) -> None:
    random = Random(seed)
    said: list[str] = []
    events = 0
    while events < 1_000:
        if events % 250 == 0 or random.random() < 0.02:
            claude.send("SessionEnd", reason="clear")
            claude.session = f"S{events}"
            claude.send("SessionStart", source="startup")
        said.append(claude.prompts("sigue"))
        before = len(said)
        while len(said) - before < 15:
            said += step(claude, random)
        events += len(said) - before + 3
        claude.send("Stop")
    assert [text for text in said if text] == []
    assert claude.service.learnings(str(claude.project)) == []
