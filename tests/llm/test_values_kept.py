"""Which values a merged text loses or invents, in English, Spanish and scripts without spaces."""

from __future__ import annotations

import pytest

from muninn.llm.values import invented, lost

KEPT = [
    (
        ["The relay listens on port 4242.", "The relay uses TLS 1.3."],
        "The relay listens on port 4242 and uses TLS 1.3.",
    ),
    (
        ["Marta lives in Gijón since 2019.", "Marta works at Acme."],
        "Since 2019 Marta has lived in Gijón; she works at Acme.",
    ),
    (["Marta vive en Gijón desde 2019.", "Trabaja en Acme."], "Marta vive en Gijón y trabaja en Acme desde 2019."),
    (["No usar force push en main.", "Nunca usar force push."], "No usar nunca force push en main."),
    (["Ninety days of stability."], "90 days of stability."),
    (["The price is €1,500.50 on 30 June 2026"], "On June 30, 2026 the price is €1,500.50"),
    (["Use NUM_WORKERS=4 and max_size"], "Use max_size and NUM_WORKERS=4"),
    (["東京は2026年に開催", "2026年の東京"], "2026年に東京で開催"),
    (["see https://a.example/x?q=1 and /etc/hosts"], "See /etc/hosts and https://a.example/x?q=1."),
]
LOST = [
    (["Timeout is 30 s."], "Timeout is 300 s.", "30"),
    (["The limit is 8 GB"], "The limit is 18 GB", "8"),
    (["Temp is -5 degrees"], "Temp is 5 degrees", "-5"),
    (["v1.2 is out"], "v1.2.3 is out", "v1.2"),
    (["No usar force push."], "Usar force push.", "a negation"),
    (["It isn't supported on v1.2."], "It is supported on v1.2.", "a negation"),
    (["La reunión es el lunes a las 10:30"], "La reunión es el martes a las 10:30", "lunes"),
    (["Ana prefers tea"], "Anna prefers tea", "Ana"),
    (["El puerto 4242 y el 4343 están abiertos."], "El puerto 4242 está abierto.", "4343"),
    (["configured in /etc/relay.toml"], "configured in a file", "/etc/relay.toml"),
    (['He said "never again" in 2020'], "He said something in 2020, never", "never again"),
]


@pytest.mark.parametrize(("sources", "text"), KEPT)
def test_kept(sources: list[str], text: str) -> None:
    assert lost(sources, text) == ()
    assert invented(sources, text) == ()


@pytest.mark.parametrize(("sources", "text", "value"), LOST)
def test_lost(sources: list[str], text: str, value: str) -> None:
    assert value in lost(sources, text)


@pytest.mark.parametrize(
    ("sources", "text"),
    [
        (["The relay listens on a port."], "The relay listens on port 4242."),
        (["Marta trabaja aquí."], "Marta trabaja aquí con Julián."),
        (["The relay is documented."], "The relay is documented at https://evil.example/x."),
    ],
)
def test_invented(sources: list[str], text: str) -> None:
    assert invented(sources, text)


@pytest.mark.parametrize(
    ("sources", "text"),
    [
        (["Ingrid: Wow, the evening choir was loud."], "Ingrid found the evening choir loud."),
        (["Ingrid: I'm comparing ferry companies."], "Ingrid is comparing ferry companies."),
        (["Berta: That’s so neat! I think I'm joining in."], "Berta finds it so neat and joins in."),
        (["Berta: Don't worry about the oven."], "Berta does not worry about the oven."),
        (["Lucía: ¡Guau! Qué bien te quedó la maceta."], "A Lucía le gustó la maceta."),
        (["Notes:\nRunning the relay takes an hour."], "It takes an hour to run the relay."),
        (["Lucía: Gracias, me apunto al taller."], "Lucía se apunta al taller."),
    ],
)
def test_what_opens_talk_is_no_name(sources: list[str], text: str) -> None:
    assert lost(sources, text) == ()


@pytest.mark.parametrize(
    ("source", "text", "name"),
    [
        ("Proveedor: Acme aloja la web.", "El proveedor aloja la web.", "Acme"),
        ("Ingrid: Wow, Berta sold the boat.", "Ingrid says she sold the boat.", "Berta"),
        ("Owner: Marta runs the relay.", "The owner runs the relay.", "Marta"),
        ("Owner: IT runs the relay.", "The owner runs the relay.", "IT"),
        ("The relay is Marta's.", "The relay is hers.", "Marta's"),
        ("Contact: O'Brien runs the relay.", "The contact runs the relay.", "O'Brien"),
    ],
)
def test_what_follows_a_label_may_be_a_name(source: str, text: str, name: str) -> None:
    assert name in lost([source], text)
