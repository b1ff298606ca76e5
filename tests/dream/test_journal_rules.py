"""The journal tells which learned rules keep failures away, in both languages, without letting their text in as markup."""

from __future__ import annotations

import pytest

from muninn.domain.records import DreamRecord
from muninn.dream.telling import entry
from muninn.testing import FakeClock

NOW = FakeClock().now()


@pytest.mark.parametrize(
    ("language", "heading"), [("en", "**Rules that are working:**"), ("es", "**Reglas que funcionan:**")]
)
def test_working_rules_have_a_section(language: str, heading: str) -> None:
    record = DreamRecord(
        id="D1", kind="dream", started_at=NOW, finished_at=NOW, status="completed",
        report={"rules": ["Read the file before editing it ![x](http://e)"], "vaults": [], "phases": [], "seconds": 0.1},
    )  # fmt: skip
    text = entry(record, [], titles=lambda _: None, language=language)
    lines = text.splitlines()
    told = lines[lines.index(heading) + 1]
    assert told.startswith("- ")
    assert "Read the file before editing it" in told
    assert "![x](" not in told


def test_without_rules_there_is_no_section() -> None:
    record = DreamRecord(
        id="D1",
        kind="dream",
        started_at=NOW,
        finished_at=NOW,
        status="completed",
        report={"rules": [], "vaults": [], "phases": [], "seconds": 0.1},
    )
    assert "Rules" not in entry(record, [], titles=lambda _: None, language="en")
