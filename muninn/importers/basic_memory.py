"""basic-memory: Markdown notes with a permalink, ``- [category] observation`` lines and ``- relation [[Note]]`` lines.

A note is one memory with its text verbatim; its typed relations become links, its categories go to ``metadata``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from muninn.domain.memory import relation_of
from muninn.importers import fields, frontmatter, markdown
from muninn.importers.items import Item, Row
from muninn.importers.text import Note, notes

_RELATION = re.compile(
    r"""^\s*[-*]\s+["']?([^\[\]"'\n]{1,80}?)["']?\s+\[\[([^\[\]|#\n]+)[^\[\]\n]*\]\]""", re.MULTILINE
)
_OBSERVATION = re.compile(r"^\s*[-*]\s+\[([^\[\]\n]{2,60})\]\s+\S", re.MULTILINE)
_RELATION_WORDS = 4
_SAMPLE = 100


def is_basic_memory(path: Path) -> bool:
    if not path.is_dir():
        return False
    sample = (one for one in islice(notes(path), _SAMPLE) if isinstance(one, Note))
    return any("permalink" in frontmatter.split(one.text).values for one in sample)


def read(path: Path) -> Iterator[Item]:
    titles = markdown.Titles.of(path)
    for one in notes(path):
        item = markdown.row(one, titles) if isinstance(one, Note) else one
        yield _typed(item, titles) if isinstance(item, Row) else item
    yield from markdown.left_out(path)


def _typed(row: Row, titles: markdown.Titles) -> Row:
    relations: dict[str, str] = {}
    for match in _RELATION.finditer(row.values["content"]):
        target = titles.find(match[2].strip(), beside=row.source) or fields.title(match[2].strip().rpartition("/")[2])
        if target and len(match[1].split()) <= _RELATION_WORDS:
            relations[target] = relation_of(match[1])
    links: list[dict[str, Any]] = row.values.get("links", [])
    categories = list(dict.fromkeys(_OBSERVATION.findall(row.values["content"])))
    changes = {
        "links": [{**link, "relation": relations.get(link["target"], link["relation"])} for link in links],
        "metadata": fields.metadata(row.values["metadata"], {"categories": categories}),
    }
    return Row({**row.values, **{key: value for key, value in changes.items() if value}}, row.line, row.source)
