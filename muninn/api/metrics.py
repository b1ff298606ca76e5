"""The status document as Prometheus text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_GAUGES = (
    ("muninn_memories", "memories", "Active memories"),
    ("muninn_vaults", "vaults", "Vaults"),
    ("muninn_embedding_pending", "embedding_pending", "Memories that wait for their vector"),
    ("muninn_dream_due", "dream_due", "1 when a dream is due at the next start"),
    ("muninn_writes_total", "writes", "Creates, content edits and supersessions"),
)


def prometheus(status: Mapping[str, Any]) -> str:
    """One gauge per figure; the state as a labelled 1."""
    lines = []
    for name, key, text in _GAUGES:
        kind = "counter" if name.endswith("_total") else "gauge"
        lines += [f"# HELP {name} {text}.", f"# TYPE {name} {kind}", f"{name} {int(status.get(key) or 0)}"]
    store = status.get("store") or {}
    for key in ("fragments", "pending_rows", "bytes", "free_bytes"):
        if key in store:
            lines += [f"# TYPE muninn_store_{key} gauge", f"muninn_store_{key} {store[key]}"]
    lines += [
        "# HELP muninn_state 1 for the present state.",
        "# TYPE muninn_state gauge",
        f'muninn_state{{state="{status["state"]}"}} 1',
    ]
    gate = status.get("gate") or {}
    lines += ["# TYPE muninn_gate_open gauge", f"muninn_gate_open {int(bool(gate.get('open')))}"]
    return "\n".join(lines) + "\n"
