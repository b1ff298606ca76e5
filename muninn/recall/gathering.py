"""One recall over shelves: candidates from LanceDB, put on a page, and the steps of recall over it until none is missing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from muninn.ports import Answer
from muninn.recall.fetching import Row
from muninn.recall.page import Page
from muninn.recall.question import Question
from muninn.recall.scan import scan
from muninn.recall.search import SPARE, search
from muninn.recall.shelves import Shelves, vector_of
from muninn.store.net import Net

BREADTH = 192
"""Candidates by vector, and as many by word; more when more answers are asked for. More than ``scan.CROWD``."""

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
    """The candidates of a question, from what was written last and from the tables: first those near in meaning, since
    they decide what each word counts, then those that hold the words."""
    told = {token: shelves.told(token) for token in question.tokens}
    with shelves.latch.shared():
        view = shelves.recent
        found = scan(view, question)
        best = found.best(2 * question.query.limit + SPARE, view)
        held = [(view.memories[view.id_at[slot]], vector_of(view, view.id_at[slot])) for slot in best]
        total = shelves.roster.count(None, active_only=False)
    page = Page(question.tokens, shelves.beside)
    reach = _Reach(shelves, question, max(breadth, 3 * question.query.limit))
    shelves.furnish(page, held + shelves.newest(reach.near()))
    weights = scan(page, question).weights
    shelves.furnish(page, shelves.newest(reach.worded(_sought(weights, told, total))))
    _complete(shelves, page)
    return page


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


class _Reach:
    """What the tables bring for one question, at most ``limit`` rows a search."""

    def __init__(self, shelves: Shelves, question: Question, limit: int) -> None:
        self._shelves, self._question, self._limit = shelves, question, limit
        query = question.query
        names = None if question.vaults is None else shelves.names(*question.vaults)
        self._net = Net(vaults=names, archived=query.include_archived, as_of=query.as_of, run_id=query.run_id)

    def near(self) -> list[Row]:
        """Rows near in meaning, from the time asked about and from any."""
        tables, question, nets = self._shelves.tables, self._question, [self._net]
        changes, rows = self._shelves.fetched.changes, []
        if question.times:
            nets.append(replace(self._net, between=tuple((one.start, one.end) for one in question.times)))
            rows += tables.first(nets[1], limit=self._limit)
        for model, (vector, _) in question.vectors.items():
            for net in nets:
                rows += tables.near(vector, net, model=model, limit=self._limit)
        return self._kept(rows, changes)

    def worded(self, sought: Mapping[str, float]) -> list[Row]:
        """Rows that hold the most of these words."""
        changes = self._shelves.fetched.changes
        return self._kept(self._shelves.tables.worded(sought, self._net, limit=self._limit), changes)

    def _kept(self, rows: list[Row], changes: int) -> list[Row]:
        self._shelves.fetched.keep(rows, changes)
        return list({row[0].id: row for row in rows}.values())
