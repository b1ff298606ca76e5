"""The five senses: when they speak, and when they do not."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Protocol

import pytest

from muninn.senses.table import SENSES, Signal
from muninn.senses.window import SenseLimits, Window, compacted

PANDAS = "Exit code 1\nModuleNotFoundError: No module named 'pandas'"


class Worker(Protocol):
    limits: SenseLimits
    now: object
    window: Window

    def did(
        self, tool: str, *, dependants: int | None = None, output: str = "fine", **given: object
    ) -> tuple[Signal, ...]: ...
    def failed(self, tool: str, error: str, **given: object) -> tuple[Signal, ...]: ...
    def hears(self) -> None: ...


def names(signals: Iterable[Signal]) -> list[str]:
    return [signal.sense for signal in signals]


def levels(agent: Worker, times: int, error: str = PANDAS) -> list[int]:
    """The level of what is said after each of ``times`` failures, 0 for silence."""
    return [
        max((s.level for s in agent.failed("Bash", error, command=f"python x.py {i}")), default=0) for i in range(times)
    ]


def test_two_equal_errors_are_trial_three_a_remark_four_an_interrupt(agent: Worker) -> None:
    assert levels(agent, 4) == [0, 0, 1, 2]


def test_the_ladder_goes_from_a_question_to_advice_to_the_person(agent: Worker) -> None:
    said = [s for i in range(12) for s in agent.failed("Bash", PANDAS, command=f"python x.py {i}")]
    interrupts = [s for s in said if s.level == 2]
    assert "?" in interrupts[0].text
    assert "documentation" in interrupts[1].text
    assert [s.person is not None for s in interrupts] == [False, False, True]
    assert "pandas" in str(interrupts[2].person)


def test_different_errors_are_exploration(agent: Worker) -> None:
    errors = ["KeyError: 'a'", "KeyError: 'b'", "SyntaxError: bad", "fatal: not a git repository", "KeyError: 'c'"]
    assert [agent.failed("Bash", e, command="python x.py") for e in errors] == [()] * 5


def test_looking_around_does_not_close_the_case(agent: Worker) -> None:
    assert levels(agent, 4)[-1] == 2
    for name in ("a", "b", "c"):
        assert agent.did("Read", file_path=f"/p/{name}.py") == ()
    assert levels(agent, 1) == [2]


def test_success_of_what_failed_closes_the_case(agent: Worker) -> None:
    levels(agent, 4)
    agent.did("Bash", command="python x.py 9")
    assert agent.window.pain is None
    assert agent.window.cures[0].count == 4
    assert levels(agent, 3) == [0, 0, 1]


def test_success_of_something_else_does_not(agent: Worker) -> None:
    levels(agent, 3)
    agent.did("Bash", command="npm run lint")
    assert agent.window.pain is not None
    assert levels(agent, 1) == [2]


def test_the_same_error_after_each_edit_is_felt(agent: Worker) -> None:
    heard: list[Signal] = []
    for i in range(3):
        agent.did("Edit", file_path="/p/x.py", old_string=f"a{i}", new_string="b")
        heard += agent.failed("Bash", "Exit code 1\nAssertionError: 3 failed in 0.2s", command="pytest -q")
    assert names(heard) == ["nociception"]


def test_fewer_failures_after_each_edit_are_progress(agent: Worker) -> None:
    for left in (5, 4, 3, 2, 1):
        agent.did("Edit", file_path="/p/x.py", old_string=f"a{left}", new_string="b")
        assert agent.failed("Bash", f"Exit code 1\nAssertionError: {left} failed in 0.2s", command="pytest -q") == ()


def test_a_scattered_error_is_no_run(agent: Worker) -> None:
    for i in range(4):
        assert agent.failed("Bash", PANDAS, command=f"python x.py {i}") == ()
        for j in range(4):
            assert agent.did("Bash", command=f"echo {i} {j} > out{i}{j}") == ()


def test_interrupts_leave_room_to_act(agent: Worker) -> None:
    heard = levels(agent, 30)
    assert heard[:9] == [0, 0, 1, 2, 0, 2, 0, 2, 0]
    assert sum(level == 2 for level in heard) <= 6


def fill(agent: Worker, calls: int = 10, size: int = 300) -> None:
    for i in range(calls):
        agent.did("Read", file_path=f"/p/s{i}.py", output="x" * size)


def test_three_large_outputs_in_a_row_are_a_spike_and_said_once(agent: Worker) -> None:
    fill(agent)
    heard = [names(agent.did("Read", file_path=f"/p/big{i}", output="x" * 50_000)) for i in range(6)]
    assert heard == [[], [], ["o2"], [], [], []]


@pytest.mark.parametrize("sizes", [[50_000, 300, 300], [50_000, 300, 50_000, 300], [800] * 6])
def test_single_large_outputs_and_small_growth_are_not(agent: Worker, sizes: list[int]) -> None:
    fill(agent)
    assert [agent.did("Read", file_path=f"/p/b{i}", output="x" * n) for i, n in enumerate(sizes)] == [()] * len(sizes)


def test_without_a_baseline_there_is_no_spike(agent: Worker) -> None:
    fill(agent, 5)
    assert [agent.did("Read", file_path=f"/p/b{i}", output="x" * 50_000) for i in range(5)] == [()] * 5


def test_after_compaction_the_spike_is_gone(agent: Worker) -> None:
    fill(agent)
    for i in range(2):
        agent.did("Read", file_path=f"/p/b{i}", output="x" * 50_000)
    agent.window = compacted(agent.window)
    assert agent.did("Read", file_path="/p/b2", output="x" * 50_000) == ()


def test_time_is_felt_at_25_calls_and_at_50_and_a_word_resets_it(agent: Worker) -> None:
    heard = [i for i in range(1, 61) if names(agent.did("Read", file_path=f"/p/{i}")) == ["chronos"]]
    assert heard == [25, 50]
    agent.hears()
    assert [agent.did("Read", file_path=f"/q/{i}") for i in range(24)] == [()] * 24
    assert names(agent.did("Read", file_path="/q/last")) == ["chronos"]


def test_time_is_felt_after_15_minutes_once(agent: Worker) -> None:
    agent.did("Read", file_path="/p/a")
    agent.now += timedelta(minutes=15)  # type: ignore[operator]
    assert names(agent.did("Read", file_path="/p/b")) == ["chronos"]
    assert agent.did("Read", file_path="/p/c") == ()


def test_the_same_step_four_times_is_a_circle_said_once(agent: Worker) -> None:
    heard = [names(agent.did("Grep", pattern="loadConfig", path="/p")) for _ in range(8)]
    assert heard == [[], [], [], ["vestibular"], [], [], [], []]


@pytest.mark.parametrize("length", [2, 3, 4])
def test_longer_circles_are_felt(agent: Worker, length: int) -> None:
    heard = [names(agent.did("Grep", pattern=f"p{i % length}", path="/p")) for i in range(length * 3)]
    assert heard == [[]] * (length * 3 - 1) + [["vestibular"]]


def test_an_edit_a_word_or_another_page_is_no_circle(agent: Worker) -> None:
    for i in range(6):
        assert agent.did("Bash", command="pytest -q") == ()
        assert agent.did("Edit", file_path="/p/a", old_string=str(i), new_string="x") == ()
    for i in range(6):
        assert agent.did("Read", file_path="/p/a", offset=i * 100, limit=100) == ()
    for _ in range(3):
        agent.hears()
        assert [agent.did("Bash", command="pytest -q") for _ in range(2)] == [(), ()]
    agent.hears()
    for i in range(6):
        assert agent.did("mcp__x__query", sql=f"select {i}") == ()


def test_waiting_is_no_circle(agent: Worker) -> None:
    assert [agent.did("TaskOutput", task_id="1") for _ in range(8)] == [()] * 8
    assert [agent.did("Bash", command="sleep 20; gh run view 5") for _ in range(8)] == [()] * 8


def test_repeated_failure_is_an_error_not_a_circle(agent: Worker) -> None:
    heard = [s.sense for _ in range(8) for s in agent.failed("Bash", PANDAS, command="python x.py")]
    assert set(heard) == {"nociception"}


def test_a_ripple_is_said_once_a_file_and_only_when_wide(agent: Worker) -> None:
    signals = agent.did("Edit", file_path="/p/src/router.ts", dependants=14)
    assert names(signals) == ["spatial"]
    assert "14" in signals[0].text
    assert "router.ts" in signals[0].text
    assert agent.did("Edit", file_path="/p/src/router.ts", dependants=14, old_string="2") == ()
    assert agent.did("Edit", file_path="/p/src/a.ts", dependants=4) == ()
    assert agent.did("Edit", file_path="/p/src/b.ts") == ()


def test_a_subagent_has_no_person_to_keep_waiting(agent: Worker) -> None:
    agent.window = Window(spoke_at=agent.window.spoke_at, main=False)
    assert [agent.did("Read", file_path=f"/p/{i}") for i in range(60)] == [()] * 60


def test_every_sense_is_silent_on_an_empty_window() -> None:
    from datetime import UTC, datetime

    at = datetime(2026, 1, 1, tzinfo=UTC)
    assert [sense(Window(spoke_at=at), SenseLimits(), at) for sense in SENSES] == [None] * 5


def test_a_threshold_of_zero_switches_its_sense_off(agent: Worker) -> None:
    agent.limits = SenseLimits(
        o2_ratio=0, chronos_minutes=0, chronos_calls=0, nociception_errors=0, spatial_dependants=0, vestibular_repeats=0
    )
    fill(agent)
    assert [agent.did("Read", file_path="/p/big", output="x" * 90_000, dependants=9) for _ in range(30)] == [()] * 30
    assert agent.did("Write", file_path="/p/x", dependants=99) == ()
    assert levels(agent, 9) == [0] * 9


def test_signals_are_short(agent: Worker) -> None:
    long = "error: " + "x" * 5_000
    said = [s for i in range(9) for s in agent.failed("Bash", long, command="y" * 5_000)]
    assert said
    assert all(len(s.text) < 600 for s in said)
