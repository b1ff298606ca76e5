"""Misspellings: one slip in an ordinary word is one memory written twice; two words one slip apart are two memories."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muninn.domain.separation import Text, compare
from muninn.domain.separation.misspelling import misspelled, one_slip
from muninn.dream.words import Words
from muninn.wordlists import dictionary

SLIPS = """
en always/awlays together/togehter deployment/deploymnt having/havving
en myself/mysef having/havig chance/cance little/litte getting/geting correct/corect
en particular/partirular currently/currentty promising/promisign moment/momennt really/reallly
es despliegue/despliegge gracias/grcias
es cuando/cuadno proyecto/proyeccto importante/imporante también/tambbién reunión/reuinón
"""
DOUBTFUL = """
en configuration/configurtion deployment/deplotment painting/paintting definitely/definilely lantern/lantren
en scribed/scribd stringer/stringr knitter/knittr
es servidor/servidior función/funicón servidor/sevidor configuración/configuarción actualización/actualizacón
"""
"""Slips that are written as words are: nothing tells them from words that the lists lack."""
WORDS = """
en planet/plant contact/contract casual/causal causal/casual silver/sliver perfect/prefect though/through united/untied
en trial/trail thread/tread sacred/scared server/sever servers/severs public/pubic county/country counties/countries
en widow/window contest/context content/contest device/devise expand/expend marital/martial morality/mortality
en desert/dessert diary/dairy quiet/quite angel/angle hoping/hopping planed/planned filing/filling staring/starring
en recent/resent reset/resent detect/defect defeat/defect delete/deplete defer/deter enable/unable
en passed/parsed writers/writes referral/referrals tenor/tenner uniform/uninform stationary/stationery capital/capitol
en complement/compliment principal/principle affect/effect assume/assure conserve/converse reverse/reserve
en abduction/adduction nitrate/nitrite propane/propene butane/butene sulfate/sulfite phosphate/phosphite ethanol/ethenol
en perineal/peroneal macula/macule prostate/prostrate thymine/thiamine methane/methene chlorite/chloride
es puerto/puesto cuarto/cuatro vendido/vencido vendedor/vencedor pagado/pagada tratado/tratando enterado/enterrado
es factura/fractura perjuicio/prejuicio actitud/aptitud adicción/adición infección/inyección sección/sesión cerrado/cerrada
es público/publico domingo/dominio jueces/jueves infierno/invierno cansado/casado cortado/contado respeto/respecto
es consejo/conejo concejo/consejo caliente/cliente precioso/preciso tradición/traición opción/opinión fuente/frente
es cantaban/cantaran pagaron/pagaran sureste/suroeste moralidad/mortalidad editaron/evitaron contrato/contacto
"""
UNLISTED = """
en unicorn/uvicorn backbend/backend rename/refname unmask/umask unmount/umount rustic/rustc studio/stdio fronted/frontend
en inclined/inlined uptime/utime nextjs/nestjs reactor/refactor hardcore/hardcode arrange/arange spellcheck/shellcheck
en dribble/dribbble
en finish/finnish hungry/hungary automate/automake pretended/prepended initializes/initializers likewise/linewise waiter/walter console/consol
es hacerle/hacerse dejaría/dejarla decirles/decirlos pasaras/pasarlas enviarla/enviara
"""
GAPS = """
en sideshow/slideshow ethane/ethanea hexane/hexaene colotomy/corpectomy dysgraphia/dysraphia dysgraphic/dysraphic hypoglossal/hyoglossal
en trichloroethane/trichloromethane egocentrism/geocentrism infracostal/intracostal backlight/blacklight seaplane/sealane
en calvary/calgary clearly/cleary cluster/custer create/crete dangers/danvers exports/esports feeling/fehling hangover/hanover
en johnson/johnston landing/lansing locker/lockyer patron/patreon person/pearson reedit/reddit rogers/rodgers school/scholl
en sexing/sexting social/socal tumbler/tumblr turning/turing waters/walters working/woking exhibited/exhibitee
es potabilidad/portabilidad equitación/equipación presenta/preventa influyente/incluyente hacheado/hackeado estilo/estilito
es localmente/locamente radiada/radicada papiro/papito informante/infórmate comparte/cómprate unidos/unidlos estados/estaos
es empareja/expareja superponer/superpoder entradas/entradlas machismo/macrismo costillas/cosillas intimidaste/intimidante
es abedul/abdul herida/hermida prometo/prometeo urbano/urano vejiga/veiga montes/montse
"""
"""Words that the lists lack, beside words that they have."""
FRAMES = {"en": "We talked about the {} with them again today", "es": "Ayer hablamos de {} con ellos en la casa"}


def _cases(table: str) -> list[tuple[str, str, str]]:
    rows = (line.split() for line in table.splitlines() if line)
    return [(tongue, *pair.split("/")) for tongue, *pairs in rows for pair in pairs]  # type: ignore[misc]


def _through(tongue: str, one: str, other: str, *elsewhere: str) -> bool:
    left, right = FRAMES[tongue].format(one), FRAMES[tongue].format(other)
    words = Words(lambda: (left, right, *elsewhere))
    found = compare(Text(None, left), Text(None, right), vocabulary=words)
    assert found.misspelling == (found.refusal is None)
    return found.misspelling


@pytest.mark.parametrize(("tongue", "word", "odd"), _cases(SLIPS))
def test_a_slip_in_an_ordinary_word_is_a_misspelling(tongue: str, word: str, odd: str) -> None:
    assert _through(tongue, word, odd, word)
    assert _through(tongue, odd, word, word)
    assert not _through(tongue, word, odd, word, odd), "a form that is used elsewhere is meant"


@pytest.mark.parametrize(("tongue", "one", "other"), _cases(DOUBTFUL + WORDS + UNLISTED + GAPS))
def test_what_may_be_two_words_is_no_misspelling(tongue: str, one: str, other: str) -> None:
    for used in (one, other):
        assert not _through(tongue, one, other, used)
        assert not _through(tongue, other, one, used)


def test_a_short_word_must_be_used_elsewhere_or_be_common() -> None:
    assert not _through("en", "lantern", "lnatern")
    assert _through("en", "lantern", "lnatern", "Another lantern")
    assert _through("en", "having", "hvaing")
    assert _through("en", "lanterns", "lnaterns")


def test_without_a_vocabulary_nothing_is_a_misspelling() -> None:
    left, right = (Text(None, FRAMES["en"].format(word)) for word in ("deployment", "deploymnt"))
    assert compare(left, right).refusal is not None


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Il camino è lungo e freddo", "Il cammino è lungo e freddo"),
        ("Le poison est froid, dit le chef", "Le poisson est froid, dit le chef"),
        ("ask walter about the deployment", "ask walter about the deploymnt"),
        ("The Servidor is down", "The Servidro is down"),
    ],
)
def test_other_languages_texts_without_capitals_and_names_are_left_alone(left: str, right: str) -> None:
    words = Words(lambda: (left, right, left))
    assert compare(Text(None, left), Text(None, right), vocabulary=words).refusal is not None


_LISTED = st.sampled_from(sorted({word for _, *pair in _cases(SLIPS + WORDS) for word in pair}))
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@settings(deadline=None)  # the first example reads the lists
@given(_LISTED, st.data())
def test_a_known_word_is_never_the_odd_form(word: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(word) - 1))
    letter = data.draw(st.sampled_from(("", *_LETTERS)))
    other = word[:place] + letter + word[place + data.draw(st.integers(0, 1)) :]
    words = Words(lambda: (word, other, word, other))
    for tongue in ("en", "es"):
        found = misspelled(word, other, words, tongue=tongue, left_uses=2, right_uses=2)
        assert found == misspelled(other, word, words, tongue=tongue, left_uses=2, right_uses=2)
        assert found is None or (one_slip(word, other) and not dictionary.known(found))
        assert not (dictionary.known(word) and dictionary.known(other) and found)


@pytest.mark.parametrize(
    ("word", "expected"),
    [("casas", True), ("the", True), ("aunque", True), ("enviárselo", True), ("haciéndolo", True), ("backend", True),
     ("walter", True), ("portabilidad", True), ("slideshow", True), ("infórmate", True), ("unmergeable", True), ("deploymnt", False), ("configuarción", False), ("", False), ("zzzq", False)],
)  # fmt: skip
def test_what_is_known(word: str, expected: bool) -> None:
    assert dictionary.known(word) is expected


def test_a_language_has_its_own_words() -> None:
    assert dictionary.ordinary("weather", "en")
    assert not dictionary.ordinary("weather", "es")
    assert dictionary.ordinary("pájaro", "es")
    assert not dictionary.ordinary("pajarito", "en")


@pytest.mark.parametrize("word", ["weather", "pájaro", "the", "a", "potabilidades", "blogosphere", "trichloromethane"])
def test_what_is_written_as_words_are_is_wordlike(word: str) -> None:
    assert dictionary.wordlike(word)


@pytest.mark.parametrize("word", ["deploymnt", "lnatern", "zzzq", "moivng", "tambbién"])
def test_what_no_word_is_written_like_is_not(word: str) -> None:
    assert not dictionary.wordlike(word)
