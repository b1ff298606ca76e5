"""Links by hand: made, taken away, imported. Automatic links are made where memories are born and changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from muninn.domain.memory import (
    RELATION_LIMIT,
    RELATIONS,
    Link,
    LinkKey,
    Memory,
    Origin,
    Provenance,
    is_relation,
    vault_key,
)
from muninn.domain.records import Transaction
from muninn.errors import NotFoundError, UsageError
from muninn.service.writer import Writer, dated


class Links(Writer):
    def link(self, source: str, target: str, *, relation: str, weight: float, by: Provenance) -> Link:
        """Relate two memories of one vault; the origin follows from who says so."""
        if not is_relation(relation):
            raise UsageError(
                f"relation {relation[:40]!r} is not valid",
                hint=f"lower-case letters, digits, _, at most {RELATION_LIMIT}; e.g. {', '.join(RELATIONS[:8])}",
            )
        if not 0.0 <= weight <= 1.0:
            raise UsageError(f"weight {weight} is out of range", hint="0 to 1")
        ends = self.require(source), self.require(target)
        return self._link(*ends, relation, weight, origin=by.origin, crossing=False, by=by)

    def _link(
        self, source: Memory, target: Memory, relation: str, weight: float, *, origin: Origin, crossing: bool, by: Provenance
    ) -> Link:  # fmt: skip
        if source.id == target.id:
            raise UsageError(f"{source.id} cannot be linked to itself")
        if not crossing and vault_key(source.vault) != vault_key(target.vault):
            raise UsageError(
                f"{source.id} and {target.id} are in different vaults ({source.vault}, {target.vault})",
                hint="a link across vaults is made by accepting a suggestion: muninn suggestions",
            )
        with self._lock:
            now = self._clock.now()
            known = self.read.link(LinkKey(source.id, target.id, relation))
            link = Link(
                source=source.id, target=target.id, relation=relation, vault=source.vault, weight=weight, origin=origin,
                created_at=known.created_at if known else now,
                last_activated_at=known.last_activated_at if known else None,
            )  # fmt: skip
            position = self._commit(Transaction(links=(link,)))
        self.store.wait(position)
        self._tell("linked", by, source=source.id, target=target.id, relation=relation)
        return link

    def unlink(self, source: str, target: str, *, relation: str, by: Provenance) -> Link:
        """Take a link away; an automatic one leaves a tombstone, so that it is not made again. What was inferred from it
        falls too."""
        with self._lock:
            link = self.read.link(LinkKey(source, target, relation))
            if link is None or link.rejected:
                raise NotFoundError(
                    f"there is no link {relation} from {source} to {target}", hint=f"muninn links {source}"
                )
            gone = self._unfounded(unlinked=link.key)
            if link.origin is Origin.AUTO:
                position = self._commit(Transaction(links=(replace(link, rejected=True),), unlink=gone))
            else:
                position = self._commit(Transaction(unlink=(link.key, *gone)))
        self.store.wait(position)
        self._tell("unlinked", by, source=source, target=target, relation=relation)
        return link

    def import_links(self, links: Sequence[Link]) -> int:
        """Add links between memories that are here; returns how many were added."""
        with self._lock:
            here = (link for link in links if self.read.get(link.source) and self.read.get(link.target))
            fit = tuple(link for link in here if self.read.link(link.key) != link)
            if not fit:
                return 0
            position = self._commit(Transaction(links=fit))
        self.store.wait(position)
        return len(fit)

    def backfill(
        self,
        vaults: Sequence[str],
        *,
        dry_run: bool,
        by: Provenance,
    ) -> tuple[tuple[Link, ...], tuple[LinkKey, ...]]:
        """Bring the automatic links of ``vaults`` to what their memories say; returns links made and keys withdrawn."""
        with self._lock:
            now = self._clock.now()
            found = [self._linker.backfill(vault, existing=self.read.all_links_of, now=now) for vault in vaults]
            made = dated((link for changes in found for link in changes.add), self.read.get)
            gone = tuple(key for changes in found for key in changes.withdraw)
            if dry_run or not (made or gone):
                return made, gone
            position = self._commit(Transaction(links=made, unlink=gone))
        self.store.wait(position)
        self._tell("backfilled", by, links=len(made), withdrawn=len(gone))
        return made, gone
