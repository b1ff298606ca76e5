"""What a table says under a known column and nobody understands is kept, and said."""

from __future__ import annotations

from pathlib import Path

from muninn.importers.items import Rejected, Remark, Row
from muninn.importers.table_file import read


def test_a_date_that_is_none_is_kept_in_metadata_and_remarked_on(tmp_path: Path) -> None:
    file = tmp_path / "notas.csv"
    file.write_text(
        "contenido,fecha,importance,tipo\nUna,2025-02-03,0.5,hecho\nDos,ayer,muy alta,otra cosa\nTres,,,\n", "utf-8"
    )
    items = list(read(file))
    assert [(item.line, item.what) for item in items if isinstance(item, Remark)] == [
        (3, "fecha 'ayer' is not understood; kept in metadata"),
        (3, "importance 'muy alta' is not understood; kept in metadata"),
    ]
    rows = [item for item in items if isinstance(item, Row)]
    assert rows[0].values["created_at"] == "2025-02-03T00:00:00Z"
    assert rows[1].values["metadata"] == {"created_at": "ayer", "relevance": "muy alta", "type": "otra cosa"}


def test_a_quotation_mark_that_is_never_closed_is_named_by_its_line(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text('content,title\n"one, ""two""",T\n"three\nlines",T\n"open,T\nlost,T\n')
    items = list(read(file))
    assert [item.values["content"] for item in items if isinstance(item, Row)] == ['one, "two"', "three\nlines"]
    assert [(item.line, item.why) for item in items if isinstance(item, Rejected)] == [
        (5, "a quotation mark is opened and never closed")
    ]


def test_the_last_line_needs_no_end(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text('content,title\nuno,T\n"dos",T')
    assert [item.values["content"] for item in read(file) if isinstance(item, Row)] == ["uno", "dos"]
