"""Phase 2b's conversation: groups of memories in, verdicts out, one request for each vault's or pair of vaults' share.

A failure costs its request, not the dream: it becomes one line, and the rest is asked while there is time and hope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from muninn.errors import EgressRefusedError, ProviderError
from muninn.llm.models import MAX_BYTES, LanguageModels
from muninn.llm.prompts import BUDGET, Group, Question, batches, question
from muninn.llm.validation import NARRATIVE_LIMIT, read
from muninn.llm.verdicts import MergeVerdict, Rejected, SupersedeVerdict, Verdict, Verdicts
from muninn.ports import Clock, Request

_PATIENCE = 2  # requests in a row that may fail before the rest is not asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjudication:
    """``problems`` are lines for the dream report; ``asked`` counts requests that were answered; ``unasked`` groups are left
    for another dream.
    """

    verdicts: Verdicts
    problems: tuple[str, ...] = ()
    asked: int = 0
    model: str | None = None
    unasked: tuple[Group, ...] = ()


def adjudicate(
    models: LanguageModels,
    groups: Iterable[Group],
    *,
    deadline: float,
    clock: Clock,
    boundary: Callable[[], str],
    language: str = "en",
    dream_id: str | None = None,
    budget: int = BUDGET,
    open_now: Callable[[Group], bool] = lambda _: True,
) -> Adjudication:
    """What the models decide about ``groups`` until ``deadline`` (monotonic). Never raises ProviderError.

    ``open_now`` is asked right before a group is sent: whoever closes a vault during a dream keeps back what has not left.
    """
    packed, left_out = batches(groups, budget=budget)
    problems = [f"a group of {len(group.memories)} memories was not asked about: {why}" for group, why in left_out]
    found: list[Verdicts] = []
    unasked = [group for group, _ in left_out]
    model: str | None = None
    failed = 0
    for position, batch in enumerate(packed):
        if failed >= _PATIENCE or clock.monotonic() >= deadline:
            unasked.extend(group for rest in packed[position:] for group in rest)
            break
        unasked.extend(group for group in batch if not open_now(group))
        if not (sent := [group for group in batch if group not in unasked]):
            continue
        asked = question(sent, boundary=boundary, language=language)
        try:
            completion = models.complete(_request(asked, dream_id), deadline=deadline, max_bytes=MAX_BYTES)
            found.append(read(completion.text, asked.shown))
        except ProviderError as error:
            failed += not isinstance(error, EgressRefusedError)
            unasked.extend(sent)
            if str(error) not in problems:
                problems.append(str(error))
        else:
            failed = 0
            model = f"{completion.provider} {completion.model}"
    return Adjudication(
        verdicts=_joined(found),
        problems=tuple(problems),
        asked=len(found),
        model=model,
        unasked=tuple(unasked),
    )


def _request(asked: Question, dream_id: str | None) -> Request:
    return Request(
        purpose="consolidate",
        vault=asked.vault,
        tier=asked.tier,
        system=asked.system,
        prompt=asked.prompt,
        schema=asked.schema,
        dream_id=dream_id,
    )


def _joined(found: list[Verdicts]) -> Verdicts:
    """All of them, one structural role for each memory over all requests: the first stands."""
    taken: set[str] = set()
    accepted: list[Verdict] = []
    rejected = [rejected for verdicts in found for rejected in verdicts.rejected]
    for verdict in (verdict for verdicts in found for verdict in verdicts.accepted):
        ids, op = _role(verdict)
        if taken.intersection(ids):
            rejected.append(Rejected(op=op, why="an id that already has a role in another operation", ids=ids))
            continue
        taken.update(ids)
        accepted.append(verdict)
    narrative = tuple(sentence for verdicts in found for sentence in verdicts.narrative)[:NARRATIVE_LIMIT]
    return Verdicts(accepted=tuple(accepted), rejected=tuple(rejected), narrative=narrative)


def _role(verdict: Verdict) -> tuple[tuple[str, ...], str]:
    match verdict:
        case MergeVerdict():
            return verdict.ids, "merge"
        case SupersedeVerdict():
            return (verdict.old, verdict.new), "supersede"
        case _:
            return (), ""
