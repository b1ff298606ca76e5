"""The words of a memory as one text for an index that knows nothing of words: tokens, separated by spaces.

What stands over a memory counts double, as it does in the resident index.
"""

from __future__ import annotations

import hashlib

from muninn.domain.memory import Memory
from muninn.recall.textindex import TITLE_WEIGHT
from muninn.recall.tokens import tokens

_PROBE = (
    "The ponies' dogs were clearly running, planned and cried; boxes of berries fly by WAL_mode-2 ﬁles v1.20 "
    "Las canciones rápidas hablaban felizmente cantando, comiendo, vividas y amadas en Ñandú; los árboles y las luces "
    "東京の会議は延期されました ประชุมที่กรุงเทพ 부산 회의 Ёлка встреча दिल्ली की बैठक"
)


def words_of(memory: Memory) -> str:
    """The index tokens of content, given title and tags."""
    over = [] if memory.title_derived else tokens(memory.title)
    over += [token for tag in memory.tags for token in tokens(tag)]
    return " ".join([*tokens(memory.content), *over * TITLE_WEIGHT])


def edition() -> str:
    """A name for the way in which text is cut now; changes when it does."""
    return hashlib.blake2b(" ".join(tokens(_PROBE)).encode("utf-8"), digest_size=4).hexdigest()
