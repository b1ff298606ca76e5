"""The roster says what a plain dictionary of everything would say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from muninn.domain.memory import State
from muninn.recall.roster import Roster

IDS = [f"m{number:02d}" for number in range(12)]
ROWS = st.tuples(
    st.sampled_from(IDS),
    st.sampled_from(["casa", "oficina"]),
    st.sampled_from(list(State)),
    st.sampled_from([None, "one/1", "two/1"]),
)
CHANGES = st.lists(st.one_of(ROWS, st.sampled_from(IDS)), max_size=40)


@given(first=st.lists(ROWS, unique_by=lambda row: row[0]), changes=CHANGES)
def test_a_roster_knows_what_it_was_told(
    first: list[tuple[str, str, State, str | None]], changes: list[tuple[str, str, State, str | None] | str]
) -> None:
    roster, known = Roster(), {row[0]: row for row in first}
    roster.fill((i, vault, vault.title(), state, model) for i, vault, state, model in first)
    for change in changes:
        if isinstance(change, str):
            roster.drop(change)
            known.pop(change, None)
        else:
            roster.put(change[0], change[1], change[1].title(), state=change[2], model=change[3])
            known[change[0]] = change
    assert roster.ids() == sorted(known)
    assert roster.count(active_only=False) == len(known)
    assert roster.count(active_only=True) == sum(row[2] is State.ACTIVE for row in known.values())
    assert roster.pending() == sorted(i for i, row in known.items() if row[3] is None and row[2] is not State.FORGOTTEN)
    assert roster.models(None) == sorted({row[3] for row in known.values() if row[3] is not None})
    for vault in ("casa", "oficina"):
        ids = sorted(i for i, row in known.items() if row[1] == vault)
        assert roster.ids(vault) == ids
        assert roster.models([vault]) == sorted({known[i][3] or "" for i in ids} - {""})
        for at, one in enumerate(ids):
            near = [(ids[at + step], abs(step)) for step in (-2, -1, 1, 2) if 0 <= at + step < len(ids)]
            assert roster.beside(one, vault, 2) == near


def test_links_are_noted_and_stay_through_a_move() -> None:
    roster = Roster()
    roster.put("a", "casa", "Casa", state=State.ACTIVE, model=None)
    assert not roster.linked("a")
    roster.link(["a", "nobody"])
    roster.put("a", "oficina", "Oficina", state=State.ARCHIVED, model="one/1")
    assert roster.linked("a")
    assert "a" in roster
    assert "nobody" not in roster
    assert roster.names("oficina") == {"Oficina"}
