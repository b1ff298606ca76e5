"""``muninn calibrate``: do 0.95 and 0.85 mean what they say for the embedder in use?"""

from __future__ import annotations

from typing import Any

import typer

from muninn.ports import Calibration
from muninn_cmd import connect, render
from muninn_cmd.session import current

TOLERANCE = 0.02  # of calibrated similarity, at the two ends of the scale


def calibrate() -> None:
    """Measures the embedder on sentences that muninn brings along, and compares with the bands it uses. Exits 1 when they differ."""
    document = _in_process() or _served()
    render.show(document, lambda: _text(document))
    if not all(check["ok"] for check in document["checks"]):
        raise typer.Exit(1)


def _in_process() -> dict[str, Any] | None:
    """Without store or daemon when the model runs in process; None when it sits behind an endpoint, and so behind the gate."""
    from muninn.config import load
    from muninn.embed import LOCAL_MODELS, Embedders, fit

    config = load(current.environ)
    if config.embed.model not in LOCAL_MODELS:
        return None
    embedder = Embedders(config).default
    measured = fit(embedder)
    return report(embedder.model, embedder.calibration, measured.calibration, measured.unrelated, measured.same)


def _served() -> dict[str, Any]:
    answer = connect.get("/v1/calibrate")
    fit = answer["fit"]
    used, fitted = Calibration(**answer["calibration"]), Calibration(**fit["calibration"])
    return report(answer["model"], used, fitted, fit["unrelated"], fit["same"])


def report(model: str, used: Calibration, fitted: Calibration, unrelated: float, same: float) -> dict[str, Any]:
    """What the bands in use make of pairs that are unrelated and of pairs that say the same."""
    ends = (("unrelated pairs", unrelated, 0.10), ("rewritten pairs", same, 0.95))
    checks = [
        {"name": name, "raw": raw, "similarity": used.a * raw + used.b, "expected": expected,
         "ok": abs(used.a * raw + used.b - expected) <= TOLERANCE}
        for name, raw, expected in ends
    ]  # fmt: skip
    return {
        "model": model,
        "used": {"a": used.a, "b": used.b},
        "fitted": {"a": fitted.a, "b": fitted.b},
        "checks": checks,
    }


def _text(document: dict[str, Any]) -> str:
    lines = [f"{document['model']}: in use {_map(document['used'])}, measured now {_map(document['fitted'])}"]
    for check in document["checks"]:
        mark = "✔" if check["ok"] else "✘"
        lines.append(
            f"{mark} {check['name']}: cosine {check['raw']:.3f} → {check['similarity']:.3f}, expected {check['expected']:.2f}"
        )
    return "\n".join(lines)


def _map(calibration: dict[str, float]) -> str:
    return f"{calibration['a']:.3f}·cos {calibration['b']:+.3f}"
