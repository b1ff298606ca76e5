"""A plan kept as a file and carried out later, if the vaults still are what it was made for."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from muninn.domain.gates import Verdict
from muninn.domain.operations import from_json, to_json
from muninn.domain.trust import Tier
from muninn.dream.pipeline import PhaseReport
from muninn.dream.planning import Plan, VaultPlan, digest, without_legal
from muninn.errors import ConflictError, UsageError
from muninn.ports import ReadModel

FORMAT = 1


def plan_to_json(plan: Plan) -> dict[str, object]:
    """The plan as plain JSON data."""
    return {
        "muninn_plan": FORMAT,
        "dream_id": plan.dream_id,
        "kind": plan.kind,
        "made_at": plan.made_at.isoformat(),
        "verdict": {"run": plan.verdict.run, "why": plan.verdict.why},
        "meta": dict(plan.meta),
        "vaults": [
            {
                "vault": one.vault,
                "key": one.key,
                "tier": one.tier.value,
                "memories": one.memories,
                "active": one.active,
                "digest": one.digest,
                "moved": one.moved,
                "meta": dict(one.meta),
                "unfinished": one.unfinished,
                "narrative": [[sentence, list(ids)] for sentence, ids in one.narrative],
                "operations": [to_json(operation) for operation in one.operations],
                "phases": [report.to_json() for report in one.reports],
            }
            for one in plan.vaults
        ],
    }


def plan_from_json(data: Mapping[str, Any]) -> Plan:
    """The plan that ``plan_to_json`` wrote. Raises UsageError when it is not one."""
    try:
        if data["muninn_plan"] != FORMAT:
            raise UsageError(f"the plan has format {data['muninn_plan']}, this muninn reads {FORMAT}")
        return Plan(
            dream_id=str(data["dream_id"]),
            kind=str(data["kind"]),
            made_at=datetime.fromisoformat(data["made_at"]),
            verdict=Verdict(bool(data["verdict"]["run"]), str(data["verdict"]["why"])),
            vaults=tuple(_vault_from(one) for one in data["vaults"]),
            meta={str(key): str(value) for key, value in data["meta"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        why = f"it has no {error}" if isinstance(error, KeyError) else error
        raise UsageError(f"this is not a plan: {why}", hint="make one with muninn dream --dry-run --output") from None


def _vault_from(data: Mapping[str, Any]) -> VaultPlan:
    return VaultPlan(
        vault=str(data["vault"]),
        key=str(data["key"]),
        tier=Tier(data["tier"]),
        memories=int(data["memories"]),
        active=int(data["active"]),
        operations=tuple(from_json(one) for one in data["operations"]),
        reports=tuple(
            PhaseReport(**{key: one[key] for key in PhaseReport.__dataclass_fields__}) for one in data["phases"]
        ),
        digest=str(data["digest"]),
        moved=data["moved"],
        meta={str(key): str(value) for key, value in data["meta"].items()},
        unfinished=data["unfinished"],
        narrative=tuple((str(sentence), tuple(map(str, ids))) for sentence, ids in data["narrative"]),
    )


def require_unmoved(plan: Plan, read: ReadModel) -> None:
    """Raise ConflictError when a vault of the plan is no longer what the plan was made for."""
    present = {vault.name: vault for vault in read.vaults()}
    for one in plan.vaults:
        vault = present.get(one.vault)
        if vault is None or vault.tier is not one.tier:
            raise ConflictError(f"the vault {one.vault} is gone or has another tier", hint="make a new plan")
        if one.digest and digest(without_legal(read.snapshot(one.vault))) != one.digest:
            raise ConflictError(f"the vault {one.vault} changed since the plan was made", hint="make a new plan")
