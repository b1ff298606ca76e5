"""What a dream leaves to a person says how it is settled; a dream that leaves nothing does not."""

from __future__ import annotations

from muninn.dream.phrases import ENGLISH, SPANISH


def test_what_waits_for_a_person_says_how_it_is_settled(world) -> None:  # type: ignore[no-untyped-def]
    world.tell("El contrato de Arcos vence el 30 de junio de 2026.")
    assert ENGLISH["settle"] not in world.dreamer.dream(force=True).journal
    world.tell("El contrato de Arcos vence el 31 de julio de 2026.")
    told = world.dreamer.dream(force=True).journal
    assert told.count(f"- {ENGLISH['settle']}\n") == 1


def test_the_verbs_it_names_are_the_same_in_both_languages() -> None:
    for verb in ("muninn edit", "muninn forget", "muninn remember --supersedes"):
        assert verb in ENGLISH["settle"]
        assert verb in SPANISH["settle"]
