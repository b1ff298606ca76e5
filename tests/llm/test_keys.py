"""Keys come from two places, and show themselves in none."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

from muninn.errors import ConfigError
from muninn.llm.keys import Key, read_key


def test_the_environment_handed_in_is_the_only_one() -> None:
    assert read_key({}, "ANTHROPIC_API_KEY") is None
    assert read_key({"ANTHROPIC_API_KEY": "  "}, "ANTHROPIC_API_KEY") is None
    key = read_key({"ANTHROPIC_API_KEY": " sk-1\n"}, "ANTHROPIC_API_KEY")
    assert key is not None
    assert key.reveal() == "sk-1"


def test_a_key_file_wins_and_must_be_private(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("sk-file\n")
    file.chmod(0o600)
    key = read_key({"X": "sk-env"}, "X", str(file))
    assert key is not None
    assert key.reveal() == "sk-file"
    file.chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600") as caught:
        read_key({"X": "sk-env"}, "X", str(file))
    assert "sk-file" not in str(caught.value)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"a b", b"a\x00b", b"x" * 5000, "llavé".encode()])
def test_a_strange_key_file_is_one_line_without_the_key(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "key"
    file.write_bytes(content)
    file.chmod(0o600)
    with pytest.raises(ConfigError) as caught:
        read_key({}, "X", str(file))
    assert "\n" not in str(caught.value)
    assert "xxx" not in str(caught.value)


@pytest.mark.parametrize("path", ["/nonexistent/key", "/dev/null", "/"])
def test_no_key_file_is_one_line(path: str) -> None:
    with pytest.raises(ConfigError):
        read_key({}, "X", path)


def test_a_key_does_not_show() -> None:
    key = Key("sk-secret")
    for shown in (repr(key), str(key), f"{key}", f"{[key]}"):
        assert "secret" not in shown
    with pytest.raises(TypeError):
        pickle.dumps(key)
    with pytest.raises(TypeError):
        copy.deepcopy(key)
