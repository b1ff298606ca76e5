"""When two errors are the same error.

Times, durations, numbers, addresses, absolute paths and line numbers are noise. Names in quotes are not: the same class of
error about another name, or under another code, means that something moved. A stricter form keeps the plain numbers, for errors with an edit
between them ("3 failed", then "2 failed" is progress).
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from muninn.senses.redaction import redact

SIMILAR = 0.6
"""Least Jaccard index of the words of two errors that are the same."""

_READ = 20_000  # characters: what Claude Code hands over is cut at 10,000
_LINES = 4
_LINE = 600
_EXCERPT = 160

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07")
_EXIT = re.compile(r"\s*exit code:? -?\d+\s*", re.IGNORECASE)
_SALIENT = re.compile(
    r"error|exception|fatal|panic|fail|cannot|can't|could ?n[o']t|unable|denied|refused|not found|no such|undefined|"
    r"unexpected|invalid|missing|mismatch|timed? ?out|fallo|falló|no se p|no existe|no encontrad|inválid|denegad|ERR!",
    re.IGNORECASE,
)
_TIMES = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?|\b\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?\b|"
    r"\b\d+(?:[.,]\d+)?\s?(?:ns|µs|us|ms|s|secs?|seconds?|min|minutes?|h|hours?|segundos?|minutos?)\b",
    re.IGNORECASE,
)
_ADDRESSES = re.compile(
    r"0x[0-9a-f]+|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=\w*\d)[0-9a-f]{7,64}\b", re.IGNORECASE
)
_QUOTED = re.compile(
    r"'([^'\n]{1,120})'|\"([^\"\n]{1,120})\"|`([^`\n]{1,120})`|«([^»\n]{1,120})»|[‘“]([^’”\n]{1,120})[’”]"
)
_ABSOLUTE = re.compile(r"(?:file://)?(?:[A-Za-z]:[\\/]|~?/)[^\s'\"`<>|,;()\[\]]+|\b[A-Za-z]:\\[^\s'\"`<>|,;()]+")
_RELATIVE = re.compile(r"(?:\.{1,2}/|[\w.@-]+/)[\w./@+-]*\w|\b[\w-]+\.(?:py|pyi|[cm]?[jt]sx?|go|rs|java|kt|c|cc|cpp|h|hpp|rb|php|cs|sh|json|ya?ml|toml|md|txt|css|scss|html|sql)\b")  # fmt: skip
_PLACES = re.compile(r"\bline \d+|\blínea \d+|:\d+(?::\d+)?|\(\d+,\s?\d+\)", re.IGNORECASE)
_TEST = re.compile(r"::([\w\[\]-]+)")
_NUMBER = re.compile(r"\d+")
_CODE = re.compile(r"\b[A-Z]{1,8}-?\d{2,6}\b")
_WORD = re.compile(r"[^\W\d_][\w-]*|<\w+>")


@dataclass(frozen=True, slots=True)
class Signature:
    """One error, reduced. ``words`` and ``names`` are compared; ``strict`` is a digest; ``excerpt`` is for people (redacted)."""

    words: frozenset[str]
    names: frozenset[str]
    strict: str
    excerpt: str

    @property
    def mute(self) -> bool:
        """The tool said nothing but that it failed (a search without hits, say)."""
        return not self.words and not self.names


def signature(error: str) -> Signature:
    """Reduce the text of one failed call; any text will do."""
    text = redact(_ANSI.sub("", error[:_READ]))
    lines = [line.strip()[:_LINE] for line in text.splitlines() if line.strip() and not _EXIT.fullmatch(line)]
    salient = ([line for line in lines if _SALIENT.search(line)] or lines)[-_LINES:]
    excerpt = salient[-1][:_EXCERPT] if salient else ""
    body = "\n".join(salient)
    names = frozenset(filter(None, map(_name, _QUOTED.finditer(body)))) | frozenset(_TEST.findall(body))
    calm = _ADDRESSES.sub("<hex>", _TIMES.sub("<time>", _QUOTED.sub("<name>", body)))
    calm = _PLACES.sub("<place>", _RELATIVE.sub("<path>", _ABSOLUTE.sub("<path>", calm)))
    names |= frozenset(_CODE.findall(calm))
    told = " ".join([*calm.lower().split(), *sorted(names)])
    strict = hashlib.blake2b(told.encode("utf-8", "replace"), digest_size=8).hexdigest()
    words = frozenset(_WORD.findall(_NUMBER.sub("", _CODE.sub("", calm)).lower())) - {"<time>", "<place>"}
    return Signature(words=words, names=names, strict=strict, excerpt=excerpt)


def _name(match: re.Match[str]) -> str:
    """A quoted span as a name: absolute paths, plain numbers and addresses are none."""
    span = next(group for group in match.groups() if group is not None).strip()
    if _ABSOLUTE.fullmatch(span) or span.startswith("<"):
        return ""
    span = _PLACES.sub("", _ADDRESSES.sub("", _TIMES.sub("", span)))
    return span if any(character.isalpha() for character in span) else ""


def same_error(a: Signature, b: Signature, *, edited: bool = False) -> bool:
    """Whether ``b`` is ``a`` again. With an edit in between, a changed count is progress. Mute errors are never the same."""
    if a.mute or b.mute or a.names != b.names:
        return False
    if edited:
        return a.strict == b.strict
    return not (a.words or b.words) or len(a.words & b.words) >= SIMILAR * len(a.words | b.words)
