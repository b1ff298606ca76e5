"""What recall answers: relevance, filters, abstention, languages, degradation, and scores that mean the same anywhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muninn.domain.memory import State
from muninn.domain.records import Transaction
from muninn.domain.trust import Tier
from muninn.errors import NotFoundError, UsageError
from muninn.ports import Query
from muninn.recall.resident import ResidentModel
from tests.recall.conftest import FailingEmbedder, World

NOTES = (
    "The staging database listens on port 5433 since the move to Postgres 16.",
    "Marta wants the weekly report as bullet points, not as prose.",
    "La copia de seguridad nocturna se guarda en el segundo disco.",
    "El proveedor de correo rechaza adjuntos de más de diez megas.",
    "The greenhouse heater trips the breaker when the pump starts.",
    "会議室の鍵は受付の引き出しにあります。",
    "รหัสประตูห้องเซิร์ฟเวอร์เปลี่ยนทุกวันจันทร์",
    "Ключ от архива лежит в верхнем ящике стола.",
)


@pytest.fixture
def notes(world: World) -> World:
    for note in NOTES:
        world.remember(note)
    return world


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("which port does the staging database use", 0),
        ("how does Marta want her reports", 1),
        ("¿dónde se guardan las copias de seguridad?", 2),
        ("adjuntos rechazados por el correo", 3),
        ("greenhouse heating breaker", 4),
        ("会議室の鍵", 5),
        ("ประตูห้องเซิร์ฟเวอร์", 6),
        ("где ключ от архива", 7),
        ("STAGING   Database PORT", 0),
        ("proveedor DE CORREO", 3),
    ],
)
def test_finds_the_right_note_first(notes: World, query: str, expected: int) -> None:
    hits = notes.recall(query).hits
    assert hits
    assert hits[0].memory.content == NOTES[expected]


@pytest.mark.parametrize("query", ["zxqv blorp", "qwertyuiop", "!!!", "🦄🦄", "wub fnord gleep", "ñandutí wqx"])
def test_nonsense_abstains(notes: World, query: str) -> None:
    answer = notes.recall(query)
    assert answer.abstained
    assert answer.hits == ()


@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
def test_a_blank_query_is_refused(notes: World, query: str) -> None:
    with pytest.raises(UsageError, match="empty"):
        notes.recall(query)


def test_a_limit_below_one_is_refused(notes: World) -> None:
    with pytest.raises(UsageError, match="limit"):
        notes.recall("port", limit=0)


def test_the_limit_is_kept_and_does_not_change_scores(notes: World) -> None:
    wide = {hit.memory.id: hit.score for hit in notes.recall("the staging database port report", limit=8).hits}
    narrow = notes.recall("the staging database port report", limit=1).hits
    assert len(narrow) == 1
    assert narrow[0].score == wide[narrow[0].memory.id]


def test_scores_lie_in_the_unit_interval_and_descend(notes: World) -> None:
    scores = [hit.score for hit in notes.recall("the staging database port 5433 heater pump").hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)


def test_unrelated_memories_do_not_move_scores(notes: World) -> None:
    query = "which port does the staging database use"
    now = notes.clock.now()
    before = {hit.memory.id: hit.score for hit in notes.recall(query, now=now).hits}
    for number in range(400):
        notes.remember(f"Kiwi harvest ledger row {number}: crates stacked beside barn {number % 7}.")
    after = {hit.memory.id: hit.score for hit in notes.recall(query, now=now).hits}
    for memory_id, score in before.items():
        assert after[memory_id] == pytest.approx(score, abs=0.005)


@pytest.mark.parametrize("amount", [3, 40, 300])
def test_a_word_said_about_other_things_counts_as_before(notes: World, amount: int) -> None:
    """Names and rare words of the query, in notes whose meaning has nothing to do with it: not a bit moves."""
    query, now = "which port does the staging database use", notes.clock.now()
    before = {hit.memory.id: hit.score for hit in notes.recall(query, now=now).hits}
    away = -notes.embedders.default.query(query, tier=Tier.PERSONAL)[0]
    others = tuple(notes.memory(f"Staging of act {number}: the port is painted on canvas.") for number in range(amount))
    notes.apply(Transaction(memories=others, vectors={memory.id: away.tobytes() for memory in others}))
    after = {hit.memory.id: hit.score for hit in notes.recall(query, now=now, limit=amount + 10).hits}
    assert {memory_id: after[memory_id] for memory_id in before} == before


def test_a_name_in_everything_said_about_a_matter_tells_little_there(world: World) -> None:
    """What is asked for beside the name decides once the name is everywhere."""
    query = "Berta bowls"
    vector = world.embedders.default.query(query, tier=Tier.PERSONAL)[0].tobytes()  # all is equally near in meaning
    glazed = world.memory("in the evening class she glazed three bowls and fired them on Tuesday with the others")
    camping = tuple(world.memory(f"Berta went sailing, night {number}") for number in range(60))
    world.apply(Transaction(memories=(glazed, camping[0]), vectors={glazed.id: vector, camping[0].id: vector}))
    assert world.ids(query)[0] == camping[0].id
    world.apply(Transaction(memories=camping[1:], vectors={memory.id: vector for memory in camping[1:]}))
    assert world.ids(query)[0] == glazed.id


def test_a_restart_changes_nothing(notes: World) -> None:
    now = notes.clock.now()
    fresh = notes.reloaded()
    for query in ("staging port", "copia de seguridad", "鍵", "yesterday", "report prose heater"):
        asked = Query(text=query, explain=True, reinforce=False)
        assert fresh.recall(asked, now=now) == notes.read.recall(asked, now=now)


def test_vaults_are_filtered_before_ranking(world: World) -> None:
    world.apply(Transaction(vaults=(world.vault("other"),)))
    for number in range(30):
        world.remember(f"deploy key rotation note {number}", vault="other")
    wanted = world.remember("deploy key rotation happens on Fridays")
    assert world.ids("deploy key rotation", vaults=("default",), limit=3) == [wanted.id]
    assert wanted.id in world.ids("deploy key rotation Fridays", limit=3)


def test_vault_names_compare_folded(world: World) -> None:
    world.apply(Transaction(vaults=(world.vault("Würfel"),)))
    wanted = world.remember("dice are loaded", vault="Würfel")
    assert world.ids("loaded dice", vaults=("WÜRFEL",)) == [wanted.id]


def test_an_unknown_vault_names_the_nearest(world: World) -> None:
    with pytest.raises(NotFoundError, match=r"defalt.*default"):
        world.recall("anything", vaults=("defalt",))


def test_forgotten_never_and_archived_only_on_request(world: World) -> None:
    gone = world.remember("the spare key is under the blue pot")
    world.apply(Transaction(memories=(replace(gone, state=State.ARCHIVED),)))
    assert world.ids("spare key blue pot") == []
    assert world.ids("spare key blue pot", include_archived=True) == [gone.id]
    world.apply(Transaction(memories=(replace(gone, state=State.FORGOTTEN),)))
    assert world.ids("spare key blue pot", include_archived=True) == []


def test_without_the_embedder_recall_is_lexical_and_says_so(notes: World) -> None:
    lexical = ResidentModel(FailingEmbedder())
    lexical.load(notes.rows)  # type: ignore[arg-type]
    answer = lexical.recall(Query(text="staging database port"), now=notes.clock.now())
    assert answer.hits[0].memory.content == NOTES[0]
    assert answer.degraded is not None
    assert "down" in answer.degraded


def test_a_memory_without_a_vector_is_found_by_its_words(notes: World) -> None:
    pending = notes.remember("the coffee grinder warranty ends in May 2027", embedding_model=None)
    assert notes.ids("coffee grinder warranty")[0] == pending.id
    assert notes.read.pending_embeddings() == (pending.id,)


def test_a_given_title_counts(world: World) -> None:
    titled = world.remember("Restart it twice, then wait.", title="Flaky VPN appliance", title_derived=False)
    world.remember("The VPN contract ends next spring.")
    assert world.ids("flaky VPN appliance")[0] == titled.id


def test_tags_are_searchable(world: World) -> None:
    tagged = world.remember("Ask Jordi first.", tags=("facturación",))
    assert world.ids("facturacion")[0] == tagged.id


def test_explain_takes_the_score_apart(notes: World) -> None:
    hit = notes.recall("staging database port", explain=True).hits[0]
    assert hit.components is not None
    assert hit.components["words"] == ["staging", "database", "port"]
    assert hit.components["score"] == hit.score
    assert "port" in hit.why
    assert notes.recall("staging database port").hits[0].components is None


def test_the_words_that_say_most_are_named_first(world: World) -> None:
    note = world.remember("The edge is in the test lab with SQLite")
    hit = world.recall("what is in the test on the edge?").hits[0]
    assert hit.memory == note
    assert "of the query (edge, test, is, in, the)" in hit.why


def test_the_tier_of_a_query_is_the_strictest_searched() -> None:
    world = World()
    world.apply(Transaction(vaults=(world.vault("cases", Tier.LEGAL),)))
    world.remember("the settlement is confidential", vault="cases", tier=Tier.LEGAL)
    seen: list[Tier] = []

    class Watching(FailingEmbedder):
        def query(self, text: str, *, tier: Tier) -> object:
            seen.append(tier)
            return super().query(text, tier=tier)

    watched = ResidentModel(Watching())
    watched.load(world.rows)  # type: ignore[arg-type]
    watched.recall(Query(text="settlement"), now=world.clock.now())
    watched.recall(Query(text="settlement", vaults=("default",)), now=world.clock.now())
    assert seen == [Tier.LEGAL, Tier.PERSONAL]
