"""Memories and links as a graph for other programs (GraphML, JSON) and for eyes (a self-contained SVG or HTML picture).

Pure and deterministic: the same memories and links give the same text. Links whose ends are not among the memories are
left out. Memory text is data: it is escaped everywhere, and characters that XML forbids are replaced.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from muninn.domain.memory import Link, Memory

Points = np.ndarray[tuple[int, int], np.dtype[np.float64]]

SHOWN = 300  # memories in a picture; the most connected ones
_WIDTH, _HEIGHT, _MARGIN = 1600.0, 1000.0, 70.0
_STEPS = 160
_LABEL_CHARACTERS = 34
_ALWAYS_LABELLED = 25
_CHARACTER_WIDTH, _LINE_HEIGHT = 6.4, 15.0
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_COLOURS = {
    "fact": "#4e79a7", "decision": "#f28e2b", "observation": "#76b7b2", "preference": "#b07aa1", "issue": "#e15759",
    "task": "#edc948", "procedure": "#59a14f", "event": "#9c755f", "reference": "#8a8d91", "schema": "#d37295",
}  # fmt: skip
_NODE_FIELDS = (
    ("title", "string"), ("content", "string"), ("vault", "string"), ("kind", "string"), ("state", "string"),
    ("tags", "string"), ("relevance", "double"), ("stability", "double"), ("confidence", "double"),
    ("access_count", "long"), ("created_at", "string"),
)  # fmt: skip
_EDGE_FIELDS = (("relation", "string"), ("weight", "double"), ("origin", "string"), ("created_at", "string"))


def graphml(memories: Sequence[Memory], links: Sequence[Link]) -> str:
    """A GraphML document: one node a memory, one directed edge a link, with their fields as data."""
    return "\n".join(_graphml_lines(memories, _inside(memories, links))) + "\n"


def json_graph(memories: Sequence[Memory], links: Sequence[Link]) -> dict[str, object]:
    """Node-link data as networkx and D3 read it; ``key`` tells parallel links apart."""
    nodes = [{"id": memory.id, **_node_data(memory), "tags": list(memory.tags)} for memory in memories]
    edges = [
        {"source": link.source, "target": link.target, "key": link.relation, **_edge_data(link)}
        for link in _inside(memories, links)
    ]
    return {"directed": True, "multigraph": True, "graph": {}, "nodes": nodes, "links": edges}


def picture(memories: Sequence[Memory], links: Sequence[Link], *, form: str = "html", around: str | None = None) -> str:
    """A picture, ``form`` "svg" or "html" (the same, with zoom, pan and a search field).

    At most ``SHOWN`` memories, the most connected ones; with ``around`` the nearest to that memory. It says how many
    are left out.
    """
    inside = _inside(memories, links)
    chosen = _chosen(memories, inside, around)
    kept = _inside(chosen, inside)
    image = "\n".join(_svg_lines(chosen, kept, hidden=len(memories) - len(chosen), around=around))
    return image + "\n" if form == "svg" else _PAGE.replace("{{picture}}", image)


def layout(count: int, edges: Sequence[tuple[int, int, float]]) -> Points:
    """Positions by attraction along weighted edges and mutual repulsion (Fruchterman and Reingold 1991), in [0, 1]².

    Starts from a sunflower spiral instead of chance. A light pull to the middle keeps loose parts in sight.
    """
    if count == 0:
        return np.empty((0, 2))
    turns = np.arange(count) * math.pi * (3 - math.sqrt(5))
    points = np.stack([np.cos(turns), np.sin(turns)], axis=1) * np.sqrt((np.arange(count) + 0.5) / count)[:, None]
    if count > 1:
        points = _settle(points, edges)
    low, high = points.min(axis=0), points.max(axis=0)
    spread: Points = (points - low) / np.where(high - low > 1e-9, high - low, 1.0)
    return np.where(high - low > 1e-9, spread, 0.5)


def _settle(points: Points, edges: Sequence[tuple[int, int, float]]) -> Points:
    ideal = 1.6 / math.sqrt(len(points))
    ends = np.array([(a, b) for a, b, _ in edges], dtype=np.intp).reshape(-1, 2)
    pull = np.array([weight for *_, weight in edges])[:, None]
    for step in range(_STEPS):
        apart = points[:, None, :] - points[None, :, :]
        squared = np.maximum((apart**2).sum(axis=2), 1e-6)
        force = (apart * (ideal * ideal / squared)[:, :, None]).sum(axis=1)
        along = points[ends[:, 0]] - points[ends[:, 1]]
        tension = along * np.linalg.norm(along, axis=1, keepdims=True) / ideal * (0.3 + pull)
        np.add.at(force, ends[:, 0], -tension)
        np.add.at(force, ends[:, 1], tension)
        force -= points * 0.6
        length = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-9)
        points = points + force / length * np.minimum(length, 0.15 * (1 - step / _STEPS) + 0.001)
    return points


def _inside(memories: Iterable[Memory], links: Sequence[Link]) -> list[Link]:
    ids = {memory.id for memory in memories}
    return [link for link in links if link.source in ids and link.target in ids and not link.rejected]


def _degrees(links: Sequence[Link]) -> dict[str, float]:
    degrees: dict[str, float] = {}
    for link in links:
        for end in {link.source, link.target}:
            degrees[end] = degrees.get(end, 0.0) + link.weight
    return degrees


def _chosen(memories: Sequence[Memory], links: Sequence[Link], around: str | None) -> list[Memory]:
    degrees = _degrees(links)
    distance = _distances(links, around) if around is not None else {}
    near = [memory for memory in memories if around is None or memory.id in distance]
    near.sort(key=lambda m: (distance.get(m.id, 0), -degrees.get(m.id, 0.0), -m.relevance, m.id))
    return near[:SHOWN]


def _distances(links: Sequence[Link], start: str, *, hops: int = 2) -> dict[str, int]:
    neighbours: dict[str, set[str]] = {}
    for link in links:
        neighbours.setdefault(link.source, set()).add(link.target)
        neighbours.setdefault(link.target, set()).add(link.source)
    distance, edge = {start: 0}, {start}
    for hop in range(1, hops + 1):
        edge = {other for one in edge for other in neighbours.get(one, ())} - distance.keys()
        distance |= dict.fromkeys(edge, hop)
    return distance


def _node_data(memory: Memory) -> dict[str, object]:
    data: dict[str, object] = {name: getattr(memory, name) for name, _ in _NODE_FIELDS}
    return data | {
        "tags": ", ".join(memory.tags),
        "created_at": memory.created_at.isoformat(),
        "kind": memory.kind.value,
        "state": memory.state.value,
    }


def _edge_data(link: Link) -> dict[str, object]:
    return {
        "relation": link.relation,
        "weight": link.weight,
        "origin": link.origin.value,
        "created_at": link.created_at.isoformat(),
    }


def _safe(value: object) -> str:
    return escape(_FORBIDDEN.sub("\ufffd", str(value)))


def _graphml_lines(memories: Sequence[Memory], links: Sequence[Link]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for owner, fields in (("node", _NODE_FIELDS), ("edge", _EDGE_FIELDS)):
        for name, kind in fields:
            yield f'  <key id="{owner}.{name}" for="{owner}" attr.name="{name}" attr.type="{kind}"/>'
    yield '  <graph id="muninn" edgedefault="directed">'
    for memory in memories:
        yield f'    <node id="{_safe(memory.id)}">{_data("node", _node_data(memory))}</node>'
    for number, link in enumerate(links):
        ends = f'source="{_safe(link.source)}" target="{_safe(link.target)}"'
        yield f'    <edge id="e{number}" {ends}>{_data("edge", _edge_data(link))}</edge>'
    yield "  </graph>"
    yield "</graphml>"


def _data(owner: str, values: Mapping[str, object]) -> str:
    return "".join(f'<data key="{owner}.{name}">{_safe(value)}</data>' for name, value in values.items())


_Box = tuple[float, float, float, float]  # left, top, right, bottom


class _Node(NamedTuple):
    memory: Memory
    x: float
    y: float
    radius: float


def _svg_lines(memories: Sequence[Memory], links: Sequence[Link], *, hidden: int, around: str | None) -> Iterator[str]:
    nodes = _placed(memories, links)
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" role="img">'
    yield f"<title>{len(nodes)} memories and {len(links)} links</title>"
    yield f"<style>{_STYLE}</style>"
    yield f'<rect class="paper" width="{_WIDTH:.0f}" height="{_HEIGHT:.0f}"/>'
    yield '<g class="links">'
    yield from (_line(link, nodes[link.source], nodes[link.target]) for link in links if link.source != link.target)
    yield '</g><g class="memories">'
    yield from (_circle(node, chosen=node.memory.id == around) for node in nodes.values())
    yield '</g><g class="labels">'
    yield from _labels(
        sorted(nodes.values(), key=lambda node: (node.memory.id != around, -node.radius, node.memory.id))
    )
    yield "</g>"
    yield from _legend(memories, links, hidden)
    yield "</svg>"


def _placed(memories: Sequence[Memory], links: Sequence[Link]) -> dict[str, _Node]:
    rank = {memory.id: number for number, memory in enumerate(memories)}
    points = layout(len(memories), [(rank[link.source], rank[link.target], link.weight) for link in links])
    degrees = _degrees(links)
    width, height = _WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN - 40
    return {
        memory.id: _Node(
            memory,
            _MARGIN + x * width,
            _MARGIN + y * height,
            min(5.0 + 2.6 * math.sqrt(degrees.get(memory.id, 0.0)), 22.0),
        )
        for memory, (x, y) in zip(memories, points.tolist(), strict=True)
    }


def _line(link: Link, source: _Node, target: _Node) -> str:
    mood = {"contradicts": " against", "supersedes": " after", "inferred": " guess"}.get(link.relation, "")
    # Bent a little to one side, so that a link and its answer do not cover each other.
    bend_x, bend_y = (target.y - source.y) * 0.08, (source.x - target.x) * 0.08
    middle = f"{(source.x + target.x) / 2 + bend_x:.1f},{(source.y + target.y) / 2 + bend_y:.1f}"
    path = f"M{source.x:.1f},{source.y:.1f} Q{middle} {target.x:.1f},{target.y:.1f}"
    title = _safe(f"{_short(source.memory)} → {link.relation} → {_short(target.memory)}")
    return f'<path class="link{mood}" d="{path}" stroke-width="{0.6 + 2.2 * link.weight:.2f}"><title>{title}</title></path>'


def _circle(node: _Node, *, chosen: bool) -> str:
    memory = node.memory
    tip = _safe(
        f"{memory.title}\n{memory.kind.value} · {memory.vault} · {memory.created_at:%Y-%m-%d}\n\n{memory.content[:400]}"
    )
    name = _safe(f"{memory.title} {' '.join(memory.tags)}".casefold())
    return (
        f'<circle class="memory{" chosen" if chosen else ""}" cx="{node.x:.1f}" cy="{node.y:.1f}" r="{node.radius:.1f}"'
        f' fill="{_COLOURS[memory.kind.value]}" data-name="{name}"><title>{tip}</title></circle>'
    )


def _labels(nodes: Sequence[_Node]) -> Iterator[str]:
    """Titles of the largest nodes first; one that would cover another label, or from the 26th on a node, is left out."""
    circles = [(n.x - n.radius, n.y - n.radius, n.x + n.radius, n.y + n.radius) for n in nodes]
    taken: list[_Box] = []
    for rank, node in enumerate(nodes):
        text = _short(node.memory)
        half = len(text) * _CHARACTER_WIDTH / 2
        x = min(max(node.x, half + 8), _WIDTH - half - 8)
        y = node.y + node.radius + _LINE_HEIGHT - 2
        box = (x - half, y - _LINE_HEIGHT + 4, x + half, y + 2)
        if _meets(box, taken) or (rank >= _ALWAYS_LABELLED and _meets(box, circles)):
            continue
        taken.append(box)
        place = f'x="{x:.1f}" y="{y:.1f}"'
        # The halo is a text of its own: not every viewer knows paint-order.
        yield f'<text class="halo" {place}>{_safe(text)}</text><text {place}>{_safe(text)}</text>'


def _meets(box: _Box, others: Iterable[_Box]) -> bool:
    return any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in others)


def _legend(memories: Sequence[Memory], links: Sequence[Link], hidden: int) -> Iterator[str]:
    vaults = sorted({memory.vault for memory in memories})
    name = ", ".join(vaults[:3]) + (f" and {len(vaults) - 3} more" if len(vaults) > 3 else "")
    rest = f" · {hidden} less connected ones left out" if hidden else ""
    yield f'<text class="caption" x="24" y="34">{_safe(name)}</text>'
    yield f'<text class="figures" x="24" y="54">{len(memories)} memories · {len(links)} links{rest}</text>'
    kinds = [kind for kind in _COLOURS if any(memory.kind.value == kind for memory in memories)]
    starts = [24.0]
    for kind in kinds:
        starts.append(starts[-1] + len(kind) * 7.2 + 34)
    for (x, _), kind in zip(pairwise(starts), kinds, strict=True):
        yield f'<circle cx="{x + 5:.0f}" cy="{_HEIGHT - 24:.0f}" r="5" fill="{_COLOURS[kind]}"/>'
        yield f'<text class="figures" x="{x + 16:.0f}" y="{_HEIGHT - 20:.0f}">{kind}</text>'


def _short(memory: Memory) -> str:
    title = " ".join(memory.title.split())
    return title if len(title) <= _LABEL_CHARACTERS else title[: _LABEL_CHARACTERS - 1].rstrip() + "…"


_STYLE = (
    "svg{font:12px system-ui,sans-serif}.paper{fill:#fbfaf7}.link{fill:none;stroke:#8b93a1;stroke-opacity:.42}"
    ".against{stroke:#e15759;stroke-opacity:.8}.after{stroke:#f28e2b;stroke-opacity:.7}.guess{stroke-dasharray:5 4}"
    ".memory{stroke:#fbfaf7;stroke-width:1.5}.chosen{stroke:#1f2430;stroke-width:3}"
    ".labels text{fill:#2b303b;text-anchor:middle;pointer-events:none}.labels .halo{stroke:#fbfaf7;stroke-width:3.5px;stroke-linejoin:round}"
    ".caption{font-size:20px;font-weight:600;fill:#1f2430}.figures{fill:#666d7a}.dim{opacity:.12}"
    "@media (prefers-color-scheme:dark){.paper{fill:#15171c}.link{stroke:#77808f}.memory{stroke:#15171c}.chosen{stroke:#fff}"
    ".labels text{fill:#dfe3ea}.labels .halo{stroke:#15171c}.caption{fill:#f2f4f8}.figures{fill:#98a0ae}}"
)
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>muninn</title>
<style>html,body{margin:0;height:100%;background:#fbfaf7}svg{width:100%;height:100%;display:block;cursor:grab}
input{position:fixed;top:16px;right:16px;width:14em;padding:7px 11px;border:1px solid #8b93a166;border-radius:8px;font:14px system-ui,sans-serif;background:#ffffffcc}
@media (prefers-color-scheme:dark){html,body{background:#15171c}input{background:#22262ecc;color:#eee}}</style></head>
<body><input type="search" placeholder="Find a memory" aria-label="Find a memory">
{{picture}}
<script>
const svg = document.querySelector("svg"), box = svg.viewBox.baseVal;
svg.addEventListener("wheel", event => {
  event.preventDefault();
  const factor = event.deltaY > 0 ? 1.15 : 1 / 1.15, at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  box.x = at.x - (at.x - box.x) * factor; box.y = at.y - (at.y - box.y) * factor; box.width *= factor; box.height *= factor;
}, {passive: false});
svg.addEventListener("pointermove", event => {
  if (event.buttons !== 1) return;
  const scale = 1 / svg.getScreenCTM().a;
  box.x -= event.movementX * scale; box.y -= event.movementY * scale;
});
document.querySelector("input").addEventListener("input", event => {
  const wanted = event.target.value.trim().toLowerCase();
  for (const memory of document.querySelectorAll(".memory")) memory.classList.toggle("dim", wanted !== "" && !memory.dataset.name.includes(wanted));
});
</script></body></html>
"""
