"""Knows every vault's titles and texts, and says which automatic links a change makes and takes away.

Links run from the memory whose content mentions a title to the memory that has it, relation ``mentions``, origin
``auto``. Both directions are covered: a new text finds old titles, a new title finds old texts. Links a person or an
agent made are never touched, rejected ones never made again. The result does not depend on the order of writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from muninn.domain.linking.vault_index import LinkLimits, VaultIndex
from muninn.domain.memory import Link, LinkKey, Memory, Origin, vault_key

MENTIONS = "mentions"
_WEIGHT = 0.5  # a title of one word
_WEIGHT_LONG = 0.6  # two words or more; both stay below the 0.7 from which links are inferred: naming is not endorsing

Existing = Callable[[str], tuple[Link, ...]]
"""All links from a memory, tombstones and other origins included; links to it may be among them."""


@dataclass(frozen=True, slots=True)
class LinkChanges:
    """Links to upsert and keys to remove; both in key order."""

    add: tuple[Link, ...] = ()
    withdraw: tuple[LinkKey, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.add or self.withdraw)


class Linker:
    """Titles and texts of all vaults. Not thread-safe: the one writer owns it.

    ``links_for`` takes the memories in and is called before they are written; when the write fails, ``revert``.
    Rows that change by other ways (a dream, an undo) go to ``apply``; their consequences come with the next
    ``links_for`` or ``settle`` of that vault. The same row given twice costs nothing.
    """

    def __init__(self, limits: LinkLimits | None = None) -> None:
        self._limits = limits or LinkLimits()
        self._vaults: dict[str, VaultIndex] = {}
        self._homes: dict[str, str] = {}  # memory id -> vault key

    def load(self, memories: Iterable[Memory]) -> None:
        """Take in everything there is, replacing what was known; of each memory only what is needed is kept."""
        self._vaults, self._homes = {}, {}
        for memory in memories:
            if memory.active:
                key = vault_key(memory.vault)
                self._index(key, memory.vault).gather(memory)
                self._homes[memory.id] = key
        for index in self._vaults.values():
            index.ready()

    def apply(self, memories: Iterable[Memory]) -> None:
        """Keep titles and texts in step with changed rows, in any state."""
        for memory in memories:
            self._put(memory)

    def drop(self, memory_ids: Iterable[str]) -> None:
        """Let memories go that were purged, or whose birth failed."""
        for memory_id in memory_ids:
            home = self._homes.pop(memory_id, None)
            if home is not None:
                self._vaults[home].drop(memory_id)

    def links_for(self, memories: Iterable[Memory], *, existing: Existing, now: datetime) -> LinkChanges:
        """Take in new or changed memories, in any state; the changes to automatic links that follow in their vaults."""
        touched: set[str] = set()
        for memory in memories:
            touched.update(self._put(memory))
        return self._settle(sorted(touched), existing, now)

    def settle(self, vault: str, *, existing: Existing, now: datetime) -> LinkChanges:
        """The changes that rows given to ``apply`` left open in a vault."""
        return self._settle([vault_key(vault)], existing, now)

    def revert(self, changes: LinkChanges, *, previous: Iterable[Memory] = (), born: Iterable[str] = ()) -> None:
        """Undo ``links_for`` after a failed write: the rows as they were, and the ids that did not come to be."""
        self.apply(previous)
        self.drop(born)
        sources = {link.source for link in changes.add} | {key.source for key in changes.withdraw}
        for source in sources & self._homes.keys():
            self._vaults[self._homes[source]].unsettled.add(source)

    def backfill(self, vault: str, *, existing: Existing, now: datetime) -> LinkChanges:
        """Every change that would bring a vault's automatic links to what its memories say. Alters nothing here."""
        index = self._vaults.get(vault_key(vault))
        return _difference(index, index, existing, now) if index else LinkChanges()

    def _index(self, key: str, name: str) -> VaultIndex:
        return self._vaults.setdefault(key, VaultIndex(name, self._limits))

    def _put(self, memory: Memory) -> tuple[str, ...]:
        """The keys of the vaults concerned."""
        key = vault_key(memory.vault)
        home = self._homes.get(memory.id, key)
        if home != key:
            self._vaults[home].drop(memory.id)
        self._index(key, memory.vault).put(memory)
        if memory.active:
            self._homes[memory.id] = key
        else:
            self._homes.pop(memory.id, None)
        return (key, home)

    def _settle(self, keys: Iterable[str], existing: Existing, now: datetime) -> LinkChanges:
        add: list[Link] = []
        withdraw: list[LinkKey] = []
        for key in keys:
            index = self._vaults.get(key)
            if index is None:
                continue
            # a memory that moved is settled by the vault it lives in now
            here = {memory_id for memory_id in index.unsettled if self._homes.get(memory_id, key) == key}
            index.unsettled.clear()
            changes = _difference(index, here, existing, now)
            add += changes.add
            withdraw += changes.withdraw
        return LinkChanges(tuple(sorted(add, key=lambda link: link.key)), tuple(sorted(withdraw)))


def _difference(index: VaultIndex, memory_ids: Iterable[str], existing: Existing, now: datetime) -> LinkChanges:
    add: list[Link] = []
    withdraw: list[LinkKey] = []
    for memory_id in memory_ids:
        wanted = index.mentioned(memory_id)
        known = {link.target: link for link in existing(memory_id) if _mention_of(link, memory_id)}
        add += (
            _mention(memory_id, target, index.name, length, now)
            for target, length in wanted.items()
            if target not in known
        )
        withdraw += (
            link.key
            for target, link in known.items()
            if target not in wanted and link.origin is Origin.AUTO and not link.rejected
        )
    return LinkChanges(tuple(sorted(add, key=lambda link: link.key)), tuple(sorted(withdraw)))


def _mention_of(link: Link, memory_id: str) -> bool:
    return link.source == memory_id and link.relation == MENTIONS


def _mention(source: str, target: str, vault: str, length: int, now: datetime) -> Link:
    return Link(
        source=source,
        target=target,
        relation=MENTIONS,
        vault=vault,
        weight=_WEIGHT_LONG if length > 1 else _WEIGHT,
        origin=Origin.AUTO,
        created_at=now,
    )
