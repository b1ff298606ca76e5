"""Documentation that cannot drift: the sample configuration, the README's commands, every verb."""

from __future__ import annotations

import dataclasses
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muninn.config import Config
from muninn_cmd.verbs import VERBS, Verb

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"


def flat(value: Any, prefix: str = "") -> dict[str, Any]:
    """Leaves by dotted key; tuples as lists, since TOML has no tuples."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, dict) and (value or not prefix):
        return {key: leaf for name, item in value.items() for key, leaf in flat(item, f"{prefix}{name}.").items()}
    return {prefix.rstrip("."): list(value) if isinstance(value, tuple) else value}


def sample() -> dict[str, Any]:
    return flat(tomllib.loads((ROOT / "config" / "muninn.toml").read_text("utf-8")))


def test_the_sample_configuration_holds_every_key_with_its_default() -> None:
    defaults = flat(Config(home=Path("/home")))
    del defaults["home"]
    assert sample() == defaults
    assert {key: type(value) for key, value in sample().items()} == {
        key: type(value) for key, value in defaults.items()
    }


def test_every_key_of_the_sample_is_explained() -> None:
    section = ""
    for line in (ROOT / "config" / "muninn.toml").read_text("utf-8").splitlines():
        assert line == "" or line.startswith("#") or re.match(r"^\[[a-z._]+\]$|^[a-z0-9_]+ = ", line), (
            f"{section}: {line}"
        )
        section = line if line.startswith("[") else section


def commands() -> Iterator[str]:
    """Every ``muninn …`` that stands in a code block of the README, placeholders left out."""
    for block in re.findall(r"```(?:console|sh|bash)\n(.*?)```", README.read_text("utf-8"), re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            for part in re.split(r"&&|\||;(?=\s)", line.split(" # ")[0]):
                words = part.strip().removeprefix("$ ")
                if re.match(r"^(\S*/)?muninn\s", words):
                    yield re.sub(r"^\S*muninn", "muninn", words)


def test_the_readme_has_commands() -> None:
    assert len(set(commands())) >= 12


@pytest.mark.parametrize("line", sorted(set(commands())) if README.exists() else [])
def test_the_command_line_knows_what_the_readme_says(line: str) -> None:
    parse(shlex.split(line)[1:])


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_every_example_parses(verb: Verb) -> None:
    parse(shlex.split(verb.example)[1:])
    assert shlex.split(verb.example)[1] == verb.name


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_every_verb_is_in_the_readme(verb: Verb) -> None:
    assert f"`{verb.name}" in README.read_text("utf-8")


@pytest.mark.parametrize(
    "topic", sorted((ROOT / "cmd" / "muninn_cmd" / "topics").glob("*.md")), ids=lambda path: path.stem
)
def test_what_a_topic_says_can_be_typed(topic: Path) -> None:
    text = topic.read_text("utf-8")
    assert re.match(r"# \w+: ", text)
    assert topic.stem in (ROOT / "cmd" / "muninn_cmd" / "verbs.py").read_text("utf-8")
    for line in re.findall(r"`(muninn [^`]*)`|^    (muninn .*?)(?:  |$)", text, re.MULTILINE):
        parse(shlex.split("".join(line).replace("…", "x"))[1:])
    for key in re.findall(r"\b((?:embed|llm|store|recall|backup|dream)\.[a-z_]+)\b", text):
        assert key in sample() or key.startswith(("dream.due", "dream.state", "dream.journal")), key


def parse(words: list[str]) -> None:
    """Parse a command line down to its last sub-command, and run nothing. Raises what Typer raises for a usage error."""
    import typer

    from muninn_cmd.app import program

    command: Any = typer.main.get_command(program())
    context = command.make_context("muninn", list(words))
    while hasattr(context.command, "get_command"):
        rest = [*context._protected_args, *context.args]
        if not rest:
            return
        name, found, rest = context.command.resolve_command(context, rest)
        context = found.make_context(name, rest, parent=context)


SCRIPTS = re.findall(r"tests/(?:bench|torture)/\w+\.py", README.read_text("utf-8"))
BENCHES = sorted(
    str(path.relative_to(ROOT))
    for path in (ROOT / "tests" / "bench").glob("*.py")
    if "ArgumentParser" in path.read_text("utf-8")
)


@pytest.mark.slow
@pytest.mark.parametrize("script", sorted({*SCRIPTS, *BENCHES}))
def test_a_benchmark_starts_from_a_checkout_as_it_is_written(script: str) -> None:
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([sys.executable, script, "--help"], cwd=ROOT, env=environ, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert b"usage:" in done.stdout
