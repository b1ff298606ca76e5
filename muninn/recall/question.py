"""A recall request made ready: which vaults, which tier, the words with their weights, the query vectors per model.

Everything slow (embedding) happens here, before any latch is taken. A model that cannot answer is said, never raised.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from muninn.domain.memory import Vault, vault_key
from muninn.domain.trust import Tier, strictest
from muninn.errors import NotFoundError, ProviderError, UsageError
from muninn.ports import Calibration, Embedder, Query
from muninn.recall.familiar import sense, spelled
from muninn.recall.language import CODES, language_of
from muninn.recall.noise import floor
from muninn.recall.textindex import Floats
from muninn.recall.times import Reading, readings, undated
from muninn.recall.tokens import stem, words

LONGEST_QUERY = 8000
"""Characters of a query whose words are looked up; embedders have windows of their own."""

_IDLE_WORDS = (
    "happened happen did do done doing went going was notes note memories memory remember recall learn learned told thing"
    " things anything everything new write wrote written hice hicimos hizo hiciste paso ocurrio sucedio notas nota cosas"
    " cosa recuerdos recuerda recuerdas aprendi aprendimos dije dijimos nuevo nueva anote anotamos anotado apunte apuntamos"
    " apuntado escribi escribimos escrito"
)
_ABOUT_NOTHING = frozenset(stem(word) for word in _IDLE_WORDS.split())
"""Words that ask what there is, not about something: "what happened yesterday" is a question about a day."""


Models = Callable[[tuple[str, ...] | None], Iterable[str]]


class Embedders(Protocol):
    """Who embeds for a tier, and who made the vectors of a model."""

    def for_tier(self, tier: Tier) -> Embedder: ...
    def by_model(self, model: str) -> Embedder | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """``tokens``: index token → the word as asked, in order. ``language``: its code, 0 unknown. ``vectors`` and
    ``floors``: per embedding model. ``sense``: how far it is in words that people use. ``subject``: the tokens that speak about
    no time."""

    query: Query
    vaults: tuple[str, ...] | None
    tokens: Mapping[str, str]
    language: int = 0
    vectors: Mapping[str, tuple[Floats, Calibration]] = field(default_factory=dict)
    floors: Mapping[str, float] = field(default_factory=dict)
    sense: float = 0.0
    times: tuple[Reading, ...] = ()
    subject: frozenset[str] = frozenset()
    degraded: str | None = None
    notes: tuple[str, ...] = ()


def ask(query: Query, *, vaults: Mapping[str, Vault], models: Models, embedders: Embedders, now: datetime) -> Question:
    """``models`` tells whose vectors the vaults with these keys hold (None: all vaults).

    Raises UsageError for a blank query or a silly limit, NotFoundError for an unknown vault.
    """
    if not query.text.strip():
        raise UsageError("the query is empty", hint="say what to recall")
    if query.limit < 1:
        raise UsageError(f"the limit is {query.limit}", hint="ask for at least one memory")
    asked = words(query.text[:LONGEST_QUERY])
    times = readings(query.text, now)
    relative = {word for reading in times if not reading.absolute for word in words(reading.text)}
    temporal = {word for reading in times for word in words(reading.text)}
    subject = frozenset(stem(word) for word in asked if word not in temporal) - _ABOUT_NOTHING
    chosen = [_vault(name, vaults) for name in query.vaults] or list(vaults.values())
    tier = strictest(*(vault.tier for vault in chosen)) if chosen else Tier.LEGAL
    text = undated(query.text, times) if relative and subject else query.text
    keys = tuple(vault.key for vault in chosen) if query.vaults else None
    vectors, reasons = _vectors(text, tier, models(keys), embedders)
    words_only = "searched by words only" if not vectors else "searched in part by words only"
    return Question(
        query=query,
        vaults=keys,
        tokens={stem(word): word for word in asked if word not in relative},
        language=CODES.index(language_of(asked) or ""),
        vectors=vectors,
        floors={model: floor(model, vector, calibration) for model, (vector, calibration) in vectors.items()},
        sense=sense(asked, _known(spelled(query.text[:LONGEST_QUERY]), tier, vectors, embedders)),
        times=times,
        subject=subject,
        notes=tuple(reading.note for reading in times),
        degraded=f"{words_only}: {'; '.join(reasons)}" if reasons else None,
    )


def _vectors(
    text: str, tier: Tier, models: Iterable[str], embedders: Embedders
) -> tuple[dict[str, tuple[Floats, Calibration]], list[str]]:
    """The query's vector per model, and why there is none for the others."""
    vectors: dict[str, tuple[Floats, Calibration]] = {}
    reasons: list[str] = []
    for model in sorted(models):
        try:
            embedder = _embedder(model, tier, embedders)
            vectors[model] = (embedder.query(text, tier=tier)[0], embedder.calibration)
        except ProviderError as error:
            reasons.append(str(error))
    return vectors, reasons


def _known(words: Sequence[str], tier: Tier, models: Iterable[str], embedders: Embedders) -> float | None:
    """How far one of ``models`` knows ``words``; None where none can tell."""
    told = (_embedder(model, tier, embedders).familiar(words) for model in models)
    return next((one for one in told if one is not None), None)


def _vault(name: str, vaults: Mapping[str, Vault]) -> Vault:
    found = vaults.get(vault_key(name))
    if found is None:
        near = difflib.get_close_matches(vault_key(name), vaults, n=3, cutoff=0.5) or sorted(vaults)[:3]
        names = ", ".join(vaults[key].name for key in near)
        raise NotFoundError(f"no vault {name!r}", hint=f"nearest: {names}" if names else "there is none yet")
    return found


def _embedder(model: str, tier: Tier, embedders: Embedders) -> Embedder:
    allowed = embedders.for_tier(tier)
    if allowed.model == model:
        return allowed
    embedder = embedders.by_model(model)
    if embedder is None:
        raise ProviderError(f"no embedder makes vectors of {model} now", hint="run: muninn reembed")
    if embedder.location != "in-process":
        raise ProviderError(f"vectors of {model} need a {embedder.location} embedder, which tier {tier} forbids")
    return embedder
