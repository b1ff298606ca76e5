"""Duplicates made by rule from real turns: near-verbatim ones (case, punctuation, spacing, sentence order, one typo), and
paraphrases (contractions, synonyms, greetings left out, clauses turned round). Seeded, so that two runs inject the same.
"""

from __future__ import annotations

import random  # noqa: TID251 - seeded by the caller
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

NEAR = ("case", "punctuation", "spacing", "order", "typo")
_SENTENCES = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"\b[a-z]{6,}\b")

_SYNONYMS: Mapping[str, str] = {
    "I'm": "I am", "don't": "do not", "didn't": "did not", "can't": "cannot", "it's": "it is", "It's": "It is",
    "that's": "that is", "That's": "That is", "I've": "I have", "I'll": "I will", "you're": "you are",
    "You're": "You are", "we're": "we are", "they're": "they are", "what's": "what is", "isn't": "is not",
    "doesn't": "does not", "wasn't": "was not", "really": "truly", "great": "wonderful", "awesome": "fantastic",
    "amazing": "incredible", "Thanks": "Thank you", "thanks": "thank you", "kids": "children", "super": "very",
    "started": "began", "start": "begin", "helped": "assisted", "awhile": "some time", "glad": "happy",
    "excited": "thrilled", "totally": "completely", "lately": "recently", "talk": "speak", "buy": "purchase",
    "bought": "purchased", "huge": "enormous", "scary": "frightening", "tough": "hard", "got": "received",
    "photo": "picture", "job": "work", "mom": "mother", "dad": "father", "want": "wish",
}  # fmt: skip
_WORDS = re.compile(r"\b(?:" + "|".join(map(re.escape, _SYNONYMS)) + r")\b")
_GREETING = re.compile(r"^(?:Hey|Hi|Wow|Hello|Yeah|Yep|Oh)\b[^.!?]{0,20}[,.!?]\s+")
_BECAUSE = re.compile(r"(?<=[.!?] )?([A-Z][^.!?]{10,}?),? (because|since|when) ([^.!?]{8,})([.!?])")


@dataclass(frozen=True, slots=True)
class Injected:
    """A text that says what ``original`` says. ``how`` is one of ``NEAR`` or "paraphrase"."""

    original: str
    text: str
    how: str


def injected(texts: Iterable[str], *, share: float, seed: int) -> list[Injected]:
    """Duplicates of ``share`` of the texts, half near-verbatim, half paraphrases; never two of one text."""
    dice = random.Random(seed)
    every = list(dict.fromkeys(texts))
    words = {word for text in every for word in re.findall(r"\w+", text.lower())}
    taken = {text.casefold() for text in every}
    wanted = round(share * len(every))
    near = {how: wanted // 2 // len(NEAR) + (rank < wanted // 2 % len(NEAR)) for rank, how in enumerate(NEAR)}
    left = {**near, "paraphrase": wanted - wanted // 2}
    makers: Mapping[str, Callable[[str], str | None]] = {
        "case": lambda text: dice.choice((str.upper, str.lower))(text),
        "punctuation": lambda text: _repunctuated(text, dice),
        "spacing": lambda text: _respaced(text, dice),
        "order": lambda text: _reordered(text, dice),
        "typo": lambda text: _misspelt(text, dice, words),
        "paraphrase": _paraphrased,
    }
    dice.shuffle(every)
    found: list[Injected] = []
    for text in every:  # the rules that fit fewest texts come first
        for how in sorted((how for how in left if left[how]), key=("paraphrase", "order", "typo", *NEAR).index):
            made = makers[how](text)
            if made and made != text and (how == "case" or made.casefold() not in taken):
                found.append(Injected(text, made, how))
                left[how] -= 1
                break
    return found


def _parts(text: str) -> tuple[str, str]:
    """Who speaks, and what is said."""
    speaker, colon, said = text.partition(": ")
    return (speaker + colon, said) if colon and len(speaker) < 24 else ("", text)


def _repunctuated(text: str, dice: random.Random) -> str | None:
    speaker, said = _parts(text)
    changed = dice.choice((said.rstrip(".!?"), said.replace(",", ""), said.replace("!", "."), said.replace(".", "!")))
    return speaker + changed if changed != said else speaker + said + "."


def _respaced(text: str, dice: random.Random) -> str | None:
    words = text.split(" ")
    if len(words) < 3:
        return None
    place = dice.randrange(1, len(words))
    return " ".join(words[:place]) + dice.choice(("  ", "\n", "\t")) + " ".join(words[place:])


def _reordered(text: str, dice: random.Random) -> str | None:
    speaker, said = _parts(text)
    sentences = _SENTENCES.split(said.strip())
    if len(sentences) < 2 or len(set(sentences)) < len(sentences) or not sentences[-1].endswith((".", "!", "?")):
        return None
    place = dice.randrange(1, len(sentences))
    return speaker + " ".join(sentences[place:] + sentences[:place])


def _misspelt(text: str, dice: random.Random, words: set[str]) -> str | None:
    places = list(_WORD.finditer(text))
    dice.shuffle(places)
    for place in places:
        odd = _odd(place.group(), dice)
        if odd not in words:
            return text[: place.start()] + odd + text[place.end() :]
    return None


def _odd(word: str, dice: random.Random) -> str:
    at = dice.randrange(1, len(word) - 1)
    match dice.randrange(4):
        case 0:
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        case 1:
            return word[:at] + word[at + 1 :]
        case 2:
            return word[:at] + word[at] + word[at:]
        case _:
            return word[:at] + dice.choice("aeioulnrst") + word[at + 1 :]


def _paraphrased(text: str) -> str | None:
    """At least two rules must find something to change."""
    speaker, said = _parts(text)
    if len(said.split()) < 6:
        return None
    steps = list(_steps(said))
    return speaker + steps[-1] if len(steps) >= 2 else None


def _steps(said: str) -> Iterator[str]:
    """The text after each rule that changed it."""
    shorter = _GREETING.sub("", said)
    if shorter != said and shorter:
        said = shorter[0].upper() + shorter[1:]
        yield said
    turned = _BECAUSE.sub(lambda m: f"{m[2].capitalize()} {m[3]}, {m[1][0].lower() + m[1][1:]}{m[4]}", said, count=1)
    if turned != said:
        said = turned.replace(", i ", ", I ").replace(", i'", ", I'")
        yield said
    for _ in range(3):
        changed = _WORDS.sub(lambda m: _SYNONYMS[m[0]], said, count=1)
        if changed != said:
            said = changed
            yield said
