"""What a model decided, after everything it may not decide was taken out, one operation at a time.

Closed set of aliases, groups that bound what may be said about whom, one structural role for each memory, newest by our own
dates, nothing pinned touched, merged texts that keep every value and add none, caps. The rest of an answer stands when one
operation of it falls.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import combinations, islice
from typing import Any

from muninn.domain.memory import STABILITY_CAP, STABILITY_FLOOR, TITLE_LIMIT, Memory
from muninn.llm.extraction import FIELDS, parse
from muninn.llm.prompts import SUGGESTED_RELATIONS, GroupKind, Shown, room
from muninn.llm.values import borrowed, invented, lost, strays
from muninn.llm.verdicts import (
    DistinctVerdict,
    MergeVerdict,
    Narrative,
    Rejected,
    StabilityVerdict,
    SuggestVerdict,
    SupersedeVerdict,
    Verdict,
    Verdicts,
)

SHORTEST = 0.4  # length of a merged text, as a share of its longest source
SENTENCE_LIMIT = 400  # characters of a reason or a sentence
NARRATIVE_LIMIT = 20  # sentences
SUGGESTION_LIMIT = 20


class _RejectedError(Exception):
    """Why an operation is rejected."""


def read(text: str, shown: Shown) -> Verdicts:
    """The verdicts in a model's answer. Raises ProviderError when the answer as a whole is unusable."""
    return validate(parse(text), shown)


def validate(raw: Mapping[str, Any], shown: Shown) -> Verdicts:
    """What of ``raw`` may be acted upon, in the order merge, supersede, distinct, suggest, stability."""
    return _Reading(shown).of(raw)


_ALLOWED: Mapping[str, frozenset[str]] = {
    "merge": frozenset({"ids", "into", "title", "text", "reason"}),
    "supersede": frozenset({"old", "new", "reason"}),
    "distinct": frozenset({"ids", "reason"}),
    "suggest": frozenset({"a", "b", "relation", "reason"}),
    "stability": frozenset({"id", "days", "reason"}),
    "narrative": frozenset({"sentence", "ids"}),
}
_SAME = frozenset({GroupKind.ALIKE, GroupKind.CONFLICT})


@dataclass(slots=True)
class _Reading:
    shown: Shown
    accepted: list[Verdict] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    narrative: list[Narrative] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    merged: set[frozenset[str]] = field(default_factory=set)
    apart: set[frozenset[str]] = field(default_factory=set)
    advised: set[str] = field(default_factory=set)

    def of(self, raw: Mapping[str, Any]) -> Verdicts:
        rows = self._rows(raw)
        self._note_apart(rows["distinct"])
        readers: Mapping[str, Callable[[Mapping[str, Any]], None]] = {
            "merge": self._merge,
            "supersede": self._supersede,
            "distinct": self._distinct,
            "suggest": self._suggest,
            "stability": self._stability,
            "narrative": self._sentence,
        }
        for op, reader in readers.items():
            for row in rows[op]:
                try:
                    self._check_shape(op, row)
                    reader(row)
                except _RejectedError as no:
                    self.rejected.append(Rejected(op=op, why=str(no), ids=self._known(row)))
        return Verdicts(accepted=tuple(self.accepted), rejected=tuple(self.rejected), narrative=tuple(self.narrative))

    def _rows(self, raw: Mapping[str, Any]) -> dict[str, list[Any]]:
        """Rows by operation, capped; also from one list of operations that carry an ``op``."""
        rows: dict[str, list[Any]] = {op: [] for op in _ALLOWED}
        for op in _ALLOWED:
            given = raw.get(op)
            if isinstance(given, list):
                rows[op].extend(given)
            elif given is not None:
                self.rejected.append(Rejected(op=op, why="not a list"))
        listed = raw.get("operations")
        for item in listed if isinstance(listed, list) else ():
            named = item.get("op") if isinstance(item, dict) else None
            if isinstance(named, str) and named in _ALLOWED:
                rows[named].append({name: value for name, value in item.items() if name != "op"})
            else:
                self.rejected.append(Rejected(op="unknown", why="no such operation", ids=self._known(item)))
                if len(self.rejected) > self._cap:
                    break
        for op, some in rows.items():
            if len(some) > self._cap:
                beyond = len(some) - self._cap
                self.rejected.append(Rejected(op=op, why="beyond the cap of one answer", count=beyond))
                del some[self._cap :]
        unknown = [name for name in islice(raw, 64) if name not in FIELDS and name != "reasoning"]
        for name in unknown[:8]:
            self.rejected.append(Rejected(op="unknown", why="no such operation", ids=self._known({"ids": raw[name]})))
        return rows

    @property
    def _cap(self) -> int:
        return 2 * len(self.shown.memories) + 8

    def _check_shape(self, op: str, row: object) -> None:
        if not isinstance(row, dict):
            raise _RejectedError("not an object")
        if not set(row) <= _ALLOWED[op]:
            raise _RejectedError("fields that it does not have")

    def _known(self, row: object) -> tuple[str, ...]:
        if not isinstance(row, dict):
            return ()
        ids = row.get("ids")
        named = [row.get(name) for name in ("into", "old", "new", "a", "b", "id")]
        named += ids[: self._cap] if isinstance(ids, list) else []
        known = (
            self.shown.memories[name].id for name in named if isinstance(name, str) and name in self.shown.memories
        )
        return tuple(dict.fromkeys(known))

    def _memory(self, alias: object) -> Memory:
        if not isinstance(alias, str) or alias not in self.shown.memories:
            raise _RejectedError("an id that was not shown")
        return self.shown.memories[alias]

    def _aliases(self, value: object, *, least: int) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise _RejectedError("ids is not a list")
        if len(value) > len(self.shown.memories):
            raise _RejectedError("more ids than were shown")
        for alias in value:
            self._memory(alias)
        if len(set(value)) != len(value):
            raise _RejectedError("the same id twice")
        if len(value) < least:
            raise _RejectedError("too few ids")
        return tuple(value)

    def _together(self, aliases: tuple[str, ...], kinds: frozenset[GroupKind]) -> None:
        if not any(kind in kinds and set(aliases) <= set(members) for kind, members in self.shown.groups):
            raise _RejectedError("ids that were not asked about together")

    def _claim(self, aliases: tuple[str, ...]) -> None:
        if self.taken.intersection(aliases):
            raise _RejectedError("an id that already has a role in another operation")
        self.taken.update(aliases)

    def _note_apart(self, rows: list[Any]) -> None:
        for row in rows:
            ids = row.get("ids") if isinstance(row, dict) else None
            if isinstance(ids, list) and len(ids) <= len(self.shown.memories) and all(isinstance(i, str) for i in ids):
                self.apart.update(map(frozenset, combinations(ids, 2)))

    def _merge(self, row: Mapping[str, Any]) -> None:
        aliases = self._aliases(row.get("ids"), least=2)
        into = row.get("into")
        survivor = self._memory(into)
        if into not in aliases:
            raise _RejectedError("into is not one of the ids")
        self._together(aliases, _SAME)
        members = [self.shown.memories[alias] for alias in aliases]
        _mergeable(members)
        if any(frozenset(pair) in self.apart for pair in combinations(aliases, 2)):
            raise _RejectedError("the same answer calls them distinct")
        text = _merged_text(row.get("text"), members)
        title = _title(row.get("title"), members)
        self._claim(aliases)
        self.merged.update(map(frozenset, combinations(aliases, 2)))
        ids = (survivor.id, *(member.id for member in members if member.id != survivor.id))
        self.accepted.append(MergeVerdict(ids=ids, into=survivor.id, title=title, text=text))

    def _supersede(self, row: Mapping[str, Any]) -> None:
        old, new = self._memory(row.get("old")), self._memory(row.get("new"))
        pair = (row["old"], row["new"])
        if old.id == new.id:
            raise _RejectedError("a memory cannot replace itself")
        self._together(pair, _SAME)
        if old.learned_at >= new.learned_at:
            raise _RejectedError("the successor was not asserted later than what it replaces")
        if old.pinned:
            raise _RejectedError("a pinned memory is not replaced")
        if frozenset(pair) in self.apart:
            raise _RejectedError("the same answer calls them distinct")
        self._claim(pair)
        self.accepted.append(SupersedeVerdict(old=old.id, new=new.id))

    def _distinct(self, row: Mapping[str, Any]) -> None:
        aliases = self._aliases(row.get("ids"), least=2)
        self._together(aliases, _SAME)
        verdict = DistinctVerdict(ids=tuple(sorted(self.shown.memories[alias].id for alias in aliases)))
        if verdict in self.accepted:
            raise _RejectedError("judged twice")
        self.accepted.append(verdict)

    def _suggest(self, row: Mapping[str, Any]) -> None:
        a, b = self._memory(row.get("a")), self._memory(row.get("b"))
        if a.vault == b.vault:
            raise _RejectedError("both are in one vault")
        self._together((row["a"], row["b"]), frozenset({GroupKind.ACROSS}))
        relation = row.get("relation")
        if relation not in SUGGESTED_RELATIONS:
            raise _RejectedError("a relation that does not exist")
        reason = _line(row.get("reason"))
        found = [verdict for verdict in self.accepted if isinstance(verdict, SuggestVerdict)]
        if any({verdict.a, verdict.b} == {a.id, b.id} for verdict in found):
            raise _RejectedError("suggested twice")
        if len(found) >= SUGGESTION_LIMIT:
            raise _RejectedError("beyond the cap of one answer")
        self._speaks_of(reason, [a, b])
        self.accepted.append(SuggestVerdict(a=a.id, b=b.id, reason=reason, relation=str(relation)))

    def _speaks_of(self, line: str, memories: list[Memory]) -> None:
        """A line is told, and erased, with the memories it cites, so it may bring in nothing of others."""
        _adds_nothing(line, memories)
        others = [memory for memory in self.shown.memories.values() if memory not in memories]
        if borrowed(map(_whole, memories), map(_whole, others), line):
            raise _RejectedError("values of memories that it does not cite")

    def _stability(self, row: Mapping[str, Any]) -> None:
        memory = self._memory(row.get("id"))
        days = row.get("days")
        if isinstance(days, bool) or not isinstance(days, (int, float)) or not math.isfinite(days):
            raise _RejectedError("days is not a finite number")
        if not any(kind is not GroupKind.ACROSS and row["id"] in members for kind, members in self.shown.groups):
            raise _RejectedError("advice across vaults")
        if memory.id in self.advised:
            raise _RejectedError("advised twice")
        self.advised.add(memory.id)
        self.accepted.append(StabilityVerdict(id=memory.id, days=min(max(float(days), STABILITY_FLOOR), STABILITY_CAP)))

    def _sentence(self, row: Mapping[str, Any]) -> None:
        sentence = _line(row.get("sentence"))
        aliases = self._aliases(row.get("ids"), least=1)
        if len(self.narrative) >= NARRATIVE_LIMIT:
            raise _RejectedError("beyond the cap of one answer")
        memories = [self.shown.memories[alias] for alias in aliases]
        self._speaks_of(sentence, memories)
        self.narrative.append(Narrative(sentence=sentence, ids=tuple(memory.id for memory in memories)))


def _mergeable(members: list[Memory]) -> None:
    """What no model may override."""
    if any(member.pinned for member in members):
        raise _RejectedError("a pinned memory is not merged")
    if len({member.kind for member in members}) > 1:
        raise _RejectedError("memories of different kinds")
    if len({(member.vault, member.tier) for member in members}) > 1:
        raise _RejectedError("memories of different vaults or tiers")
    if len({(member.valid_from, member.valid_until) for member in members}) > 1:
        raise _RejectedError("memories that hold for different times")


def _merged_text(value: object, members: list[Memory]) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _RejectedError("no text")
    text = value.strip()
    sources = [member.content for member in members]
    if not _clean(text, lines=True, invisible=frozenset("".join(sources))):
        raise _RejectedError("control characters")
    longest = max(map(len, sources))
    if not SHORTEST * longest <= len(text) <= room(members):
        raise _RejectedError("a text far shorter or longer than its sources")
    titles = [member.title for member in members if not member.title_derived]
    if _repeats(text) > max(map(_repeats, sources)):
        raise _RejectedError("a text that repeats itself")
    if lost(sources, text):
        raise _RejectedError("a text that loses values of its sources")
    if invented(sources + titles, text):
        raise _RejectedError("a text that adds values its sources do not have")
    if strays(sources + titles, text):
        raise _RejectedError("a text that says what no source says")
    return text


def _repeats(text: str) -> int:
    """How many sentences are said again."""
    said = [" ".join(sentence.casefold().split()) for sentence in _STOP.split(text)]
    said = [sentence for sentence in said if sentence]
    return len(said) - len(set(said))


def _title(value: object, members: list[Memory]) -> str | None:
    if value is None or value == "":
        return None
    title = _line(value)
    if len(title.encode("utf-8")) > TITLE_LIMIT:
        raise _RejectedError("words that are too long")
    if invented([member.content + "\n" + member.title for member in members], title):
        raise _RejectedError("a title with values its sources do not have")
    return title


def _line(value: object) -> str:
    """One line of clean text. Aliases mean nothing to a reader: those in brackets go, a line that needs them falls."""
    if not isinstance(value, str) or not value.strip():
        raise _RejectedError("words that are missing")
    line = " ".join(value.split())
    if len(line) > SENTENCE_LIMIT:
        raise _RejectedError("words that are too long")
    if not _clean(line, lines=False, invisible=_JOINERS):
        raise _RejectedError("control characters")
    line = _BRACKETED.sub("", line)
    if _ALIAS.search(line):
        raise _RejectedError("words that speak in aliases")
    return line


def _whole(memory: Memory) -> str:
    return f"{memory.title}\n{memory.content}"


def _adds_nothing(line: str, memories: list[Memory]) -> None:
    """An address in a sentence must come from the memories it cites: nothing else may make a reader's screen fetch it."""
    known = " ".join(f"{memory.title} {memory.content}" for memory in memories).casefold()
    for word in line.casefold().split():
        address = word.strip("()[]<>\"'.,;:!")
        if _ADDRESS.search(address) and address not in known:
            raise _RejectedError("an address that its memories do not contain")


def _clean(text: str, *, lines: bool, invisible: AbstractSet[str]) -> bool:
    """Whether ``text`` has neither control, private nor surrogate characters, nor marks that reorder what is read, and of
    those that nobody sees only ``invisible``: a model could write in them what only a model reads."""
    return all(
        (char in "\n\t" and lines)
        or (
            (category := unicodedata.category(char)) not in ("Cc", "Cs", "Co", "Cn")
            and char not in _REORDERING
            and ((category != "Cf" and not _SELECTORS.match(char)) or char in invisible)
        )
        for char in text
    )


_STOP = re.compile(r"[.!?。]+(?:\s+|$)|\n+")
_ALIAS = re.compile(r"(?<!\d\s)\bm[1-9]\d{0,3}\b")  # but "80 m2" is an area
_BRACKETED = re.compile(r"\s*[(\[]\s*m\d{1,4}(?:\s*(?:,|;|&|\+|/|→|->|and|y)\s*m\d{1,4}){0,40}\s*[)\]]")
_SELECTORS = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
_JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f")  # of emoji, and of scripts that need them
_ADDRESS = re.compile(r"://|^//|^www\.|^(?:javascript|data|mailto|file|tel):|@[\w-]+\.\w|\w\.[a-z]{2,}/")
_REORDERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
