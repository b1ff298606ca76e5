"""The journal's words in English and Spanish. Each phrase is a template; a test holds both languages to the same keys."""

from __future__ import annotations

import re
from collections.abc import Mapping

from muninn.domain.separation.verdict import EQUAL

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
    "merge_more_one": "Merged one more into its like: {titles}",
    "merge_more_many": "Merged {n} more into their likes, among them: {titles}",
    "supersede": "Resolved a contradiction: {old} is superseded by {new}.",
    "distinct_one": "Kept apart two notes that only look alike: {titles}",
    "distinct_many": "Kept apart {n} sets of notes that only look alike: {titles}",
    "pending": "These may be the same: {titles}",
    "pending_more_one": "One more set may be the same: {titles}",
    "pending_more_many": "{n} more sets may be the same, among them: {titles}",
    "conflict": "These disagree ({differs}), the newest is shown first: {titles}",
    "conflict_among": "These disagree, the newest is shown first: {titles}",
    "conflict_more_one": "One more set disagrees: {titles}",
    "conflict_more_many": "{n} more sets disagree, among them: {titles}",
    "settle": "Settle one with muninn edit, muninn forget, or muninn remember --supersedes; what is right may stay as it is.",
    "left_out_one": "One more set was left out.",
    "left_out_many": "{n} more sets were left out.",
    "not_applied_one": "One operation was not carried out, its memory changed meanwhile: {ids}",
    "unreadable_one": "one operation could not be read: it is not told here, and the dream cannot be undone (muninn doctor --verify)",
    "unreadable_many": "{n} operations could not be read: they are not told here, and the dream cannot be undone (muninn doctor --verify)",
    "not_applied_many": "{n} operations were not carried out, their memories changed meanwhile: {ids}",
    "lost_one": "Recall lost an answer ({lost})",
    "lost_many": "Recall lost {n} answers ({lost})",
    "returned_one": "one operation was taken back: {ids}",
    "returned_many": "{n} operations were taken back: {ids}",
    "refused": "Proposals of the model that were refused: {n} of {proposed}.",
    "refused_kind": "{n}× {kind}, {why}",
    "refused_more": "{n}× for other reasons",
    "proposal_merge": "merge",
    "proposal_supersede": "replacement",
    "proposal_distinct": "keeping apart",
    "proposal_suggest": "connection",
    "proposal_stability": "advice on stability",
    "proposal_narrative": "sentence",
    "proposal_unknown": "something else",
    "phase_failed": "Phase {phase} of {vault} failed and was left out: {why}",
    "aborted": "Out of time: {why}. The next dream goes on from there.",
    "probe": "Recall: {before} of {asked} questions answered before, {after} after.",
    "vault_one": "vault {vault} (1 memory): {why}",
    "vault_many": "vault {vault} ({n} memories): {why}",
    "tier": "tier {tier}",
    "closing": "{scanned} {vaults}{skipped} in {seconds} s",
    "scanned_one": "Scanned 1 memory",
    "scanned_many": "Scanned {n} memories",
    "vaults_one": "in 1 vault",
    "vaults_many": "in {n} vaults",
    "skipped_one": " ({vault}: 1 skipped)",
    "skipped_many": " ({vault}: {n} skipped)",
    "egress_one": "egress: one request to {providers}, {sent} bytes out, {received} in",
    "egress_many": "egress: {n} requests to {providers}, {sent} bytes out, {received} in",
    "egress_refused": ", {n} refused",
    "undo": "undo: muninn undo {dream}",
    "dry": "No changes were written.",
    "day_one": "By day: one change ({ids})",
    "day_many": "By day: {n} changes ({ids})",
    "undone": "was undone",
    "undone_rows_one": "one memory is as it was before",
    "undone_rows_many": "{n} memories are as they were before",
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
    "merge_more_one": "Una más se ha fundido en su igual: {titles}",
    "merge_more_many": "{n} más se han fundido en sus iguales, entre ellas: {titles}",
    "supersede": "Contradicción resuelta: {new} sustituye a {old}.",
    "distinct_one": "Dos notas que solo se parecen siguen separadas: {titles}",
    "distinct_many": "{n} grupos de notas que solo se parecen siguen separados: {titles}",
    "pending": "Estas pueden ser la misma: {titles}",
    "pending_more_one": "Un grupo más puede ser lo mismo: {titles}",
    "pending_more_many": "{n} grupos más pueden ser lo mismo, entre ellos: {titles}",
    "conflict": "Estas no concuerdan ({differs}), la más nueva se muestra primero: {titles}",
    "conflict_among": "Estas no concuerdan, la más nueva se muestra primero: {titles}",
    "conflict_more_one": "Un grupo más no concuerda: {titles}",
    "conflict_more_many": "{n} grupos más no concuerdan, entre ellos: {titles}",
    "settle": "Se resuelve con muninn edit, muninn forget o muninn remember --supersedes; lo que está bien puede quedar así.",
    "left_out_one": "Ha quedado fuera un grupo más.",
    "left_out_many": "Han quedado fuera {n} grupos más.",
    "not_applied_one": "Una operación no se hizo, su recuerdo cambió entretanto: {ids}",
    "unreadable_one": "una operación no se pudo leer: aquí no se cuenta, y el sueño no se puede deshacer (muninn doctor --verify)",
    "unreadable_many": "{n} operaciones no se pudieron leer: aquí no se cuentan, y el sueño no se puede deshacer (muninn doctor --verify)",
    "not_applied_many": "{n} operaciones no se hicieron, sus recuerdos cambiaron entretanto: {ids}",
    "lost_one": "Se perdió una respuesta ({lost})",
    "lost_many": "Se perdieron {n} respuestas ({lost})",
    "returned_one": "se deshizo una operación: {ids}",
    "returned_many": "se deshicieron {n} operaciones: {ids}",
    "refused": "Propuestas del modelo que se rechazaron: {n} de {proposed}.",
    "refused_kind": "{n}× {kind}, {why}",
    "refused_more": "{n}× por otros motivos",
    "proposal_merge": "fusión",
    "proposal_supersede": "sustitución",
    "proposal_distinct": "separación",
    "proposal_suggest": "conexión",
    "proposal_stability": "consejo sobre la estabilidad",
    "proposal_narrative": "frase",
    "proposal_unknown": "otra cosa",
    "phase_failed": "La fase {phase} de {vault} falló y quedó fuera: {why}",
    "aborted": "Sin tiempo: {why}. El próximo sueño sigue desde ahí.",
    "probe": "Recuerdo: {before} de {asked} preguntas respondidas antes, {after} después.",
    "vault_one": "bóveda {vault} (1 recuerdo): {why}",
    "vault_many": "bóveda {vault} ({n} recuerdos): {why}",
    "tier": "nivel {tier}",
    "closing": "{scanned} {vaults}{skipped} en {seconds} s",
    "scanned_one": "Revisado 1 recuerdo",
    "scanned_many": "Revisados {n} recuerdos",
    "vaults_one": "en 1 bóveda",
    "vaults_many": "en {n} bóvedas",
    "skipped_one": " ({vault}: 1 omitido)",
    "skipped_many": " ({vault}: {n} omitidos)",
    "egress_one": "salida: una petición a {providers}, {sent} bytes enviados, {received} recibidos",
    "egress_many": "salida: {n} peticiones a {providers}, {sent} bytes enviados, {received} recibidos",
    "egress_refused": ", rechazadas: {n}",
    "undo": "deshacer: muninn undo {dream}",
    "dry": "No se ha escrito ningún cambio.",
    "day_one": "De día: un cambio ({ids})",
    "day_many": "De día: {n} cambios ({ids})",
    "undone": "se deshizo",
    "undone_rows_one": "un recuerdo está como antes",
    "undone_rows_many": "{n} recuerdos están como antes",
    "left_alone": "sin tocar: {ids}",
    "more": "y {n} más",
    "no_model": "juicio de un modelo: {why}",
    "tier_changed": "la bóveda {vault} es ahora {after} (era {before})",
}

LANGUAGES: Mapping[str, Mapping[str, str]] = {"en": ENGLISH, "es": SPANISH}

_REASONS_ES: Mapping[str, str] = {
    EQUAL: "iguales salvo mayúsculas, puntuación o espacios",
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
    "word": "palabras", "order": "orden", "writing": "escritura",
}  # fmt: skip
_REFUSALS_ES: Mapping[str, str] = {
    "an address that its memories do not contain": "una dirección que sus recuerdos no contienen",
    "a person undid it before": "una persona lo deshizo antes",
    "a memory cannot replace itself": "un recuerdo no se sustituye a sí mismo",
    "a memory that is no longer active": "un recuerdo que ya no está activo",
    "a pinned memory is not merged": "un recuerdo fijado no se funde",
    "a pinned memory is not replaced": "un recuerdo fijado no se sustituye",
    "a relation that does not exist": "una relación que no existe",
    "a text far shorter or longer than its sources": "un texto mucho más corto o más largo que sus fuentes",
    "a text that adds values its sources do not have": "un texto que añade datos que sus fuentes no tienen",
    "a text that loses values of its sources": "un texto que pierde datos de sus fuentes",
    "a text that models have written over already": "un texto que los modelos ya reescribieron",
    "a text that repeats itself": "un texto que se repite",
    "a text that says what no source says": "un texto que dice lo que ninguna fuente dice",
    "a text that says the opposite": "un texto que dice lo contrario",
    "a title with values its sources do not have": "un título con datos que sus fuentes no tienen",
    "advice across vaults": "un consejo entre bóvedas",
    "advised twice": "aconsejado dos veces",
    "an event is not replaced": "un suceso no se sustituye",
    "an id that already has a role in another operation": "un recuerdo que ya figura en otra operación",
    "an id that was not shown": "un recuerdo que no se le mostró",
    "beyond the cap of one answer": "más de lo que cabe en una respuesta",
    "both are in one vault": "ambos están en una bóveda",
    "control characters": "caracteres de control",
    "days is not a finite number": "los días no son un número finito",
    "events of different days": "sucesos de días distintos",
    "fields that it does not have": "campos que no tiene",
    "ids is not a list": "los recuerdos no vienen en una lista",
    "ids that were not asked about together": "recuerdos por los que no se preguntó juntos",
    "into is not one of the ids": "el que queda no está entre ellos",
    "it was suggested before": "ya se sugirió antes",
    "kinds differ": "de clases distintas",
    "memories of different kinds": "recuerdos de clases distintas",
    "memories of different vaults or tiers": "recuerdos de bóvedas o niveles distintos",
    "memories that hold for different times": "recuerdos que valen para tiempos distintos",
    "more ids than were shown": "más recuerdos de los que se mostraron",
    "no such operation": "no existe tal operación",
    "no text": "sin texto",
    "not a list": "no es una lista",
    "not an object": "no es un objeto",
    "suggested twice": "sugerido dos veces",
    "the same answer calls them distinct": "la misma respuesta los declara distintos",
    "the same id twice": "el mismo recuerdo dos veces",
    "the successor was not asserted later than what it replaces": "el sucesor no se afirmó después que lo que sustituye",
    "they were judged distinct before": "ya se declararon distintos",
    "today's survival budget is spent": "el cupo de hoy está agotado",
    "too few ids": "demasiado pocos recuerdos",
    "judged twice": "juzgados dos veces",
    "values of memories that it does not cite": "datos de recuerdos que no cita",
    "validity differs": "de vigencia distinta",
    "vaults differ": "de bóvedas distintas",
    "words that are missing": "palabras que faltan",
    "words that are too long": "demasiado largo",
    "words that speak in aliases": "palabras con alias",
}
_UNCOMPARED = re.compile(r"(\d+) memor(y|ies) still to be compared")
_NO_TIME = re.compile(r"no time left for (\w+)")
_DIFFERS = re.compile(rf"(?:^|(?<=; ))({'|'.join(_SLOTS_ES)}) differs: ")


def difference_in(language: str, why: str) -> str:
    """What differs, in the journal's language: "port differs: 8081 / 8080" as "puerto: 8081 / 8080"."""
    if language == "es":
        return _DIFFERS.sub(lambda found: f"{_SLOTS_ES[found[1]]}: ", why).replace("(nothing)", "(nada)")
    return _DIFFERS.sub(r"\1: ", why)


def unfinished_in(language: str, why: str) -> str:
    """What the deadline left undone, in the journal's language."""
    if language != "es":
        return why
    told = _UNCOMPARED.sub(lambda found: f"{found[1]} recuerdo{'' if found[2] == 'y' else 's'} por comparar", why)
    return _NO_TIME.sub(r"sin tiempo para \1", told)


def reason_in(language: str, why: str) -> str:
    """A reason the rules give, in the journal's language; what is not known stays as it is."""
    if language != "es":
        return why
    hung = re.fullmatch(r"(\d+) memories hang on it, relevance ([\d.]+)", why)
    if hung:
        return f"{hung[1]} recuerdos dependen de él, relevancia {hung[2]}"
    return "; ".join(_REASONS_ES.get(part, part) for part in why.split("; "))


def refusal_in(language: str, why: str) -> str:
    """Why a model's proposal was refused, in the journal's language; "port differs" as "no coincide: puerto"."""
    if language != "es":
        return why
    slot = why.removesuffix(" differs")
    return _REFUSALS_ES.get(why) or (f"no coincide: {_SLOTS_ES.get(slot, slot)}" if slot != why else why)
