"""Which words another word may be made from: what prefixes, endings and leaning pronouns of English and Spanish make.

Words are without accents. Nothing here says that those words exist: whoever asks looks them up.
"""

from __future__ import annotations

from collections.abc import Iterator

_SHORTEST = 4  # letters of a word that others are made from
_PREFIXES = {
    "en": ("", *"un re non pre de dis mis over sub".split()),
    "es": ("", *"re des in ex pre anti auto co sub super mono micro".split()),
}
_ENDINGS = {
    "en": ((("",), ("",)), ("er ers or ors able ably ability ly ness less like".split(), ("", "e"))),
    "es": (
        (("",), ("",)),
        ("ado ada ados adas ante antes ador adora adores adoras acion aciones".split(), ("ar",)),
        ("ido ida idos idas iente ientes yente yentes idor idora idores idoras".split(), ("er", "ir")),
        ("mente ito ita itos itas illo illa illos illas cito cita citos citas".split(), ("", "a", "e", "o")),
        ("bilidad bilidades".split(), ("ble",)),
        (
            [
                lean + it
                for lean in ("", "me", "te", "se", "nos", "os")
                for it in ("", "lo", "la", "los", "las", "le", "les")
            ],
            ("",),
        ),
    ),
}
"""Per language: endings, and what may stand in their place in the word they were put to."""


def sources(word: str, tongue: str) -> Iterator[str]:
    """The words of a language ("en", "es") that ``word`` would be made from: "portabilidad" from "portable"."""
    for prefix in _PREFIXES[tongue]:
        for endings, places in _ENDINGS[tongue]:
            for ending in endings:
                if word.startswith(prefix) and word.endswith(ending):
                    stem = word[len(prefix) : len(word) - len(ending)]
                    yield from (stem + place for place in places if len(stem) >= _SHORTEST)


def halves(word: str) -> Iterator[tuple[str, str]]:
    """The two words that ``word`` would be put together from: "slideshow" from "slide" and "show"."""
    return ((word[:at], word[at:]) for at in range(_SHORTEST, len(word) - _SHORTEST + 1))
