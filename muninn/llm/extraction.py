"""The JSON object in a model's answer, read strictly: the first complete one that has a known field.

Survives byte-order marks, fences, thinking, prose and repetition. Refuses NaN and infinities, duplicate keys, and nesting
that no answer has. A number too large to be one becomes an infinity, so that only the operation holding it falls.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from muninn.errors import ProviderError

FIELDS = frozenset({"merge", "supersede", "distinct", "suggest", "stability", "narrative", "operations"})
_CANDIDATES = 64  # opening braces that are tried
_DIGITS = 18  # of an integer
_OPENS = re.compile(r"<(think|thinking|thought|reasoning)>", re.IGNORECASE)
_CLOSES = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)


class _RefusedError(ValueError):
    """JSON that Python would read and muninn does not."""


def parse(text: str) -> Mapping[str, Any]:
    """The answer as plain data. Raises ProviderError with the reason, never quoting the text."""
    text = _said(text.lstrip("\ufeff \t\r\n"))
    why = "it holds no JSON object"
    at = text.find("{")
    for _ in range(_CANDIDATES):
        if at < 0:
            break
        try:
            found, _end = _DECODER.raw_decode(text, at)
        except _RefusedError as error:
            raise ProviderError(f"the model's answer is not used: {error}") from None
        except RecursionError:
            raise ProviderError("the model's answer is not used: it is nested too deeply") from None
        except ValueError:
            why = "its JSON is broken or cut off"
        else:
            if not FIELDS.isdisjoint(found):
                return _shallow(found)
            why = "its JSON is about something else"
        at = text.find("{", at + 1)
    raise ProviderError(f"the model's answer is not used: {why}")


def _said(text: str) -> str:
    """What comes after the thinking: after the block a text begins with, else after the last thought that ends in it."""
    if text.startswith("{"):
        return text
    if _OPENS.match(text):
        first = _CLOSES.search(text)
        return text[first.end() :] if first else ""
    ends = [match.end() for match in _CLOSES.finditer(text)]
    return text[ends[-1] :] if ends else text


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _RefusedError("it gives one key twice")
    return found


def _constant(name: str) -> NoReturn:
    raise _RefusedError(f"it contains {name}")


def _integer(digits: str) -> float:
    return int(digits) if len(digits) <= _DIGITS else float("inf")


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_int=_integer)
_DEPTH = 12


def _shallow(found: dict[str, Any]) -> dict[str, Any]:
    level: list[Any] = [found]
    for _ in range(_DEPTH):
        level = [
            child
            for item in level
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return found
    raise ProviderError("the model's answer is not used: it is nested too deeply")
