"""Erasing one memory from the journal leaves alone what is about others and what a person wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from muninn.domain.memory import Provenance

if TYPE_CHECKING:
    from tests.dream.conftest import World

BY = Provenance(client="test")
ENTRY = """---
## 2026-03-28T06:00:00Z -- Dream 01M8PCB6AYRWWVY399ZTQHT4VJ
**Strengthened:**
- 2 memories will last longer: “a” (01M8OTHER), “DNS timeout of March” (01M8SECOND)
- my own words: Acme called about a cat
*Scanned 2 memories*
"""


@pytest.mark.parametrize("title", ["e", "cat", "Acme"])
def test_a_short_title_takes_no_other_lines_along(world: World, title: str) -> None:
    memory = world.tell("Something to be erased", title=title, title_derived=False)
    world.dreamer._journal.append(
        ENTRY, {"dream_id": "01M8", "operations": [{"ids": ["01M8OTHER"]}]}, now=world.clock.now()
    )
    world.dreamer.purge(memory.id, by=BY)
    assert world.dreamer._journal.markdown.read_text("utf-8") == ENTRY


@pytest.mark.parametrize("title", ["a", "DNS timeout of March"])
def test_a_title_that_the_journal_quotes_is_erased(world: World, title: str) -> None:
    memory = world.tell("Something to be erased", title=title, title_derived=False)
    world.dreamer._journal.append(ENTRY, {"dream_id": "01M8", "operations": []}, now=world.clock.now())
    assert world.dreamer.purge(memory.id, by=BY)["journal_lines_erased"] == 1
    text = world.dreamer._journal.markdown.read_text("utf-8")
    assert "01M8SECOND" not in text
    assert "Acme called about a cat" in text
