"""A validity that ends before it begins is a slip of whoever types it; rows of an import keep what they say."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from muninn.domain.draft import Draft
from muninn.domain.memory import Provenance
from muninn.errors import UsageError
from muninn.service import MemoryService
from muninn.testing import MemoryStore

BY = Provenance(client="test")
EARLY, LATE = datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)


def test_an_end_before_the_beginning_is_refused(service_over: Callable[..., MemoryService]) -> None:
    service = service_over(MemoryStore())
    with pytest.raises(UsageError, match="is before valid_from"):
        service.remember(Draft(content="Rige al revés.", valid_from=LATE, valid_until=EARLY), by=BY)
    assert service.read.count() == 0
    memory = service.remember(Draft(content="Rige.", valid_from=EARLY, valid_until=LATE), by=BY).memory
    with pytest.raises(UsageError, match="is before valid_from"):
        service.edit(memory.id, {"valid_until": "2025-01-01T00:00:00Z"}, by=BY)
    changed = service.edit(memory.id, {"valid_from": None, "valid_until": "2025-01-01T00:00:00Z"}, by=BY).memory
    assert changed.valid_from is None


def test_an_imported_row_and_an_edit_of_something_else_are_taken(service_over: Callable[..., MemoryService]) -> None:
    service = service_over(MemoryStore())
    row = Draft(content="Rige al revés.", id="r1", valid_from=LATE, valid_until=EARLY)
    (taken,) = service.remember_many([(row, BY, None, None)], exact=True)
    assert not isinstance(taken, Exception)
    assert service.edit("r1", {"pinned": True}, by=BY).memory.pinned
