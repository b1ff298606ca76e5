"""Remembering, asserting again, editing, forgetting, restoring, purging. Every birth is linked and says who wrote it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from muninn.domain.birth import born, check_validity, edited, head_of, reasserted, revived, superseded
from muninn.domain.draft import Draft
from muninn.domain.memory import Link, Memory, Provenance, State, Vault, content_hash, vault_key
from muninn.domain.records import Transaction, Usage
from muninn.domain.trust import Tier, strictest
from muninn.embed.text import embedded_text
from muninn.errors import ConflictError, MuninnError, ProviderError, StoreError, UsageError
from muninn.ports import Answer, Query
from muninn.service.vaults import Vaults
from muninn.service.writer import Batch

QUERY_KEPT = 1000  # characters of a query that usage remembers, for the probe of later dreams


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What became of a draft. ``created`` is false for an exact duplicate, which counts as a re-assertion."""

    memory: Memory
    created: bool
    vault_created: bool = False
    links: tuple[Link, ...] = ()
    notes: tuple[str, ...] = ()


class Memories(Vaults):
    def remember(self, draft: Draft, *, by: Provenance) -> Remembered:
        """Store one memory, or assert it again. The answer is durable."""
        check_validity(draft.valid_from, draft.valid_until)
        self._check_supersedes(draft, self.read.get)
        vault = self._resolve(draft.vault)
        vector, model, notes = self._embed_draft(draft, vault)
        with self._lock:
            now = self._clock.now()
            batch = Batch(self.read)
            remembered, writes = self._take(batch, draft, by=by, now=now)
            if remembered.created and vector is not None:
                batch.put(replace(batch.rows[remembered.memory.id], embedding_model=model), vector)
            links = self._supersession_links(batch, remembered, now, by=by)
            position, made = self._finish(batch, now=now, writes=writes, links=links)
        self.store.wait(position)
        memory = self.require(remembered.memory.id)
        touching = tuple(link for link in made if memory.id in (link.source, link.target))
        return replace(remembered, memory=memory, links=touching, notes=(*remembered.notes, *notes))

    def _embed_draft(self, draft: Draft, vault: Vault) -> tuple[bytes | None, str | None, tuple[str, ...]]:
        """The vector of a draft that is not stored yet; a failing embedder leaves it pending and says so."""
        if self.holds(draft):
            return None, None, ()
        probe = born(draft, memory_id="draft", vault=vault, by=Provenance(client="muninn"), now=self._clock.now())
        return self._embed_text(probe)

    def _take(self, batch: Batch, draft: Draft, *, by: Provenance, now: datetime) -> tuple[Remembered, int]:
        """Put one draft into a batch; returns what became of it and how many writes it counts for."""
        vault = self._resolve(draft.vault)
        new_vault = vault.key not in self._vaults and vault.key not in batch.vaults
        holder = batch.holder(vault.name, content_hash(draft.content))
        if holder is not None:
            head = head_of(holder, batch.get)
            rows = reasserted(holder, draft, head=head if head.id != holder.id else None, now=now)
            for row in rows:
                batch.put(row)
            self._close_superseded(batch, draft, rows[0], now)
            note = "said again" if holder.active else f"revived from {holder.state}"
            if not rows[0].active:
                note = f"known already, and replaced since by {head.id}"
            changed = len(rows) > 1 or draft.supersedes is not None or rows[0].active is not holder.active
            return Remembered(memory=rows[0], created=False, notes=(note,)), int(changed)
        if new_vault:
            batch.vaults[vault.key] = vault
        memory = born(draft, memory_id=self._ids.new(), vault=batch.vaults.get(vault.key, vault), by=by, now=now)
        batch.put(memory)
        self._close_superseded(batch, draft, memory, now)
        notes = (f"vault {vault.name} created with tier {vault.tier}",) if new_vault else ()
        return Remembered(memory=memory, created=True, vault_created=new_vault, notes=notes), 1

    def _check_supersedes(self, draft: Draft, get: Callable[[str], Memory | None]) -> None:
        if draft.supersedes is None:
            return
        older = get(draft.supersedes) or self.require(draft.supersedes)
        if vault_key(older.vault) != vault_key(self._resolve(draft.vault).name):
            raise UsageError(
                f"{older.id} is in vault {older.vault}; a memory supersedes only inside its vault",
                hint=f"--vault {older.vault}",
            )

    def _close_superseded(self, batch: Batch, draft: Draft, newer: Memory, now: datetime) -> None:
        if draft.supersedes is None:
            return
        older = head_of(batch.get(draft.supersedes) or self.require(draft.supersedes), batch.get)
        if older.id != newer.id and older.state is not State.FORGOTTEN:
            batch.put(superseded(older, by=newer.id, at=newer.valid_from or newer.learned_at, now=now))

    def _supersession_links(self, batch: Batch, made: Remembered, now: datetime, *, by: Provenance) -> tuple[Link, ...]:
        closed = [row for row in batch.rows.values() if row.superseded_by == made.memory.id]
        return tuple(
            Link(
                source=made.memory.id, target=row.id, relation="supersedes", vault=row.vault, weight=1.0,
                origin=by.origin, created_at=now,
            )
            for row in closed
        )  # fmt: skip

    def remember_many(
        self,
        drafts: Sequence[tuple[Draft, Provenance, bytes | None, str | None]],
        *,
        exact: bool = False,
    ) -> list[Remembered | MuninnError]:
        """Store many in one commit: (draft, provenance, vector, model). Vectors that are missing stay pending.

        ``exact`` takes rows as they are (an export coming home): only an equal id is a duplicate. One bad row never
        stops the others.
        """
        results: list[Remembered | MuninnError] = []
        with self._lock:
            now = self._clock.now()
            batch = Batch(self.read)
            writes = 0
            for draft, by, vector, model in drafts:
                try:
                    outcome, counted = self._take_row(batch, draft, by=by, now=now, exact=exact)
                except UsageError as error:
                    results.append(error)
                    continue
                if outcome.created and model is not None:
                    batch.put(replace(batch.rows[outcome.memory.id], embedding_model=model), vector)
                writes += counted
                results.append(outcome)
            if not batch.rows:
                return results
            position, _ = self._finish(batch, now=now, writes=writes)
        self.store.wait(position)
        return results

    def _take_row(
        self, batch: Batch, draft: Draft, *, by: Provenance, now: datetime, exact: bool
    ) -> tuple[Remembered, int]:
        known = batch.get(draft.id) if draft.id else None
        if known is not None:
            if known.content != draft.content:
                raise ConflictError(f"id {known.id} is taken by a memory with other content", hint="leave the id out")
            return Remembered(memory=known, created=False), 0
        if exact:
            vault = self._resolve(draft.vault)
            if vault.key not in self._vaults:
                batch.vaults.setdefault(vault.key, vault)
            memory = born(draft, memory_id=self._ids.new(), vault=batch.vaults.get(vault.key, vault), by=by, now=now)
            batch.put(memory)
            return Remembered(memory=memory, created=True), 1
        self._check_supersedes(draft, batch.get)
        return self._take(batch, draft, by=by, now=now)

    def edit(self, memory_id: str, changes: Mapping[str, object], *, by: Provenance) -> Remembered:
        """Change fields of a memory. Content changes are embedded again, linked again and count as a write."""
        memory = self.require(memory_id)
        changed = edited(memory, changes, now=self._clock.now())
        vector: bytes | None = None
        model: str | None = memory.embedding_model
        notes: tuple[str, ...] = ()
        text_changed = embedded_text(changed) != embedded_text(memory)
        if text_changed:
            vector, model, notes = self._embed_text(changed)
        with self._lock:
            current = self.require(memory_id)
            if current.fingerprint != memory.fingerprint:
                raise ConflictError(f"memory {memory_id} changed meanwhile", hint="read it again and repeat the edit")
            now = self._clock.now()
            batch = Batch(self.read)
            batch.put(replace(edited(current, changes, now=now), embedding_model=model), vector)
            position, made = self._finish(batch, now=now, writes=int("content" in changes))
        self.store.wait(position)
        self._tell("edited", by, memory=memory_id)
        return Remembered(memory=self.require(memory_id), created=False, links=made, notes=notes)

    def _embed_text(self, memory: Memory) -> tuple[bytes | None, str | None, tuple[str, ...]]:
        text = embedded_text(memory)
        try:
            embedder = self.embedders.for_tier(memory.tier)
            matrix = embedder.passages([text], tier=memory.tier, vault=memory.vault)
        except ProviderError as error:
            return None, None, (f"embedding pending: {error}",)
        partly = ("too long to embed whole: its end is found by words only",) if embedder.capped([text])[0] else ()
        return matrix[0].tobytes(), embedder.model, partly

    def forget(self, memory_id: str, *, by: Provenance) -> Memory:
        """Take a memory out of sight; ``restore`` brings it back."""
        return self._set(
            "forgotten", memory_id, lambda m, now: replace(m, state=State.FORGOTTEN, updated_at=now), by=by
        )

    def restore(self, memory_id: str, *, by: Provenance) -> Memory:
        """Make a forgotten, archived or superseded memory active again."""
        return self._set("restored", memory_id, lambda m, now: m if m.active else revived(m, now=now), by=by)

    def _set(
        self, what: str, memory_id: str, change: Callable[[Memory, datetime], Memory], *, by: Provenance
    ) -> Memory:
        with self._lock:
            now = self._clock.now()
            batch = Batch(self.read)
            batch.put(change(self.require(memory_id), now))
            position, _ = self._finish(batch, now=now, writes=0)
        self.store.wait(position)
        self._tell(what, by, memory=memory_id)
        return self.require(memory_id)

    def purge(self, memory_id: str, *, by: Provenance) -> Memory:
        """Erase a memory for good, with its history. Returns what was erased."""
        with self._lock:
            memory = self.require(memory_id)
            position = self._commit(Transaction(purge=(memory_id,), unlink=self._unfounded(gone=(memory_id,))))
        self.store.wait(position)
        self._tell("purged", by, memory=memory_id)
        self.store.checkpoint()
        self.embedders.clear_caches()
        return memory

    def note(self, usage: Usage) -> None:
        """Record that memories were recalled or read. A full disk costs this note, never the answer."""
        with self._lock:
            try:
                self._commit(Transaction(usage=(usage,)))
            except StoreError:
                return

    def look(self, memory_id: str, *, session_id: str | None = None) -> Memory:
        """A memory as an outsider reads it: counted as use, legal ones excepted."""
        memory = self.require(memory_id)
        if memory.active and memory.tier is not Tier.LEGAL:
            self.note(Usage(id=self._ids.new(), at=self._clock.now(), kind="read", vaults=(memory.vault,), memories=(memory.id,),
                            activations=(1.0,), session_id=session_id))  # fmt: skip
        return memory

    def recall(self, query: Query) -> Answer:
        """Answer a question; what came back counts as used, except where the query or the tier says otherwise."""
        now = self._clock.now()
        answer = self.read.recall(query, now=now)
        used = [hit for hit in answer.hits if hit.memory.active and hit.memory.tier is not Tier.LEGAL]
        if query.reinforce and used:
            usage = Usage(
                id=self._ids.new(),
                at=now,
                kind="recall",
                vaults=query.vaults,
                memories=tuple(hit.memory.id for hit in used),
                activations=tuple(round(hit.score, 6) for hit in used),
                query=query.text[:QUERY_KEPT],
                session_id=query.session_id,
            )
            self.note(usage)
        return answer

    def head(self, memory: Memory) -> Memory:
        """The live end of a memory's chain: itself, its survivor or its successor."""
        return head_of(memory, self.read.get)

    def holds(self, draft: Draft) -> bool:
        """Whether this exact content is in the draft's vault already."""
        return bool(self.read.holders(self._resolve(draft.vault).name, content_hash(draft.content)))

    def tier_for(self, draft: Draft) -> Tier:
        """The tier that a draft's text would be under."""
        return strictest(self._resolve(draft.vault).tier, draft.tier or Tier.GLOBAL)
