"""Pairs that are one memory written twice: equal after normalisation, reordered, misspelt, or written in another form."""

from __future__ import annotations

import pytest

from muninn.domain.separation import Text, compare, features
from muninn.dream.words import Words

NORMALISED = """
Use pnpm, not npm. | use pnpm, not npm
USE PNPM, NOT NPM | Use pnpm, not npm.
Port 8080 is taken | Port  8080 is taken!
“Ship on Friday” is banned | "Ship on Friday" is banned
It's fine | it’s fine
**Bold** claim | Bold claim
Run `make test` first | Run make test first
- Buy milk | Buy milk.
The team agreed, after a very long talk on Monday, to move the store to Postgres this summer. | The team agreed after a very long talk on Monday to move the store to Postgres this summer.
Dr. Lee is at the clinic | Dr Lee is at the clinic
Anna: It was great! | anna: it was great!
The disk is full , sadly . | The disk is full, sadly.
Wait 5 % longer | Wait 5% longer
El café está abierto. | El café está abierto
¡Cuidado con el perro! | cuidado con el perro
部署完成。 | 部署完成
ポート８０８０ | ポート8080
They call it 'the old mill' here | They call it "the old mill" here
The pump is behind the the shed | The pump is behind the shed
El grifo está en el el patio | El grifo está en el patio
الغرفة ٢١٧ | الغرفة 217
कमरा २१७ | कमरा 217
What is the plan? | What is the plan
"""
REWRITTEN = """
Don't push to main | Do not push to main
We have three servers | We have 3 servers
The deadline is March 14, 2026 | The deadline is 14 March 2026
It serves two hundred and fifty users of the app | It serves 250 users of the app
Wait 30 s | Wait 30 seconds
The limit is 1,500 rows in the table | The limit is 1500 rows in the table
The link does 100 Mb/s | The link does 100 Mbps
It costs 40 AUD a year | It costs AUD 40 a year
The bus leaves at quarter past eight | The bus leaves at quarter past 8
Sale a las 9 y media | Sale a las nueve y media
Cuesta 5 € | Cuesta €5
Tenemos veinticinco usuarios | Tenemos 25 usuarios
El plazo es el 3 de mayo de 2026 | El plazo es el 3 mayo 2026
Falla el 50 por ciento de los casos | Falla el 50% de los casos
It opens on the 1st of May | It opens on the first of May
"""
REORDERED = """
The cache is warm. The disk is full. | The disk is full. The cache is warm.
Hey Rut! Nice to have you back! Did the boat arrive? | Nice to have you back! Did the boat arrive? Hey Rut!
La caché está vacía. El disco está lleno. | El disco está lleno. La caché está vacía.
"""


def _pairs(table: str) -> list[tuple[str, str]]:
    return [tuple(line.split(" | ")) for line in table.strip().splitlines()]  # type: ignore[misc]


@pytest.mark.parametrize(("left", "right"), _pairs(NORMALISED))
def test_case_punctuation_and_spacing_do_not_separate(left: str, right: str) -> None:
    found = compare(Text(None, left), Text(None, right))
    assert found.equal_after_normalisation
    assert found.refusal is None
    assert found.slots_equal
    assert found.coverage == 1.0


@pytest.mark.parametrize(("left", "right"), _pairs(REWRITTEN))
def test_values_may_be_written_another_way(left: str, right: str) -> None:
    found = compare(Text(None, left), Text(None, right))
    assert found.refusal is None
    assert not found.equal_after_normalisation


@pytest.mark.parametrize(("left", "right"), _pairs(REORDERED))
def test_whole_sentences_may_change_places(left: str, right: str) -> None:
    found = compare(Text(None, left), Text(None, right))
    assert found.sentence_reorder
    assert found.refusal is None


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("|Pet|Food|\n|:--|--:|\n|Cat|Fish|", "| Pet | Food  |\n|-----|-------|\n| Cat | Fish  |"),
        ("Pack:\n• tent\n• stove\nLeave at six.", "Pack:\n  - tent\n  - stove\nLeave at six."),
    ],
    ids=["padding", "bullets"],
)
def test_the_layout_of_tables_and_lists_does_not_separate(left: str, right: str) -> None:
    assert compare(Text(None, left), Text(None, right)).equal_after_normalisation


def test_number_words_are_never_the_odd_form() -> None:
    one, other = "Quedan sesenta plazas", "Quedan setenta plazas"
    assert compare(Text(None, one), Text(None, other), vocabulary=Words(lambda: (one, other, one))).refusal is not None
    one, other = "El cuarto intento", "El cuatro intento"
    assert compare(Text(None, one), Text(None, other), vocabulary=Words(lambda: (one, other, one))).refusal is not None


def test_a_paraphrase_is_refused_but_known_to_share_its_values() -> None:
    found = compare(
        Text(None, "The k8s cluster lost DNS because conntrack was exhausted on port 53"),
        Text(None, "Because conntrack was exhausted, the k8s cluster lost its DNS on port 53"),
    )
    assert found.refusal is not None
    assert found.slots_equal
    assert found.coverage > 0.7


def test_values_are_shared_across_languages() -> None:
    found = compare(
        Text(None, "El contrato vence el 30 de junio de 2026"), Text(None, "The contract expires on June 30, 2026")
    )
    assert found.slots_equal
    assert found.refusal is not None


def test_features_are_read_once_and_compare_the_same() -> None:
    one, other = Text("Port", "Listens on 8080"), Text("Port", "Listens on 8081")
    assert compare(features(one), features(other)) == compare(one, other)
