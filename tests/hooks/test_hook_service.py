"""Scripted histories through the one door: what is said, to whom, and what is learned."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muninn.config import SensesConfig
from muninn.hooks import CANARY

Make = Callable[..., Any]


def known(claude: Any, pattern: str = "error_loop", project: Path | None = None) -> tuple[int, int]:
    rules = {rule["pattern"]: rule for rule in claude.service.learnings(str(project or claude.project))}
    rule = rules.get(pattern, {"detections": 0, "suppressions": 0})
    return rule["detections"], rule["suppressions"]


def test_the_ladder_reaches_agent_and_person(claude: Any) -> None:
    said = claude.loops(5)
    assert said[:2] == ["", ""]
    assert said[2].startswith("[Proprioception]\nNociception")
    assert said[3].startswith("[NOCICEPTIVE INTERRUPT]\nNociception")
    replies = [
        claude.send("PostToolUseFailure", tool_name="Bash", tool_input={"command": "x"}, error=ERROR) for _ in range(6)
    ]
    told = [reply for reply in replies if reply and "systemMessage" in reply]
    assert len(told) == 1
    assert "pandas" in told[0]["systemMessage"]
    assert "hookSpecificOutput" in told[0]


ERROR = "Exit code 1\nModuleNotFoundError: No module named 'pandas'"


def test_a_session_learns_for_the_next_one(claude: Any) -> None:
    assert claude.prompts() == ""
    claude.loops(6)
    claude.session = "B"
    digest = claude.prompts(seconds=4_000)
    assert "error_loop" in digest
    assert known(claude) == (1, 0)
    claude.errs_without_looping()
    claude.session = "C"
    assert "kept away in 1" in claude.prompts(seconds=4_000)
    assert known(claude) == (1, 1)


def test_five_sessions_with_a_working_rule_raise_confidence_each_time(claude: Any) -> None:
    claude.prompts()
    claude.loops()
    sure = []
    for i in range(6):
        claude.session = f"S{i}"
        claude.prompts()
        sure.append(claude.service.learnings(str(claude.project))[0]["confidence"])
        claude.errs_without_looping()
        claude.send("SessionEnd", reason="prompt_input_exit")
    assert all(b > a for a, b in pairwise(sure))
    assert known(claude) == (1, 6)
    (rule,) = claude.service.working_rules()
    assert (rule.pattern, rule.suppressions) == ("error_loop", 6)
    assert rule.lesson


def test_without_the_occasion_there_is_no_evidence(claude: Any) -> None:
    claude.loops()
    claude.session = "B"
    claude.prompts()
    claude.does(command="make")
    claude.send("SessionEnd", reason="other")
    assert known(claude) == (1, 0)


def test_a_rule_not_given_to_the_session_is_not_credited(claude: Any) -> None:
    claude.loops()
    claude.session = "B"
    claude.errs_without_looping()
    claude.send("SessionEnd", reason="other")
    claude.session = "C"
    claude.prompts()
    assert known(claude) == (1, 0)


def test_a_session_counts_once_however_often_it_is_judged(claude: Any) -> None:
    claude.loops()
    for i in range(3):
        claude.send("SessionEnd", reason="other")
        claude.fails()
        claude.session = f"other{i}"
        claude.prompts()
        claude.session = "A"
    assert known(claude) == (1, 0)
    assert sum(line["type"] == "detection" for line in claude.lines(claude.project)) == 1


def test_a_failure_after_an_early_verdict_replaces_it(claude: Any) -> None:
    claude.loops()
    claude.session = "B"
    claude.prompts()
    claude.errs_without_looping()
    claude.session = "C"
    claude.prompts()
    assert known(claude) == (1, 1)
    claude.session = "B"
    claude.loops()
    claude.send("SessionEnd", reason="other")
    assert known(claude) == (2, 0)


def test_the_digest_comes_once_and_survives_compaction_resume_and_restart(claude: Any) -> None:
    claude.loops()
    claude.session = "B"
    claude.send("SessionStart", source="startup")
    assert "error_loop" in claude.prompts()
    assert claude.prompts() == ""
    claude.send("PreCompact", trigger="auto")
    claude.send("SessionStart", source="compact")
    assert claude.prompts() == ""
    claude.restart()
    assert claude.prompts() == ""
    claude.session = "B-resumed"
    claude.send("SessionStart", source="resume")
    assert claude.prompts() == ""
    claude.session = "D"
    claude.send("SessionStart", source="clear")
    assert "error_loop" in claude.prompts()


def test_a_resumed_session_under_a_new_id_is_the_same_evidence(claude: Any) -> None:
    claude.loops()
    claude.send("SessionEnd", reason="other")
    claude.session = "A2"
    claude.send("SessionStart", source="resume")
    claude.loops()
    claude.send("SessionEnd", reason="other")
    assert known(claude) == (1, 0)


def test_59_idle_days_change_nothing(claude: Any) -> None:
    claude.loops()
    claude.send("SessionEnd", reason="other")
    before = claude.service.learnings(str(claude.project))[0]["confidence"]
    claude.clock.advance(days=59)
    assert claude.service.learnings(str(claude.project))[0]["confidence"] == before
    claude.clock.advance(days=30)
    assert claude.service.learnings(str(claude.project))[0]["confidence"] < before


def test_a_project_s_rule_stays_there_until_a_second_project_sees_it(claude: Any) -> None:
    claude.loops()
    claude.send("SessionEnd", reason="other")
    first, second, third = claude.project, claude.folder / "second", claude.folder / "third"
    for place in (second, third):
        (place / ".git").mkdir(parents=True)
    claude.session, claude.project = "B", second
    assert claude.prompts() == ""
    claude.loops()
    claude.send("SessionEnd", reason="other")
    assert {line["session"] for line in claude.lines(claude.home)} == {"A", "B"}
    claude.session, claude.project = "C", third
    assert "error_loop" in claude.prompts()
    assert known(claude, project=first) == known(claude, project=third) == (2, 0)


def test_sessions_agents_and_projects_never_mix(claude: Any) -> None:
    other = claude.folder / "other"
    (other / ".git").mkdir(parents=True)
    lanes = [
        {"session_id": "A"},
        {"session_id": "B"},
        {"session_id": "A", "agent_id": "x"},
        {"session_id": "C", "cwd": str(other)},
    ]
    for _ in range(2):
        assert [claude.fails(ERROR, more=lane, command="python x.py") for lane in lanes] == [""] * 4
    said = [claude.fails(ERROR, more=lane, command="python x.py") for lane in lanes]
    assert all(text.startswith("[Proprioception]") for text in said)


def test_subagent_calls_do_not_age_the_main_thread(claude: Any) -> None:
    claude.prompts()
    for i in range(60):
        assert claude.does("Read", file_path=f"/p/{i}", more={"agent_id": "x"}) == ""
    assert claude.does("Read", file_path="/p/z") == ""


def test_an_answered_question_is_a_word_of_the_person(claude: Any) -> None:
    for i in range(24):
        claude.does("Read", file_path=f"/p/{i}")
    assert claude.does("AskUserQuestion", output={"answers": ["sí"]}, questions=["¿sigo?"]) == ""
    assert [claude.does("Read", file_path=f"/q/{i}") for i in range(24)] == [""] * 24
    assert "Chronos" in claude.does("Read", file_path="/q/z")


def test_a_session_goes_on_after_a_restart(claude: Any) -> None:
    claude.prompts()
    claude.loops(2)
    claude.restart()
    assert claude.loops(2)[0].startswith("[Proprioception]")
    claude.restart()
    for i in range(20):
        claude.does("Read", file_path=f"/p/{i}")
    assert "Chronos" in claude.does("Read", file_path="/p/z")


def test_parallel_calls_are_all_counted(claude: Any) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: claude.does("Read", file_path=f"/p/{i}"), range(40)))
    assert claude.service.calls("A") == 40
    claude.restart()
    assert claude.service.calls("A") == 40


def test_the_working_folder_may_wander_inside_the_project(claude: Any) -> None:
    (claude.project / "deep" / "er").mkdir(parents=True)
    claude.loops(2)
    assert claude.fails(more={"cwd": str(claude.project / "deep" / "er")}).startswith("[Proprioception]")
    claude.fails(more={"cwd": str(claude.project / "deep")})
    claude.send("SessionEnd", reason="other", cwd=str(claude.project / "deep"))
    assert list(claude.project.rglob(".claude")) == [claude.project / ".claude"]


def test_nothing_is_written_into_a_project_that_taught_nothing(claude: Any) -> None:
    claude.prompts()
    claude.does(command="make")
    claude.send("Stop")
    claude.send("SessionEnd", reason="other")
    assert sorted(p.name for p in claude.project.iterdir()) == [".git"]
    assert list(claude.home.iterdir()) == []


def test_secrets_are_kept_nowhere(claude: Any) -> None:
    secret = "hunter2-s3cr3t"
    claude.prompts(f"my password is {secret}")
    for i in range(5):
        claude.fails(
            f"Exit code 1\nfatal: https://bob:{secret}@example.org denied", command=f"TOKEN={secret} git push {i}"
        )
    claude.send("SessionEnd", reason="other")
    files = [file for file in claude.folder.rglob("*") if file.is_file()]
    assert len(files) >= 2
    assert all(secret.encode() not in file.read_bytes() for file in files)


def test_sessions_are_private_and_bounded(claude: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muninn.hooks.sessions.MOST", 5)
    for i in range(12):
        claude.session = f"S{i}"
        claude.does(command="make")
    files = list((claude.folder / "state").iterdir())
    assert len(files) == 5
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert (claude.folder / "state").stat().st_mode & 0o777 == 0o700
    assert claude.service.calls("S11") == 1
    assert claude.service.calls("S0") == 0


def test_a_damaged_session_file_is_a_new_session(claude: Any) -> None:
    claude.loops(2)
    for file in (claude.folder / "state").iterdir():
        file.write_bytes(file.read_bytes()[:50])
    claude.restart()
    assert claude.fails() == ""
    assert claude.service.calls("A") == 1


def test_a_resolved_failure_is_proposed_only_when_asked_for(make_claude: Make) -> None:
    claude = make_claude(config=SensesConfig(propose_memories=True), language="es")
    for _ in range(4):
        claude.fails(command="python run.py")
    claude.does("Edit", file_path="/p/requirements.txt", output={"success": True})
    claude.does(command="pip install pandas")
    claude.does(command="python run.py")
    claude.send("Stop")
    claude.send("SessionEnd", reason="other")
    (body,) = claude.remembered
    assert body["kind"] == "procedure"
    assert "pip install pandas" in body["content"]
    assert "falló 4 veces" in body["content"]
    assert body["provenance"]["session_id"] == "A"


def test_by_default_nothing_is_proposed(claude: Any) -> None:
    for _ in range(4):
        claude.fails(command="python run.py")
    claude.does(command="python run.py")
    claude.send("SessionEnd", reason="other")
    assert claude.remembered == []


def test_importers_are_counted_after_a_write(claude: Any) -> None:
    source = claude.project / "src"
    source.mkdir()
    (source / "router.py").write_text("R = 1\n")
    for i in range(7):
        (source / f"page{i}.py").write_text("from .router import R\n")
    said = claude.does("Edit", file_path=str(source / "router.py"), output={"success": True})
    assert said.startswith("[Proprioception]\nSpatial")
    assert "7 files" in said
    assert claude.does("Write", file_path=str(source / "page1.py"), output={}) == ""


def test_the_ripple_sense_can_be_switched_off(make_claude: Make) -> None:
    claude = make_claude(config=SensesConfig(spatial=False))
    for i in range(7):
        (claude.project / f"page{i}.py").write_text("import router\n")
    (claude.project / "router.py").write_text("")
    assert claude.does("Edit", file_path=str(claude.project / "router.py"), output={}) == ""


def test_the_canary_answers_and_leaves_no_trace(claude: Any) -> None:
    assert claude.send(CANARY, nonce="n1") == {"muninn": "canary", "nonce": "n1"}
    assert not (claude.folder / "state").exists()


@pytest.mark.parametrize(
    "payload", [[1, 2], None, {}, "x", 3, {"session_id": "a"}, {"session_id": 3, "hook_event_name": "PostToolUse"}]
)
def test_what_is_no_event_is_silent_and_leaves_no_trace(claude: Any, payload: Any) -> None:
    assert claude.service.handle("PostToolUse", payload) is None
    assert not (claude.folder / "state").exists() or not list((claude.folder / "state").iterdir())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
EVENTS = [
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "Stop",
    "SessionEnd",
    "Elsewhere",
]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(
    st.sampled_from(EVENTS),
    st.dictionaries(
        st.sampled_from(["session_id", "cwd", "tool_name", "tool_input", "tool_response", "error", "prompt", "source", "agent_id", "transcript_path", "muninn_lengths"]),
        JSON,
    ),
)  # fmt: skip
def test_any_payload_is_survived(
    claude: Any, caplog: pytest.LogCaptureFixture, event: str, fields: dict[str, Any]
) -> None:
    reply = claude.service.handle(event, {"session_id": "fuzz", "tool_name": "Bash", **fields})
    assert reply is None or json.dumps(reply)
    assert not [record for record in caplog.records if record.exc_info]
