"""Whether a question is in words that people use, whatever is stored.

Embedders put nonsense nearer to some note than many a question to its answer, so meaning alone cannot tell the two
apart; that nobody ever wrote such words can. English and Spanish are told by their dictionaries, and there the small words
of grammar prove nothing ("who zorbed the gleeb"); other languages by whether the embedder's vocabulary cuts the words into
crumbs, and where it does not say so by the words that are common in them, scripts without such a list by their characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from string import ascii_lowercase

from muninn.recall import commonness
from muninn.recall.language import is_function_word, leading_languages
from muninn.recall.tokens import fold, stem
from muninn.wordlists import dictionary

_SPELLED = re.compile(r"(?:[^\W_]|[\u0300-\u036f\u0900-\u0dff])+")

_COMMON = (0.05, 0.1)
"""Shares in common words between which nonsense turns into sense."""
_LISTED, _LISTED_OF_UNKNOWN = (0.4, 0.65), (0.8, 0.95)
"""The same of the telling words in a dictionary: of English or Spanish, and where no grammar tells which language it is."""

_SLIPS = 3
"""Strange words that may all be slips: a text of more is in another language, and looking for slips takes its time."""
_SHORTEST, _LONGEST = 6, 24
"""Letters of a word of which a slip is looked for: shorter ones have a neighbour whatever they are."""

_HAN = (
    "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对着事其里所去行过家"
    "十用发天如然作方成者多日都三小军二无同么经法当起与好看学进种将还分此心前面又定见只主没公从今天明什谁哪几吗吧呢"
    "新文市本部长意思问月点手机电车话工动做想知给被让把比等最高全正外内间期次第四五六七八九百千万两名位件张开关门"
    "水书店房路东西南北老师生活早晚午周星加班现再已每因所以但却很真太更先回住吃买卖钱请找送打写读听记忘错改换修"
    "時間会議何誰場所予定変更使社員食度来週今毎朝夜夏冬春秋駅店旅行料理買物電話番号仕事問題方法理由必要教書見聞"
    "話言思知持待帰決始終開閉入出立止動作成用取置"
)
_HANGUL = (
    "이가은는을를에의로과와도고다하한나지기아어오우사시리자일제부정수서대인해라그보주전있없었했것들만장동성상화원"
    "연신조구안국미소비세경공실때문어디언누무엇얼마왜몇요까게면서며년월날간분교학생회의모여러같더후중내유진행"
)
_CHARACTERS = frozenset(_HAN + _HANGUL)
_KANA = frozenset(
    "する です ます した から まで って では には とは ない ある いる れる れた され こと もの よう とき ため どこ いつ なに だれ どう"
    " この その あの たい てい のは のが のを のに ので たの るの んで した して しま せん ませ ました かな たち など だけ".split()
)


def spelled(text: str) -> list[str]:
    """The words of ``text`` as they were written, without numbers and the small words of grammar."""
    found: list[str] = _SPELLED.findall(text)
    return [word for word in found if not any(map(str.isdigit, word)) and not is_function_word(fold(word))]


def sense(words: Sequence[str], known: float | None = None) -> float:
    """From 0, nonsense, to 1, words that people use. ``words``: folded; 0 when none of them tells anything. ``known``: what the
    embedder says of them (``ports.Embedder.familiar``)."""
    telling = [word for word in words if commonness.weight(stem(word), 0) > commonness.IDLE]
    if not telling:
        return 0.0
    languages = leading_languages(words)
    if languages in (["en"], ["es"]):
        return _between(_LISTED, _listed(telling))
    others = _between(_COMMON, _common(words))
    if known is not None:  # words of no language in particular may look like those of any
        others = known if languages else min(known, others)
    return max(_between(_LISTED_OF_UNKNOWN, _listed(telling)), others)


def _between(bounds: tuple[float, float], value: float) -> float:
    low, high = bounds
    return min(1.0, max(0.0, (value - low) / (high - low)))


def _listed(telling: Sequence[str]) -> float:
    """The share, by letters, of the words that say something which the dictionaries have, if only but for a slip."""
    asked = [word for word in telling if not is_function_word(word)]
    total = sum(map(len, asked))
    strange = {word for word in asked if not dictionary.listed(word)}
    if len(strange) <= _SLIPS:
        strange -= set(filter(_slipped, strange))
    return sum(len(word) for word in asked if word not in strange) / total if total else 0.0


@lru_cache(maxsize=1024)
def _slipped(word: str) -> bool:
    """Whether a word is one of the dictionaries in which two neighbours are swapped, or a letter is doubled or left out.

    Invented words rarely are; one letter in place of another makes them ("frinkle", "wuffle").
    """
    if not (_SHORTEST <= len(word) <= _LONGEST and word.isalpha()):
        return False
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    swapped = (head[:-1] + tail[0] + head[-1] + tail[1:] for head, tail in cuts[1:-1] if head[-1] != tail[0])
    single = (head + tail[1:] for head, tail in cuts[1:-1] if head[-1] == tail[0])
    whole = (head + letter + tail for head, tail in cuts for letter in ascii_lowercase)
    return any(map(dictionary.listed, chain(swapped, single, whole)))


def _common(words: Sequence[str]) -> float:
    """The share of the characters that stand in common words, or are common themselves. The most familiar word is left
    out: one may be met by accident."""
    counts = [_familiar(word) for word in words]
    return max(0, sum(counts) - max(counts)) / sum(map(len, words))


def _familiar(word: str) -> int:
    if word in _KANA or stem(word) in commonness.table():
        return len(word)
    return sum(character in _CHARACTERS for character in word)
