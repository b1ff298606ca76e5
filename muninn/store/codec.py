"""Domain values <-> bytes (MessagePack). The only place that knows how records look on disk outside Arrow columns."""

from __future__ import annotations

from typing import Any

import msgspec

from muninn.domain.records import Transaction
from muninn.errors import StoreError

DAMAGED = "what is damaged on disk comes back with muninn backup restore"
_encoder = msgspec.msgpack.Encoder()
_transaction = msgspec.msgpack.Decoder(Transaction)


def encode(value: object) -> bytes:
    return _encoder.encode(value)


def decode_transaction(data: bytes) -> Transaction:
    try:
        return _transaction.decode(data)
    except msgspec.MsgspecError as error:
        raise StoreError(f"a record of the write-ahead log cannot be read: {error}", hint=DAMAGED) from None


_decoders: dict[type, msgspec.msgpack.Decoder[Any]] = {}


def decode(data: bytes, kind: type) -> Any:
    """A value of ``kind`` from its bytes."""
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.msgpack.Decoder(kind)
    try:
        return decoder.decode(data)
    except (msgspec.MsgspecError, TypeError) as error:  # no bytes at all are a TypeError
        raise StoreError(f"a stored {kind.__name__} cannot be read: {error}", hint=DAMAGED) from None
