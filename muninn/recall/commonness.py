"""How much a word says, whatever is stored: weights from a fixed table of common words in a hundred languages.

The table is fixed so that a query's scores do not move when memories about other things are added. Only for words that
are rare in general, and then in four wide steps, does it count how many memories about the matter hold them
(``weighing``).

``commonness.txt``: ten lines, each a class 0 (in every text) to 9 and its folded words. The classes are negative log
frequencies from 10 to 12.5 nats, read off the unigram vocabulary of XLM-RoBERTa (MIT licence); Hindi was added by hand.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

from muninn.recall.tokens import stem

LEAST = 0.1
"""Weight of the most common words; a word outside the table weighs 1."""

SETTLED_BELOW = 0.5
"""Words below this weight are common everywhere: how many memories hold them says nothing more."""

IDLE = 0.2
"""Weight up to which a word is in texts about anything."""

_STEPS = ((16, 1.0), (32, 0.5), (64, 0.25))
_MOST_FREQUENT = 0.15


@cache
def table() -> dict[str, float]:
    """Weight per stem, for stems of common words only."""
    weights: dict[str, float] = {}
    text = resources.files("muninn.recall").joinpath("commonness.txt").read_text("utf-8")
    for line in text.splitlines():
        step, *listed = line.split(" ")
        weight = max(LEAST, int(step) / 10)
        for word in listed:
            token = stem(word)
            weights[token] = min(weight, weights.get(token, 1.0))
    return weights


def common(word: str) -> bool:
    """Whether a word or a form of it is in the table."""
    return stem(word) in table()


def weight(token: str, frequency: int) -> float:
    """How much ``token`` counts in a query, in [0.1, 1]; ``frequency``: how many memories about the matter hold it."""
    general = table().get(token, 1.0)
    if general < SETTLED_BELOW:
        return general
    for limit, share in _STEPS:
        if frequency < limit:
            return max(LEAST, general * share)
    return max(LEAST, general * _MOST_FREQUENT)
