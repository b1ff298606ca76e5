"""Who is stored where: the ids of every vault in order of birth, with a few bits on each. About 90 bytes a memory.

All that a read model keeps of the memories that it does not hold.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

import numpy as np

from muninn.domain.memory import State

_STATES = tuple(State)
_STATE = 0b0011  # the place of the state in ``State``
_LINKED = 0b0100
_NONE = 0  # the number of no model


def beginning(lists: Iterable[Sequence[str]], prefix: str, limit: int) -> tuple[str, ...]:
    """The first ids that begin so, out of lists of which each is ascending."""
    found = []
    for ids in lists:
        at = bisect_left(ids, prefix)
        found += [memory_id for memory_id in ids[at : at + limit] if memory_id.startswith(prefix)]
    return tuple(sorted(found)[:limit])


class _Vault:
    __slots__ = ("flags", "ids", "models", "names")

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.flags = bytearray()
        self.models = bytearray()  # of the vectors, by number
        self.names: set[str] = set()

    def sort(self) -> None:
        order = sorted(range(len(self.ids)), key=self.ids.__getitem__)
        self.ids = [self.ids[at] for at in order]
        self.flags = bytearray(self.flags[at] for at in order)
        self.models = bytearray(self.models[at] for at in order)


class Roster:
    def __init__(self) -> None:
        self._vaults: dict[str, _Vault] = {}
        self._models: list[str | None] = [None]

    def put(self, memory_id: str, vault: str, name: str, *, state: State, model: str | None) -> None:
        """Insert or replace a memory. ``vault``: its key; ``name``: as spelled with the memory; ``model``: whose vector
        it has."""
        place = self._place(memory_id)
        linked = 0
        if place is not None:
            key, at = place
            linked = self._vaults[key].flags[at] & _LINKED
            if key != vault:
                self.drop(memory_id)
        entry = self._vaults.setdefault(vault, _Vault())
        entry.names.add(name)
        flags, number = _STATES.index(state) | linked, self._number(model)
        at = len(entry.ids) if not entry.ids or entry.ids[-1] < memory_id else bisect_left(entry.ids, memory_id)
        if at < len(entry.ids) and entry.ids[at] == memory_id:
            entry.flags[at], entry.models[at] = flags, number
        else:
            entry.ids.insert(at, memory_id)
            entry.flags.insert(at, flags)
            entry.models.insert(at, number)

    def fill(self, rows: Iterable[tuple[str, str, str, State, str | None]]) -> None:
        """Take in (id, vault, name, state, model) of many memories, none of which is there yet, in any order."""
        touched = set()
        for memory_id, vault, name, state, model in rows:
            entry = self._vaults.setdefault(vault, _Vault())
            entry.names.add(name)
            entry.ids.append(memory_id)
            entry.flags.append(_STATES.index(state))
            entry.models.append(self._number(model))
            touched.add(vault)
        for vault in touched:
            self._vaults[vault].sort()

    def beginning(self, prefix: str, limit: int) -> tuple[str, ...]:
        return beginning((vault.ids for vault in self._vaults.values()), prefix, limit)

    def drop(self, memory_id: str) -> None:
        if (place := self._place(memory_id)) is not None:
            key, at = place
            del self._vaults[key].ids[at]
            del self._vaults[key].flags[at]
            del self._vaults[key].models[at]

    def link(self, ids: Iterable[str]) -> None:
        """Note that these memories have, or had, links."""
        for memory_id in ids:
            if (place := self._place(memory_id)) is not None:
                self._vaults[place[0]].flags[place[1]] |= _LINKED

    def __contains__(self, memory_id: str) -> bool:
        return self._place(memory_id) is not None

    def linked(self, memory_id: str) -> bool:
        """Whether a memory may have links."""
        place = self._place(memory_id)
        return place is not None and bool(self._vaults[place[0]].flags[place[1]] & _LINKED)

    def names(self, vault: str) -> set[str]:
        """Every spelling under which memories of a vault are stored."""
        entry = self._vaults.get(vault)
        return set() if entry is None else set(entry.names)

    def ids(self, vault: str | None = None) -> list[str]:
        """The ids of a vault, or all, ascending."""
        if vault is not None:
            entry = self._vaults.get(vault)
            return [] if entry is None else list(entry.ids)
        return sorted(memory_id for entry in self._vaults.values() for memory_id in entry.ids)

    def beside(self, memory_id: str, vault: str, reach: int) -> list[tuple[str, int]]:
        """Ids next to this one in its vault's order of birth, with their distance, at most ``reach`` on either side."""
        entry = self._vaults.get(vault)
        if entry is None:
            return []
        at = bisect_left(entry.ids, memory_id)
        if at == len(entry.ids) or entry.ids[at] != memory_id:
            return []
        steps = [step for step in range(-reach, reach + 1) if step]
        return [(entry.ids[at + step], abs(step)) for step in steps if 0 <= at + step < len(entry.ids)]

    def count(self, vault: str | None = None, *, active_only: bool) -> int:
        found = 0
        for key, entry in self._vaults.items():
            if vault in (None, key):
                active = _bits(entry.flags) & _STATE == _STATES.index(State.ACTIVE)
                found += int(np.count_nonzero(active)) if active_only else len(entry.ids)
        return found

    def pending(self) -> list[str]:
        """Ids without a vector, forgotten ones left out, ascending."""
        found: list[str] = []
        for entry in self._vaults.values():
            remembered = _bits(entry.flags) & _STATE != _STATES.index(State.FORGOTTEN)
            waiting = np.flatnonzero((_bits(entry.models) == _NONE) & remembered)
            found += [entry.ids[at] for at in waiting.tolist()]
        return sorted(found)

    def models(self, vaults: Iterable[str] | None) -> list[str]:
        """The embedding models whose vectors memories of these vaults (None: of all) have."""
        entries = [self._vaults[key] for key in (self._vaults if vaults is None else vaults) if key in self._vaults]
        numbers = {number for entry in entries for number in set(entry.models)}
        return sorted(model for number in numbers if (model := self._models[number]) is not None)

    def _number(self, model: str | None) -> int:
        if model not in self._models:
            self._models.append(model)
        return self._models.index(model)

    def _place(self, memory_id: str) -> tuple[str, int] | None:
        for key, entry in self._vaults.items():
            at = bisect_left(entry.ids, memory_id)
            if at < len(entry.ids) and entry.ids[at] == memory_id:
                return key, at
        return None


def _bits(values: bytearray) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.frombuffer(bytes(values), np.uint8)
