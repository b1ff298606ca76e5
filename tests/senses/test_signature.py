"""When two errors are the same error."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn.senses.signature import same_error, signature

SAME = [
    (
        'Exit code 1\nTraceback (most recent call last):\n  File "/a/b.py", line 3\nKeyError: \'user\'',
        'Exit code 1\nTraceback (most recent call last):\n  File "/c/d.py", line 99\nKeyError: \'user\'',
    ),
    ("Exit code 7\ncurl: (7) Failed to connect to localhost port 5432 after 0 ms", "Exit code 7\ncurl: (7) Failed to connect to localhost port 5433 after 12 ms"),
    ("error at 2026-01-02T10:00:01Z: connection refused", "error at 2026-01-03T11:30:59Z: connection refused"),
    ("fatal: object 3f2a9bc1d0 is corrupt", "fatal: object aa00bb11cc is corrupt"),
    ("\x1b[31merror\x1b[0m: could not compile", "error: could not compile"),
    ("cat: /tmp/x1/a.txt: No such file or directory", "cat: /var/lib/b.txt: No such file or directory"),
    ("cat: /tmp/x: No existe el archivo o el directorio", "cat: /srv/y: No existe el archivo o el directorio"),
    ("src/a.ts(3,9): error TS2322: Type mismatch", "src/a.ts(14,2): error TS2322: Type mismatch"),
]  # fmt: skip

DIFFERENT = [
    ("ModuleNotFoundError: No module named 'yaml'", "ModuleNotFoundError: No module named 'requests'"),
    ("KeyError: 'user_id'", "KeyError: 'order_id'"),
    ("error[E0425]: cannot find value `foo` in this scope", "error[E0425]: cannot find value `bar` in this scope"),
    ("FAILED tests/test_a.py::test_one - AssertionError", "FAILED tests/test_a.py::test_two - AssertionError"),
    ("bash: orden «frob» no encontrada", "bash: orden «grob» no encontrada"),
    ("SyntaxError: unexpected EOF while parsing", "fatal: not a git repository"),
    ("error TS2322: incompatible", "error TS2304: incompatible"),
    ("エラー: 接続が拒否されました", "エラー: ファイルが見つかりません"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_noise_does_not_make_an_error_new(a: str, b: str) -> None:
    assert same_error(signature(a), signature(b))


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_another_name_or_message_is_progress(a: str, b: str) -> None:
    assert not same_error(signature(a), signature(b))


def test_with_an_edit_between_a_changed_count_is_progress() -> None:
    three, two = (
        signature("AssertionError: 3 tests failed in 0.2s"),
        signature("AssertionError: 2 tests failed in 0.3s"),
    )
    assert same_error(three, two)
    assert not same_error(three, two, edited=True)
    assert same_error(three, signature("AssertionError: 3 tests failed in 9.9s"), edited=True)


def test_a_failure_without_words_is_like_no_other() -> None:
    mute = signature("Exit code 1")
    assert mute.mute
    assert not same_error(mute, mute)


def test_the_excerpt_keeps_no_secret() -> None:
    found = signature("fatal: unable to access 'https://bob:hunter2@example.org/x.git': denied password=hunter2")
    assert "hunter2" not in found.excerpt
    assert "hunter2" not in " ".join(found.names | found.words)


@given(st.text(max_size=400))
def test_any_text_has_a_signature_that_equals_itself(text: str) -> None:
    first, second = signature(text), signature(text)
    assert first == second
    assert first.mute or same_error(first, second, edited=True)
    assert len(first.excerpt) <= 160


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_plain_numbers_do_not_count(a: int, b: int) -> None:
    assert same_error(signature(f"Error: worker {a} died"), signature(f"Error: worker {b} died"))


@pytest.mark.parametrize(
    "piece", ["y", "'", "/", "1", "a/", "a-", "1:", " ", "=", "sk-", "password ", "eyJa.", "://", "\\"]
)
def test_hostile_text_takes_no_time(piece: str) -> None:
    start = time.process_time()
    signature("error " + piece * 20_000)
    assert time.process_time() - start < 1.0
