"""The gateway by itself: a status while waking takes no thread, a body that does not come is 408, a crowd costs its oldest idle."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Event
from typing import Any, cast

import pytest

from muninn.api import server
from muninn.api.calls import Answer
from muninn.api.patience import Crowd, Patient
from muninn.api.server import Gateway
from muninn.errors import StoreError


def scope(path: str, method: str = "GET", **headers: str) -> dict[str, Any]:
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": "http",
        "path": path,
        "method": method,
        "query_string": b"",
        "raw_path": path.encode(),
        "headers": named,
    }


class Exchange:
    """One request and what came back. Without ``body`` the client never finishes sending."""

    def __init__(self, body: bytes | None = b"") -> None:
        self.body = body
        self.sent: list[Any] = []

    async def receive(self) -> dict[str, Any]:
        if self.body is None:
            await asyncio.sleep(3600)
        return {"type": "http.request", "body": self.body or b"", "more_body": False}

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    @property
    def status(self) -> int:
        return int(self.sent[0]["status"])

    @property
    def closes(self) -> bool:
        return (b"connection", b"close") in self.sent[0]["headers"]


class Whole:
    """An application whose home is where it was."""

    def astray(self) -> None:
        return None


@pytest.fixture
def waking() -> Gateway:
    return Gateway(lambda: {"state": "waking"}, lambda *a, **k: None)


def test_a_status_is_answered_while_many_wait_for_the_waking(waking: Gateway) -> None:
    async def scene() -> list[int]:
        waiting = [Exchange() for _ in range(60)]
        tasks = [asyncio.create_task(waking(scope("/v1/vaults"), one.receive, one.send)) for one in waiting]
        await asyncio.sleep(0.1)
        asked = Exchange()
        await asyncio.wait_for(waking(scope("/v1/status"), asked.receive, asked.send), 2.0)
        assert asked.status == 200
        waking.fail(StoreError("the store is damaged"))
        await asyncio.wait_for(asyncio.gather(*tasks), 5.0)
        return [one.status for one in waiting]

    assert asyncio.run(scene()) == [500] * 60
    waking.close()


def test_a_body_that_does_not_come_is_408_and_ends_the_connection(
    waking: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_BODY_PATIENCE", 0.1)
    one = Exchange(None)
    asyncio.run(waking(scope("/v1/memories", "POST"), one.receive, one.send))
    assert one.status == 408
    assert one.closes
    waking.close()


def test_slow_work_does_not_hold_up_a_status(waking: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    release = Event()

    def answer(self: Gateway, asked: dict[str, Any], *_: object) -> Answer:
        if asked["path"] != "/v1/status":
            release.wait(10)
        return Answer(document={})

    monkeypatch.setattr(Gateway, "_answer", answer)
    waking.open(cast("Any", Whole()))

    async def scene() -> None:
        slow = [Exchange() for _ in range(40)]
        tasks = [asyncio.create_task(waking(scope("/v1/import", "POST"), one.receive, one.send)) for one in slow]
        await asyncio.sleep(0.1)
        asked = Exchange()
        try:
            await asyncio.wait_for(waking(scope("/v1/status"), asked.receive, asked.send), 2.0)
        finally:
            release.set()
        await asyncio.gather(*tasks)

    asyncio.run(scene())
    waking.close()


def test_a_full_disk_beside_the_store_is_507(waking: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> Answer:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Gateway, "_serve", refuse)
    waking.open(cast("Any", Whole()))
    one = Exchange()
    asyncio.run(waking(scope("/v1/dreams", "POST"), one.receive, one.send))
    assert one.status == 507
    waking.close()


def test_a_request_that_comes_while_muninn_falls_asleep_is_503(waking: Gateway) -> None:
    waking.open(cast("Any", Whole()))
    waking.close()
    one = Exchange()
    asyncio.run(waking(scope("/v1/vaults"), one.receive, one.send))
    assert one.status == 503


def test_who_waits_for_the_waking_is_told_when_there_will_be_none(waking: Gateway) -> None:
    async def asked() -> Exchange:
        one = Exchange()
        asking = asyncio.ensure_future(waking(scope("/v1/vaults"), one.receive, one.send))
        await asyncio.sleep(0.1)
        assert not asking.done()
        waking.turn_away()
        await asyncio.wait_for(asking, 5)
        return one

    assert asyncio.run(asked()).status == 503
    waking.close()


class Connection:
    """What a crowd knows of a connection."""

    def __init__(self, leave: Callable[[Connection], None] = lambda _: None) -> None:
        self.dropped = False

    def drop(self) -> None:
        self.dropped = True


def test_a_crowd_costs_the_oldest_that_waits_for_nothing() -> None:
    crowd = Crowd(3)
    first, second, third, fourth, fifth = (Connection() for _ in range(5))
    for one in (first, second, third):
        crowd.enter(cast("Patient", one))
    crowd.busy(cast("Patient", first))
    crowd.enter(cast("Patient", fourth))
    assert [one.dropped for one in (first, second, third, fourth)] == [False, True, False, False]
    crowd.idle(cast("Patient", first))
    crowd.enter(cast("Patient", fifth))
    assert third.dropped
    assert len(crowd) == 3
    for one in (first, fourth, fifth):
        crowd.busy(cast("Patient", one))
    late = Connection()
    crowd.enter(cast("Patient", late))
    assert late.dropped  # everybody else has asked something
    assert not any(one.dropped for one in (first, fourth, fifth))
