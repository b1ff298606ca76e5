"""One value goes into a JSON text and out again; nothing else moves."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn.agents import jsonedit
from muninn.errors import ConfigError

SERVER = {"command": "muninn", "args": ["mcp"]}
PATH = ["mcpServers", "muninn"]


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{ }",
        "{\n}",
        "{}\n",
        "\ufeff{}\n",
        '{"a": 1}',
        '{"mcpServers": {}}',
        '{"mcpServers": {"other": {"command": "x"}}}',
        '{\n  "mcpServers": {}\n}\n',
        '{\n  "mcpServers": {\n  }\n}\n',
        '{\n    "mcpServers": {\n        "other": {\n            "command": "x"\n        }\n    },\n    "z": [1,2]\n}',
        '{\r\n\t"a": [1, {"b": "}"}],\r\n\t"ñ": "\\u00e9 // no comment"\r\n}\r\n',
        '{\n  "a" : 1 ,\n\n  "b":2\n\n}   \n\n',
    ],
)
def test_in_and_out_again(text: str) -> None:
    prune = max(0, jsonedit.missing(text, PATH) - 1)
    added = jsonedit.insert(text, PATH, SERVER)
    want = json.loads(text.removeprefix("\ufeff"))
    want.setdefault("mcpServers", {})["muninn"] = SERVER
    assert json.loads(added.removeprefix("\ufeff")) == want
    assert jsonedit.insert(added, PATH, SERVER) == added
    assert jsonedit.remove(added, PATH, prune=prune) == text


JSONC = """{
  // servers we use
  "mcpServers": {
    "a": {"command": "x"}, // the first
    /* the second */
    "b": {"command": "y"} // keep me here
    // and me
  },
  "list": [1, 2,],
}
"""


def test_comments_stay_where_they_stand() -> None:
    added = jsonedit.insert(JSONC, PATH, SERVER, comments=True)
    assert [line for line in added.splitlines() if "//" in line] == [
        "  // servers we use",
        '    "a": {"command": "x"}, // the first',
        '    "b": {"command": "y"}, // keep me here',
        "    // and me",
    ]
    assert jsonedit.read(added, PATH, comments=True) == SERVER
    assert jsonedit.remove(added, PATH, comments=True) == JSONC
    item = jsonedit.insert(JSONC, ["list", 2], 3, comments=True)
    assert jsonedit.read(item, ["list"], comments=True) == [1, 2, 3]
    assert jsonedit.remove(item, ["list", 2], comments=True) == JSONC
    top = jsonedit.insert(JSONC, ["new"], True, comments=True)
    assert jsonedit.remove(top, ["new"], comments=True) == JSONC


def test_what_others_add_afterwards_stays() -> None:
    text = '{\n  "a": 1\n}\n'
    added = jsonedit.insert(text, PATH, SERVER)
    more = jsonedit.insert(jsonedit.insert(added, ["mcpServers", "theirs"], {}), ["b"], 2)
    left = jsonedit.remove(more, PATH, prune=1)
    assert left == '{\n  "a": 1,\n  "mcpServers": {\n    "theirs": {}\n  },\n  "b": 2\n}\n'


def test_the_style_of_the_file_is_kept() -> None:
    assert jsonedit.insert('{"a": 1}', ["b"], [1]) == '{"a": 1, "b": [1]}'
    assert jsonedit.insert('{\n\t"a": 1\n}', ["b"], {"c": 1}) == '{\n\t"a": 1,\n\t"b": {\n\t\t"c": 1\n\t}\n}'
    assert jsonedit.insert('{\r\n "a": {}\r\n}', ["a", "b"], 1) == '{\r\n "a": {\r\n  "b": 1\r\n }\r\n}'


def test_an_existing_value_is_replaced_in_place() -> None:
    text = '{\n  "a": {"x": 1},\n  "b": 2\n}'
    assert jsonedit.insert(text, ["a", "x"], True) == text.replace("1", "true")
    assert jsonedit.insert('{"a": 1}', ["a"], True) == '{"a": true}'


def test_first_and_middle_members_go_alone() -> None:
    text = '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}'
    assert jsonedit.remove(text, ["a"]) == '{\n  "b": 2,\n  "c": 3\n}'
    assert jsonedit.remove(text, ["b"]) == '{\n  "a": 1,\n  "c": 3\n}'
    assert jsonedit.remove(text, ["c"]) == '{\n  "a": 1,\n  "b": 2\n}'
    assert jsonedit.remove(text, ["d"]) == text
    assert jsonedit.remove(text, ["a", "x"]) == text


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "line 1, column 1"),
        ("{\n  // no\n}", "line 2, column 3"),
        ('{\n  "a": 1,\n}', "line 2, column 9"),
        ('{"a": 1 "b": 2}', "line 1, column 9"),
        ('{"a": tru}', "line 1, column 7"),
        ('{"a": 01}', "line 1, column 8"),
        ('{"a": "x\ny"}', "line 1, column 7"),
        ('{"a": "\\x"}', "line 1, column 7"),
        ("{'a': 1}", "line 1, column 2"),
        ('{"a" 1}', "line 1, column 6"),
        ('{"a": 1', "line 1, column 8"),
        ("{} {}", "line 1, column 4"),
        ("[" * 5000, "line 1, column 201"),
        ('{"a": NaN}', "line 1, column 7"),
    ],
)
def test_what_is_not_json_is_refused_with_its_place(text: str, place: str) -> None:
    with pytest.raises(ConfigError, match=place):
        jsonedit.insert(text, ["b"], 1)


def test_a_comment_that_does_not_end_is_refused() -> None:
    with pytest.raises(ConfigError, match="line 1, column 3: a comment that does not end"):
        jsonedit.read("{ /* }", comments=True)


@pytest.mark.parametrize("text", ['{"mcpServers": []}', '{"mcpServers": "no"}', '{"mcpServers": null}', "[]", "1"])
def test_a_wrong_container_on_the_way_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="should go"):
        jsonedit.insert(text, PATH, SERVER)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(
    st.dictionaries(st.text(max_size=3), values, max_size=4),
    st.lists(st.text(max_size=3), min_size=1, max_size=3),
    values,
    st.sampled_from([None, 0, 1, 2, "\t"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_removing_is_the_inverse_of_inserting(
    document: dict[str, object], path: list[str], value: object, indent: int | str | None, newline: str
) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=False).replace("\n", newline)
    assert json.dumps(jsonedit.read(text)) == json.dumps(document)
    steps = jsonedit.missing(text, path)
    if steps == 0:
        replaced = jsonedit.insert(text, path, value)
        assert json.dumps(jsonedit.read(replaced, path)) == json.dumps(value)
        return
    try:
        added = jsonedit.insert(text, path, value)
    except ConfigError:
        assert not isinstance(jsonedit.read(text, path[: len(path) - steps]), dict)
        return
    assert json.dumps(jsonedit.read(added, path)) == json.dumps(value)
    assert jsonedit.remove(added, path, prune=steps - 1) == text


def test_of_a_name_that_stands_there_twice_the_last_one_counts_and_both_stay() -> None:
    text = '{"a": 1, "hooks": {"old": []}, "a": 2, "hooks": {"Stop": []}}'
    added = jsonedit.insert(text, ["hooks", "Start"], [1])
    assert json.loads(added) == {"a": 2, "hooks": {"Stop": [], "Start": [1]}}
    assert added.startswith('{"a": 1, "hooks": {"old": []}, "a": 2,')
    assert jsonedit.remove(added, ["hooks", "Start"]) == text
