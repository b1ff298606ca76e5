"""The bench of imports makes notes as people write them, and both of its sides go to the end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from muninn.importers import Row, importer_for
from tests.bench import importing


def test_the_vault_is_of_short_linked_notes_in_two_languages(tmp_path: Path) -> None:
    importing.write_vault(tmp_path / "vault", 60)
    items = list(importer_for(tmp_path / "vault").read(tmp_path / "vault"))
    rows = [item.values for item in items if isinstance(item, Row)]
    assert len(rows) == len(items) == 60
    assert all(20 <= len(str(row["content"]).split()) <= 80 for row in rows)
    assert {row["tags"][0] for row in rows} == {"en", "es"}
    assert {link["target"] for row in rows for link in row.get("links", ())} <= {row["title"] for row in rows}
    assert all(row["created_at"].startswith("2025-") for row in rows)


def test_each_side_has_its_turns_until_both_have_ended() -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.3)"]) as command:
        steps = iter(range(1000))
        took, floor = importing.take_turns(command, [], steps, 0.001)
        assert command.returncode == 0
    assert next(steps, None) is None
    assert (took > 0.0, floor > 0.0) == (True, True)
