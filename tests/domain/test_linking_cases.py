"""What a text mentions, case by case."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from muninn.domain.linking import LinkChanges, Linker, LinkLimits, orphans
from muninn.domain.memory import Link, LinkKey, Memory, Origin, Provenance, State, content_hash
from muninn.domain.trust import Tier

NOW = datetime(2026, 3, 28, tzinfo=UTC)


def memory(
    memory_id: str, title: str, content: str = "nothing in particular", *, vault: str = "default", derived: bool = False
) -> Memory:
    return Memory(
        id=memory_id,
        vault=vault,
        tier=Tier.PERSONAL,
        title=title,
        content=content,
        content_hash=content_hash(content),
        created_at=NOW,
        updated_at=NOW,
        learned_at=NOW,
        provenance=Provenance(client="test"),
        title_derived=derived,
    )


def mention(source: str, target: str, origin: Origin = Origin.AUTO) -> Link:
    return Link(
        source=source,
        target=target,
        relation="mentions",
        vault="default",
        weight=0.5,
        origin=origin,
        created_at=NOW,
    )


class Bench:
    """A linker with the links a service would keep for it."""

    def __init__(self, limits: LinkLimits | None = None) -> None:
        self.linker = Linker(limits)
        self.links: dict[LinkKey, Link] = {}
        self.rows: dict[str, Memory] = {}

    def existing(self, memory_id: str) -> tuple[Link, ...]:
        return tuple(link for link in self.links.values() if memory_id in (link.source, link.target))

    def keep(self, changes: LinkChanges) -> LinkChanges:
        for key in changes.withdraw:
            del self.links[key]
        for link in changes.add:
            assert link.key not in self.links
            self.links[link.key] = link
        return changes

    def write(self, *memories: Memory) -> LinkChanges:
        self.rows |= {row.id: row for row in memories}
        return self.keep(self.linker.links_for(memories, existing=self.existing, now=NOW))

    def pairs(self) -> set[tuple[str, str]]:
        return {(link.source, link.target) for link in self.links.values() if not link.rejected}


def mentions(title: str, content: str) -> bool:
    """Whether ``content`` mentions ``title``, the same in both orders of birth."""
    results = []
    for rows in ([memory("t", title), memory("c", "", content)], [memory("c", "", content), memory("t", title)]):
        bench = Bench()
        for row in rows:
            bench.write(row)
        assert bench.pairs() <= {("c", "t")}
        results.append(bool(bench.pairs()))
    assert results[0] == results[1]
    return results[0]


@pytest.mark.parametrize(
    ("title", "content"),
    [
        ("Redis cache TTL", "We set the Redis cache TTL to 60 s"),
        ("Redis cache TTL", "the redis\ncache  ttl."),
        ("Redis cache TTL", "the **Redis** cache-TTL"),
        ("Redis cache TTL", "see redis_cache_ttl in settings"),
        ("redis", "REDIS is down"),
        ("  Deploy checklist. ", "follow the deploy checklist, always"),
        ("Decisión de arquitectura", "según la decision de arquitectura de marzo"),
        ("Decision de arquitectura", "Según la DECISIÓN DE ARQUITECTURA de marzo"),
        ("Año fiscal", "el ano fiscal termina en junio"),
        (unicodedata.normalize("NFD", "Migración"), unicodedata.normalize("NFC", "la migración terminó")),
        (unicodedata.normalize("NFC", "Migración"), unicodedata.normalize("NFD", "la migración terminó")),
        ("Straße", "in der STRASSE"),
        ("İstanbul office", "the istanbul office"),
        ("Łódź", "the server in Lodz"),
        ("Ｒｅｄｉｓ", "Redis again"),
        ("ADR 12: use LanceDB", "as ADR 12 – Use LanceDB – says"),
        ("Python 3.11", "needs python 3.11 or newer"),
        ("JWT", "the jwt expires"),
        ("API", "our API is slow"),
        ("k8s", "on K8s since May"),
        ("C++", "written in C++17? no, in C++."),
        ("C#", "a C# service"),
        ("Git", "we use Git here"),
        ("Ana", "pregunta a Ana."),
        ("Éva", unicodedata.normalize("NFD", "call Éva")),
        ("IT", "ask the IT department"),
        ("AD", "the ad server"),
        ("数据库", "我们的数据库设计"),
        ("数据", "使用数据分析"),
        ("Redis缓存", "关于redis缓存的说明"),
        ("東京オフィス", "新しい東京オフィスに移る"),
        ("서버", "서버를 다시 시작했다"),
        ("ฐานข้อมูล", "เราใช้ฐานข้อมูลใหม่"),
        ("База данных", "наша база данных упала"),
        ("قاعدة البيانات", "في قاعِدة البيانات الجديدة"),
        ("हिन्दी अनुवाद", "नया हिन्दी अनुवाद तैयार है"),
        ("user", "the user's choice"),
        ("Re\u00addis", "redis"),
    ],
)
def test_mentions(title: str, content: str) -> None:
    assert mentions(title, content)


@pytest.mark.parametrize(
    ("title", "content"),
    [
        ("Auth", "the author wrote it"),
        ("Cache", "cachectic patients"),
        ("cara", "la máscara roja"),
        ("Redis cache TTL", "the TTL of the Redis cache"),
        ("cat", "a cat sat"),
        ("Log", "read the log"),
        ("The", "the end"),
        ("Las", "las notas"),
        ("IT", "it is late"),
        ("Go", "Go on"),
        ("Git", "you git"),
        ("Ana", "la Banana"),
        ("R", "R is a letter"),
        ("42", "42 of them"),
        ("Python 3", "needs python 3.11"),
        ("C++", "plan C is ready"),
        ("据", "数据库"),
        ("가방", "각방"),
        ("が行", "か行"),
        ("हिन्दी", "हन्द"),
        ("    ", "nothing    here"),
        ("***", "a *** b"),
        ("", "anything"),
        ("🚀", "launch 🚀"),
        ("Redis", ""),
        ("Redis", "    "),
    ],
)
def test_does_not_mention(title: str, content: str) -> None:
    assert not mentions(title, content)


def test_the_longest_title_wins() -> None:
    bench = Bench()
    bench.write(memory("a", "Redis"), memory("b", "Redis cache TTL"))
    bench.write(memory("c", "", "about the Redis cache TTL"))
    assert bench.pairs() == {("c", "b")}
    bench.write(memory("d", "", "the Redis cache TTL of Redis"))
    assert bench.pairs() == {("c", "b"), ("d", "a"), ("d", "b")}


def test_a_short_name_inside_a_longer_title_is_no_mention_of_its_own() -> None:
    bench = Bench()
    bench.write(memory("a", "Git"), memory("b", "Git flow"))
    bench.write(memory("c", "", "about Git flow"), memory("d", "", "Git flow in Git"), memory("e", "", "Git"))
    assert bench.pairs() == {("c", "b"), ("d", "a"), ("d", "b"), ("e", "a")}


def test_a_longer_title_takes_the_mention_over_and_gives_it_back() -> None:
    bench = Bench()
    bench.write(memory("c", "", "about the Redis cache TTL"), memory("a", "Redis"))
    assert bench.pairs() == {("c", "a")}
    longer = memory("b", "Redis cache TTL")
    bench.write(longer)
    assert bench.pairs() == {("c", "b")}
    bench.write(replace(longer, state=State.ARCHIVED))
    assert bench.pairs() == {("c", "a")}


def test_links_follow_edits_of_text_and_title() -> None:
    bench = Bench()
    target, source = memory("t", "Deploy checklist"), memory("s", "Friday", "use the deploy checklist")
    bench.write(target)
    assert [link.key for link in bench.write(source).add] == [LinkKey("s", "t", "mentions")]
    assert not bench.write(source)
    bench.write(replace(source, content="nothing"))
    assert bench.pairs() == set()
    bench.write(source)
    bench.write(replace(target, title="Release checklist"))
    assert bench.pairs() == set()
    bench.write(replace(target, title="CHECKLIST"))
    assert bench.pairs() == {("s", "t")}


def test_only_active_memories_of_one_vault_and_never_itself() -> None:
    bench = Bench()
    bench.write(memory("t", "Deploy checklist", "this deploy checklist is the deploy checklist"))
    bench.write(memory("o", "", "the deploy checklist", vault="other"))
    bench.write(replace(memory("z", "", "the deploy checklist"), state=State.ARCHIVED))
    assert bench.pairs() == set()
    bench.write(memory("o", "", "the deploy checklist", vault="DEFAULT"))
    assert bench.pairs() == {("o", "t")}
    bench.write(memory("t", "Deploy checklist", vault="other"))
    assert bench.pairs() == set()


def test_a_memory_that_moves_to_another_vault_takes_its_mentions_there() -> None:
    bench = Bench()
    here, there = memory("h", "Deploy checklist"), memory("x", "Deploy checklist", vault="other")
    bench.write(here, there, memory("s", "", "the deploy checklist"))
    assert bench.pairs() == {("s", "h")}
    changes = bench.write(memory("s", "", "the deploy checklist", vault="other"))
    assert changes.withdraw == (LinkKey("s", "h", "mentions"),)
    assert [(link.key, link.vault) for link in changes.add] == [(LinkKey("s", "x", "mentions"), "other")]


def test_derived_titles_take_no_part() -> None:
    bench = Bench()
    bench.write(memory("t", "Deploy checklist", derived=True), memory("s", "", "the deploy checklist"))
    assert bench.pairs() == set()
    bench.write(memory("t", "Deploy checklist"))
    assert bench.pairs() == {("s", "t")}


def test_all_owners_of_one_title_are_linked_newest_first_when_capped() -> None:
    bench = Bench(LinkLimits(per_memory=2))
    bench.write(*(memory(f"t{n}", "Deploy checklist") for n in range(4)))
    bench.write(memory("s", "", "the deploy checklist"))
    assert bench.pairs() == {("s", "t3"), ("s", "t2")}


def test_the_cap_prefers_longer_titles() -> None:
    bench = Bench(LinkLimits(per_memory=1))
    bench.write(memory("a", "Redis"), memory("b", "Postgres upgrade"))
    bench.write(memory("s", "", "Redis, then the Postgres upgrade"))
    assert bench.pairs() == {("s", "b")}


def test_a_rejected_link_stays_rejected() -> None:
    bench = Bench()
    target, source = memory("t", "Deploy checklist"), memory("s", "", "the deploy checklist")
    bench.write(target, source)
    key = LinkKey("s", "t", "mentions")
    bench.links[key] = replace(bench.links[key], rejected=True)
    bench.write(replace(source, content="again the deploy checklist"))
    bench.write(replace(target, title="deploy"))
    bench.write(replace(target, title="gone"))
    bench.write(target)
    assert bench.links[key].rejected


@pytest.mark.parametrize("origin", [Origin.MANUAL, Origin.AGENT, Origin.DREAM])
def test_links_of_others_are_neither_doubled_nor_withdrawn(origin: Origin) -> None:
    bench = Bench()
    target, source = memory("t", "Deploy checklist"), memory("s", "", "the deploy checklist")
    bench.write(target)
    key = LinkKey("s", "t", "mentions")
    manual = mention("s", "t", origin)
    bench.links[key] = manual
    assert not bench.write(source)
    assert not bench.write(replace(source, content="nothing"))
    assert bench.links == {key: manual}


def test_titles_found_in_too_many_memories_are_skipped_and_come_back() -> None:
    bench = Bench()
    bench.write(memory("t", "Notes"))
    for n in range(20):
        bench.write(memory(f"s{n:03}", "", f"notes number {n}"))
    assert len(bench.pairs()) == 20
    bench.write(memory("s020", "", "one more of the notes"))
    assert bench.pairs() == set()
    bench.write(memory("s020", "", "not any more"))
    assert len(bench.pairs()) == 20
    bench.write(memory("s020", "", "one more of the notes"))
    bench.write(*(memory(f"x{n:03}", "", f"other {n}") for n in range(187)))
    assert len(bench.rows) == 209
    assert bench.pairs() == set()
    bench.write(memory("last", "", "two hundred and ten memories: 21 are a tenth"))
    assert len(bench.pairs()) == 21


def test_a_loaded_vault_that_grows_or_shrinks_moves_what_is_common() -> None:
    bench = Bench()
    rows = [memory("t", "Notes")]
    rows += [memory(f"s{n:03}", "", f"notes number {n} of my notes") for n in range(21)]
    rows += [memory(f"x{n:03}", "", f"other {n}") for n in range(188)]
    bench.linker.load(rows)
    bench.keep(LinkChanges(add=tuple(mention(f"s{n:03}", "t") for n in range(21))))
    bench.write(replace(rows[-1], state=State.ARCHIVED))
    assert bench.pairs() == set()
    bench.linker.load(rows[:-1])
    bench.write(rows[-1])
    assert len(bench.pairs()) == 21


def test_rows_applied_by_others_are_settled_with_the_next_write_of_their_vault() -> None:
    bench = Bench()
    target = memory("t", "Deploy checklist")
    bench.write(target, memory("s", "", "the deploy checklist"), memory("o", "", "x", vault="other"))
    bench.linker.apply([replace(target, state=State.SUPERSEDED)])
    bench.write(memory("o", "", "y", vault="other"))
    assert bench.pairs() == {("s", "t")}
    bench.write(memory("n", "", "z"))
    assert bench.pairs() == set()
    bench.linker.apply([target])
    bench.keep(bench.linker.settle("Default", existing=bench.existing, now=NOW))
    assert bench.pairs() == {("s", "t")}


def test_a_failed_write_leaves_no_trace() -> None:
    bench = Bench()
    target = memory("t", "Deploy checklist")
    bench.write(target, memory("s", "", "the deploy checklist"))
    lost = bench.linker.links_for(
        [memory("n", "", "a deploy checklist"), replace(target, title="Other")], existing=bench.existing, now=NOW
    )
    assert lost.withdraw == (LinkKey("s", "t", "mentions"),)
    bench.linker.revert(lost, previous=[target], born=["n"])
    bench.write(memory("z", "", "unrelated"))
    assert bench.pairs() == {("s", "t")}
    bench.write(memory("n", "", "a deploy checklist"))
    assert bench.pairs() == {("s", "t"), ("n", "t")}


def test_backfill_says_what_is_missing_and_changes_nothing() -> None:
    bench = Bench()
    rows = [memory("t", "Deploy checklist"), memory("s", "", "the deploy checklist"), memory("u", "", "none")]
    bench.linker.load(rows)
    stale = mention("u", "t")
    bench.links[stale.key] = stale
    first = bench.linker.backfill("default", existing=bench.existing, now=NOW)
    assert first == bench.linker.backfill("default", existing=bench.existing, now=NOW)
    assert [link.key for link in first.add] == [LinkKey("s", "t", "mentions")]
    assert first.withdraw == (stale.key,)
    bench.keep(first)
    assert not bench.linker.backfill("default", existing=bench.existing, now=NOW)
    assert not bench.linker.backfill("nowhere", existing=bench.existing, now=NOW)


def test_memory_stays_bounded_and_links_right_through_many_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muninn.domain.linking.corpus._REBUILD_FROM", 50)
    bench = Bench()
    bench.write(memory("t", "Deploy checklist", "first"), memory("s", "", "the deploy checklist"))
    sizes = []
    for n in range(200):
        bench.write(memory("e", f"Edition {n}", f"text number {n} with word{n} of the deploy checklist"))
        sizes.append(len(bench.linker._vaults["default"]._corpus.words()))
        assert bench.pairs() == {("s", "t"), ("e", "t")}
    assert max(sizes) < 80
    bench.write(memory("q", "", "see edition 199, not edition 7"))
    assert ("q", "e") in bench.pairs()


def test_orphans_name_the_door() -> None:
    rows = [memory("a", "A"), memory("b", "B"), memory("c", "C"), replace(memory("d", "D"), state=State.ARCHIVED)]
    rows[2] = replace(rows[2], provenance=Provenance(client="claude-code", tool="remember"))
    link = mention("a", "x", Origin.MANUAL)
    gone = replace(link, source="b", rejected=True)
    assert [(o.memory.id, o.born_by) for o in orphans(rows, [link, gone])] == [
        ("c", "claude-code/remember"),
        ("b", "test"),
    ]
