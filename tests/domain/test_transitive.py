"""What follows from what: typed, bounded, deterministic, and gone with its premise."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn.domain.memory import Link, LinkKey, Origin
from muninn.domain.transitive import WIDTH, compatible, inferences

NOW = datetime(2026, 3, 28, 6, 0, tzinfo=UTC)


def link(source: str, target: str, relation: str = "causes", weight: float = 0.9, **fields: object) -> Link:
    return Link(
        source=source, target=target, relation=relation, vault="v", weight=weight, origin=Origin.MANUAL, created_at=NOW,
        **fields,  # type: ignore[arg-type]
    )  # fmt: skip


def by_key(*links: Link) -> dict[LinkKey, Link]:
    return {one.key: one for one in links}


def found(*links: Link, active: str = "abcdef") -> dict[tuple[str, str], float]:
    return {(one.source, one.target): one.weight for one in inferences(by_key(*links), active).values()}


def test_two_strong_steps_make_a_third() -> None:
    assert found(link("a", "b", weight=0.9), link("b", "c", weight=0.8)) == {("a", "c"): pytest.approx(0.576)}


@pytest.mark.parametrize(
    "links",
    [
        (link("a", "b", weight=0.69), link("b", "c")),
        (link("a", "b"), link("b", "a")),
        (link("a", "b"), link("b", "c"), link("a", "c", "mentions", 0.1)),
        (link("a", "b"), link("b", "c"), link("a", "c", "mentions", 0.1, rejected=True)),
        (link("a", "b"), link("b", "c"), link("a", "c", "inferred", 0.1, rejected=True)),
        (link("a", "b", "supports"), link("b", "c", "contradicts")),
        (link("a", "b", "mentions"), link("b", "c", "mentions")),
        (link("a", "b", "inferred"), link("b", "c", "inferred")),
        (link("a", "b", rejected=True), link("b", "c")),
        (link("a", "b"), link("b", "z")),
        (link("a", "z"), link("z", "c")),
    ],
)
def test_nothing_follows(links: tuple[Link, ...]) -> None:
    assert found(*links) == {}


def test_the_strongest_path_gives_the_weight() -> None:
    assert found(
        link("a", "b", weight=0.8), link("b", "c", weight=0.8), link("a", "d", weight=0.9), link("d", "c", weight=0.9)
    ) == {("a", "c"): pytest.approx(0.648)}


def test_a_memory_has_few_inferred_links() -> None:
    links = [link("a", "b"), *(link("b", f"t{n}", weight=0.7 + n / 100) for n in range(20))]
    active = ["a", "b", *(f"t{n}" for n in range(20))]
    chosen = inferences(by_key(*links), active)
    assert {one.target for one in chosen.values()} == {f"t{n}" for n in range(20 - WIDTH, 20)}


def test_mixed_relations_follow_only_where_the_table_says() -> None:
    assert compatible("refines", "supports")
    assert not compatible("supports", "refines")
    assert not compatible("contradicts", "contradicts")


steps = st.lists(
    st.tuples(
        st.sampled_from("abcde"), st.sampled_from("abcde"), st.sampled_from(["causes", "refines", "supports"]),
        st.sampled_from([0.5, 0.7, 0.9]),
    ),
    max_size=14,
)  # fmt: skip


@given(st.data(), steps)
def test_the_order_of_links_does_not_matter(data: st.DataObject, rows: list[tuple[str, str, str, float]]) -> None:
    links = [link(*row) for row in {row[:3]: row for row in rows}.values()]
    shuffled = data.draw(st.permutations(links))
    assert inferences(by_key(*links), "abcde") == inferences(by_key(*shuffled), "abcde")


@given(steps)
def test_inferring_again_finds_the_same(rows: list[tuple[str, str, str, float]]) -> None:
    links = by_key(*(link(*row) for row in rows))
    first = inferences(links, "abcde")
    made = {
        key: link(one.source, one.target, "inferred", one.weight, premises=(one.through,)) for key, one in first.items()
    }
    assert inferences({**links, **made}, "abcde") == first
