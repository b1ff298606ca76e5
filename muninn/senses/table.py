"""The five senses, in a table. Each is ``sense(window, limits, now) -> Signal | None``; what was said already is not said again.

A signal states facts in one or two sentences, names its sense, and fits in a few hundred characters. ``key`` is what is
remembered as said; it may be said again after ``rest`` actions (None: not while the key stays the same).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from muninn.senses.action import Action, Doing
from muninn.senses.window import BASELINE, Pain, SenseLimits, Window

RECENT = 3  # calls that make a spike
LONGEST_CYCLE = 4
INTERRUPT_GAP = 2  # actions between two interrupts of one run of errors
REMEMBERED_SIGNALS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """``level`` 1 is a quiet remark, 2 an interrupt. ``person`` names the trouble for the person, when they should know."""

    sense: str
    text: str
    key: str
    rest: int | None
    level: int = 1
    person: str | None = None


Sense = Callable[[Window, SenseLimits, datetime], Signal | None]


def o2(window: Window, limits: SenseLimits, now: datetime) -> Signal | None:  # noqa: ARG001
    """The context is filling: each of the last 3 calls brought at least 3 times the mean of the session's first 10."""
    if (
        limits.o2_ratio <= 0
        or len(window.baseline) < BASELINE
        or len(window.actions) < RECENT
        or window.calls < BASELINE + RECENT - 2
    ):
        return None
    usual = max(1.0, sum(window.baseline) / len(window.baseline))
    recent = [action.tokens for action in window.actions[-RECENT:]]
    if min(recent) < limits.o2_ratio * usual or sum(recent) < RECENT * limits.o2_least_tokens:
        return None
    text = (
        f"O2 (context): the last {RECENT} calls brought about {sum(recent):,} tokens into the context, "
        f"{sum(recent) / RECENT / usual:.0f} times the usual size in this session. Reading in parts, searching first, "
        "or a subagent keeps it smaller."
    )
    return Signal(sense="o2", text=text, key="o2", rest=limits.cooldown_actions)


def chronos(window: Window, limits: SenseLimits, now: datetime) -> Signal | None:
    """Time passes: 15 minutes or 25 calls since the person spoke, and again at each multiple. Main thread only."""
    if not window.main or not window.alone:
        return None
    minutes = (now - window.spoke_at).total_seconds() / 60
    by_time = int(minutes // limits.chronos_minutes) if limits.chronos_minutes > 0 else 0
    by_calls = window.alone // limits.chronos_calls if limits.chronos_calls > 0 else 0
    level = max(by_time, by_calls)
    if level < 1:
        return None
    clock = f" and {minutes:.0f} minutes" if by_time else ""
    text = f"Chronos (time): {window.alone} tool calls{clock} since the user last spoke. A short word on where things stand may save both sides time."
    return Signal(sense="chronos", text=text, key=f"chronos:{level}", rest=None)


def nociception(window: Window, limits: SenseLimits, now: datetime) -> Signal | None:  # noqa: ARG001
    """The same error keeps coming: a remark at the 3rd, interrupts from the 4th. Different errors are exploration."""
    pain = window.pain
    if (
        limits.nociception_errors < 1
        or pain is None
        or pain.call != window.calls
        or pain.count < limits.nociception_errors
    ):
        return None
    if pain.count == limits.nociception_errors:
        text = f"Nociception (errors): {pain.count} calls in a row failed with the same error: {_quoted(pain)}. The cause may lie elsewhere than in what was varied."
        return Signal(sense="nociception", text=text, key=f"nociception:{pain.call}", rest=None)
    gap = INTERRUPT_GAP if pain.interrupts < len(_LADDER) else limits.cooldown_actions
    if pain.interrupts and window.calls - pain.interrupted_at < gap:
        return None
    text = _LADDER[min(pain.interrupts, len(_LADDER) - 1)].format(n=pain.count, error=_quoted(pain))
    told = pain.interrupts >= len(_LADDER) - 1
    person = f"{pain.count}× {pain.error.excerpt or pain.attempt}" if told else None
    return Signal(sense="nociception", text=text, key=f"nociception:{pain.call}", rest=None, level=2, person=person)


_LADDER = (
    (
        "Nociception (errors): this error has now come back {n} times: {error}. What do all {n} attempts take for granted, and "
        "which read-only check would show whether it holds?"
    ),
    (
        "Nociception (errors): {n} attempts ended in the same error: {error}. Variations of this approach do not work here. "
        "What has not been tried: reading the documentation or the source of the failing part, or a working example of it."
    ),
    (
        "Nociception (errors): {n} attempts ended in the same error: {error}. The user has been told. Stating what was tried and "
        "asking the user how to go on is the next useful step."
    ),
)


def _quoted(pain: Pain) -> str:
    return f"«{pain.error.excerpt}»" if pain.error.excerpt else f"no message, from {pain.attempt}"


def spatial(window: Window, limits: SenseLimits, now: datetime) -> Signal | None:  # noqa: ARG001
    """An edit ripples: at least 5 files import the one just written. Counted by the caller, silent when it is not known."""
    action = window.actions[-1] if window.actions else None
    if action is None or action.doing is not Doing.EDIT or action.failed or action.dependants is None:
        return None
    if limits.spatial_dependants < 1 or action.dependants < limits.spatial_dependants:
        return None
    name = action.target.replace("\\", "/").rsplit("/", 1)[-1]
    text = f"Spatial (dependants): {action.dependants} files import {name}, which was just changed."
    return Signal(sense="spatial", text=text, key=f"spatial:{action.target}", rest=None)


def vestibular(window: Window, limits: SenseLimits, now: datetime) -> Signal | None:  # noqa: ARG001
    """Going in circles: a cycle of 1–4 actions, tool and arguments equal, came round repeatedly with no edit between."""
    pain = window.pain
    if limits.vestibular_repeats < 1 or (
        pain and pain.call == window.calls and 0 < limits.nociception_errors <= pain.count
    ):
        return None  # repeated failure is felt as an error
    steps = _steps(window)
    for length in range(1, LONGEST_CYCLE + 1):
        times = max(2, limits.vestibular_repeats - (length > 1))
        tail = steps[-length * times :]
        keys = [(step.key, step.error.strict if step.error else None) for step in tail]
        if len(tail) == length * times and all(key == keys[i % length] for i, key in enumerate(keys)):
            what = ", ".join(dict.fromkeys(f"{step.tool} {step.label}"[:60] for step in tail[-length:]))
            text = f"Vestibular (direction): the same {_counted(length)} came round {times} times with nothing changed in between: {what}. The answer will be the same again."
            return Signal(sense="vestibular", text=text, key="vestibular", rest=limits.cooldown_actions)
    return None


def _steps(window: Window) -> list[Action]:
    """Actions since the person spoke or a file was written, without waiting and bookkeeping."""
    steps: list[Action] = []
    for action in reversed(window.actions[-window.alone :] if window.alone else ()):
        if action.doing is Doing.EDIT and not action.failed:
            break
        if action.doing is not Doing.WAIT and not action.bookkeeping:
            steps.append(action)
    return steps[::-1]


def _counted(length: int) -> str:
    return "action" if length == 1 else f"{length} actions"


SENSES: tuple[Sense, ...] = (nociception, o2, vestibular, spatial, chronos)


def perceive(window: Window, limits: SenseLimits, now: datetime) -> tuple[tuple[Signal, ...], Window]:
    """What the senses have to say after the last action, without what was said already; and the window that knows it."""
    signals: list[Signal] = []
    for sense in SENSES:
        signal = sense(window, limits, now)
        if signal is not None and not _said(window, signal):
            signals.append(signal)
            window = _after(window, signal)
    return tuple(signals), window


def _said(window: Window, signal: Signal) -> bool:
    last = window.said.get(signal.key)
    return last is not None and (signal.rest is None or window.calls - last < signal.rest)


def _after(window: Window, signal: Signal) -> Window:
    said = {key: call for key, call in window.said.items() if key != signal.key}
    said[signal.key] = window.calls
    while len(said) > REMEMBERED_SIGNALS:
        del said[next(iter(said))]
    tallies = window.tallies
    if signal.sense == "vestibular":
        tallies = replace(tallies, cycles=tallies.cycles + 1)
    if signal.sense == "o2":
        tallies = replace(tallies, floods=tallies.floods + 1)
    pain = window.pain
    if signal.level == 2 and pain is not None:
        pain = replace(pain, interrupts=pain.interrupts + 1, interrupted_at=window.calls)
    return replace(window, said=said, tallies=tallies, pain=pain)
