"""The separation guard: tells two wordings of one memory from two memories that merely sound alike.

It stands in front of every merge. Pure; English and Spanish thoroughly, other languages on the safe side.
"""

from __future__ import annotations

from muninn.domain.separation.comparison import Separation, compare, coverage
from muninn.domain.separation.features import Features, features
from muninn.domain.separation.misspelling import Vocabulary
from muninn.domain.separation.refusal import Refusal
from muninn.domain.separation.text import Text
from muninn.domain.separation.verdict import Verdict, contradiction, merge_verdict, mergeable, occasions, replaceable

__all__ = [
    "Features",
    "Refusal",
    "Separation",
    "Text",
    "Verdict",
    "Vocabulary",
    "compare",
    "contradiction",
    "coverage",
    "features",
    "merge_verdict",
    "mergeable",
    "occasions",
    "replaceable",
]
