"""The English and Spanish words of time, folded: numbers, units, months, weekdays, directions."""

from __future__ import annotations

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan enero ene", "february feb febrero", "march mar marzo", "april apr abril abr", "may mayo",
            "june jun junio", "july jul julio", "august aug agosto ago", "september sept sep septiembre setiembre",
            "october oct octubre", "november nov noviembre", "december dec diciembre dic",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip

SHORT_MONTHS = frozenset(name for name in MONTHS if len(name) <= 4 and name not in {"june", "july", "mayo"})
"""Names that are also other words or mere letters: months only beside a day or a year ("may" after a preposition too)."""

WEEKDAYS = {
    name: number
    for number, names in enumerate(
        ("monday lunes", "tuesday martes", "wednesday miercoles", "thursday jueves", "friday viernes",
         "saturday sabado", "sunday domingo")
    )
    for name in names.split()
}  # fmt: skip

UNITS = {
    "day": "day", "days": "day", "dia": "day", "dias": "day", "week": "week", "weeks": "week", "semana": "week",
    "semanas": "week", "month": "month", "months": "month", "mon": "month", "mes": "month", "meses": "month",
    "year": "year", "years": "year", "ano": "year", "anos": "year", "weekend": "weekend", "hour": "hour",
    "hours": "hour", "hora": "hour", "horas": "hour",
}  # fmt: skip

NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "un": 1, "una": 1, "uno": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6,
    "siete": 7, "ocho": 8, "nueve": 9, "diez": 10,
}  # fmt: skip

COUPLE = (3, 1)
FEW = (5, 2)
VAGUE = {
    "couple": COUPLE, "a couple": COUPLE, "couple of": COUPLE, "a couple of": COUPLE, "un par de": COUPLE, "few": FEW,
    "a few": FEW, "several": FEW, "some": FEW, "unos": FEW, "unas": FEW, "unos pocos": FEW, "unas pocas": FEW,
    "varios": FEW, "varias": FEW, "pocos": FEW, "pocas": FEW, "algunos": FEW, "algunas": FEW,
}  # fmt: skip
"""How many of a unit a vague number spans: from so many ago to so many ago."""
