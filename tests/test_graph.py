from __future__ import annotations

import json
import time
import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muninn import graph
from muninn.domain.memory import Kind, Link, Memory, Origin, Provenance
from muninn.domain.trust import Tier

NOW = datetime(2026, 3, 28, tzinfo=UTC)
SVG = "{http://www.w3.org/2000/svg}"
GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"
NASTY = "<script>alert('1')</script> & \"q\" ]]> \0 \ud800 \x1b[31m ñandú 数据"


def memory(number: int, title: str = "", **changes: object) -> Memory:
    made = Memory(
        id=f"m{number}", vault="work", tier=Tier.WORK, title=title or f"Note {number}", content=f"content {number}", content_hash="",
        created_at=NOW, updated_at=NOW, learned_at=NOW, provenance=Provenance(client="test"),
    )  # fmt: skip
    return replace(made, **changes)  # type: ignore[arg-type]


def link(source: int, target: int, relation: str = "mentions", weight: float = 0.5, **changes: object) -> Link:
    made = Link(
        source=f"m{source}", target=f"m{target}", relation=relation, vault="work", weight=weight, origin=Origin.AUTO, created_at=NOW,
    )  # fmt: skip
    return replace(made, **changes)  # type: ignore[arg-type]


MEMORIES = [memory(0, NASTY, content=NASTY, tags=("a", "b")), memory(1, kind=Kind.DECISION), memory(2)]
LINKS = [link(0, 1, NASTY), link(1, 0, "contradicts"), link(1, 2, rejected=True), link(2, 9)]


def test_graphml_carries_every_memory_and_live_link() -> None:
    root = ET.fromstring(graph.graphml(MEMORIES, LINKS).encode("utf-8"))
    names = {key.get("id"): key.get("attr.name") for key in root.iter(f"{GRAPHML}key")}
    nodes = {node.get("id"): node for node in root.iter(f"{GRAPHML}node")}
    edges = [(edge.get("source"), edge.get("target")) for edge in root.iter(f"{GRAPHML}edge")]
    assert set(nodes) == {"m0", "m1", "m2"}
    assert edges == [("m0", "m1"), ("m1", "m0")]
    data = {names[one.get("key")]: one.text for one in nodes["m0"].iter(f"{GRAPHML}data")}
    assert data["content"] == NASTY.replace("\0", "\ufffd").replace("\ud800", "\ufffd").replace("\x1b", "\ufffd")
    assert data["tags"] == "a, b"
    assert data["kind"] == "fact"
    assert data["created_at"] == "2026-03-28T00:00:00+00:00"


def test_json_is_node_link_data() -> None:
    found = json.loads(json.dumps(graph.json_graph(MEMORIES, LINKS)))
    assert (found["directed"], found["multigraph"]) == (True, True)
    assert [node["id"] for node in found["nodes"]] == ["m0", "m1", "m2"]
    assert found["nodes"][0]["tags"] == ["a", "b"]
    assert [(one["source"], one["target"], one["key"], one["origin"]) for one in found["links"]] == [
        ("m0", "m1", NASTY, "auto"),
        ("m1", "m0", "contradicts", "auto"),
    ]


def test_the_picture_escapes_and_holds_everything_inside() -> None:
    image = graph.picture(MEMORIES, LINKS, form="svg")
    root = ET.fromstring(image.encode("utf-8"))
    assert not list(root.iter(f"{SVG}script"))
    circles = [one for one in root.iter(f"{SVG}circle") if "memory" in (one.get("class") or "")]
    assert len(circles) == 3
    for circle in circles:
        assert 0 < float(circle.get("cx", -1)) < 1600
        assert 0 < float(circle.get("cy", -1)) < 1000
    page = graph.picture(MEMORIES, LINKS)
    assert page.startswith("<!doctype html>")
    assert "<script>alert" not in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in page
    assert page == graph.picture(MEMORIES, LINKS)


def test_a_title_that_looks_like_a_placeholder_stays_text() -> None:
    page = graph.picture([memory(0, "{{picture}}")], [])
    assert page.count("<svg") == 1


def test_nothing_is_a_picture_too() -> None:
    ET.fromstring(graph.picture([], [], form="svg"))
    ET.fromstring(graph.graphml([], []).encode())
    ET.fromstring(graph.picture([memory(0)], [link(0, 0)], form="svg"))


@pytest.mark.slow
def test_a_large_vault_shows_its_best_connected_and_says_what_is_missing() -> None:
    memories = [memory(number) for number in range(graph.SHOWN + 50)]
    hub = [link(number, graph.SHOWN + 49) for number in range(20)]
    started = time.perf_counter()
    image = graph.picture(memories, hub, form="svg")
    assert time.perf_counter() - started < 20
    assert "50 less connected ones left out" in image
    assert f"Note {graph.SHOWN + 49}<" in image


def test_a_neighbourhood_holds_what_is_within_two_steps() -> None:
    memories = [memory(number) for number in range(5)]
    chain = [link(number, number + 1) for number in range(4)]
    image = graph.picture(memories, chain, form="svg", around="m0")
    shown = {number for number in range(5) if f">Note {number}<" in image}
    assert shown == {0, 1, 2}
    assert 'class="memory chosen"' in image


@settings(max_examples=30, deadline=None)
@given(count=st.integers(0, 30), data=st.data())
def test_a_layout_is_finite_and_fills_the_unit_square(count: int, data: st.DataObject) -> None:
    ends = st.integers(0, max(count - 1, 0))
    edges = data.draw(st.lists(st.tuples(ends, ends, st.floats(0, 1)), max_size=40)) if count else []
    points = graph.layout(count, edges)
    assert points.shape == (count, 2)
    assert np.isfinite(points).all()
    assert ((points >= 0) & (points <= 1)).all()
    assert np.array_equal(points, graph.layout(count, edges))


@pytest.mark.parametrize("count", [12, 60])
def test_linked_memories_lie_nearer_than_others(count: int) -> None:
    half = count // 2
    edges = [
        (a, b, 1.0)
        for group in (range(half), range(half, count))
        for a in group
        for b in group
        if a < b and (a + b) % 3 == 0
    ]
    points = graph.layout(count, edges)
    linked = np.mean([np.linalg.norm(points[a] - points[b]) for a, b, _ in edges])
    apart = np.mean([np.linalg.norm(points[a] - points[b]) for a in range(half) for b in range(half, count)])
    assert linked < 0.7 * apart
