"""Knows how a text is read for comparison: sentences, and tokens whose keys are equal only where the meaning is.

What may differ without consequence: letter case of plain words, spacing, sentence punctuation, quotation marks, brackets,
Unicode composition and width, the padding of a table. What may not, and therefore stays in a key: signs, operators,
currency and percent signs, dots and commas inside numbers, everything inside paths, flags, identifiers and unit symbols,
emoticons, accents.
When in doubt a difference is kept: a kept difference costs a merge, a lost one costs a memory.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import NamedTuple

from muninn.domain.separation import lexicon, quantities


@dataclass(frozen=True, slots=True)
class Text:
    """What is compared of a memory. ``title`` only when the user gave one; a derived title says nothing new."""

    title: str | None
    content: str


class Token(NamedTuple):
    """One word, number, symbol or technical token. ``key`` is its compared form; ``opens`` marks the start of a sentence."""

    raw: str
    key: str
    sort: str  # "word" | "number" | "code" | "symbol" | "script" (one character of a script without spaces)
    opens: bool


LONGEST_CHUNK = 256
"""Characters without a space beyond which a chunk is taken as it is: no name or number is that long."""

STOP = Token(",", ",", "symbol", False)
"""Stands where punctuation keeps a negation from what follows: "no, espere" is not "no espere"."""


class Sentence(NamedTuple):
    tokens: tuple[Token, ...]
    end: str  # its last visible character
    text: str  # as written, single spaces


_RAISED = {
    chr(code): {"<super>": "^", "<sub>": "_", "<fraction>": " "}[kind]
    for start, end in (
        (0xB2, 0xBF),
        (0x2070, 0x20A0),
        (0x2150, 0x2190),
        (0x2B0, 0x2B9),
        (0x2E0, 0x2E5),
        (0x1D2C, 0x1DC0),
    )
    for code in range(start, end)
    if (kind := unicodedata.decomposition(chr(code)).partition(" ")[0]) in ("<super>", "<sub>", "<fraction>")
    if chr(code) != "º"
}
"""What keeps a raised, lowered or fractional character from reading like the plain one (x² is not x2); not º and ª."""
_MARKS = str.maketrans(
    {
        "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‟": '"', "‘": "'", "’": "'", "‚": "'", "‛": "'", "´": "'",
        "−": "-", "‐": "-", "‑": "-", "\u200b": None, "\ufeff": None, "\u00ad": None, "\u2060": None,
        "\u200e": None, "\u200f": None, "\ufe0f": None, "⁄": "/",
        **{c: f"{mark}{c}" for c, mark in _RAISED.items()},
    }
)  # fmt: skip
_LONG_DASH = re.compile(r"(?<=\d)\s?[–—]\s?(?=\d)")
_DASH_SIGN = re.compile(r"(?<!\S)–(?=\d)")
_BOLD = re.compile(r"(?<![\w*/])\*\*(?=[^\W\d_])([^*\n]{1,200})(?<=[\w.,:;!?)])\*\*(?![\w*/])", re.DOTALL)
_NATIVE_DIGIT = re.compile(r"(?![0-9])\d")
_ROW = re.compile(r"^([ \t]*)\|([^\n\\]+)\|[ \t]*$", re.MULTILINE)
_RULE = re.compile(r":?-{2,}:?")
_PHRASED = re.compile(r"(?<!\S)'([^\W\d_]+(?:[ -][^\W\d_]+)+)'(?=[\s.,;:!?]|$)")
_QUOTES_DIFFER = re.compile(r"[\"=<>{}$\\]|\b(?:SELECT|select|WHERE|LIKE)\b")
"""Where single quotes may say something else than double ones: inside of these, and in code."""
_DOUBLED = {f" {article} {article} ": f" {article} " for article in ("the", "an", "el", "los", "las", "del")}
_ACCOUNTED = re.compile(r"^\([$€£¥]?\d[\d.,]*%?\)[.,;:]?$")
_SUBSTITUTED = re.compile(r"(?:(?<==)|(?<=\becho )|(?<=\bkill )|(?<=\brm )|(?<=\bcat )|(?<=\bcd ))`([^`\n]{1,200})`")
_BREAK = re.compile(r"(?:(?<=[.!?])|(?<=[.!?][\"')\]]))\s+|\n\s*|(?<=[。！？])")
_ENUMERATOR = re.compile(r"^(?:\d{1,3}|[a-zA-Z])[.)]$")
_TRAILING = ".,;:!?)]}\"'…。，、；：！？」』）】》،؛؟।"
_LEADING = "\"'([{¡¿「『（【《"
_IGNORED = frozenset(".,;:!?…\"'()[]{}–—-¡¿•·*_#。，、；：！？「」『』（）【】《》،؛؟।")
_STOPS = ".,;:!?。，；：！？،؛؟"
_EMOTICON = re.compile(r"^[:;=8xX]['-]?[()\[\]DPpOo/\\|*3]+$|^[()\[\]][-']?[:;=]$|^<3$|^</3$|^\^_*\^$")
_NUMBER = re.compile(
    r"^(?P<sign>[-+~<>=≥≤±≈^]*)(?P<before>[$€£¥₹]?)(?P<number>\d+(?:[.,'\u00a0]\d+)*)"
    r"(?P<after>[$€£¥₹%‰]|°[CFcf]?|[a-zA-Zµμ]{1,5}|\+)?$"
)
_WORD = re.compile(r"^[^\W\d_]+(?:['-][^\W\d_]+)*'?$")
_TRAILING_DASH = re.compile(r"(?<=[^\W\d_]{2})[\"')\]]*-+$")
_JOINED = re.compile(r"^[^\W\d_]+(?:['-][^\W\d_]+)*(?:(?:[,;!?…]+|\.{2,})[^\W\d_]+(?:['-][^\W\d_]+)*)+[.,;:!?…]*$")
_JOINT = re.compile(r"[,;!?…]+|\.{2,}")
_SCRIPT = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]")
_SCRIPT_RUN = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
    r"|[^\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]+"
)


def normalise(text: str) -> str:
    """One form of a text: NFKC with its traps defused (x² is not x2, ½ stays apart), plain quotes, dashes and digits, tables
    without padding, no article twice."""
    if "`" in text:  # quotes code in Markdown, but replaces a command by its output in a shell
        text = _SUBSTITUTED.sub(r"$(\1)", text).replace("`", "")
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_MARKS)).translate(_MARKS)
        text = _DASH_SIGN.sub("-", _LONG_DASH.sub("-", text))
        text = text.replace("–", " – ").replace("—", " — ")
        text = _NATIVE_DIGIT.sub(lambda digit: str(int(digit[0])), text)
    if "|" in text:
        text = _ROW.sub(_row, text)
    if "'" in text and not _QUOTES_DIFFER.search(text):
        text = _PHRASED.sub(r'"\1"', text)
    for doubled, article in _DOUBLED.items():
        text = text.replace(doubled, article)
    return _BOLD.sub(r"\1", text) if "**" in text else text


def _row(line: re.Match[str]) -> str:
    """A row of a table with one space around each cell, and its rule, if it is one, without alignment."""
    indent, inside = line.groups()
    cells = [cell.strip() for cell in inside.split("|")]
    ruled = all(map(_RULE.fullmatch, cells))
    return f"{indent}| {' | '.join('---' if ruled else cell for cell in cells)} |"


def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences and lines of a normalised text, in order; empty ones are left out."""
    found: list[Sentence] = []
    for part in _pieces(text):
        tokens = _tokens(part)
        if not tokens:
            continue
        if found and tokens[0].key in lexicon.FORWARD_NEGATIONS and found[-1].end in _STOPS:
            found[-1] = found[-1]._replace(tokens=(*found[-1].tokens, STOP))
        found.append(Sentence(tokens, part.rstrip()[-1], " ".join(part.split())))
    if found and found[-1].tokens[-1] is STOP:
        found[-1] = found[-1]._replace(tokens=found[-1].tokens[:-1])
    return tuple(sentence for sentence in found if sentence.tokens)


def _pieces(text: str) -> list[str]:
    """Split at sentence ends and line breaks, but not after an abbreviation, an initial or an enumerator ("1.")."""
    pieces: list[list[str]] = []
    goes_on = False
    for part in _BREAK.split(text.strip()):
        if goes_on:
            pieces[-1].append(part)
        else:
            pieces.append([part])
        words = part.rsplit(None, 1)
        last = words[-1].lstrip("(\"'").rstrip(".").lower() if words else ""
        short = part.endswith(".") and (last in lexicon.ABBREVIATIONS or (len(last) == 1 and last.isalpha()))
        goes_on = short or bool(_ENUMERATOR.match(part.strip()))
    return [" ".join(parts) for parts in pieces]


def _tokens(sentence: str) -> tuple[Token, ...]:
    tokens: list[Token] = []
    chunks = sentence.split()
    for place, chunk in enumerate(chunks):
        opens = not tokens
        if chunk.isalpha() and (chunk.isascii() or not _SCRIPT.search(chunk)):
            tokens.append(_word(chunk, opens, tokens))
            continue
        after = chunks[place + 1] if place + 1 < len(chunks) else ""
        for part in (
            _JOINT.sub(r"\g<0> ", chunk).split() if len(chunk) <= LONGEST_CHUNK and _JOINED.match(chunk) else (chunk,)
        ):
            tokens.extend(_read(part, not tokens, tokens, after))
    return tuple(tokens)


def _read(chunk: str, opens: bool, before: list[Token], after: str) -> list[Token]:
    """The tokens of one chunk without spaces."""
    if all(character in _IGNORED for character in chunk):
        kept = _EMOTICON.match(chunk) or _bare_mark_matters(chunk, before, after)
        if kept:
            return [Token(chunk, chunk, "symbol", opens)]
        return [STOP] if before and after and before[-1].key in lexicon.FORWARD_NEGATIONS else []
    if _EMOTICON.match(chunk):
        return [Token(chunk, chunk, "symbol", opens)]
    if _ACCOUNTED.match(chunk):
        return [Token(chunk, chunk.rstrip(".,;:"), "code", opens)]
    core = _strip(chunk) if len(chunk) <= LONGEST_CHUNK else chunk.strip(_TRAILING + _LEADING)
    if _SCRIPT.search(core):
        return _held(chunk, _script(core, opens))
    if len(core) > LONGEST_CHUNK:
        return [Token(core, core, "code", opens)]
    match = _NUMBER.match(core)
    if match:
        return _number(match, opens)
    if _WORD.match(core) and not _lower_camel(core):
        tokens = [_word(part, opens and first == 0, before) for first, part in enumerate(core.split("-"))]
        return _held(chunk, tokens)
    if not core:
        return []
    return [Token(core, _code_key(core), "code" if any(map(str.isalnum, core)) else "symbol", opens)]


def _held(chunk: str, tokens: list[Token]) -> list[Token]:
    """The tokens of a chunk, with a stop if it ends in a negation and punctuation."""
    return [*tokens, STOP] if chunk[-1] in _STOPS and tokens[-1].key in lexicon.FORWARD_NEGATIONS else tokens


def _word(raw: str, opens: bool, before: list[Token]) -> Token:
    if before and before[-1].sort == "number" and len(raw) <= 3:
        return Token(raw, _symbol(raw), "word", opens)
    if raw[0].islower() and _lower_camel(raw):
        return Token(raw, raw, "code", opens)
    key = raw.lower()
    return Token(raw, key.replace("'", "") if "'" in key else key, "word", opens)


def _symbol(raw: str) -> str:
    """What follows a number: unit symbols keep their case (Mb is not MB), am and pm do not."""
    known = (
        raw in quantities.UNITS or raw.lower() in quantities.UNITS or raw.upper() in quantities.UNITS or len(raw) == 1
    )
    known = known or _lower_camel(raw)
    return raw if known else raw.lower()


def _lower_camel(raw: str) -> bool:
    """``maxSize``, ``iPhone``: identifiers whose capitals count."""
    return raw[:1].islower() and not raw.islower() and raw.isalpha() and any(map(str.isupper, raw[1:]))


def _strip(chunk: str) -> str:
    """A chunk without the punctuation of the sentence around it."""
    core = chunk
    while core and core[-1] in _TRAILING:
        last = core[-1]
        if core.endswith("?:"):
            break
        if (last == ")" and "(" in core[1:]) or (last == "]" and "[" in core[1:]) or (last == "}" and "{" in core[1:]):
            break
        if last == "'" and core[-2:-1] in ("s", "S") and not chunk.startswith("'"):
            break
        if last in "\"'" and core[:-1].isdigit() and chunk[0].isdigit():
            break
        core = core[:-1]
    while core and core[0] in _LEADING:
        core = core[1:]
    if core.startswith("..") and len(core) > 2 and core.lstrip(".")[:1].isalpha():
        core = core.lstrip(".")
    return _TRAILING_DASH.sub("", core)


def _number(match: re.Match[str], opens: bool) -> list[Token]:
    """Sign and digits as one token, a currency or unit symbol as another, so that "5%" and "5 %" read alike."""
    sign, before, number, after = match.group("sign", "before", "number", "after")
    after = after or ""
    if after.lower() in ("st", "nd", "rd", "th", "o", "a", "er", "ª", "º"):
        number, after = number + after.lower(), ""
    if after == "+":
        number, after = number + after, ""
    tokens = [Token(before, before, "symbol", opens)] if before else []
    tokens.append(Token(sign + number, sign + number, "number", opens and not before))
    if after:
        tokens.append(Token(after, _symbol(after), "word" if after.isalpha() else "symbol", False))
    return tokens


def _script(core: str, opens: bool) -> list[Token]:
    """Scripts without spaces: one token a character, other runs between them read on their own."""
    tokens: list[Token] = []
    for run in _SCRIPT_RUN.findall(core):
        first = opens and not tokens
        if _SCRIPT.match(run):
            tokens.append(Token(run, run, "script", first))
        elif not all(character in _IGNORED for character in run):
            tokens.extend(_read(run, first, tokens, ""))
        elif tokens and tokens[-1].key in lexicon.FORWARD_NEGATIONS:
            tokens.append(STOP)
    return tokens


def _code_key(core: str) -> str:
    """Technical tokens keep their case where a system would: paths, flags, identifiers, URLs, file names."""
    plain = core.rstrip("+#").replace("-", "").isalnum() and not core.startswith("-")
    return core.lower() if plain and core.isascii() and not _lower_camel(core) else core


def _bare_mark_matters(chunk: str, before: list[Token], after: str) -> bool:
    """A dot or dash on its own counts in a command ("git add .") and as a sign or a minus before a number."""
    if chunk in ("-", "–", "—"):
        return bool(before) and after[:1].isdigit()
    if chunk == "..":
        return True
    return chunk in (".", "--", "*") and any(token.key in lexicon.COMMANDS for token in before[-6:])
