"""What the dream of one vault leaves for the next: the meta entries that change, to be committed with its operations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from muninn.domain.marks import mark_entry, paired_entry, put_entry, scan_key, scanned_entry
from muninn.domain.memory import Vault
from muninn.dream.context import Context


def entries_of(vault: Vault, context: Context, *, paired: Iterable[str], meta: Mapping[str, str]) -> dict[str, str]:
    """The vault's meta entries that change. Memories that later phases altered are noted as they were left.

    ``context`` is that after the last phase; ``paired`` names every likeness put before a model so far.
    """
    findings = context.findings
    entries: dict[str, str] = {}
    if findings.mark != context.mark:
        entries.update(mark_entry(vault.key, findings.mark))
    if findings.paired:
        entries.update(paired_entry(paired))
    if findings.compared is not None:
        scanned, put = list(_scanned(context, findings.compared)), _put(context)
        entries.update(scanned_entry(vault.key, scanned) if scanned or len(context.scanned) else {})
        entries.update(put_entry(vault.key, put) if put or context.put else {})
    return {name: value for name, value in entries.items() if meta.get(name) != value}


def _scanned(context: Context, compared: Mapping[str, int]) -> Iterator[int]:
    memories = context.snapshot.memories
    touched = {key for one in context.so_far for key in one.ids}
    for key, mark in compared.items():
        if memories[key].active:
            yield scan_key(memories[key]) if key in touched else mark


def _put(context: Context) -> set[int]:
    """Scan keys of the memories whose likenesses were put before a model: as they are left, and, until the next dream, as
    they were, so that one that comes back when an operation is taken back is no new one.
    """
    memories, met = context.snapshot.memories, context.findings.met
    done = {key for key, mark in met.items() if mark in context.put} | context.findings.put
    touched = {key for one in context.so_far for key in one.ids}
    left = {scan_key(memories[key]) for key in done & touched if memories[key].active}
    # what the deadline kept from meeting the others may well have been put before a model
    earlier = context.put if context.findings.unfinished else frozenset()
    return {met[key] for key in done} | left | earlier
