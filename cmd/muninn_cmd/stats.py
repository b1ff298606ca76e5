"""``muninn stats``: the shape of the store, drawn."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from muninn_cmd import charts, connect, files, render
from muninn_cmd.charts import Series

TITLES = {
    "vaults": "Memories by vault",
    "states": "Memories by state",
    "kinds": "Memories by kind",
    "dreams": "Dreams by day",
}
BUCKETS = 30  # days drawn one by one; more are drawn by month


def stats(
    *, output: Annotated[Path | None, typer.Option("--output", "-o", help="Draw it into this SVG file.")] = None
) -> None:
    """How strong memories are, how they grew, what dreams did."""
    document = connect.get("/v1/stats")
    drawn = panels(document)
    if output is not None:
        files.write(output, charts.svg(drawn).encode("utf-8"))
    text = f"Drew {output}" if output else "\n\n".join(charts.bars(title, rows) for title, rows in drawn)
    render.show(document, lambda: text)


def panels(document: dict[str, Any]) -> list[tuple[str, Series]]:
    """The figures as titled series of labelled numbers."""
    found: list[tuple[str, Series]] = [
        ("Strength of active memories", histogram(document.get("strength") or [], 0.0, 1.0)),
        ("Stability in days", histogram(document.get("stability") or [], 0.0, 365.0)),
        ("New memories", over_time(document.get("born") or {})),
    ]
    days = Counter(str(dream.get("started_at"))[:10] for dream in document.get("dreams") or ())
    for key, value in {**document, "dreams": dict(days)}.items():
        if key in TITLES and isinstance(value, dict):
            rows = (
                over_time(value) if key == "dreams" else [(str(name), float(amount)) for name, amount in value.items()]
            )
            found.append((TITLES[key], rows))
    return found


def histogram(values: list[float], low: float, high: float, bins: int = 10) -> Series:
    """How many values lie in each of ``bins`` equal parts of ``low`` to ``high``; what lies outside counts at the edge."""
    width = (high - low) / bins
    counts = Counter(min(max(int((value - low) / width), 0), bins - 1) for value in values)
    return [(f"{low + i * width:g}–{low + (i + 1) * width:g}", float(counts[i])) for i in range(bins)] if values else []


def over_time(by_day: dict[str, int]) -> Series:
    """Amounts by day, or by month when there are many days."""
    grouped: Counter[str] = Counter()
    for day, amount in by_day.items():
        grouped[day if len(by_day) <= BUCKETS else day[:7]] += int(amount)
    return [(label, float(amount)) for label, amount in sorted(grouped.items())]
