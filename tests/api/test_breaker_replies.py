"""Remembered answers hold neither bodies nor what was purged."""

from __future__ import annotations

import sys

import pytest

from muninn.api.calls import Answer
from muninn.api.server import _Replies
from muninn.errors import UsageError


def answered(text: str) -> Answer:
    return Answer(document={"id": "m1", "content": text}, status=201)


def test_a_purged_memory_is_in_no_remembered_answer_and_is_not_stored_again() -> None:
    replies = _Replies()
    calls: list[int] = []

    def store() -> Answer:
        calls.append(1)
        return answered("secret")

    replies.once("k", b"{}", store)
    replies.once("other", b"{}", lambda: Answer(document={"id": "m2", "content": "kept"}))
    replies.erase("m1")
    again = replies.once("k", b"{}", store)
    assert (again.status, again.document) == (201, {"id": "m1", "purged": True})
    assert replies.once("other", b"{}", store).document["content"] == "kept"
    assert calls == [1]


def test_another_body_under_the_same_key_is_refused_though_bodies_are_not_kept() -> None:
    replies = _Replies()
    body = b"x" * (1 << 20)
    replies.once("k", body, lambda: answered("short"))
    assert body not in replies._entries["k"]
    assert sum(sys.getsizeof(part) for part in replies._entries["k"]) < 1000
    with pytest.raises(UsageError, match="used for another request"):
        replies.once("k", body + b"y", lambda: answered("short"))
