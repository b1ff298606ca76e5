from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from muninn.importers import Item, Rejected, Remark, Row, importer_for
from muninn.importers.frontmatter import parse, scalar, split


def write(folder: Path, files: dict[str, str | bytes], *, mtime: int = 1_700_000_000) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
        os.utime(path, (mtime, mtime))
    return folder


def read(path: Path, name: str = "") -> tuple[dict[str, dict[str, object]], list[Item]]:
    """Rows by source, and everything else."""
    found = list(importer_for(path, format=name).read(path))
    return {item.source: item.values for item in found if isinstance(item, Row)}, [
        i for i in found if not isinstance(i, Row)
    ]


# Front matter.


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain text # not a comment? yes", "plain text"),
        ("C#", "C#"),
        ("'it''s: # quoted'  # comment", "it's: # quoted"),
        (r'"tab\tñ \"x\""', 'tab\tñ "x"'),
        ("[a, 'b, c', \"d\"]", ["a", "b, c", "d"]),
        ("[]", []),
        ("[[Link]]", "[[Link]]"),
        ("true", True),
        ("~", None),
        ("-3", -3),
        ("2.50", 2.5),
        ("007", "007"),
        ("2024-05-01", "2024-05-01"),
        ("12:30", "12:30"),
    ],
)
def test_scalars(text: str, value: object) -> None:
    assert scalar(text) == value


def test_lists_maps_and_blocks() -> None:
    text = "tags:\n- a\n- b c\naliases:\n  - X\nmeta:\n  type: user\n  deep:\n    n: 1\nabout: >\n  two\n  lines\nraw: |\n  x\n  y\nlong: one\n  two\n# c\nempty:\n"
    assert parse(text.split("\n")) == {
        "tags": ["a", "b c"], "aliases": ["X"], "meta": {"type": "user", "deep": {"n": 1}}, "about": "two lines",
        "raw": "x\ny", "long": "one two", "empty": None,
    }  # fmt: skip


def test_a_block_that_is_not_closed_is_text() -> None:
    assert split("---\ntitle: x\nno end") == ({}, "---\ntitle: x\nno end", 1)
    assert split("---\ntitle: x\n---\nbody\n") == ({"title": "x"}, "body\n", 4)


def test_deep_nesting_ends() -> None:
    parse([f"{' ' * n}k{n}:" for n in range(500)])


# Markdown and Obsidian.


def test_an_obsidian_vault(tmp_path: Path) -> None:
    folder = write(tmp_path, {
        "Proyecto Ñandú.md": "---\ntags: [trabajo, '#urgente']\ncreated: 2024-03-05 09:30\naliases: ñandú\ncolor: red\n---\n\nHabla con [[Ana|la jefa]] y mira ![[plano.png]] y [[Docker#Redes]].\n\n#reunión y `#code` y http://x/#no\n",
        "gente/Ana.md": "# Ana Ruiz\n\nLeads [[ñandú]]. See [notes](../Docker%20notes.md) and [site](https://x.org/a.md).\n",
        "Docker notes.md": "---\ntitle: Docker\ntype: procedure\npinned: true\n---\nRun it.\n```\n[[Not a link]] #nottag\n```\n",
        "2024-01-02.md": "Diario de hoy. [[Missing note]]",
        ".obsidian/app.md": "hidden",
        "plano.png": b"\x89PNG",
    })  # fmt: skip
    rows, rest = read(folder)
    assert list(rows) == ["2024-01-02.md", "Docker notes.md", "Proyecto Ñandú.md", "gente/Ana.md"]
    project = rows["Proyecto Ñandú.md"]
    assert project["title"] == "Proyecto Ñandú"
    assert project["tags"] == ["trabajo", "urgente", "reunión"]
    assert project["created_at"] == "2024-03-05T09:30:00Z"
    assert project["updated_at"] == "2024-03-05T09:30:00Z"  # never before it was created, whatever the file says
    assert [link["target"] for link in project["links"]] == ["Ana Ruiz", "Docker"]  # type: ignore[attr-defined]
    assert project["metadata"] == {"aliases": "ñandú", "color": "red", "source": "Proyecto Ñandú.md"}
    assert str(project["content"]).startswith("Habla con [[Ana|la jefa]]")
    assert rows["gente/Ana.md"]["links"] == [
        {"target": "Proyecto Ñandú", "relation": "references"},
        {"target": "Docker", "relation": "references"},
    ]
    assert rows["Docker notes.md"]["kind"] == "procedure"
    assert rows["Docker notes.md"]["pinned"] is True
    assert "links" not in rows["Docker notes.md"]
    assert rows["2024-01-02.md"]["created_at"] == "2024-01-02T00:00:00Z"
    assert rows["2024-01-02.md"]["links"] == [{"target": "Missing note", "relation": "references"}]
    assert [item.what for item in rest if isinstance(item, Remark)] == [
        "1 file is not Markdown and was left out, plano.png first"
    ]


def test_names_in_either_unicode_form_meet(tmp_path: Path) -> None:
    folder = write(tmp_path, {unicodedata.normalize("NFD", "Café.md"): "beans", "a.md": "[[Café]] is open"})
    rows, _ = read(folder)
    assert rows["a.md"]["links"] == [{"target": unicodedata.normalize("NFD", "Café"), "relation": "references"}]


def test_one_note_of_its_own(tmp_path: Path) -> None:
    path = write(tmp_path, {"deploy.md": "Deploy on Friday never."}) / "deploy.md"
    rows, rest = read(path)
    assert rows["deploy.md"]["title"] == "deploy"
    assert rows["deploy.md"]["created_at"] == "2023-11-14T22:13:20Z"
    assert rest == []


def test_what_is_no_note_says_why(tmp_path: Path) -> None:
    folder = write(tmp_path, {
        "ok.md": "fine", "empty.md": "  \n", "front.md": "---\na: 1\n---\n", "binary.md": b"a\0b", "latin.md": b"ma\xf1ana",
        "huge.md": b"x" * (3 << 20), "utf16.md": "mañana".encode("utf-16"),
    })  # fmt: skip
    (folder / "link.md").symlink_to("/etc/hostname")
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.md")
    rows, rest = read(folder)
    assert set(rows) == {"ok.md", "utf16.md"}
    assert rows["utf16.md"]["content"] == "mañana"
    why = {item.source: item.why for item in rest if isinstance(item, Rejected)}
    assert set(why) == {"empty.md", "front.md", "binary.md", "latin.md", "huge.md", "link.md", "pipe.md"}
    assert "symbolic link" in why["link.md"]
    assert "not a regular file" in why["pipe.md"]
    assert "UTF-8" in why["latin.md"]


def test_values_that_would_be_refused_are_brought_into_shape(tmp_path: Path) -> None:
    tags = ", ".join(f"t{n}" for n in range(200))
    text = f"---\ntitle: {'ñ' * 600}\ntags: [{tags}, {'x' * 500}]\ndate: 31/12/2024\nbig: {'b' * 90_000}\n---\nbody"
    rows, _ = read(write(tmp_path, {"a.md": text}))
    assert len(str(rows["a.md"]["title"]).encode()) <= 512
    assert len(rows["a.md"]["tags"]) == 64  # type: ignore[arg-type]
    assert rows["a.md"]["created_at"] == "2023-11-14T22:13:20Z"
    assert rows["a.md"]["metadata"] == {"date": "31/12/2024", "source": "a.md"}


# basic-memory.


def test_a_basic_memory_folder(tmp_path: Path) -> None:
    folder = write(tmp_path, {
        "coffee/brewing.md": "---\ntitle: Coffee Brewing\ntype: note\ntags: [coffee]\npermalink: coffee/brewing\n---\n# Coffee Brewing\n\n## Observations\n- [method] Pour over is clearer #brewing (tried it)\n- [fact] 96 °C\n- [x] a task that is done\n\n## Relations\n- relates_to [[Coffee Beans]]\n- \"depends on\" [[coffee/grinder]] (burr)\n- [[Tea]]\nThe thing that surprised me most was [[Tea]].\n",
        "coffee/grinder.md": "---\ntitle: Grinder\npermalink: coffee/grinder\n---\n- part_of [[Coffee Brewing]]\n",
    })  # fmt: skip
    rows, rest = read(folder)
    assert importer_for(folder).name == "basic-memory"
    brewing = rows["coffee/brewing.md"]
    assert brewing["links"] == [
        {"target": "Coffee Beans", "relation": "relates_to"},
        {"target": "Grinder", "relation": "depends_on"},
        {"target": "Tea", "relation": "references"},
    ]
    assert brewing["tags"] == ["coffee", "brewing"]
    assert brewing["metadata"]["categories"] == ["method", "fact"]  # type: ignore[index]
    assert "- [method] Pour over is clearer #brewing (tried it)" in str(brewing["content"])
    assert rows["coffee/grinder.md"]["links"] == [{"target": "Coffee Brewing", "relation": "part_of"}]
    assert rest == []


# Claude memory folders.

MEMORY = """# Memory

- [User role](user_role.md) — backend engineer
- [Testing](feedback_testing.md): no mocks

## Deploys
Never on Fridays. See [[user-role]].

## Nada
"""


def test_a_claude_memory_folder(tmp_path: Path) -> None:
    folder = write(tmp_path, {
        "MEMORY.md": MEMORY,
        "user_role.md": "---\nname: user-role\ndescription: who the user is\ntype: user\n---\n\nBackend engineer in Madrid.\n",
        "feedback_testing.md": "---\nname: No mocks\ndescription: how to test\nmetadata:\n  type: feedback\n  originSessionId: abc-123\n---\nUse the real database. **Why:** burned once. Related: [[user-role]]\n",
        "debugging.md": "# Debugging\n\nRead the log first.",
    })  # fmt: skip
    for path in (folder, folder / "MEMORY.md"):
        rows, rest = read(path)
        assert importer_for(path).name == "claude"
        assert rest == []
        assert rows["MEMORY.md"]["title"] == "Deploys"
        assert rows["MEMORY.md"]["content"] == "Never on Fridays. See [[user-role]]."
        assert rows["MEMORY.md"]["links"] == [{"target": "user-role", "relation": "references"}]
        assert rows["user_role.md"]["title"] == "user-role"
        assert rows["user_role.md"]["kind"] == "fact"
        assert rows["user_role.md"]["tags"] == ["user"]
        assert rows["feedback_testing.md"]["kind"] == "preference"
        assert rows["feedback_testing.md"]["links"] == [{"target": "user-role", "relation": "references"}]
        assert rows["feedback_testing.md"]["provenance"] == {"client": "claude-code", "session_id": "abc-123"}
        assert rows["feedback_testing.md"]["metadata"]["description"] == "how to test"  # type: ignore[index]
        assert rows["debugging.md"]["title"] == "Debugging"


def test_a_folder_of_claude_projects_tells_them_apart(tmp_path: Path) -> None:
    folder = write(
        tmp_path, {"-home-a/memory/MEMORY.md": "one fact", "-home-b/memory/MEMORY.md": "# Log\nanother fact"}
    )
    rows, _ = read(folder)
    assert {source: row["metadata"]["project"] for source, row in rows.items()} == {  # type: ignore[index]
        "-home-a/memory/MEMORY.md": "-home-a",
        "-home-b/memory/MEMORY.md": "-home-b",
    }
    assert "title" not in rows["-home-a/memory/MEMORY.md"]
