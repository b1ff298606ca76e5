"""Hundreds of bad answers through the real clients of three providers: one ProviderError each, or a verdict that is sound."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from muninn.clock import SystemClock
from muninn.domain.trust import Tier
from muninn.errors import ProviderError
from muninn.llm.adjudication import Adjudication, adjudicate
from muninn.llm.models import Models
from muninn.llm.prompts import Group, GroupKind
from muninn.llm.provider import Client
from muninn.llm.verdicts import DistinctVerdict, MergeVerdict, StabilityVerdict, SuggestVerdict, SupersedeVerdict
from tests.fakes.llm_server import TEXT_MODES, WIRE_MODES, Asked, FakeLlm, empty_answer, truthful
from tests.llm.conftest import MakeModels, MemoryLedger, deadline, memory, request_for

PROVIDERS = ("ollama", "anthropic", "openai")
SLOW_MODES = ("hang_accept", "hang_after_headers", "drip:20", "endless_headers", "endless_continue", "ws_flood")
GROUPS = (
    Group(GroupKind.ALIKE, (memory("01A", "The relay listens on port 4242.", tier=Tier.GLOBAL),
                            memory("01B", "the relay listens on port 4242.", tier=Tier.GLOBAL, day=2))),
    Group(GroupKind.CONFLICT, (memory("01C", "El puerto del relé es 4242.", tier=Tier.GLOBAL),
                               memory("01D", "El puerto del relé es 4343.", tier=Tier.GLOBAL, day=3))),
)  # fmt: skip
IDS = {m.id for group in GROUPS for m in group.memories}
GOOD = json.dumps({
    "reasoning": "r", "merge": [{"ids": ["m1", "m2"], "into": "m1", "title": "", "text": "The relay listens on port 4242."}],
    "supersede": [{"old": "m3", "new": "m4"}], "distinct": [], "suggest": [], "stability": [{"id": "m4", "days": 60}],
    "narrative": [{"sentence": "The relay moved to port 4343.", "ids": ["m3", "m4"]}],
})  # fmt: skip


def ask(models: Models, seconds: float = 10.0) -> Adjudication:
    return adjudicate(
        models, GROUPS, deadline=deadline(seconds), clock=SystemClock(), boundary=lambda: "=====b0undary====="
    )


def check(outcome: Adjudication) -> None:
    """Whatever came back: known ids only, one role for each, bounded days, one-line problems."""
    roles: list[str] = []
    for verdict in outcome.verdicts.accepted:
        match verdict:
            case MergeVerdict(ids=ids, into=into, text=text):
                assert set(ids) == {"01A", "01B"}
                assert into in ids
                assert "4242" in text
                roles += ids
            case SupersedeVerdict(old=old, new=new):
                assert (old, new) in {("01C", "01D"), ("01A", "01B")}
                roles += (old, new)
            case DistinctVerdict(ids=ids):
                assert set(ids) <= IDS
            case StabilityVerdict(id=memory_id, days=days):
                assert memory_id in IDS
                assert 14 <= days <= 365
            case SuggestVerdict():
                pytest.fail("no group was across vaults")
    assert len(roles) == len(set(roles))
    assert all(set(sentence.ids) <= IDS and sentence.ids for sentence in outcome.verdicts.narrative)
    assert all("\n" not in problem and len(problem) < 400 for problem in outcome.problems)


def provider_models(provider: str, server: FakeLlm, make_models: MakeModels) -> Models:
    return make_models(server, providers=(provider,))


def cut_and_bent() -> list[str]:
    """The good answer cut off at every third place, and with one character replaced at every other."""
    bodies = [GOOD[:at] for at in range(0, len(GOOD), 3)]
    marks = '"{}[],:0\\\x00é'
    bodies += [GOOD[:at] + marks[at % len(marks)] + GOOD[at + 1 :] for at in range(0, len(GOOD), 2)]
    return bodies


def test_there_are_enough_bad_answers() -> None:
    assert len(TEXT_MODES) + len(WIRE_MODES) + len(cut_and_bent()) >= 300


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("mode", list(TEXT_MODES))
def test_bent_text(mode: str, provider: str, server: FakeLlm, make_models: MakeModels) -> None:
    server.mode, server.model = mode, lambda _asked: GOOD
    check(ask(provider_models(provider, server, make_models)))


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("mode", [mode for mode in WIRE_MODES if mode not in SLOW_MODES])
def test_a_bent_wire_is_one_provider_error(mode: str, provider: str, server: FakeLlm, make_models: MakeModels) -> None:
    server.mode, server.model = mode, lambda _asked: GOOD
    models = provider_models(provider, server, make_models)
    with pytest.raises(ProviderError) as caught:
        models.complete(request_for(Tier.GLOBAL), deadline=deadline())
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None
    outcome = ask(models)
    check(outcome)
    assert outcome.verdicts.accepted == ()
    assert outcome.problems
    assert len(outcome.unasked) == len(GROUPS)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("mode", ["ws_flood", "null_body_fields", "trunc:40", "ok"])
def test_an_exchange_is_over_when_its_question_is(
    mode: str, provider: str, server: FakeLlm, make_models: MakeModels, ledger: MemoryLedger
) -> None:
    """Not when the garbage collector comes by: until then the ledger would say that it is still sending."""
    server.mode, server.model = mode, lambda _asked: GOOD
    gc.disable()
    try:
        ask(provider_models(provider, server, make_models), seconds=3.0)
        reasons = {entry.reason for entry in ledger.entries.values()}
    finally:
        gc.enable()
    assert reasons
    assert "sending" not in reasons


@pytest.mark.slow
@pytest.mark.parametrize("provider", PROVIDERS)
def test_cut_and_bent_answers(provider: str, server: FakeLlm, make_models: MakeModels) -> None:
    models = provider_models(provider, server, make_models)
    for body in cut_and_bent():
        server.model = answering(body)
        check(ask(models))


@pytest.mark.slow
@pytest.mark.parametrize("provider", PROVIDERS)
def test_cut_and_bent_bodies(provider: str, server: FakeLlm, make_models: MakeModels) -> None:
    """The same to the protocol's own envelope."""
    models = provider_models(provider, server, make_models)
    whole = '{"id":"x","type":"message","model":"m","message":{"role":"assistant","content":"{}"},"done":true,"choices":[],"content":[]}'
    for at in range(0, len(whole), 3):
        for bent in (whole[:at], whole[:at] + "null" + whole[at + 1 :]):
            server.mode = "body:" + bent
            check(ask(models))


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("mode", ["fence", "think", "think_unopened", "prose", "twice", "bom"])
def test_what_can_be_read_is_read(mode: str, provider: str, server: FakeLlm, make_models: MakeModels) -> None:
    server.mode, server.model = mode, lambda _asked: GOOD
    outcome = ask(provider_models(provider, server, make_models))
    kinds = [type(verdict) for verdict in outcome.verdicts.accepted]
    assert kinds == [MergeVerdict, SupersedeVerdict, StabilityVerdict], outcome
    assert outcome.asked == 1
    assert [sentence.ids for sentence in outcome.verdicts.narrative] == [("01C", "01D")]
    assert "think" not in str(outcome.verdicts)


@pytest.mark.parametrize("mode", ["nan", "infinity", "dupkeys", "deep", "braces", "empty", "html", "cut", "number_top"])
def test_what_cannot_be_trusted_is_refused_whole(mode: str, server: FakeLlm, make_models: MakeModels) -> None:
    server.mode, server.model = mode, lambda _asked: GOOD
    outcome = ask(provider_models("ollama", server, make_models))
    assert outcome.verdicts.accepted == ()
    assert len(outcome.problems) == 1


@pytest.mark.slow
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("mode", SLOW_MODES)
def test_no_server_outlasts_the_deadline(mode: str, provider: str, server: FakeLlm, make_models: MakeModels) -> None:
    server.mode, server.model = mode, lambda _asked: GOOD
    models = provider_models(provider, server, make_models)
    clock = SystemClock()
    before = clock.monotonic()
    outcome = ask(models, seconds=2.0)
    assert clock.monotonic() - before < 3.0
    assert outcome.problems


@pytest.mark.parametrize("provider", PROVIDERS)
def test_endless_white_space_is_given_up_long_before_the_deadline(
    provider: str, server: FakeLlm, make_models: MakeModels
) -> None:
    server.mode = "ws_flood"
    clock = SystemClock()
    before = clock.monotonic()
    outcome = ask(provider_models(provider, server, make_models), seconds=30.0)
    assert clock.monotonic() - before < 15.0
    assert outcome.problems


def test_a_long_answer_may_be_asked_of_anthropic(server: FakeLlm, make_models: MakeModels) -> None:
    asked = replace(request_for(Tier.GLOBAL), max_tokens=64_000)
    make_models(server, providers=("anthropic",)).complete(asked, deadline=deadline())
    assert len(server.prompts) == 1


def test_the_first_block_of_an_answer_need_not_be_its_text(server: FakeLlm, make_models: MakeModels) -> None:
    blocks = [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": GOOD}]
    answer = {"id": "x", "type": "message", "role": "assistant", "model": "m", "content": blocks, "stop_reason": "end_turn",
              "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip
    server.mode = "body:" + json.dumps(answer)
    outcome = ask(provider_models("anthropic", server, make_models))
    assert len(outcome.verdicts.accepted) == 3, outcome


def test_a_truthful_model_merges_and_separates(server: FakeLlm, make_models: MakeModels) -> None:
    server.model = truthful
    outcome = ask(make_models(server))
    assert outcome.verdicts.accepted == (
        MergeVerdict(ids=("01A", "01B"), into="01A", title=None, text="The relay listens on port 4242."),
        DistinctVerdict(ids=("01C", "01D")),
    )
    assert outcome.problems == ()
    assert outcome.model == "ollama llama3.2"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_hiccup_is_tried_again_and_retry_after_is_honoured(
    provider: str, server: FakeLlm, make_models: MakeModels
) -> None:
    waits: list[float] = []
    models = make_models(server, providers=(provider,), wait=waits.append)
    server.modes = ["status:429:7"]
    models.complete(request_for(Tier.GLOBAL), deadline=deadline(60))
    assert len(server.prompts) == 2
    assert 7 <= waits[0] < 8
    server.modes, server.requests[:] = ["status:429:3600"], []
    with pytest.raises(ProviderError, match="429"):
        models.complete(request_for(Tier.GLOBAL), deadline=deadline(60))
    assert len(server.prompts) == 1
    server.modes, server.requests[:] = ["status:400"], []
    with pytest.raises(ProviderError, match="400"):
        models.complete(request_for(Tier.GLOBAL), deadline=deadline(60))
    assert len(server.prompts) == 1


def answering(text: str) -> Callable[[Asked], str]:
    return lambda _asked: text


def test_the_next_allowed_provider_is_asked_and_no_other(server: FakeLlm, make_models: MakeModels) -> None:
    server.modes = ["status:500", "status:500"]
    models = make_models(server, providers=("ollama", "openai", "anthropic"))
    done = models.complete(request_for(Tier.WORK), deadline=deadline(30))
    assert done.provider == "anthropic"
    assert [request.path for request in server.prompts] == ["/api/chat", "/api/chat", "/v1/messages"]
    server.requests.clear()
    server.mode = "status:500"
    with pytest.raises(ProviderError, match=r"ollama.*anthropic"):
        models.complete(request_for(Tier.WORK), deadline=deadline(30))
    assert not any("completions" in request.path for request in server.requests)


def test_a_missing_model_says_how_to_get_it(server: FakeLlm, make_models: MakeModels) -> None:
    server.missing = True
    with pytest.raises(ProviderError, match=r"ollama pull llama3\.2"):
        make_models(server).complete(request_for(), deadline=deadline())
    assert server.prompts == []


@pytest.mark.parametrize(("provider", "variable"), [("anthropic", "ANTHROPIC_API_KEY")])
def test_a_missing_key_is_one_line(provider: str, variable: str, server: FakeLlm, make_models: MakeModels) -> None:
    with pytest.raises(ProviderError, match=variable):
        make_models(server, providers=(provider,), environ={}).complete(request_for(), deadline=deadline())
    assert server.requests == []
    (health,) = make_models(server, providers=(provider,), environ={}).status(deadline=deadline())
    assert (health.reachable, variable in health.note) == (None, True), "nobody was asked, so nobody is unreachable"


@pytest.mark.parametrize("provider", ["ollama", "openai"])
def test_servers_of_ones_own_are_told_how_long_a_text_may_be(
    provider: str, server: FakeLlm, make_models: MakeModels
) -> None:
    seen: list[str] = []
    server.model = lambda asked: seen.append(json.dumps(asked.schema)) or GOOD  # type: ignore[func-returns-value]
    ask(make_models(server, providers=(provider,)))
    assert "maxLength" in seen[0], "a small model repeats itself until its room is gone"


def test_a_missing_server_is_one_line_that_names_it(make_models: MakeModels) -> None:
    with pytest.raises(ProviderError, match=r"^ollama at 127\.0\.0\.1:9 is not reachable: .*\(is it running"):
        make_models().complete(request_for(), deadline=deadline())


def test_an_answer_is_no_answer_when_it_was_cut_off(server: FakeLlm, make_models: MakeModels) -> None:
    server.mode, server.model = "max_tokens", empty_answer
    for provider in PROVIDERS:
        with pytest.raises(ProviderError, match="ran out of room"):
            make_models(server, providers=(provider,)).complete(request_for(Tier.GLOBAL), deadline=deadline())


def test_status_asks_nobody_unless_told_to(server: FakeLlm, make_models: MakeModels) -> None:
    models = make_models(server, providers=PROVIDERS)
    assert [health.reachable for health in models.status()] == [None, None, None]
    assert server.requests == []
    healths = models.status(deadline=deadline())
    assert [(health.reachable, health.model_present) for health in healths] == [(True, True)] * 3
    server.remote_host, server.missing = "https://ollama.com", False
    assert models.status(deadline=deadline())[0].location == "remote"
    server.missing = True
    assert models.status(deadline=deadline())[0].model_present is False


def test_a_tier_lists_only_providers_that_can_serve_it_where_they_are(make_models: MakeModels) -> None:
    def names(url: str, tier: Tier, model: str = "llama3.2") -> tuple[str, ...]:
        return make_models(None, providers=PROVIDERS, url=url, model=model).for_tier(tier)

    assert names("http://127.0.0.1:1", Tier.WORK) == ("ollama", "anthropic")
    assert names("http://192.0.2.9:1", Tier.WORK) == ()
    assert names("http://192.0.2.9:1", Tier.PROJECT) == PROVIDERS
    assert names("http://ollama.lan:1", Tier.WORK) == ("ollama", "anthropic"), (
        "only a look-up can tell where a name leads"
    )
    assert names("http://127.0.0.1:1", Tier.PERSONAL, model="gpt-oss:120b-cloud") == ("anthropic",)
    assert names("http://127.0.0.1:1", Tier.LEGAL) == ()


def test_a_client_that_is_still_loading_does_not_outlast_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib
    import threading

    go_on = threading.Event()
    real = importlib.import_module

    def slowly(name: str, package: str | None = None) -> object:
        go_on.wait(10)
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", slowly)
    client = Client("json", remedy="none")
    with pytest.raises(ProviderError, match="still loading"):
        client.load(clock=SystemClock(), deadline=deadline(0.1))
    go_on.set()
    assert client.load(clock=SystemClock(), deadline=deadline(5)) is json
    with pytest.raises(ProviderError, match=r"not installed.*pip install x"):
        Client("no_such_client_library", remedy="pip install x").load(clock=SystemClock(), deadline=deadline(5))
