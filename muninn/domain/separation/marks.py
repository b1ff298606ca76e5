"""Knows what stands between the words of a text (punctuation, brackets, quotes, dashes, indentation) and where it counts.

Free to differ: the mark at the very end, "!" for ".", spaces and line breaks within a line of words, and what a writer leaves
out everywhere: commas, where a sentence does not turn on one, or every mark of a text that is long enough to be read without.
Anything else may turn the meaning: a pause that moved, a bracket, a quotation, a hyphen, a colon, a dash, a question mark, a
comma that divides a list, names one whom the sentence calls, or cuts off a clause.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from muninn.domain.separation import lexicon, quantities

_SCRIPT = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_RUN = re.compile(rf"[{_SCRIPT}]|\d+|(?:(?![{_SCRIPT}])[^\W\d_])+(?:'(?:(?![{_SCRIPT}])[^\W\d_])+)*")
_UNSPACED = re.compile(rf"[{_SCRIPT}]")
_I = re.compile(r"I(?:'[a-z]+)?$")
_BULLET = re.compile(r"^[ \t]*[-–—*•·+][ \t]+", re.MULTILINE)
_PLAIN_MARKS = str.maketrans({
    "！": "!", "？": "?", "؟": "?", "。": ".", "।": ".", "，": ",", "、": ",", "،": ",", "；": ";", "؛": ";", "：": ":", "…": ".",
    "–": "-", "—": "-", "「": '"', "」": '"', "『": '"', "』": '"', "（": "(", "）": ")", "【": "[", "】": "]", "《": '"', "》": '"',
})  # fmt: skip
_STRUCTURE = frozenset("()[]{}\"';:-*#")
_SPOKEN = frozenset("\"';:-()")
"""Structure that a writer may leave out together with all pauses."""
_NUMBERED = re.compile(r"^[.,:'/-]$")
_QUESTION_VERBS = lexicon.QUESTION_VERBS | lexicon.DOUBTFUL_QUESTION_VERBS
_SMALL = lexicon.FUNCTION_WORDS | lexicon.PRONOUNS | lexicon.QUESTION_WORDS
_FEW = 12
"""Words of a sentence so short that a comma may be what it turns on, unless a preposition or the like follows."""
_LINKS = (lexicon.FUNCTION_WORDS | lexicon.PREPOSITIONS) - (
    lexicon.PRONOUNS | lexicon.SUBJECTS | lexicon.RELATIVES | lexicon.NEGATIONS
)
_READABLE = 9
"""Words from which a text of several sentences can be read without any mark."""
_RARE = 2
"""Commas so few that each may be what a sentence turns on."""
_NEAR = 4  # words
_CALLED_BY = 2
"""Words after a last comma that still may be a call ("let's eat, grandma")."""


@dataclass(frozen=True, slots=True)
class Gap:
    """What counts between two words: brackets, quotes and the like in order; one pause (``.``, ``,``, a line break or none);
    a question mark."""

    structure: str
    pause: str
    asks: bool


@dataclass(frozen=True)
class Marked:
    """``gaps[n]`` stands before ``words[n]``, the last one after the last word. ``indents``: how deep each line is."""

    words: tuple[str, ...]
    gaps: tuple[Gap, ...]
    indents: tuple[int, ...]

    @cached_property
    def commas(self) -> int:
        return sum(gap.pause == "," for gap in self.gaps)

    @cached_property
    def sentences(self) -> int:
        return 1 + sum(gap.pause == "." or gap.asks for gap in self.gaps[1:-1])

    @cached_property
    def unmarked(self) -> bool:
        """Whether nothing divides the words but spaces."""
        return not any(gap.pause.strip() or gap.asks for gap in self.gaps[1:-1])

    @cached_property
    def plain(self) -> bool:
        """Whether nothing stands between the words but pauses, and hyphens inside of words."""
        return all(gap.structure in ("", "-") for gap in self.gaps[1:-1])

    @cached_property
    def broken(self) -> bool:
        """Whether lines end without a mark."""
        return any(gap.pause == "\n" for gap in self.gaps[1:-1])

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """For each gap, the word with which the sentence before it begins."""
        found = [0]
        for at, gap in enumerate(self.gaps[:-1]):
            found.append(at if gap.pause == "." or gap.asks or ":" in gap.structure else found[-1])
        return tuple(found)

    @cached_property
    def begins(self) -> frozenset[str]:
        """The words that open what follows a colon or a quotation mark."""
        pairs = zip(self.words, self.gaps, strict=False)
        return frozenset(word.lower() for word, gap in pairs if ":" in gap.structure or '"' in gap.structure)

    @cached_property
    def sequence(self) -> tuple[tuple[str, bool], ...]:
        """Every mark but the last pause, in order, whatever the words: for texts that say the same in other words."""
        kept = []
        for at, gap in enumerate(self.gaps):
            pause = gap.pause.strip() if at < len(self.words) else ""
            structure = gap.structure.replace("-", "") if self._spelled(at) else gap.structure
            if structure or gap.asks or (pause and not self._dated(at)):
                kept.append((structure + pause, gap.asks))
        return tuple(kept)

    def _spelled(self, at: int) -> bool:
        """Whether a hyphen stands inside a number in words."""
        return 0 < at < len(self.words) and self.words[at - 1].lower() in quantities.CARDINALS

    def _dated(self, at: int) -> bool:
        """Whether a comma stands between day and year."""
        return 0 < at < len(self.words) and self.gaps[at].pause == "," and _dates(*self.words[at - 1 : at + 1])


def _dates(day: str, year: str) -> bool:
    return day.isdigit() and len(day) <= 2 and year.isdigit() and len(year) == 4


def marked(text: str) -> Marked:
    """The words and marks of a normalised text."""
    plain = _BULLET.sub("", text.translate(_PLAIN_MARKS))
    found = list(_RUN.finditer(plain))
    edges = [0, *(place for run in found for place in run.span()), len(plain)]
    words = tuple(run.group() for run in found)
    gaps = tuple(
        _gap(plain[start:end], inside=0 < at < len(words) and words[at - 1].isdigit() and words[at].isdigit())
        for at, (start, end) in enumerate(zip(edges[::2], edges[1::2], strict=True))
    )
    return Marked(words, gaps, _indents(text))


def _gap(between: str, *, inside: bool) -> Gap:
    """``inside``: between two digits, where a lone mark is part of the number and compared there."""
    if not between or between.isspace():
        return Gap("", "\n" if "\n" in between else "", asks=False)
    if inside and _NUMBERED.match(between):
        return Gap("", "", asks=False)
    pause = "." if "." in between or "!" in between else "," if "," in between else "\n" if "\n" in between else ""
    return Gap("".join(c for c in between if c in _STRUCTURE), pause, asks="?" in between)


def _indents(text: str) -> tuple[int, ...]:
    """How deep each line is; nothing if only lists of one level are, after a colon."""
    lines = [line for line in text.splitlines() if line.strip()]
    deep = [len(line) - len(line.lstrip()) for line in lines]
    depths = sorted(set(deep))
    if len(depths) < 2 or (len(depths) == 2 and _lists(lines, [depth == depths[1] for depth in deep])):
        return ()
    return tuple(map(depths.index, deep))


def _lists(lines: Sequence[str], indented: Sequence[bool]) -> bool:
    """Whether the indented lines are all bullets that there are, each run of them after a line that ends in a colon."""
    listed = [bool(_BULLET.match(line)) for line in lines]
    after = zip(("", *lines), (False, *listed), listed, strict=False)
    return listed == indented and all(
        inside or before.rstrip().endswith(":") for before, inside, bullet in after if bullet
    )


def difference(left: Marked, right: Marked) -> tuple[str, str] | None:
    """The marks that tell two texts of the same words apart, each as a reader would see it; ("?", ".") or (".", "?") where
    one only asks what the other states."""
    if left.indents != right.indents:
        return "indented", "indented otherwise"
    if len(left.words) != len(right.words):
        return "spaced", "spaced otherwise"
    for at, (one, other) in enumerate(zip(left.gaps, right.gaps, strict=True)):
        if one == other or not _tells(left, right, at):
            continue
        if one.structure == other.structure and one.asks != other.asks:
            return ("?", ".") if one.asks else (".", "?")
        return _shown(left, at), _shown(right, at)
    return None


def _shown(text: Marked, at: int) -> str:
    gap = text.gaps[at]
    marks = gap.structure + gap.pause.strip() + ("?" if gap.asks else "")
    before, after = (text.words[at - 1] if at else ""), (text.words[at] if at < len(text.words) else "")
    return f"{before} {marks} {after}".replace("  ", " ").strip()


def _tells(left: Marked, right: Marked, at: int) -> bool:
    one, other = left.gaps[at], right.gaps[at]
    if _thrown_away(left, right, at) or _thrown_away(right, left, at):
        return _divides(
            left.words, at, sentences=any(gap.pause == "." or gap.asks or ":" in gap.structure for gap in (one, other))
        )
    if one.structure != other.structure:
        return True
    if one.asks != other.asks:
        asking = left if one.asks else right
        return at < len(left.words) or not _asks_in_words(asking, at)
    if at == len(left.words) or one.asks or one.pause == other.pause:
        return False
    pauses = {one.pause, other.pause}
    if pauses == {".", "\n"}:
        return False
    if pauses == {"\n", ""}:
        return not one.structure and ((left.broken and right.broken) or _divides(left.words, at))
    if pauses == {".", ""}:
        return at == 0 or not (_abbreviated(left.words[at - 1]) or (_opens(left.words[at]) and _opens(right.words[at])))
    if pauses == {",", ""}:
        fuller, barer = (left, right) if one.pause else (right, left)
        if barer.commas or _breathes(fuller, at):
            return bool(barer.commas)
        few = fuller.sentences == 1 and fuller.commas <= _RARE
        short = len(fuller.words) <= _FEW and at < len(fuller.words) and fuller.words[at].lower() not in _LINKS
        return _divides(fuller.words, at) or (few and (short or _cuts(fuller, at)))
    return True


def _thrown_away(barer: Marked, fuller: Marked, at: int) -> bool:
    """Whether a writer who leaves out every mark, in a text long enough to be read without, left out the one at ``at``."""
    if len(barer.words) < _READABLE or at == 0 or not barer.unmarked or fuller.sentences == 1:
        return False
    one, other = barer.gaps[at], fuller.gaps[at]
    if at == len(barer.words) and one.asks != other.asks:
        return False
    return one.structure == other.structure or (barer.plain and not one.structure and set(other.structure) <= _SPOKEN)


def _opens(word: str) -> bool:
    """Whether a small word has the capital that begins a sentence."""
    return word[:1].isupper() and word.lower() in _SMALL and not _I.match(word)


def _abbreviated(word: str) -> bool:
    return len(word) > 1 and word.lower() in lexicon.ABBREVIATIONS - lexicon.FORWARD_NEGATIONS


def _asks_in_words(text: Marked, at: int) -> bool:
    """Whether the sentence that ends at a gap is a question with or without its mark."""
    start = text.starts[at]
    last = max((place for place in range(start + 1, at) if text.gaps[place].pause == ","), default=start)
    tagged = [word.lower() for word in text.words[last:at][:2]]
    if last > start and tagged[0] in _QUESTION_VERBS and tagged[-1] in lexicon.SUBJECTS:
        return True
    opening = [word.lower().replace("'", "") for word in text.words[start:at][:4]]
    while len(opening) > 1 and opening[0] in lexicon.INTERJECTIONS:
        opening = opening[1:]
    if not opening:
        return False
    if "any" in opening[:2]:
        return True
    if opening[0] in lexicon.ASKED_AFTER and len(opening) > 1:
        return opening[1] in lexicon.QUESTION_WORDS
    if opening[0] in lexicon.DOUBTFUL_QUESTION_VERBS:
        return len(opening) > 1 and opening[1] in lexicon.SUBJECTS
    return opening[0] in lexicon.QUESTION_WORDS | lexicon.QUESTION_VERBS


def _divides(words: Sequence[str], at: int, *, sentences: bool = False) -> bool:
    """Whether a mark between two words keeps apart what would be one: two numbers, two names (a sentence may begin with a
    capital without a name), two characters."""
    if not 0 < at < len(words):
        return False
    before, after = words[at - 1], words[at]
    if _number(before) and _number(after):
        return not _dates(before, after)
    named = all(word[:1].isupper() and not _I.match(word) for word in (before, after))
    named = named and not sentences and before.lower() not in lexicon.CALLS
    return named or (bool(_UNSPACED.match(before)) and bool(_UNSPACED.match(after)))


def _number(word: str) -> bool:
    return word.isdigit() or word.lower() in quantities.CARDINALS


def _cuts(text: Marked, at: int) -> bool:
    """Whether a comma names one whom the sentence calls, cuts off a clause, or divides a list."""
    words = text.words
    if at == 0:
        return False
    before, after = words[at - 1].lower(), words[at].lower()
    if after in lexicon.RELATIVES or after in lexicon.NEGATIONS or after.endswith("ing"):
        return True
    start, end = text.starts[at], _end(text, at)
    if words[start].lower() in lexicon.SUBORDINATES:
        return True
    if at - start == 1:
        return before not in lexicon.CALLS
    if end - at <= _CALLED_BY and after not in lexicon.CLOSINGS:
        return before not in lexicon.CALLS
    return any(word.lower() in lexicon.JOINERS for word in words[at + 1 : min(end, at + _NEAR - 1)])


def _breathes(text: Marked, at: int) -> bool:
    """Whether a comma only sets off whom a thanks or a wow is for."""
    start = text.starts[at]
    hails = text.words[start].lower() in lexicon.HAILS
    return hails and at - start > 0 and (at - start <= _CALLED_BY or _end(text, at) - at <= _CALLED_BY)


def _end(text: Marked, at: int) -> int:
    """Where the sentence after a gap ends, or a place a few words on."""
    ends = range(at + 1, min(len(text.words), at + _NEAR))
    return next((place for place in ends if text.gaps[place].pause == "." or text.gaps[place].asks), ends.stop)
