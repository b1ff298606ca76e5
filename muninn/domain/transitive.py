"""What follows: A -> B and B -> C, both strong and of one kind, suggest A -> C.

An inferred link names the memory it passes through and falls when one of its two steps does. Inferred links are never
premises themselves, so that inference cannot feed on itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from muninn.domain.memory import Link, LinkKey

STRONG = 0.7
DAMPING = 0.8
WIDTH = 5  # inferred links a memory may have
RELATION = "inferred"

# Relations for which two steps of the same kind are again a step of that kind.
_SAME = frozenset(
    {"causes", "depends_on", "part_of", "refines", "supports", "preceded_by", "followed_by", "relates_to"}
)
# first step, second step: pairs of different relations of which something still follows.
_MIXED = frozenset(
    {
        ("refines", "supports"),
        ("part_of", "depends_on"),
        ("implements", "refines"),
        ("implements", "part_of"),
        ("refines", "part_of"),
        ("causes", "blocks"),
    }
)
_PREMISES = _SAME | {relation for pair in _MIXED for relation in pair}


@dataclass(frozen=True, slots=True)
class Inference:
    """A -> C through B, with the weight it deserves and the relations it rests on."""

    source: str
    target: str
    through: str
    weight: float
    steps: tuple[str, str]

    @property
    def key(self) -> LinkKey:
        return LinkKey(self.source, self.target, RELATION)


def compatible(first: str, second: str) -> bool:
    """Whether anything follows from a step of relation ``first`` and one of relation ``second``."""
    return (first == second and first in _SAME) or (first, second) in _MIXED


def inferred_weight(first: float, second: float) -> float:
    """0.8 w w, rounded so that the same premises always give the same bits."""
    return round(DAMPING * first * second, 6)


def inferences(links: Mapping[LinkKey, Link], active: Iterable[str]) -> dict[LinkKey, Inference]:
    """Every inferred link the present links justify, at most ``WIDTH`` for each source, strongest first, ties by id.

    Both ends and the middle are active and distinct, and nothing stated (tombstones included) links A to C already.
    """
    alive = set(active)
    steps = _strong_steps(links, alive)
    if not steps:
        return {}
    stated = {(source, target) for source, target, relation in links if relation != RELATION}
    rejected = {key for key, link in links.items() if link.rejected}
    found: dict[LinkKey, Inference] = {}
    for source in steps:
        best: dict[str, Inference] = {}
        for first in steps[source]:
            for second in steps.get(first.target, ()):
                if second.target == source or (source, second.target) in stated:
                    continue
                if not compatible(first.relation, second.relation):
                    continue
                candidate = Inference(
                    source, second.target, first.target,
                    inferred_weight(first.weight, second.weight), (first.relation, second.relation),
                )  # fmt: skip
                if candidate.key not in rejected and _better(candidate, best.get(candidate.target)):
                    best[candidate.target] = candidate
        if best:
            chosen = sorted(best.values(), key=lambda one: (-one.weight, one.target))[:WIDTH]
            found.update((one.key, one) for one in chosen)
    return found


def fallen(
    touched: Iterable[str], links_of: Callable[[str], Iterable[Link]], *, active: Callable[[str], bool]
) -> set[LinkKey]:
    """The inferred links at the ``touched`` memories whose premise is gone: the memory they pass through, or a step."""
    links = {link.key: link for key in touched for link in links_of(key)}
    return {
        key
        for key, link in links.items()
        if key.relation == RELATION
        and link.premises
        and not (active(link.premises[0]) and _stepped(link, links_of(link.premises[0])))
    }


def _stepped(inferred: Link, around: Iterable[Link]) -> bool:
    """Whether two strong steps still lead through the middle whose links are ``around``."""
    through = inferred.premises[0]
    strong = [link for link in around if link.weight >= STRONG and not link.rejected]
    return any(
        (first.source, first.target, second.source, second.target)
        == (inferred.source, through, through, inferred.target)
        and compatible(first.relation, second.relation)
        for first in strong
        for second in strong
    )


def _strong_steps(links: Mapping[LinkKey, Link], alive: set[str]) -> dict[str, list[Link]]:
    steps: dict[str, list[Link]] = defaultdict(list)
    for (source, target, relation), link in links.items():
        if link.weight < STRONG or relation not in _PREMISES or link.rejected or source == target:
            continue
        if source in alive and target in alive:
            steps[source].append(link)
    return steps


def _better(candidate: Inference, incumbent: Inference | None) -> bool:
    if incumbent is None:
        return True
    return (-candidate.weight, candidate.through, candidate.steps) < (
        -incumbent.weight,
        incumbent.through,
        incumbent.steps,
    )
