"""Which language a text is probably in, told by its script or its function words; None when it does not show.

Wording can testify only within one language, and an embedder's noise floor differs between languages: that is all this
is used for, so "don't know" is a good answer.
"""

from __future__ import annotations

from collections.abc import Iterable

_FUNCTION_WORDS = {
    "en": "the of and to is was were are what when who which how why where did does do has have had will would can could"
    " should with that this these those for from not you your our his her their they she he it its been about than then"
    " there by at an be my we us him them but if so as or any some after before during while every into out over only",
    "es": "el la los las de una unos unas y en que del al con por para es son fue era eran esta este estos estas ese esa eso"
    " como cuando donde quien cual cuales porque pero no su sus se lo le les nos mi mis tu tus mas muy ha han hay ser"
    " estar tiene tienen sobre entre desde hasta sin cada todo todos ya si ni o u antes despues segun cuanto cuantos",
    "fr": "le la les de des du un une et est sont dans que qui pour pas sur avec plus par ce cette ces il elle nous vous leur"
    " au aux ne se sa son ses mais ou quand quel quelle comment pourquoi etait etre ont avait deux sans tout",
    "de": "der die das und ist nicht ein eine einen mit von zu den dem des auf fur wir sie ich er es wird wurde sind war"
    " wann wie wo wer was warum auch bei nach uber aus im am vom zum zur hat haben kann dass aber oder nur noch",
    "pt": "os um uma de o a em que com para por nao mais dos das no na nos nas ao e foi sao tem ser mas como quando onde quem"
    " qual seu sua seus suas ele ela isso este esta pelo pela ja muito ou quantos porque depois antes ate",
    "it": "il la lo gli un uno una di che non per con sono della del dei delle nel nella alla al da dal piu come quando dove"
    " chi quale perche ma anche se ci questo questa suo sua loro era stato ha hanno dopo prima ogni e",
}
_LANGUAGES_OF: dict[str, tuple[str, ...]] = {}
for _language, _listed in _FUNCTION_WORDS.items():
    for _word in _listed.split():
        _LANGUAGES_OF[_word] = (*_LANGUAGES_OF.get(_word, ()), _language)

_SCRIPTS = (
    ("ja", "぀", "ヿ"), ("zh", "㐀", "鿿"), ("ko", "가", "힯"), ("th", "฀", "๿"), ("ru", "Ѐ", "ӿ"), ("ar", "؀", "ۿ"),
    ("he", "֐", "׿"), ("el", "Ͱ", "Ͽ"), ("hi", "ऀ", "ॿ"),
)  # fmt: skip

CODES = ("", *_FUNCTION_WORDS, *(name for name, _, _ in _SCRIPTS))
"""Every answer of ``language_of`` by its code; 0 for none."""


def language_of(words: Iterable[str]) -> str | None:
    """The language of folded ``words``: one that leads by its function words, or that of most of its letters' script."""
    leading = leading_languages(words)
    if len(leading) == 1:
        return leading[0]
    # The Romance languages share their smallest words; of those, Spanish is the one that muninn is most often spoken to.
    return "es" if "es" in leading and "en" not in leading else None


def leading_languages(words: Iterable[str]) -> list[str]:
    """All languages that folded ``words`` speak for most."""
    counts: dict[str, int] = {}
    for word in words:
        if word.isascii():
            for language in _LANGUAGES_OF.get(word, ()):
                counts[language] = counts.get(language, 0) + 1
        elif (script := _script_of(word[0])) is not None:
            counts[script] = counts.get(script, 0) + 1
    if "ja" in counts and "zh" in counts:  # Japanese writes Han too; kana decide
        counts["ja"] += counts.pop("zh")
    most = max(counts.values(), default=0)
    return [language for language, count in counts.items() if count == most]


def is_function_word(word: str) -> bool:
    """Whether a folded word is a small one of grammar in some language: it says nothing of the matter."""
    return word in _LANGUAGES_OF


def _script_of(character: str) -> str | None:
    return next((name for name, first, last in _SCRIPTS if first <= character <= last), None)
