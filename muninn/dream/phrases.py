"""The journal's words in English and Spanish. Each phrase is a template; a test holds both languages to the same keys."""

from __future__ import annotations

import re
from collections.abc import Mapping

ENGLISH: Mapping[str, str] = {
    "connections": "Connections discovered",
    "strengthened": "Strengthened",
    "faded": "Faded",
    "cleaned": "Cleaned up",
    "review": "Awaiting you",
    "rules": "Rules that are working",
    "back": "Taken back",
    "trouble": "Trouble",
    "skipped": "Skipped",
    "nothing": "A quiet night: nothing to change.",
    "suggest": "{a} may belong with {b}: {why}. (suggestion {suggestion}: {vault}/{source} ↔ {other}/{target})",
    "infer_one": "One connection follows from two others: {links}",
    "infer_many": "{n} connections follow from others: {links}",
    "fall_one": "One inferred connection fell, its premise is gone: {links}",
    "fall_many": "{n} inferred connections fell, their premises are gone: {links}",
    "bound_one": "One pair of memories recalled together is bound more closely: {links}",
    "bound_many": "{n} pairs of memories recalled together are bound more closely: {links}",
    "used_one": "{a} was used {times}× since the last dream.",
    "used_many": "{n} memories were used {times}× since the last dream: {titles}",
    "schema": "{a} has become a schema: {degree}.",
    "lasting_one": "{a} will last longer ({before} → {after} days).",
    "lasting_many": "{n} memories will last longer: {titles}",
    "fading_one": "{a} may fade sooner ({before} → {after} days).",
    "fading_many": "{n} memories may fade sooner: {titles}",
    "merge_one": "Merged a near-duplicate note on {title} into {into} (from {losers}): {why}.",
    "merge_many": "Merged {n} near-duplicate notes on {title} into {into} (from {losers}): {why}.",
    "merge_more": "Merged {n} more into their likes, among them: {titles}",
    "supersede": "Resolved a contradiction: {old} is superseded by {new}.",
    "distinct_one": "Kept apart two notes that only look alike: {titles}",
    "distinct_many": "Kept apart {n} sets of notes that only look alike: {titles}",
    "pending_one": "These may be the same: {titles}",
    "pending_many": "{n} sets of notes may be the same, among them: {titles}",
    "conflict": "These disagree ({differs}), the newest is shown first: {titles}",
    "conflict_among": "These disagree, the newest is shown first: {titles}",
    "conflict_more": "{n} more sets disagree, among them: {titles}",
    "settle": "Settle one with muninn edit, muninn forget, or muninn remember --supersedes; what is right may stay as it is.",
    "left_out": "{n} more sets were left out.",
    "not_applied_one": "One operation was not carried out, its memory changed meanwhile: {ids}",
    "not_applied_many": "{n} operations were not carried out, their memories changed meanwhile: {ids}",
    "lost_one": "Recall lost an answer ({lost})",
    "lost_many": "Recall lost {n} answers ({lost})",
    "returned_one": "one operation was taken back: {ids}",
    "returned_many": "{n} operations were taken back: {ids}",
    "phase_failed": "Phase {phase} of {vault} failed and was left out: {why}",
    "aborted": "Out of time: {why}. The next dream goes on from there.",
    "probe": "Recall: {before} of {asked} questions answered before, {after} after.",
    "vault_one": "vault {vault} (1 memory): {why}",
    "vault_many": "vault {vault} ({n} memories): {why}",
    "tier": "tier {tier}",
    "closing": "Scanned {n} memories in {v} vaults{skipped} in {seconds} s",
    "closing_one": "Scanned {n} memories in 1 vault{skipped} in {seconds} s",
    "closing_skipped": " ({vault}: {n} skipped)",
    "undo": "undo: muninn undo {dream}",
    "dry": "No changes were written.",
    "day_one": "By day: one change ({ids})",
    "day_many": "By day: {n} changes ({ids})",
    "undone": "was undone",
    "undone_rows": "{n} memories are as they were before",
    "left_alone": "left alone: {ids}",
    "more": "and {n} more",
    "no_model": "judgement by a model: {why}",
    "tier_changed": "vault {vault} is now {after} (it was {before})",
}

SPANISH: Mapping[str, str] = {
    "connections": "Conexiones descubiertas",
    "strengthened": "Reforzado",
    "faded": "Desvanecido",
    "cleaned": "Ordenado",
    "review": "A la espera de ti",
    "rules": "Reglas que funcionan",
    "back": "Deshecho",
    "trouble": "Incidencias",
    "skipped": "Omitido",
    "nothing": "Una noche tranquila: nada que cambiar.",
    "suggest": "{a} puede tener que ver con {b}: {why}. (sugerencia {suggestion}: {vault}/{source} ↔ {other}/{target})",
    "infer_one": "Una conexión se deduce de otras dos: {links}",
    "infer_many": "{n} conexiones se deducen de otras: {links}",
    "fall_one": "Una conexión deducida ha caído, falta su premisa: {links}",
    "fall_many": "{n} conexiones deducidas han caído, faltan sus premisas: {links}",
    "bound_one": "Un par de recuerdos evocados juntos queda más unido: {links}",
    "bound_many": "{n} pares de recuerdos evocados juntos quedan más unidos: {links}",
    "used_one": "{a} se usó {times}× desde el último sueño.",
    "used_many": "{n} recuerdos se usaron {times}× desde el último sueño: {titles}",
    "schema": "{a} se ha convertido en un esquema: {degree}.",
    "lasting_one": "{a} durará más ({before} → {after} días).",
    "lasting_many": "{n} recuerdos durarán más: {titles}",
    "fading_one": "{a} puede desvanecerse antes ({before} → {after} días).",
    "fading_many": "{n} recuerdos pueden desvanecerse antes: {titles}",
    "merge_one": "Una nota casi igual sobre {title} se ha fundido en {into} (de {losers}): {why}.",
    "merge_many": "{n} notas casi iguales sobre {title} se han fundido en {into} (de {losers}): {why}.",
    "merge_more": "{n} más se han fundido en sus iguales, entre ellas: {titles}",
    "supersede": "Contradicción resuelta: {new} sustituye a {old}.",
    "distinct_one": "Dos notas que solo se parecen siguen separadas: {titles}",
    "distinct_many": "{n} grupos de notas que solo se parecen siguen separados: {titles}",
    "pending_one": "Estas pueden ser la misma: {titles}",
    "pending_many": "{n} grupos de notas pueden ser lo mismo, entre ellos: {titles}",
    "conflict": "Estas no concuerdan ({differs}), la más nueva se muestra primero: {titles}",
    "conflict_among": "Estas no concuerdan, la más nueva se muestra primero: {titles}",
    "conflict_more": "{n} grupos más no concuerdan, entre ellos: {titles}",
    "settle": "Se resuelve con muninn edit, muninn forget o muninn remember --supersedes; lo que está bien puede quedar así.",
    "left_out": "Han quedado fuera {n} grupos más.",
    "not_applied_one": "Una operación no se hizo, su recuerdo cambió entretanto: {ids}",
    "not_applied_many": "{n} operaciones no se hicieron, sus recuerdos cambiaron entretanto: {ids}",
    "lost_one": "Se perdió una respuesta ({lost})",
    "lost_many": "Se perdieron {n} respuestas ({lost})",
    "returned_one": "se deshizo una operación: {ids}",
    "returned_many": "se deshicieron {n} operaciones: {ids}",
    "phase_failed": "La fase {phase} de {vault} falló y quedó fuera: {why}",
    "aborted": "Sin tiempo: {why}. El próximo sueño sigue desde ahí.",
    "probe": "Recuerdo: {before} de {asked} preguntas respondidas antes, {after} después.",
    "vault_one": "bóveda {vault} (1 recuerdo): {why}",
    "vault_many": "bóveda {vault} ({n} recuerdos): {why}",
    "tier": "nivel {tier}",
    "closing": "Revisados {n} recuerdos en {v} bóvedas{skipped} en {seconds} s",
    "closing_one": "Revisados {n} recuerdos en 1 bóveda{skipped} en {seconds} s",
    "closing_skipped": " ({vault}: {n} omitidos)",
    "undo": "deshacer: muninn undo {dream}",
    "dry": "No se ha escrito ningún cambio.",
    "day_one": "De día: un cambio ({ids})",
    "day_many": "De día: {n} cambios ({ids})",
    "undone": "se deshizo",
    "undone_rows": "{n} recuerdos están como antes",
    "left_alone": "sin tocar: {ids}",
    "more": "y {n} más",
    "no_model": "juicio de un modelo: {why}",
    "tier_changed": "la bóveda {vault} es ahora {after} (era {before})",
}

LANGUAGES: Mapping[str, Mapping[str, str]] = {"en": ENGLISH, "es": SPANISH}

_REASONS_ES: Mapping[str, str] = {
    "equal but for case, punctuation or spacing": "iguales salvo mayúsculas, puntuación o espacios",
    "the same sentences in another order": "las mismas frases en otro orden",
    "equal but for one misspelling": "iguales salvo una errata",
    "the same words and values, written differently": "las mismas palabras y valores, escritos de otro modo",
    "kept: well spelt": "se conserva el bien escrito",
    "kept: titled": "se conserva el que tiene título",
    "kept: more to say": "se conserva el que dice más",
    "kept: better written": "se conserva el mejor escrito",
    "kept: more tags": "se conserva el que tiene más etiquetas",
    "kept: more used": "se conserva el más usado",
    "kept: used last": "se conserva el usado más tarde",
    "kept: the original": "se conserva el original",
    "kept: first by id": "se conserva el primero",
    "judged the same by the model": "son lo mismo según el modelo",
}


_SLOTS_ES: Mapping[str, str] = {
    "url": "dirección", "path": "ruta", "hash": "hash", "version": "versión", "port": "puerto", "date": "fecha",
    "weekday": "día", "time": "hora", "currency": "moneda", "unit": "unidad", "number": "número",
    "identifier": "identificador", "quoted": "cita", "name": "nombre", "negation": "negación", "antonym": "opuestos",
    "word": "palabras", "order": "orden",
}  # fmt: skip
_DIFFERS = re.compile(rf"(?:^|(?<=; ))({'|'.join(_SLOTS_ES)}) differs: ")


def difference_in(language: str, why: str) -> str:
    """What differs, in the journal's language: "port differs: 8081 / 8080" as "puerto: 8081 / 8080"."""
    if language == "es":
        return _DIFFERS.sub(lambda found: f"{_SLOTS_ES[found[1]]}: ", why).replace("(nothing)", "(nada)")
    return _DIFFERS.sub(r"\1: ", why)


def reason_in(language: str, why: str) -> str:
    """A reason the rules give, in the journal's language; what is not known stays as it is."""
    if language != "es":
        return why
    hung = re.fullmatch(r"(\d+) memories hang on it, relevance ([\d.]+)", why)
    if hung:
        return f"{hung[1]} recuerdos dependen de él, relevancia {hung[2]}"
    return "; ".join(_REASONS_ES.get(part, part) for part in why.split("; "))
