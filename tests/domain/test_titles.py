"""The title that a memory gets when nobody gave one."""

from __future__ import annotations

import pytest

from muninn.domain.titles import derived_title


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("Checkout failed on March 21. Root cause: the proxy", "Checkout failed on March 21."),
        ("El puerto es 8443\n\ndesde mayo", "El puerto es 8443"),
        ("Use tabs, e.g. in Makefiles. Never spaces.", "Use tabs, e.g. in Makefiles."),
        ("e.g. tabs, i.e. never spaces. Version 2.5 is out.", "e.g. tabs, i.e. never spaces."),
        ("Dr. Ruiz agrees. So does Ana.", "Dr. Ruiz agrees."),
        ("Llamar a la Sra. López por la factura. Es urgente.", "Llamar a la Sra. López por la factura."),
        ("Evitar fritos, p. ej. Croquetas. Gracias.", "Evitar fritos, p. ej. Croquetas."),
        ("J. R. Smith signs. Nobody else does.", "J. R. Smith signs."),
        ("Vitamin C. It helps.", "Vitamin C."),
        ("¿Quién firma? Marta.", "¿Quién firma?"),
        ("¡Listo! ya funciona", "¡Listo!"),
        ("请使用端口8443。不要使用8080。", "请使用端口8443。"),
        ("# Título con Markdown\n\nTexto del cuerpo.", "Título con Markdown"),
        ("- first bullet\n- second bullet", "first bullet"),
        ("> quoted\nanswer", "quoted"),
        ("- [ ] automate the drill", "automate the drill"),
        ("#8443 is the port", "#8443 is the port"),
        ("-5 degrees outside", "-5 degrees outside"),
        ("# ", "#"),
        ("---\n", "---"),
        ("...\nthe end", "..."),
        ("\x00", "untitled"),
    ],
)
def test_the_first_sentence_is_the_title(content: str, title: str) -> None:
    assert derived_title(content) == title


def test_a_long_sentence_is_cut_at_a_word() -> None:
    title = derived_title("palabra " * 40)
    assert len(title) <= 80
    assert title.endswith("palabra…")


def test_a_long_word_is_cut_anywhere() -> None:
    assert derived_title("x" * 200) == "x" * 79 + "…"
