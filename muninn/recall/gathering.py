"""One recall over shelves: candidates from LanceDB, put on a page, and the steps of recall over it until none is missing."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from muninn.ports import Answer
from muninn.recall import commonness
from muninn.recall.fetching import Row
from muninn.recall.page import Page
from muninn.recall.question import Question
from muninn.recall.scan import scan
from muninn.recall.search import CROWD, CROWD_SHARE, SPARE, search
from muninn.recall.shelves import Shelves, vector_of
from muninn.store.net import Net

BREADTH = 192
"""Candidates by vector, and as many by word; more when more answers are asked for. More than ``search.CROWD``."""

_ROUNDS = 12


def gather(shelves: Shelves, question: Question, *, breadth: int, now: datetime) -> Answer:
    page = _page(shelves, question, breadth)
    for _ in range(_ROUNDS):
        answer = search(page, question, now=now)
        loose = page.loose()
        links = shelves.links(loose)
        page.tie(loose, links)
        if not _complete(shelves, page) and not links:
            break
    return answer


def _page(shelves: Shelves, question: Question, breadth: int) -> Page:
    """The candidates of a question, from what was written last and from the tables."""
    told = {token: _told(shelves, token, question) for token in question.tokens}
    with shelves.latch.shared():
        keys = (None,) if question.vaults is None else question.vaults
        total = sum(shelves.roster.count(key, active_only=False) for key in keys)
        view = copy.copy(shelves.recent)
        view.told, view.total = told, total
        found = scan(view, question)
        best = found.best(found.crowd(2 * question.query.limit + SPARE, CROWD_SHARE, CROWD), view, question)
        held = [(view.memories[view.id_at[slot]], vector_of(view, view.id_at[slot])) for slot in best]
    page = Page(told, total, shelves.beside)
    rows = _candidates(shelves, question, page, found.weights, breadth)
    shelves.furnish(page, held + shelves.newest(rows))
    _complete(shelves, page)
    return page


def _told(shelves: Shelves, token: str, question: Question) -> int:
    count = shelves.frequencies.roughly if commonness.settled(token) else shelves.frequencies.of
    return count(token, question.vaults)


def _complete(shelves: Shelves, page: Page) -> bool:
    """Fetch what the page was asked for in vain; whether there was any."""
    grown = False
    while rows := shelves.rows(page.lacking()):
        shelves.furnish(page, rows)
        grown = True
    return grown


def _sought(weights: Mapping[str, float], told: Mapping[str, int], total: int) -> dict[str, float]:
    """The words to look for, each with what it counts over what the engine makes of how rare it is."""
    return {
        token: weight / math.log(1.0 + (max(0, total - told[token]) + 0.5) / (told[token] + 0.5))
        for token, weight in weights.items()
        if told[token]
    }


def _candidates(
    shelves: Shelves, question: Question, page: Page, weights: Mapping[str, float], breadth: int
) -> list[Row]:
    query, tables = question.query, shelves.tables
    limit = max(breadth, 3 * query.limit)
    names = None if question.vaults is None else shelves.names(*question.vaults)
    net = Net(vaults=names, archived=query.include_archived, as_of=query.as_of, run_id=query.run_id)
    changes = shelves.fetched.changes
    rows = tables.worded(_sought(weights, page.told, page.total), net, limit=limit)
    nets = [net]
    if question.times:
        nets.append(replace(net, between=tuple((reading.start, reading.end) for reading in question.times)))
        rows += tables.first(nets[1], limit=limit)
    for model, (vector, _) in question.vectors.items():
        for one in nets:
            rows += tables.near(vector, one, model=model, limit=limit)
    shelves.fetched.keep(rows, changes)
    return list({row[0].id: row for row in rows}.values())
