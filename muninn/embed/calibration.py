"""Where an embedder's raw cosine puts "unrelated" and "the same", and the affine map that follows from it.

Every model has its own idea of cosine: e5 puts sentences that share nothing near 0.80, USE near 0.05. The map
``c = a * cosine + b`` sends the median of unrelated pairs to 0.10 and the median of rewrites to 0.95, so that one set
of thresholds means one thing. It moves thresholds only; stored vectors stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from muninn.domain.memory import Matrix
from muninn.domain.trust import Tier
from muninn.errors import ProviderError
from muninn.ports import Calibration, Embedder

UNRELATED = 0.10
SAME = 0.95

# One subject each, so that any two are unrelated; the second form says the same in another order or with other small words.
ENGLISH: tuple[tuple[str, str], ...] = (
    ("The backup job writes its archive to the second disk every night.", "Every night the backup job writes its archive to the second disk."),
    ("Our landlord agreed to replace the kitchen window before winter.", "Before winter, our landlord agreed to replace the kitchen window."),
    ("Marta prefers tea without sugar during long meetings.", "During long meetings Marta prefers tea without sugar."),
    ("The payment service retries a failed charge three times.", "The payment service retries failed charges three times."),
    ("Sourdough bread needs a slow rise in a cool room.", "Sourdough bread needs a slow rise, in a cool room."),
    ("The museum closes its upper floor on Mondays.", "On Mondays the museum closes its upper floor."),
    ("Type errors are reported by the linter before the tests run.", "Type errors are reported by the linter, before the tests are run."),
    ("My brother repaired the old motorcycle with borrowed tools.", "My brother repaired that old motorcycle with borrowed tools."),
    ("The invoice template lacks a field for the tax number.", "The invoice template is lacking a field for the tax number."),
    ("Penguins huddle together to survive the polar night.", "Penguins huddle together in order to survive the polar night."),
    ("Login tokens are stored in the browser as secure cookies.", "Login tokens get stored in the browser as secure cookies."),
    ("The orchestra rehearses the third symphony on Thursday evening.", "On Thursday evening the orchestra rehearses the third symphony."),
    ("A leaking valve flooded the basement of the library.", "A leaking valve has flooded the basement of the library."),
    ("The recommendation model was trained on two years of clicks.", "The recommendation model was trained with two years of clicks."),
    ("Grandmother planted lavender along the garden wall.", "Grandmother planted lavender along the wall of the garden."),
    ("The train to the coast leaves from platform nine.", "The train to the coast departs from platform nine."),
    ("Customers complained that the new menu is hard to read.", "Customers complained the new menu is hard to read."),
    ("The court postponed the hearing because a witness was ill.", "The court postponed the hearing since a witness was ill."),
    ("Compression halves the size of the log files.", "Compression halves the size of log files."),
    ("Her thesis compares river floods across four centuries.", "Her thesis compares floods of rivers across four centuries."),
    ("The dentist recommended a softer toothbrush.", "The dentist has recommended a softer toothbrush."),
    ("Feature flags let us hide unfinished screens from users.", "Feature flags let us hide unfinished screens from the users."),
)  # fmt: skip
SPANISH: tuple[tuple[str, str], ...] = (
    ("El servidor de correo rechaza los mensajes con adjuntos grandes.", "El servidor de correo rechaza mensajes con adjuntos grandes."),
    ("Mi abuela guarda las recetas en una caja de madera.", "Mi abuela guarda sus recetas en una caja de madera."),
    ("La reunión del equipo se celebra cada martes por la mañana.", "Cada martes por la mañana se celebra la reunión del equipo."),
    ("El contrato del local vence a finales de junio.", "A finales de junio vence el contrato del local."),
    ("Los corales pierden su color cuando el agua se calienta.", "Los corales pierden su color cuando se calienta el agua."),
    ("La aplicación guarda las fotos sin conexión y las sube después.", "La aplicación guarda las fotos sin conexión, y después las sube."),
    ("El carpintero lijó la mesa antes de barnizarla.", "Antes de barnizarla, el carpintero lijó la mesa."),
    ("Las pruebas de integración tardan demasiado en la rama principal.", "Las pruebas de integración están tardando demasiado en la rama principal."),
    ("Nuestro vecino toca el violín los domingos.", "Los domingos nuestro vecino toca el violín."),
    ("El índice de la base de datos acelera las búsquedas por fecha.", "El índice de la base de datos acelera las búsquedas según la fecha."),
    ("La panadería de la esquina abre antes del amanecer.", "La panadería de la esquina abre antes de amanecer."),
    ("El juez pidió una segunda opinión médica.", "El juez ha pedido una segunda opinión médica."),
    ("Los permisos de la carpeta impiden borrar archivos ajenos.", "Los permisos de la carpeta impiden borrar los archivos ajenos."),
    ("El volcán cubrió de ceniza los viñedos del valle.", "El volcán cubrió con ceniza los viñedos del valle."),
    ("La tutora corrigió los exámenes durante el viaje en tren.", "La tutora corrigió los exámenes durante su viaje en tren."),
    ("El botón de pago no responde en pantallas pequeñas.", "El botón de pago no responde en las pantallas pequeñas."),
    ("El entrenador cambió la alineación tras el descanso.", "Tras el descanso, el entrenador cambió la alineación."),
    ("La traducción del manual contiene términos antiguos.", "La traducción del manual contiene unos términos antiguos."),
    ("Los abogados revisan la cláusula de confidencialidad.", "Los abogados están revisando la cláusula de confidencialidad."),
    ("La bicicleta necesita frenos nuevos y una cadena limpia.", "La bicicleta necesita unos frenos nuevos y una cadena limpia."),
    ("El modelo de voz confunde los acentos del norte.", "El modelo de voz confunde acentos del norte."),
    ("La biblioteca presta instrumentos además de libros.", "La biblioteca presta instrumentos, además de libros."),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Raw cosines behind a calibration: medians, and the tail of the unrelated ones (noise floor)."""

    calibration: Calibration
    unrelated: float
    unrelated_p99: float
    same: float


def fit(embedder: Embedder) -> Fit:
    """Measure ``embedder`` on the bundled sentences. Raises ProviderError when it cannot tell rewrites from strangers."""
    sentences = _embed(embedder, [sentence for sentence, _ in (*ENGLISH, *SPANISH)])
    apart = (sentences @ sentences.T)[np.triu_indices(len(sentences), k=1)]
    labelled = [(pair, "Note") for pair in ENGLISH] + [(pair, "Nota") for pair in SPANISH]
    alike = [
        np.einsum("ij,ij->i", sentences, _embed(embedder, list(rewrites)))
        for rewrites in zip(*(_rewrites(pair, label) for pair, label in labelled), strict=True)
    ]
    low, high = float(np.median(apart)), float(np.median(alike))
    if high - low < 0.01:
        raise ProviderError(f"embedder {embedder.model} puts unrelated sentences as near as rewrites of one another")
    a = (SAME - UNRELATED) / (high - low)
    return Fit(
        calibration=Calibration(a=a, b=UNRELATED - a * low),
        unrelated=low,
        unrelated_p99=float(np.quantile(apart, 0.99)),
        same=high,
    )


def _rewrites(pair: tuple[str, str], label: str) -> tuple[str, str, str]:
    """Three ways in which one note is written twice: edited, typed in haste, put on a list."""
    sentence, edited = pair
    return edited, sentence.rstrip(".").replace(",", "").casefold(), f"{label}: {sentence}"


def _embed(embedder: Embedder, texts: list[str]) -> Matrix:
    # The sentences are muninn's own and public: no tier binds them.
    return embedder.passages(texts, tier=Tier.GLOBAL, vault="")
