"""The policy table against the table of the design, written out a second time by hand."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn.domain.trust import (
    Location,
    Purpose,
    Tier,
    address_location,
    default_tier,
    forwards,
    looser,
    parse_tier,
    providers_for,
    rule,
    strictest,
    valid_vault_name,
    vault_name_problem,
)
from muninn.errors import UsageError

ALL = ("ollama", "anthropic", "openai")


def expected(tier: str, provider: str, location: str, purpose: str) -> bool:
    if provider == "in-process" or location == "in-process":
        return provider == location == "in-process" and purpose == "embed"
    if tier == "legal":
        return False
    if tier in ("project", "global"):
        return True
    if purpose == "embed":
        return provider == "ollama" and location == "loopback"
    return (provider == "ollama" and location == "loopback") or (
        provider == "anthropic" and location in ("official", "loopback")
    )


@pytest.mark.parametrize("purpose", list(Purpose))
@pytest.mark.parametrize("tier", list(Tier))
def test_every_cell_is_as_designed(tier: Tier, purpose: Purpose) -> None:
    for provider, location in itertools.product((*ALL, "in-process"), Location):
        assert rule(tier, provider, location=location, purpose=purpose).allowed == expected(
            tier, provider, location, purpose
        ), (tier, provider, location, purpose)


@given(st.text(), st.text(), st.text(), st.text())
def test_what_the_table_does_not_know_is_refused(tier: str, provider: str, location: str, purpose: str) -> None:
    known = tier in list(Tier) and provider in ALL and location in list(Location) and purpose in list(Purpose)
    assert known or not rule(tier, provider, location=location, purpose=purpose).allowed


def test_a_refusal_says_what_is_allowed() -> None:
    assert "ollama (loopback)" in rule(Tier.WORK, "openai", location="official", purpose="consolidate").why
    assert rule(Tier.LEGAL, "ollama", location="loopback", purpose="consolidate").why.startswith("tier legal")


def test_providers_keep_the_configured_order_and_come_once() -> None:
    assert providers_for(Tier.WORK, ("openai", "anthropic", "ollama", "anthropic")) == ("anthropic", "ollama")
    assert providers_for(Tier.PROJECT, ("openai", "anthropic", "ollama")) == ("openai", "anthropic", "ollama")
    assert providers_for(Tier.LEGAL, ALL) == ()
    assert providers_for(Tier.GLOBAL, ("evil",)) == ()


@given(st.lists(st.sampled_from(list(Tier)), min_size=1))
def test_mixed_text_takes_the_strictest(tiers: list[Tier]) -> None:
    order = ["legal", "work", "personal", "project", "global"]
    assert strictest(*tiers) == min(tiers, key=lambda tier: order.index(tier))


def test_loosening_is_told_from_tightening() -> None:
    assert looser(Tier.GLOBAL, Tier.LEGAL)
    assert not looser(Tier.LEGAL, Tier.GLOBAL)
    assert not looser(Tier.WORK, Tier.WORK)


def test_tiers_are_parsed_strictly() -> None:
    assert parse_tier(" Work ") is Tier.WORK
    with pytest.raises(UsageError, match="legl"):
        parse_tier("legl")


@pytest.mark.parametrize(
    "name",
    [
        "legal",
        "Legal",
        "LEGAL",
        "legal-acme",
        "legal:contracts",
        "legal/2026",
        "ｌｅｇａｌ",
        "lеgal",
        "1egal",
        "legal/ñ",
    ],
)
def test_legal_names_default_to_legal(name: str) -> None:
    assert default_tier(name) is Tier.LEGAL


@pytest.mark.parametrize("name", ["paralegal", "legalese", "illegal", "work", "notas", "le-gal", "legal.x", "legal_x"])
def test_other_names_default_to_personal(name: str) -> None:
    assert default_tier(name) is Tier.PERSONAL


@pytest.mark.parametrize(
    "name", ["work", "notas-de-año", "日本語", "हिन्दी", "a", "x" * 64, "client/acme:2026", "v1.2_b", "Ω"]
)
def test_vault_names_of_any_script(name: str) -> None:
    assert valid_vault_name(name)


@pytest.mark.parametrize(
    "name", ["", "x" * 65, "a b", "a\nb", "a\x00", "tab\t", "quote'", "semi;", "back\\slash", "zero\u200bwidth", "rtl\u202e", "🦉", "\u0301a", "a*"]
)  # fmt: skip
def test_other_vault_names_are_refused_with_a_reason(name: str) -> None:
    with pytest.raises(UsageError):
        valid_vault_name(name)
    assert vault_name_problem(name)


@given(st.text(max_size=80))
def test_a_valid_name_stays_valid_in_its_stored_form(name: str) -> None:
    if vault_name_problem(name) is None:
        assert vault_name_problem(valid_vault_name(name)) is None


@pytest.mark.parametrize(
    ("address", "loopback"),
    [
        ("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("::ffff:127.0.0.1", True), ("10.0.0.1", False),
        ("192.168.1.5", False), ("0.0.0.0", False), ("::", False), ("fe80::1%eth0", False), ("localhost", False), ("", False),
        ("127.0.0.1.evil.com", False), ("::ffff:10.0.0.1", False),
    ],
)  # fmt: skip
def test_loopback_is_an_address_not_a_name(address: str, loopback: bool) -> None:
    assert (address_location(address) is Location.LOOPBACK) == loopback


@pytest.mark.parametrize(
    "model", ["gpt-oss:120b-cloud", "kimi-k2:cloud", "Qwen3-Coder:480B-CLOUD", "x/y-cloud", "foo-cloud:latest"]
)
def test_cloud_models_are_known_by_name(model: str) -> None:
    assert forwards(model)


@pytest.mark.parametrize("model", ["llama3.2", "cloudy:7b", "cloud-llama:8b", "qwen3:8b"])
def test_other_models_are_not(model: str) -> None:
    assert not forwards(model)
