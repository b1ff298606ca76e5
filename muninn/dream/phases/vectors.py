"""The vectors of active memories, by id: what phases that compare need of a snapshot."""

from __future__ import annotations

from collections.abc import Container

from muninn.domain.memory import Matrix, Memory, Snapshot, Vectors


def active_rows(
    snapshot: Snapshot, block: Vectors, *, only: Container[str] | None = None
) -> tuple[list[Memory], Matrix]:
    """Active memories of ``block`` (those in ``only``, if given) in order of their ids, with their rows."""
    rows = []
    for row, key in enumerate(block.ids):
        memory = snapshot.memories.get(key)
        if memory is None or not memory.active or memory.embedding_model != block.model:
            continue
        if only is None or key in only:
            rows.append((key, row, memory))
    rows.sort(key=lambda item: item[0])
    order = [row for _, row, _ in rows]
    whole = order == list(range(len(block.ids)))  # the matrix as it is, without a copy
    return [memory for _, _, memory in rows], block.matrix if whole else block.matrix[order]
