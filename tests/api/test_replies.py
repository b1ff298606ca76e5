"""Answers kept by Idempotency-Key: given once, bounded, and gone when something is erased."""

from __future__ import annotations

import pytest

from muninn.api.calls import Answer
from muninn.api.server import _Replies
from muninn.errors import UsageError


def answered(replies: _Replies, key: str, data: bytes, text: str) -> str | None:
    return replies.once(key, data, lambda: Answer(text=text)).text


def test_a_repeated_request_gets_the_first_answer_and_another_body_is_refused() -> None:
    replies = _Replies()
    assert answered(replies, "k", b"{}", "first") == "first"
    assert answered(replies, "k", b"{}", "second") == "first"
    with pytest.raises(UsageError, match="another request"):
        answered(replies, "k", b"[]", "third")


def test_what_fails_is_not_remembered() -> None:
    replies = _Replies()
    with pytest.raises(ZeroDivisionError):
        replies.once("k", b"", lambda: Answer(status=1 // 0))
    assert answered(replies, "k", b"", "now") == "now"


@pytest.mark.parametrize(("keys", "size"), [(2, 1000), (1000, 20)])
def test_the_oldest_go_when_there_are_too_many_or_they_are_too_large(keys: int, size: int) -> None:
    replies = _Replies(keys=keys, size=size)
    for name in ("a", "b", "c"):
        answered(replies, name, b"x" * 10, name)
    assert answered(replies, "c", b"x" * 10, "again") == "c"
    assert answered(replies, "a", b"x" * 10, "again") == "again"


def test_one_request_larger_than_all_room_is_still_answered_once() -> None:
    replies = _Replies(size=5)
    assert answered(replies, "a", b"x" * 10, "a") == answered(replies, "a", b"x" * 10, "b") == "a"


def test_erasing_forgets_every_answer_but_its_own_and_does_nothing_twice() -> None:
    replies = _Replies(size=20)
    answered(replies, "told", b"x" * 10, "the secret")
    answered(replies, "erase", b"x" * 10, "erased")
    replies.forget(but="erase")
    assert answered(replies, "erase", b"x" * 10, "again") == "erased"
    erased = replies.once("told", b"x" * 10, lambda: Answer(document="done again"))
    assert erased.status == 410
    assert "secret" not in str(erased.document)
