"""Knows, for one vault, which active memory mentions which title, as if recomputed from scratch after every change.

What a memory mentions is a pure function of the vault's active memories:
- every occurrence of a title that is not too common (found in more than max(20, 10 %) of the memories) counts;
- of occurrences that overlap the longest wins, then the first;
- a name looked for as it is written counts where its word stands outside the titles that won;
- a memory links to all other owners of the titles that won, longest title first, at most ``per_memory`` of them.

A change marks every memory whose answer may have changed as *unsettled*; whoever writes asks for those again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from muninn.domain.linking.corpus import Corpus
from muninn.domain.linking.tokens import EXACT, content_tokens, fold, title_tokens
from muninn.domain.memory import Memory

Phrase = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkLimits:
    """``shortest`` in characters; a title is common above max(``common_floor`` memories, ``common_share`` of the vault)."""

    shortest: int = 4
    common_floor: int = 20
    common_share: float = 0.10
    per_memory: int = 50


@dataclass(slots=True)
class _Title:
    """A title's owners, and how many texts hold it: None until somebody needs to know, ``most`` bounds it until then."""

    owners: list[str] = field(default_factory=list)  # mostly one, for which a set takes thrice the room
    holders: int | None = None
    most: int = 0


@dataclass(frozen=True, slots=True)
class _Entry:
    text: int  # hash of the content
    title: Phrase


class VaultIndex:
    """The titles and texts of one vault's active memories. Not thread-safe: the one writer owns it.

    ``unsettled`` holds ids, of memories that left the vault too, until the owner empties it.
    """

    def __init__(self, name: str, limits: LinkLimits) -> None:
        self.name = name
        self.unsettled: set[str] = set()
        self._limits = limits
        self._clear()

    def _clear(self) -> None:
        self._corpus = Corpus()
        self._entries: dict[str, _Entry] = {}
        self._titles: dict[Phrase, _Title] = {}
        self._words: set[int] = set()  # the titles of one token, former ones too
        # first two tokens -> lengths of the titles that begin so, longest first; former ones too
        self._starts: dict[Phrase, tuple[int, ...]] = {}
        self._exact: dict[int, int] = {}  # a name as it is written -> its word
        self._by_holders: dict[int, set[Phrase]] = {}  # only counts from the floor up
        self._by_most: dict[int, set[Phrase]] = {}  # titles not counted yet, by their bound

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def gather(self, memory: Memory) -> None:
        """Take in one of many memories of a whole vault, which count from ``ready`` on; nothing becomes unsettled."""
        self._gather(memory.id, hash(memory.content), content_tokens(memory.content), self._title_tokens(memory))

    def _gather(self, memory_id: str, text: int, content: Sequence[str], title: Sequence[str]) -> None:
        """``text``: hash of the content."""
        self._corpus.gather(memory_id, content)
        entry = self._entries[memory_id] = _Entry(text, self._phrase(title))
        if entry.title:
            self._own(memory_id, entry.title)

    def ready(self) -> None:
        """Index what was gathered; for an index that has none yet."""
        self._corpus.index()
        limit = self._common_above()
        for phrase, known in self._titles.items():
            known.most = self._corpus.most(phrase)
            if known.most > limit:
                self._count(phrase, known)
            elif known.most >= self._limits.common_floor:
                self._by_most.setdefault(known.most, set()).add(phrase)

    def put(self, memory: Memory) -> None:
        """Take a memory as it now is, in whatever state."""
        entry = self._entry(memory) if memory.active else None
        old = self._entries.get(memory.id)
        if entry == old:
            return
        before = self._common_above()
        if old and (not entry or entry.text != old.text):
            self._drop_text(memory.id)
        if old and (not entry or entry.title != old.title):
            self._drop_title(memory.id, old.title)
        if entry:
            self._entries[memory.id] = entry
            if not old or entry.text != old.text:
                self._add_text(memory)
            if not old or entry.title != old.title:
                self._add_title(memory.id, entry.title)
        else:
            del self._entries[memory.id]
        self._move_limit(before, self._common_above())
        self._tidy()

    def drop(self, memory_id: str) -> None:
        """Take a memory out that no longer exists."""
        old = self._entries.get(memory_id)
        if old is None:
            return
        before = self._common_above()
        self._drop_text(memory_id)
        self._drop_title(memory_id, old.title)
        del self._entries[memory_id]
        self._move_limit(before, self._common_above())
        self._tidy()

    def mentioned(self, memory_id: str) -> dict[str, int]:
        """The memories whose titles this memory's content mentions -> the title's length in tokens, best first."""
        if memory_id not in self._corpus:
            return {}
        text = self._corpus.text(memory_id)
        limit = self._common_above()
        found = [hit for hit in self._occurrences(text) if self._holders(hit[1]) <= limit]
        found.sort(key=lambda hit: -len(hit[1]))  # stable: of one length, the first in the text comes first
        covered = bytearray(len(text))
        wanted: dict[str, int] = {}
        for start, phrase in found:
            end = start + len(phrase)
            if covered.find(1, start, end) >= 0 or not self._stands(phrase, text, covered):
                continue
            covered[start:end] = b"\x01" * len(phrase)
            owners = self._titles[phrase].owners
            for owner in sorted(owners, reverse=True) if len(owners) > 1 else owners:
                if owner != memory_id:
                    wanted.setdefault(owner, len(phrase))
                    if len(wanted) == self._limits.per_memory:
                        return wanted
        return wanted

    def _stands(self, phrase: Phrase, text: Sequence[int], covered: bytearray) -> bool:
        word = self._exact.get(phrase[0])
        return word is None or any(token == word and not taken for token, taken in zip(text, covered, strict=True))

    def _entry(self, memory: Memory) -> _Entry:
        return _Entry(hash(memory.content), self._phrase(self._title_tokens(memory)))

    def _phrase(self, title: Sequence[str]) -> Phrase:
        phrase = tuple(self._corpus.encode(title))
        if phrase and title[0].startswith(EXACT):
            self._exact[phrase[0]] = self._corpus.encode([fold(title[0].removeprefix(EXACT))])[0]
        return phrase

    def _title_tokens(self, memory: Memory) -> tuple[str, ...]:
        return () if memory.title_derived else title_tokens(memory.title, shortest=self._limits.shortest)

    def _tidy(self) -> None:
        """Make everything anew once edits have left more dead text than live, words nobody uses any more included."""
        if not self._corpus.wasteful:
            return
        words, texts, entries = self._corpus.words(), self._corpus, self._entries
        self._clear()
        for memory_id, entry in entries.items():
            content = [words[number] for number in texts.text(memory_id)]
            self._gather(memory_id, entry.text, content, [words[number] for number in entry.title])
        self.ready()

    def _common_above(self) -> int:
        return max(self._limits.common_floor, int(len(self._entries) * self._limits.common_share + 1e-9))

    def _occurrences(self, text: Sequence[int]) -> list[tuple[int, Phrase]]:
        """Every title in ``text`` with its place: of titles of one length, the first comes first."""
        titles = self._titles
        found: list[tuple[int, Phrase]] = []
        for start, lengths in enumerate(map(self._starts.get, pairwise(text))):
            for length in lengths or ():
                phrase = tuple(text[start : start + length])
                if phrase in titles:
                    found.append((start, phrase))
        if not self._words.isdisjoint(text):
            found += [(start, (word,)) for start, word in enumerate(text) if word in self._words and (word,) in titles]
        return found

    # texts

    def _add_text(self, memory: Memory) -> None:
        text = self._corpus.encode(content_tokens(memory.content))
        self._corpus.add(memory.id, text)
        self.unsettled.add(memory.id)
        for phrase in {phrase for _, phrase in self._occurrences(text)}:
            self._held(phrase, by=1)

    def _drop_text(self, memory_id: str) -> None:
        text = self._corpus.text(memory_id)
        self._corpus.discard(memory_id)
        self.unsettled.add(memory_id)
        for phrase in {phrase for _, phrase in self._occurrences(text)}:
            self._held(phrase, by=-1)

    def _held(self, phrase: Phrase, *, by: int) -> None:
        title = self._titles[phrase]
        if title.holders is None:
            self._count(phrase, title)
            now = self._holders(phrase)
        else:
            now = title.holders + by
            self._note(phrase, title, now)
        limit = self._common_above()
        if (now > limit) != (now - by > limit):
            self.unsettled.update(self._corpus.holding(phrase))

    # titles

    def _add_title(self, memory_id: str, phrase: Phrase) -> None:
        if not phrase:
            return
        if phrase not in self._titles:
            self._own(memory_id, phrase)
            holding = self._count(phrase, self._titles[phrase])
        else:
            self._own(memory_id, phrase)
            holding = self._corpus.holding(phrase)
        if len(holding) <= self._common_above():
            self.unsettled.update(holding)

    def _drop_title(self, memory_id: str, phrase: Phrase) -> None:
        if not phrase:
            return
        title = self._titles[phrase]
        title.owners.remove(memory_id)
        if self._holders(phrase) <= self._common_above():
            self.unsettled.update(self._corpus.holding(phrase))
        if not title.owners:
            self._note(phrase, title, 0)
            del self._titles[phrase]

    def _own(self, memory_id: str, phrase: Phrase) -> None:
        title = self._titles.get(phrase)
        if title is None:
            title = self._titles[phrase] = _Title()
            self._begin(phrase)
        title.owners.append(memory_id)

    def _begin(self, phrase: Phrase) -> None:
        if len(phrase) == 1:
            self._words.add(phrase[0])
            return
        known = self._starts.get(phrase[:2], ())
        if len(phrase) not in known:
            self._starts[phrase[:2]] = tuple(sorted((*known, len(phrase)), reverse=True))

    # how common

    def _holders(self, phrase: Phrase) -> int:
        title = self._titles[phrase]
        return len(self._count(phrase, title)) if title.holders is None else title.holders

    def _count(self, phrase: Phrase, title: _Title) -> list[str]:
        holding = self._corpus.holding(phrase)
        if title.holders is None and title.most in self._by_most:
            self._by_most[title.most].discard(phrase)
        self._note(phrase, title, len(holding))
        return holding

    def _note(self, phrase: Phrase, title: _Title, holders: int) -> None:
        if title.holders in self._by_holders:
            self._by_holders[title.holders].discard(phrase)
        title.holders = holders
        if holders >= self._limits.common_floor:
            self._by_holders.setdefault(holders, set()).add(phrase)

    def _move_limit(self, before: int, after: int) -> None:
        """A vault that grows or shrinks moves the limit, and titles at the limit with it."""
        low, high = sorted((before, after))
        for count in range(low + 1, high + 1):
            for phrase in self._by_most.pop(count, ()):
                self._count(phrase, self._titles[phrase])
            for phrase in self._by_holders.get(count, ()):
                self.unsettled.update(self._corpus.holding(phrase))
