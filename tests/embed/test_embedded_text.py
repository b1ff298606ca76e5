from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from muninn.domain.memory import Memory, Provenance
from muninn.domain.trust import Tier
from muninn.embed import embedded_text

NOW = datetime(2026, 3, 28, tzinfo=UTC)
MEMORY = Memory(
    id="1",
    vault="default",
    tier=Tier.PERSONAL,
    title="El puerto de pruebas",
    content="Escucha en 5432. Nadie lo cambia.",
    content_hash="",
    created_at=NOW,
    updated_at=NOW,
    learned_at=NOW,
    provenance=Provenance(client="test"),
)


def test_a_given_title_stands_in_front() -> None:
    assert embedded_text(MEMORY) == "El puerto de pruebas\nEscucha en 5432. Nadie lo cambia."


def test_a_derived_title_is_left_out() -> None:
    assert embedded_text(replace(MEMORY, title_derived=True)) == MEMORY.content
