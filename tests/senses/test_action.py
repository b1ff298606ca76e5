"""What the senses see of a call."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn.senses.action import LENGTHS, Action, Doing, read_action

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


def seen(tool: str, given: object, response: object = None, **more: Any) -> Action:
    action = read_action({"tool_name": tool, "tool_input": given, "tool_response": response, **more}, failure=False)
    assert action is not None
    return action


def failed(tool: str, given: object, error: str) -> Action:
    action = read_action({"tool_name": tool, "tool_input": given, "error": error}, failure=True)
    assert action is not None
    return action


@pytest.mark.parametrize(
    ("command", "doing"),
    [
        ("git status --short", Doing.LOOK),
        ("cd app && ls -la | head -3", Doing.LOOK),
        ("grep -rn 'a -> b' src 2>/dev/null", Doing.LOOK),
        ("sed -n 1,20p x.py", Doing.LOOK),
        ("sed -i s/a/b/ x.py", Doing.EDIT),
        ("echo hola > notas.txt", Doing.EDIT),
        ("cat > x.py <<'EOF'\nprint(1)\nEOF", Doing.EDIT),
        ("pytest -q 2>&1", Doing.RUN),
        ("FOO=1 timeout 60 make test", Doing.RUN),
        ("sleep 30 && gh run view 5", Doing.WAIT),
        ("git commit -m x", Doing.RUN),
    ],
)
def test_a_command_looks_edits_runs_or_waits(command: str, doing: Doing) -> None:
    assert seen("Bash", {"command": command}).doing is doing


def test_words_in_successful_output_are_no_error() -> None:
    assert not seen("Bash", {"command": "pytest"}, {"stdout": "ERROR: 0 failed", "stderr": "error: none"}).failed


@pytest.mark.parametrize(
    "response",
    [{"stdout": "", "stderr": "boom", "exitCode": 2}, {"isError": True, "content": [{"type": "text", "text": "boom"}]}, {"success": False, "error": "boom"}],
)  # fmt: skip
def test_a_response_can_report_its_own_failure(response: dict[str, Any]) -> None:
    action = seen("mcp__x__y", {}, response)
    assert action.failed
    assert action.error is not None
    assert action.error.excerpt == "boom"


def test_an_interruption_by_the_person_is_no_action() -> None:
    assert read_action({"tool_name": "Bash", "error": "Interrupted", "is_interrupt": True}, failure=True) is None


def test_a_search_without_hits_is_no_error() -> None:
    assert not failed("Bash", {"command": "grep -rn foo src"}, "Exit code 1").failed
    assert failed("Bash", {"command": "make"}, "Exit code 1").failed


def test_only_what_reaches_the_model_counts() -> None:
    file = "x" * 400_000
    edit = seen(
        "Edit",
        {"file_path": "/p/a", "old_string": "a", "new_string": "b"},
        {"originalFile": file, "structuredPatch": [file]},
    )
    assert edit.tokens < 100
    assert seen("Bash", {"command": "make"}, {"stdout": file}).tokens < 8_000
    assert seen(
        "Read", {"file_path": "/p/a"}, {"type": "text", "file": {"content": "y" * 40_000}}
    ).tokens == pytest.approx(10_000, rel=0.01)
    assert seen("Read", {"file_path": "/p/a.png"}, {"type": "image", "file": {"base64": file}}).tokens < 2_000


def test_what_the_hook_cut_counts_in_full() -> None:
    response = {"type": "text", "file": {"content": "y" * 10}}
    action = seen("Read", {"file_path": "/p/a"}, response, **{LENGTHS: {"/tool_response/file/content": 60_000}})
    assert action.tokens > 14_000
    patch = {"originalFile": "y" * 10}
    assert seen("Edit", {"file_path": "/p/a"}, patch, **{LENGTHS: {"/tool_response/originalFile": 60_000}}).tokens < 100


def test_the_key_knows_the_arguments_and_not_the_remarks() -> None:
    key = seen("Bash", {"command": "make  test", "description": "first", "timeout": 5}).key
    assert key == seen("Bash", {"description": "again", "command": "make test"}).key
    assert key != seen("Bash", {"command": "make tests"}).key
    page = {"file_path": "/p/a", "offset": 0, "limit": 100}
    assert seen("Read", page).key != seen("Read", {**page, "offset": 100}).key


def test_attempts_at_the_same_thing_are_told_from_others() -> None:
    def attempt(command: str) -> str:
        return seen("Bash", {"command": command}).attempt

    assert attempt("cd x && pytest -q tests/a.py") == attempt("pytest tests/a.py -x")
    assert attempt("python run.py 1") == attempt("python run.py 2")
    assert attempt("npm run build") != attempt("npm run test")


def test_secrets_in_commands_are_not_kept() -> None:
    action = seen("Bash", {"command": "curl -H 'Authorization: Bearer abcdefghijk' https://bob:hunter2@example.org"})
    assert "hunter2" not in repr(action)
    assert "abcdefghijk" not in repr(action)


@given(JSON, JSON, JSON, st.booleans())
def test_any_payload_is_an_action_or_nothing(given: Any, response: Any, error: Any, failure: bool) -> None:
    payload = {"tool_name": "Bash", "tool_input": given, "tool_response": response, "error": error}
    action = read_action(payload, failure=failure)
    assert action is None or action.tokens >= 0
    assert read_action({"tool_name": given}, failure=failure) is None or isinstance(given, str)
