"""A page: the part of all memories that one recall looks at, as holdings that know what they lack.

What a search asks a page for and does not find there is noted; the read model fetches it and the search runs again,
until nothing is missing. So every step of recall runs over a page as it runs over everything.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Any, TypeVar

from muninn.domain.memory import Link, LinkKey, Memory, vault_key
from muninn.recall.askedtext import AskedText
from muninn.recall.holdings import Holdings

Beside = Callable[[str, str, int], list[tuple[str, int]]]
_Value = TypeVar("_Value")


class _Noting(dict[str, _Value]):
    """A dictionary that notes what was asked for by ``get`` and ``in``."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def get(self, key: Any, default: Any = None) -> Any:
        self.asked.add(key)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        self.asked.add(key)  # type: ignore[arg-type]
        return super().__contains__(key)


class Page(Holdings):
    """``asked``: the tokens of the question. ``beside`` knows the order of birth of everything: (id, vault key, reach) to
    ids with their distance."""

    def __init__(self, asked: Container[str], beside: Beside) -> None:
        super().__init__()
        self._beside = beside
        self.text = AskedText(asked)
        self._memories: _Noting[Memory] = _Noting()
        self._slots: _Noting[int] = _Noting()
        self._ends: _Noting[dict[LinkKey, None]] = _Noting()
        self._linked: set[str] = set()
        self.memories = self._memories
        self.slot_of = self._slots
        self.links_at = self._ends

    def beside(self, memory_id: str, reach: int) -> list[tuple[str, int]]:
        near = self._beside(memory_id, vault_key(self.memories[memory_id].vault), reach)
        return [(other, distance) for other, distance in near if other in self.memories]

    def add(self, rows: Iterable[tuple[Memory, bytes | None]]) -> None:
        """Take in memories; those that are there stay as they are."""
        for memory, vector in rows:
            if memory.id not in self.memories:
                self.put(memory, vector)
        self.close(self.memories.values())
        self.settle()

    def tie(self, ids: Iterable[str], links: Iterable[Link]) -> None:
        """Take in all ``links`` of ``ids``."""
        self._linked.update(ids)
        for link in links:
            self.put_link(link)

    def lacking(self) -> set[str]:
        """Ids of memories that were asked for in vain since the last call."""
        asked = self._memories.asked | self._slots.asked
        self._memories.asked, self._slots.asked = set(), set()
        return asked - self._memories.keys()

    def loose(self) -> set[str]:
        """Ids whose links were asked for in vain since the last call."""
        asked, self._ends.asked = self._ends.asked, set()
        return asked - self._linked
