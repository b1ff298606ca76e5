"""The write-ahead log: what was waited for is there, a torn tail is not."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muninn import failpoints
from muninn.errors import StoreError, StoreFullError
from muninn.store.wal import WriteAheadLog, drop, read_segment, segments


def all_records(folder: Path) -> list[bytes]:
    return [record for segment in segments(folder) for record in read_segment(segment)]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=2000), max_size=10), st.data())
def test_any_cut_leaves_a_prefix_of_whole_records(
    tmp_path_factory: pytest.TempPathFactory, records: list[bytes], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("wal")
    log = WriteAheadLog(folder, durable=False)
    for record in records:
        log.append(record)
    log.close()
    segment = segments(folder)[0]
    size = segment.stat().st_size
    os.truncate(segment, data.draw(st.integers(0, size)))
    kept = all_records(folder)
    assert kept == records[: len(kept)]


def test_a_flipped_bit_ends_the_readable_part(tmp_path: Path) -> None:
    log = WriteAheadLog(tmp_path, durable=True)
    for record in (b"first", b"second", b"third"):
        log.wait(log.append(record))
    log.close()
    content = bytearray(segments(tmp_path)[0].read_bytes())
    content[8 + 5 + 8 + 2] ^= 1
    segments(tmp_path)[0].write_bytes(content)
    assert all_records(tmp_path) == [b"first"]


@pytest.mark.parametrize("zeros", [1, 7, 8, 9, 64, 5000])
def test_zeros_at_the_end_are_no_records(tmp_path: Path, zeros: int) -> None:
    """A power cut may leave a file longer than what was written, with zeros for the rest; and the CRC of nothing is zero."""
    log = WriteAheadLog(tmp_path, durable=True)
    log.wait(log.append(b"first"))
    log.close()
    with segments(tmp_path)[0].open("ab") as file:
        file.write(bytes(zeros))
    assert all_records(tmp_path) == [b"first"]


def test_rotation_separates_what_may_be_dropped(tmp_path: Path) -> None:
    log = WriteAheadLog(tmp_path, durable=True)
    log.append(b"old")
    old = log.rotate()
    log.append(b"new")
    drop(old)
    log.close()
    assert all_records(tmp_path) == [b"new"]


def test_many_writers_share_the_log(tmp_path: Path) -> None:
    log = WriteAheadLog(tmp_path, durable=True)

    def write(name: int) -> None:
        for number in range(50):
            log.wait(log.append(f"{name}:{number}".encode()))

    writers = [Thread(target=write, args=(name,)) for name in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    log.close()
    assert sorted(all_records(tmp_path)) == sorted(f"{n}:{i}".encode() for n in range(4) for i in range(50))


@pytest.mark.parametrize("points", [("wal.append",), ("wal.sync", "wal.open")])
def test_a_full_disk_is_said_and_the_log_goes_on(tmp_path: Path, points: tuple[str, ...]) -> None:
    log = WriteAheadLog(tmp_path, durable=True)
    log.wait(log.append(b"before"))
    failpoints.arm(";".join(f"{point}=err:{errno.ENOSPC}@1" for point in points))
    try:
        with pytest.raises(StoreFullError, match=r"(?i)no space left"):
            log.wait(log.append(b"lost"))
    finally:
        failpoints.arm("")
    log.wait(log.append(b"after"))
    log.close()
    assert all_records(tmp_path)[0] == b"before"
    assert all_records(tmp_path)[-1] == b"after"


@pytest.mark.parametrize("point", ["wal.sync", "wal.append=err:5@2;wal.truncate"])
def test_what_follows_a_failed_disk_call_is_readable(tmp_path: Path, point: str) -> None:
    """A sync that failed says so once only, and a half-written record hides all that come after it."""
    log = WriteAheadLog(tmp_path, durable=True)
    log.wait(log.append(b"before"))
    kept = [b"before"]
    failpoints.arm(f"{point}=err:{errno.EIO}@1")
    try:
        for payload in (b"one", b"two"):
            try:
                log.wait(log.append(payload))
                kept.append(payload)
            except StoreError:
                os.write(log._fd, b"\x00\x01 half a record")
    finally:
        failpoints.arm("")
    log.wait(log.append(b"after"))
    log.close()
    assert set(all_records(tmp_path)) >= {*kept, b"after"}


def test_after_a_failed_sync_the_records_are_written_again(tmp_path: Path) -> None:
    log = WriteAheadLog(tmp_path, durable=True)
    log.wait(log.append(b"safe"))
    first = segments(tmp_path)[-1]
    position = log.append(b"unsure")
    failpoints.arm(f"wal.sync=err:{errno.EIO}@1")
    try:
        log.wait(position)
    finally:
        failpoints.arm("")
    first.unlink()  # as if the disk had dropped what it refused to sync
    log.close()
    assert all_records(tmp_path) == [b"unsure"]


@pytest.mark.parametrize("actions", [("err:28",), ("err:5",), ("err:5", "err:28")])
def test_whichever_call_fails_what_was_acknowledged_is_kept_in_order(tmp_path: Path, actions: tuple[str, ...]) -> None:
    """The nth call of each kind fails, for every n, until a whole run meets no failure."""
    for point in ("wal.append", "wal.sync", "wal.open", "wal.mend", "wal.truncate", "wal.drop"):
        for nth in range(1, 12):
            folder = tmp_path / f"{point}{nth}"
            folder.mkdir()
            also = ";wal.append=err:5@3;wal.sync=err:5@5" if point in ("wal.mend", "wal.truncate") else ""
            log = WriteAheadLog(folder, durable=True)
            failpoints.arm(f"{point}={actions[nth % len(actions)]}@{nth}{also}")
            acknowledged = []
            try:
                for number in range(8):
                    try:
                        log.wait(log.append(str(number).encode()))
                        acknowledged.append(number)
                        if number == 4:
                            log.rotate()
                    except StoreError:
                        continue
            finally:
                failpoints.arm("")
            log.wait(log.append(b"99"))
            log.close()
            found = list(dict.fromkeys(map(int, all_records(folder))))
            assert [number for number in found if number in acknowledged] == acknowledged, (point, nth)
            assert found[-1] == 99, (point, nth)
