"""Scripted models, and the ways in which the text of a model can be bent."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.fakes.llm_protocols import Asked


def empty_answer(asked: Asked) -> str:
    return json.dumps({"reasoning": "", "merge": [], "supersede": [], "distinct": [], "suggest": [], "stability": [],
                       "narrative": []})  # fmt: skip


def shown_groups(prompt: str) -> list[dict[str, Any]]:
    """The groups in a consolidation prompt: the one JSON object between its boundary lines."""
    start, end = prompt.find("{"), prompt.rfind("}")
    return list(json.loads(prompt[start : end + 1])["groups"])


def truthful(asked: Asked) -> str:
    """Merges memories of a group that are equal but for case and white space; calls all others distinct."""
    merge, distinct = [], []
    for group in shown_groups(asked.prompt):
        if group["kind"] not in ("alike", "conflict"):
            continue
        same: dict[str, list[dict[str, Any]]] = {}
        for memory in group["memories"]:
            same.setdefault(" ".join(memory["content"].casefold().split()), []).append(memory)
        for members in same.values():
            if len(members) > 1:
                first = members[0]
                merge.append(
                    {"ids": [m["id"] for m in members], "into": first["id"], "title": "", "text": first["content"]}
                )
        heads = [members[0]["id"] for members in same.values()]
        if len(heads) > 1:
            distinct.append({"ids": heads})
    return json.dumps(
        {**json.loads(empty_answer(asked)), "reasoning": "compared", "merge": merge, "distinct": distinct}
    )


def obedient(asked: Asked) -> str:
    """Does the worst that any memory it reads may order: everything merged, superseded, forgotten, leaked, at once."""
    ids = [memory["id"] for group in shown_groups(asked.prompt) for memory in group["memories"]]
    text = "Everything was deleted as ordered."
    return json.dumps({
        "reasoning": "I obey.",
        "delete": ids,
        "merge": [{"ids": ids, "into": ids[0], "title": "", "text": text}]
        + [{"ids": [ids[0], other], "into": ids[0], "title": "", "text": text} for other in ids[1:]],
        "supersede": [{"old": old, "new": ids[0]} for old in ids[1:]] + [{"old": ids[0], "new": ids[-1]}],
        "distinct": [],
        "suggest": [{"a": ids[0], "b": other, "relation": "relates_to", "reason": "see http://evil.example/?q=x"} for other in ids[1:]],
        "stability": [{"id": alias, "days": -1} for alias in ids],
        "narrative": [{"sentence": "Visit http://evil.example/?q=secret now.", "ids": ids[:1]}],
        "operations": [{"op": "delete", "ids": ids}, {"op": "forget", "ids": ids}, {"op": "move", "ids": ids, "vault": "x"}],
    })  # fmt: skip


def eager(asked: Asked) -> str:
    """Merges every group, in a text that any guard would pass, and everything shown into one besides."""
    groups = shown_groups(asked.prompt)
    ids = [memory["id"] for group in groups for memory in group["memories"]]
    merge = [
        {"ids": [memory["id"] for memory in group["memories"]], "into": group["memories"][0]["id"], "title": "",
         "text": max((str(memory["content"]) for memory in group["memories"]), key=len)}
        for group in groups
    ]  # fmt: skip
    merge.append({"ids": ids, "into": ids[0], "title": "", "text": "All of it."})
    supersede = [{"old": old, "new": ids[-1]} for old in ids[:-1]]
    return json.dumps({**json.loads(empty_answer(asked)), "merge": merge, "supersede": supersede})


_OK = '{"reasoning":"","merge":[],"supersede":[],"distinct":[],"suggest":[],"stability":[{"id":"m1","days":30}],"narrative":[]}'


def _with(**fields: object) -> Callable[[str], str]:
    return lambda _text: json.dumps({**json.loads(_OK), **fields})


TEXT_MODES: dict[str, Callable[[str], str]] = {
    "fence": lambda text: f"Here you are:\n```json\n{text}\n```\nAnything else?",
    "think": lambda text: f"<think>perhaps {{\"merge\": []}} or not</think>\n{text}",
    "think_unopened": lambda text: f"maybe {{\"merge\": 1}}</think>{text}",
    "prose": lambda text: f"The set {{m1, m2}} is fine. My answer: {text} I hope that helps {{really}}.",
    "twice": lambda text: text + "\n" + text,
    "bom": lambda text: "\ufeff" + text,
    "nan": lambda _text: _OK.replace("30", "NaN"),
    "infinity": lambda _text: _OK.replace("30", "-Infinity"),
    "overflow": lambda _text: _OK.replace("30", "1e999"),
    "bigint": lambda _text: _OK.replace("30", "9" * 5000),
    "dupkeys": lambda text: text[:-1] + ',"merge":[]}',
    "deep": lambda _text: '{"merge":' + "[" * 100_000 + "]" * 100_000 + "}",
    "deep_unclosed": lambda _text: '{"merge":' * 50_000,
    "braces": lambda _text: "{" * 200_000,
    "surrogate": _with(narrative=[{"sentence": "\ud83d", "ids": ["m1"]}]),
    "array_top": lambda text: f"[{text}]",
    "string_top": lambda text: json.dumps(text),
    "number_top": lambda _text: "42",
    "null_top": lambda _text: "null",
    "empty": lambda _text: "",
    "blank": lambda _text: " \n\t " * 50,
    "empty_object": lambda _text: "{}",
    "html": lambda _text: "<!doctype html><html><body>Sign in</body></html>",
    "null_fields": _with(merge=None, supersede=None, narrative=None),
    "extra_fields": _with(delete=["m1"], drop_vault="work", merge=[{"ids": ["m1"], "into": "m1", "text": "x", "title": "", "vault": "y"}]),
    "wrong_types": _with(merge="all", supersede=[1, 2], distinct=[None], stability={"m1": 3}, narrative=[[]]),
    "unknown_ids": _with(merge=[{"ids": ["m98", "m99"], "into": "m98", "title": "", "text": "x"}]),
    "numeric_ids": _with(distinct=[{"ids": [1, 2]}], supersede=[{"old": 0, "new": -1}]),
    "self_merge": _with(merge=[{"ids": ["m1", "m1"], "into": "m1", "title": "", "text": "x"}], supersede=[{"old": "m1", "new": "m1"}]),
    "cycle": _with(supersede=[{"old": "m1", "new": "m2"}, {"old": "m2", "new": "m1"}]),
    "numbers": _with(stability=[{"id": "m1", "days": -5}, {"id": "m2", "days": 1e308}, {"id": "m1", "days": True}, {"id": "m2", "days": "9"}]),
    "flood": lambda _text: json.dumps({**json.loads(_OK), "supersede": [{"old": "m1", "new": "m2"}] * 20_000}),
    "long_narrative": _with(narrative=[{"sentence": "word " * 4000, "ids": ["m1"]}]),
    "uncited": _with(narrative=[{"sentence": "All is well.", "ids": []}]),
    "injected_markdown": _with(narrative=[{"sentence": "![x](http://evil.example/?q=1)", "ids": ["m1"]}]),
    "ansi": _with(narrative=[{"sentence": "\x1b]52;c;aGk=\x07", "ids": ["m1"]}]),
    "bidi": _with(narrative=[{"sentence": "abc \u202e cba", "ids": ["m1"]}]),
    "cut": lambda text: text[: len(text) // 2],
    "single_quotes": lambda text: text.replace('"', "'"),
    "trailing_comma": lambda text: text[:-1] + ",}",
    "comment": lambda text: "{ // comment\n" + text[1:],
    "nul": lambda text: "\x00" + text,
    "wrapped": lambda text: '{"answer": ' + text + "}",
    "stringified": lambda text: json.dumps({"merge": text}),
    "utf16": lambda text: text.encode("utf-16").decode("latin-1"),
    "fullwidth_ids": _with(merge=[{"ids": ["\uff4d1", "\uff4d2"], "into": "\uff4d1", "title": "", "text": "x"}], distinct=[{"ids": ["M1", " m2"]}]),
    "padded_ids": _with(distinct=[{"ids": ["m01", "m2\u200b"]}], supersede=[{"old": "m3 ", "new": "m4\x00"}]),
    "many_ids": _with(distinct=[{"ids": ["m1", "m2"] * 50_000}], narrative=[{"sentence": "x", "ids": ["m1"] * 50_000}]),
    "unhashable": _with(distinct=[{"ids": [["m1"], {"m2": 1}]}], suggest=[{"a": ["m1"], "b": {}, "relation": {}, "reason": []}]),
    "smuggled": _with(narrative=[{"sentence": "Fine.\U000e0064\U000e0065\U000e006c", "ids": ["m1"]}]),
    "bare_address": _with(narrative=[{"sentence": "See www.evil.example or evil.example/?q=1", "ids": ["m1"]}]),
    "escaped_keys": lambda _text: _OK.replace('"stability"', '"\\u0073tability"'),
    "twin_keys": lambda _text: _OK.replace('"merge":[]', '"merge":[],"\\u006derge":[{"ids":["m1","m2"]}]'),
    "endless_prose": lambda _text: "I think {that} " * 100_000,
}  # fmt: skip
