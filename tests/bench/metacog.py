"""Run scripted hook histories (JSONL, path as argument) through the hook service and say which are right.

One case a line: ``{name, hard, setup{git, files, learnings}, events[{at, payload | raw}], expected{silent, signal, after}}``.
``at`` is seconds on a fake clock; ``{{PROJ}}``, ``{{HOME}}``, ``{{OTHER}}`` are folders made for the case;
``@@HUGE:n@@`` stands for n characters. Exit code 1 when a hard case is wrong.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from muninn.config import SensesConfig
from muninn.hooks.learnings import known_rules, learnings_file
from muninn.hooks.service import HookService
from muninn.testing import FakeClock

NAMES = {
    "nociception": "Nociception",
    "o2": "O2",
    "chronos": "Chronos",
    "spatial": "Spatial",
    "vestibular": "Vestibular",
    "digest": "Learned",
}


@dataclass
class Run:
    """What one case led to: the reply of each event, and the faults found."""

    name: str
    hard: bool
    replies: list[dict[str, Any] | None] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def run_case(case: Mapping[str, Any], folder: Path) -> Run:
    """Play a case in ``folder`` and compare with what it expects."""
    places = {name: folder / name.lower() for name in ("PROJ", "HOME", "OTHER")}
    for place in places.values():
        place.mkdir()
    clock = FakeClock()
    start = clock.now()
    _set_up(case.get("setup", {}), places, start)
    service = HookService(SensesConfig(), clock, folder / "state", places["HOME"])
    run = Run(name=case["name"], hard=bool(case.get("hard", True)))
    sure: dict[int, dict[str, float]] = {}
    for number, event in enumerate(case["events"]):
        clock.advance(seconds=(start + timedelta(seconds=event["at"]) - clock.now()).total_seconds())
        run.replies.append(_play(service, event, places))
        rules = known_rules(places["HOME"], places["PROJ"], clock.now())
        sure[number] = {rule.pattern: rule.confidence for rule in rules}
    expected = case["expected"]
    run.faults += [f"event {n} was to be silent: {r}" for n in expected["silent"] if (r := run.replies[n]) is not None]
    for signal in expected["signal"]:
        run.faults += _compare(signal, run.replies)
    for check in expected["after"]:
        run.faults += _after(check, sure, places, clock, case["events"])
    return run


def _play(service: HookService, event: Mapping[str, Any], places: Mapping[str, Path]) -> dict[str, Any] | None:
    if "raw" in event:
        try:
            payload = json.loads(event["raw"])
        except ValueError:
            return None
        return service.handle("PostToolUse", payload)
    text = json.dumps(event["payload"])
    for name, place in places.items():
        text = text.replace("{{" + name + "}}", str(place))
    text = re.sub(r"@@HUGE:(\d+)@@", lambda match: "x" * int(match[1]), text)
    payload = json.loads(text)
    return service.handle(payload["hook_event_name"], payload)


def _set_up(setup: Mapping[str, Any], places: Mapping[str, Path], start: Any) -> None:
    if setup.get("git"):
        (places["PROJ"] / ".git").mkdir()
    for name, text in setup.get("files", {}).items():
        file = places["PROJ"] / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    for line in setup.get("learnings", []):
        file = learnings_file(places["HOME" if line.get("scope") == "global" else "PROJ"])
        file.parent.mkdir(parents=True, exist_ok=True)
        at = start - timedelta(days=line["days_ago"])
        entry = {
            "pattern": line["pattern"],
            "type": line["type"],
            "detected_at": at.isoformat(),
            "lesson": line.get("lesson", ""),
        }
        with file.open("a") as out:
            out.write(json.dumps(entry) + "\n")


def _compare(signal: Mapping[str, Any], replies: Sequence[dict[str, Any] | None]) -> Iterator[str]:
    levels = signal["level"] if isinstance(signal["level"], list) else [signal["level"]]
    heard = [n for n in signal["events"] if NAMES[signal["sense"]] in _text(replies[n])]
    if signal.get("times") == "each" and heard != signal["events"]:
        yield f"{signal['sense']} was heard at {heard}, not at each of {signal['events']}"
    if signal.get("times") == "once" and len(heard) != 1:
        yield f"{signal['sense']} was heard at {heard}, not once among {signal['events']}"
    for n in heard:
        text = _text(replies[n])
        level = 2 if text.startswith("[NOCI") else 1 if text.startswith("[Prop") else 0
        if level not in levels:
            yield f"event {n} has level {level}, not {levels}"
        for key in ("count", "pattern"):
            if key in signal and str(signal[key]) not in text:
                yield f"event {n} does not say {key} {signal[key]}: {text}"


def _text(reply: Mapping[str, Any] | None) -> str:
    return str(reply.get("hookSpecificOutput", {}).get("additionalContext", "")) if reply else ""


def _after(
    check: Mapping[str, Any], sure: Mapping[int, Mapping[str, float]], places: Mapping[str, Path], clock: FakeClock, events: Sequence[Mapping[str, Any]]
) -> Iterator[str]:  # fmt: skip
    if check["check"] == "learnings":
        rules = {rule.pattern: rule for rule in known_rules(places["HOME"], places["PROJ"], clock.now())}
        rule = rules.get(check["pattern"])
        found = (rule.detections, rule.suppressions) if rule else (0, 0)
        if found != (check.get("detections", found[0]), check.get("suppressions", found[1])):
            yield f"{check['pattern']}: {found[0]} detections and {found[1]} suppressions"
    elif check["check"] == "confidence_increases":
        starts: dict[str, int] = {}
        for n, event in enumerate(events):
            starts.setdefault(event.get("payload", {}).get("session_id", ""), n)
        a, b = (sure[starts[point.split()[-1]]].get(check["pattern"], 0.0) for point in check["between"])
        if not b > a:
            yield f"{check['pattern']}: confidence went from {a:.3f} to {b:.3f}"
    elif check["check"] != "exit_codes_zero":
        yield f"unknown check {check['check']}"


def main(path: str) -> int:
    wrong = 0
    for line in Path(path).read_text("utf-8").splitlines():
        with tempfile.TemporaryDirectory() as folder:
            run = run_case(json.loads(line), Path(folder))
        print(f"{'wrong' if run.faults else 'right'}  {run.name}", *(f"\n       {fault}" for fault in run.faults))
        wrong += bool(run.faults and run.hard)
    print(f"{wrong} hard cases wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cases", metavar="CASES.jsonl")
    sys.exit(main(parser.parse_args().cases))
