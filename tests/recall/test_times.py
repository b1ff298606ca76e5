"""Time expressions in English and Spanish, and what they do to an answer."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn.recall.times import readings
from tests.recall.conftest import World, days

NOW = datetime(2026, 8, 12, 14, 30, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("query", "start", "end"),
    [
        ("what happened yesterday", "2026-08-11", "2026-08-11"),
        ("¿qué hice ayer?", "2026-08-11", "2026-08-11"),
        ("anteayer", "2026-08-10", "2026-08-10"),
        ("the day before yesterday", "2026-08-10", "2026-08-10"),
        ("notes from last week", "2026-08-03", "2026-08-09"),
        ("la semana pasada", "2026-08-03", "2026-08-09"),
        ("esta semana", "2026-08-10", "2026-08-16"),
        ("el mes pasado", "2026-07-01", "2026-07-31"),
        ("last month", "2026-07-01", "2026-07-31"),
        ("el año pasado", "2025-01-01", "2025-12-31"),
        ("last weekend", "2026-08-08", "2026-08-09"),
        ("el fin de semana pasado", "2026-08-08", "2026-08-09"),
        ("three days ago", "2026-08-09", "2026-08-09"),
        ("hace tres días", "2026-08-09", "2026-08-09"),
        ("2 weeks ago", "2026-07-29", "2026-07-29"),
        ("hace un par de semanas", "2026-07-22", "2026-08-05"),
        ("a few days ago", "2026-08-07", "2026-08-10"),
        ("in the last 3 days", "2026-08-09", "2026-08-12"),
        ("los últimos dos meses", "2026-06-12", "2026-08-12"),
        ("what did we decide in March", "2026-03-01", "2026-03-31"),
        ("en octubre", "2025-10-01", "2025-10-31"),
        ("in May 2024", "2024-05-01", "2024-05-31"),
        ("mayo de 2024", "2024-05-01", "2024-05-31"),
        ("el 3 de marzo de 2025", "2025-03-03", "2025-03-03"),
        ("March 3rd", "2026-03-03", "2026-03-03"),
        ("December 25th 2020", "2020-12-25", "2020-12-25"),
        ("on 2026-06-10", "2026-06-10", "2026-06-10"),
        ("15/01/2024", "2024-01-15", "2024-01-15"),
        ("last Monday", "2026-08-10", "2026-08-10"),
        ("el lunes pasado", "2026-08-10", "2026-08-10"),
        ("on Friday", "2026-08-07", "2026-08-07"),
        ("in 2024", "2024-01-01", "2024-12-31"),
        ("durante 2023", "2023-01-01", "2023-12-31"),
    ],
)
def test_readings(query: str, start: str, end: str) -> None:
    (reading,) = readings(query, NOW)
    assert (f"{reading.start:%Y-%m-%d}", f"{reading.end:%Y-%m-%d}") == (start, end)


@pytest.mark.parametrize(
    "query",
    [
        "may I ask a question", "she may have been right", "the mar file", "port 8080",
        "version 2024.1", "2020-13-45", "a second opinion", "sat on the mat", "wed the two halves",
        "sun exposure", "user@example.com", "https://example.com/2024", "connection pooling", "día festivo",
        "hace falta leche", "the ago team", "0000-00-00", "1234567890123456", "",
    ],
)  # fmt: skip
def test_what_is_no_time(query: str) -> None:
    assert readings(query, NOW) == ()


@pytest.mark.parametrize("query", ["in March", "03/04/2025", "a few weeks ago", "on Friday", "el 3 de marzo"])
def test_ambiguous_ones_are_said(query: str) -> None:
    (reading,) = readings(query, NOW)
    assert reading.doubt
    assert reading.doubt in reading.note


def test_several_times_are_all_read() -> None:
    assert len(readings("last week or last month", NOW)) == 2


@given(st.text(max_size=300))
def test_any_text_is_read_without_error(text: str) -> None:
    for reading in readings(text, NOW):
        assert reading.start <= reading.end


@pytest.mark.parametrize(
    "text", ["9" * 3000, "yesterday " * 500, "january 0000", "99999 years ago", "in 99999 days", "1 " * 1500]
)
def test_hostile_text_is_read_quickly(text: str) -> None:
    readings(text, NOW)


def test_a_question_about_a_day_gets_that_day(world: World) -> None:
    world.remember("Replaced the router", at=world.clock.now() - days(9))
    today = world.clock.now()
    wanted = world.remember("Painted the fence", at=today - days(1))
    assert world.ids("what happened yesterday", now=today) == [wanted.id]
    assert world.ids("¿qué pasó ayer?", now=today) == [wanted.id]
    assert any("yesterday" in note for note in world.recall("what happened yesterday", now=today).notes)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Checkout failed on March 21. Root cause: DNS", "what happened on March 21?"),
        ("Checkout failed on March 21. Root cause: DNS", "what happened in March?"),
        ("El 21 de marzo se cayó el pago", "¿qué pasó el 21 de marzo?"),
        ("El 21 de marzo se cayó el pago", "¿qué pasó en marzo?"),
    ],
)
def test_what_names_the_day_asked_about_is_an_answer_however_late_it_was_told(
    world: World, text: str, asked: str
) -> None:
    now = datetime(2026, 11, 30, tzinfo=UTC)
    named = world.remember(text, at=now)
    world.remember("We painted 21 fences", at=now)
    world.remember("April was calm; in abril no pasó nada", at=now)
    on_the_day = world.remember("The router was replaced", at=datetime(2026, 3, 21, 9, tzinfo=UTC))
    hits = world.recall(asked, now=now).hits
    assert {hit.memory.id for hit in hits} == {named.id, on_the_day.id}
    why = {hit.memory.id: hit.why for hit in hits}
    assert "names the time asked about" in why[named.id]
    assert "is from the time asked about" in why[on_the_day.id]


@pytest.mark.parametrize(
    "asked", ["what did I write yesterday?", "what did we learn yesterday", "lo que anoté ayer", "¿qué apuntamos ayer?", "¿qué escribí ayer?"]
)  # fmt: skip
def test_a_question_about_nothing_but_a_day_is_narrowed_to_it(world: World, asked: str) -> None:
    today = world.clock.now()
    world.remember("Letters are written on Sundays", at=today - days(9))
    world.remember("Las notas van en el cuaderno", at=today - days(9))
    wanted = world.remember("Painted the fence", at=today - days(1))
    assert world.ids(asked, now=today) == [wanted.id]


def test_a_mere_may_names_no_month(world: World) -> None:
    now = world.clock.now()
    world.remember("The gate may stick in the cold", at=now)
    assert world.ids("what happened in May?", now=now) == []


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("In March", "“In March”"),
        ("¿qué hice el sábado pasado?", "“el sábado pasado”"),
        ("ﬁve, in  March", "“in march”"),
    ],
)
def test_a_reading_is_told_in_the_words_of_the_question(query: str, said: str) -> None:
    (reading,) = readings(query, NOW)
    assert reading.note.startswith(said)


def test_a_date_lifts_but_does_not_shut_out(world: World) -> None:
    now = world.clock.now()
    earlier = world.remember("The heat pump was serviced by Nils", at=now - days(40))
    later = world.remember("Nils serviced the pump, not the heat exchanger", at=now - days(1))
    plain = {hit.memory.id: hit for hit in world.recall("heat pump serviced", now=now, explain=True).hits}
    dated = {hit.memory.id: hit for hit in world.recall("heat pump serviced yesterday", now=now, explain=True).hits}
    assert earlier.id in dated
    assert "from the time asked about" in dated[later.id].why
    assert "from the time asked about" not in dated[earlier.id].why
    relevance = {
        memory.id: [float(str((found[memory.id].components or {})["relevance"])) for found in (plain, dated)]
        for memory in (earlier, later)
    }
    assert relevance[later.id][0] < relevance[later.id][1]
    assert relevance[earlier.id][0] == relevance[earlier.id][1]


def test_relative_times_count_from_the_time_asked_about(world: World) -> None:
    now = world.clock.now()
    wanted = world.remember("Painted the fence", at=now - days(31))
    assert world.ids("what happened yesterday", as_of=now - days(30)) == [wanted.id]
