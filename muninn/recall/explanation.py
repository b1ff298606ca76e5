"""Why a memory came back: its score taken apart, and one sentence that says the most important thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from muninn.domain.memory import Memory
from muninn.domain.trust import Tier
from muninn.recall.holdings import Holdings
from muninn.recall.scoring import Modulation
from muninn.recall.spreading import BESIDE_IT, Spread

SHOWN_TITLE = 60  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What spoke for one memory, before memories are compared with one another. All 0–1 but the modulation.

    ``foreign``: in a known language other than the one of the query. ``timely``: from the time asked about; ``names_time``:
    spells it out.
    """

    memory: Memory
    meaning: float
    wording: float
    relevance: float
    foreign: bool
    spread: Spread | None
    timely: bool
    names_time: bool
    modulation: Modulation
    score: float

    @property
    def strength(self) -> float:
        return (self.modulation.strength + 1.0) / 2.0


def components(evidence: Evidence, matched: Sequence[str], score: float) -> Mapping[str, object]:
    """Plain JSON data."""
    spread = evidence.spread
    return {
        "meaning": round(evidence.meaning, 4),
        "wording": round(evidence.wording, 4),
        "words": list(matched),
        "relevance": round(evidence.relevance, 4),
        "other_language": evidence.foreign,
        "spreading": 0.0 if spread is None else round(spread.activation, 4),
        "path": [] if spread is None else [{"id": step, "relation": relation} for step, relation in spread.path],
        "in_time": evidence.timely,
        "names_time": evidence.names_time,
        "strength": round(evidence.strength, 4),
        "modulation": {
            "strength": round(evidence.modulation.strength, 4),
            "confidence": round(evidence.modulation.confidence, 4),
            "relevance": round(evidence.modulation.relevance, 4),
            "recency": round(evidence.modulation.recency, 4),
            "factor": round(evidence.modulation.factor, 4),
        },
        "before_succession": round(evidence.score, 6),
        "score": round(score, 6),
    }


def sentence(evidence: Evidence, matched: Sequence[str], score: float, holdings: Holdings) -> str:
    """One sentence, e.g. ``covers 80% of the query (port, staging) and is close in meaning (0.62)``."""
    parts: list[str] = []
    if matched and evidence.wording > 0:
        parts.append(f"covers {evidence.wording:.0%} of the query ({', '.join(matched[:5])})")
    if evidence.meaning > 0:
        across = " across languages" if evidence.foreign else ""
        parts.append(f"is {_closeness(evidence.meaning)} in meaning ({evidence.meaning:.2f}){across}")
    if evidence.spread is not None and (not parts or evidence.spread.activation > 0.05):
        parts.append(_way(evidence.memory, evidence.spread, holdings))
    if evidence.timely:
        parts.append("is from the time asked about")
    elif evidence.names_time:
        parts.append("names the time asked about")
    memory = evidence.memory
    if memory.superseded_by:
        there = memory.superseded_by in holdings.memories
        by = memory.superseded_by if there else "a memory that was erased or never imported"
        parts.append(f"was replaced by {by}")
    elif score > evidence.score + 1e-9:
        parts.append("goes before an older memory on the same thing")
    elif score < evidence.score - 1e-9:
        parts.append("stands behind a newer memory on the same thing")
    if memory.confidence < 0.5:
        parts.append(f"is doubted (confidence {memory.confidence:.2f})")
    return "; ".join(parts) or "follows from what it is connected to"


def _closeness(meaning: float) -> str:
    return "very close" if meaning >= 0.75 else "close" if meaning >= 0.4 else "loosely close"


def _way(memory: Memory, spread: Spread, holdings: Holdings) -> str:
    """Names the memory it came by; the title of a legal one is its text, and stays among legal memories."""
    step, relation = spread.path[-1]
    source = holdings.memories.get(step)
    hidden = source is None or (source.tier is Tier.LEGAL and memory.tier is not Tier.LEGAL)
    named = step if source is None or hidden else f"{step} ({source.title[:SHOWN_TITLE]})"
    return f"was written next to {named}" if relation == BESIDE_IT else f"is reached from {named} over {relation}"
