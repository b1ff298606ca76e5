"""What the journal says of a model's proposals that were refused, and of the egress they cost."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import muninn.dream.phases.consolidate as consolidate_module
import muninn.llm.validation as validation_module
from muninn.domain.records import DreamRecord, Egress, Transaction
from muninn.domain.separation.slots import VALUE_SLOTS
from muninn.dream.phrases import refusal_in
from muninn.dream.telling import EXAMPLES, REASONS, entry
from muninn.llm.function import FunctionModels
from muninn.ports import Request
from muninn.testing import FakeClock
from tests.fakes.llm_server import Asked, obedient

if TYPE_CHECKING:
    from tests.dream.conftest import World

NOW = FakeClock().now()
OLD = "The payments API lives at https://old.example.org/pay."
NEW = "The payments API lives at https://new.example.org/pay."


def told(
    refused: list[dict[str, object]],
    *,
    language: str = "en",
    proposed: int = 20,
    egress: dict[str, object] | None = None,
) -> list[str]:
    phases = [{"name": "consolidate", "vaults": [
        {"vault": vault, "status": "done", "figures": {"proposed": proposed, "refused": refused}} for vault in ("a", "b")
    ]}, {"name": "dedup", "vaults": [{"vault": "a", "status": "done", "figures": {"refused": 7}}]}]  # fmt: skip
    record = DreamRecord(
        id="D1", kind="dream", started_at=NOW, finished_at=NOW, status="completed",
        report={"vaults": [], "phases": phases, "seconds": 0.1, "egress": egress},
    )  # fmt: skip
    return entry(record, [], titles=lambda key: f"Note {key}", language=language).splitlines()


def refusal(op: str, why: str, count: int, *ids: str) -> dict[str, object]:
    return {"op": op, "why": why, "count": count, "ids": list(ids)}


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        ("en", [
            "**Trouble:**",
            "- Proposals of the model that were refused: 16 of 40.",
            "- 14× merge, an id that was not shown",
            "- 2× replacement, port differs: “Note A” (A), “Note B” (B) and 1 more",
        ]),
        ("es", [
            "**Incidencias:**",
            "- Propuestas del modelo que se rechazaron: 16 de 40.",
            "- 14× fusión, un recuerdo que no se le mostró",
            "- 2× sustitución, no coincide: puerto: “Note A” (A), “Note B” (B) y 1 más",
        ]),
    ],
)  # fmt: skip
def test_refusals_are_told_by_kind_and_reason_over_all_vaults(language: str, lines: list[str]) -> None:
    found = told(
        [refusal("supersede", "port differs", 1, "A", "B", "C"), refusal("merge", "an id that was not shown", 7)],
        language=language,
    )
    assert found[2:-1] == lines


def test_many_reasons_are_summed_up() -> None:
    found = told([refusal("merge", f"slot{number} differs", 20 - number, *"ABCD") for number in range(12)])
    kinds = [line for line in found if "×" in line]
    assert len(kinds) == REASONS + 1
    assert kinds[-1] == f"- {2 * sum(20 - number for number in range(REASONS, 12))}× for other reasons"
    assert all(line.count("“") == EXAMPLES for line in kinds[:-1])


def test_nothing_refused_is_nothing_said() -> None:
    assert not [line for line in told([]) if "refused" in line]


@pytest.mark.parametrize(
    ("language", "totals", "part"),
    [
        ("en", (3, 0, 120, 80, "ollama"), " · egress: 3 requests to ollama, 120 bytes out, 80 in*"),
        ("en", (0, 1, 0, 0, "ollama"), " · egress: one request to ollama, 0 bytes out, 0 in, 1 refused*"),
        ("es", (2, 1, 9, 0, "ollama"), " · salida: 3 peticiones a ollama, 9 bytes enviados, 0 recibidos, rechazadas: 1*"),
    ],
)  # fmt: skip
def test_egress_is_one_part_of_the_closing_line(
    language: str, totals: tuple[int, int, int, int, str], part: str
) -> None:
    allowed, refused, sent, received, provider = totals
    egress = {"allowed": allowed, "refused": refused, "bytes_out": sent, "bytes_in": received}
    egress_line = told([], language=language, egress={**egress, "bytes_out_by_provider": {provider: sent}})[-1]
    assert egress_line.endswith(part)
    assert "egress" not in told([])[-1]


def literals(module: Any, *callers: str) -> Iterator[str]:
    """Every text that a module hands to ``callers`` (as ``why`` where it is named) or returns."""
    for node in ast.walk(ast.parse(Path(module.__file__).read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in callers:
            given = [*node.args, *(word.value for word in node.keywords if word.arg == "why")]
            assert not any(isinstance(value, ast.JoinedStr) for value in given), ast.unparse(node)
            yield from (str(value.value) for value in given if isinstance(value, ast.Constant))


def test_every_reason_is_known_in_spanish() -> None:
    reasons = {*literals(validation_module, "_RejectedError", "Rejected"), *literals(consolidate_module, "Rejected")}
    reasons |= {consolidate_module.SPENT, consolidate_module.GONE, consolidate_module.SEPARATE}
    reasons |= {f"{slot} differs" for slot in (*VALUE_SLOTS, "negation", "antonym", "word", "order")}
    assert len(reasons) > 50
    assert [why for why in sorted(reasons) if refusal_in("es", why) == why] == []
    assert all(refusal_in("en", why) == why for why in reasons)


def obeying(request: Request) -> str:
    return obedient(Asked("function", "m", request.system, request.prompt, request.schema, stream=False))


def test_a_dream_tells_what_it_refused_an_obedient_model(make_world: Callable[..., World]) -> None:
    world = make_world(models=FunctionModels(obeying))
    old = world.tell(OLD)
    world.tell(NEW, vector=world.vector_of(OLD))
    outcome = world.dreamer.dream(force=True)
    by_phase = {phase["no"]: one["figures"] for phase in outcome.report["phases"] for one in phase["vaults"]}
    figures = by_phase["2b"]
    assert [no for no, found in by_phase.items() if "refused" in found] == ["2b"]
    assert by_phase["2"]["kept_apart"] == 1
    count = sum(one["count"] for one in figures["refused"])
    assert f"- Proposals of the model that were refused: {count} of {figures['proposed']}.\n" in outcome.journal
    assert "evil" not in outcome.journal
    assert "evil" not in json.dumps(figures)
    assert any(old.id in one["ids"] for one in figures["refused"])
    twin = json.loads(world.config.journal_file.with_suffix(".jsonl").read_text("utf-8"))
    assert twin["report"]["phases"] == outcome.document()["phases"]
    world.dreamer.purge(old.id, by=old.provenance)
    assert old.id not in world.config.journal_file.read_text("utf-8")
    left = json.loads(world.config.journal_file.with_suffix(".jsonl").read_text("utf-8"))
    assert old.id not in json.dumps(left)
    assert left["report"]["egress"] == twin["report"]["egress"], "the rest of the line stays"


def test_the_journal_sums_the_ledger_of_its_own_dream(make_world: Callable[..., World]) -> None:
    def entries(request: Request) -> str:
        for dream, allowed in ((request.dream_id, True), (request.dream_id, False), ("another", True), (None, True)):
            entry = Egress(
                id=world.ids.new(), at=NOW, vault="default", tier="personal", purpose="consolidate", provider="ollama",
                model="m", address="127.0.0.1:1", allowed=allowed, reason="", bytes_out=70 * allowed, bytes_in=5 * allowed,
                content_hash="", dream_id=dream,
            )  # fmt: skip
            world.commit(Transaction(egress=(entry,)))
        return "{}"

    world = make_world(models=FunctionModels(entries))
    world.tell(OLD)
    world.tell(NEW, vector=world.vector_of(OLD))
    outcome = world.dreamer.dream(force=True)
    assert "egress: 2 requests to ollama, 70 bytes out, 5 in, 1 refused" in outcome.journal
    assert outcome.document()["egress"] == {
        "allowed": 1, "refused": 1, "bytes_out": 70, "bytes_in": 5, "bytes_out_by_provider": {"ollama": 70},
    }  # fmt: skip
    world.sleep(days=1)
    assert world.dreamer.dream(force=True, llm=False).document()["egress"] is None
