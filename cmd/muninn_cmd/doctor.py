"""``muninn doctor``: is everything as it should be, and does muninn keep its promises here?"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from muninn_cmd import connect, glance, render
from muninn_cmd.session import current
from muninn_cmd.text import one_line

GREEN, YELLOW, RED = 32, 33, 31
MARKS = {"ok": ("✔", GREEN), "pass": ("✔", GREEN), "warn": ("!", YELLOW), "fail": ("✘", RED), "skip": ("–", YELLOW)}


def doctor(
    *,
    prove: Annotated[
        bool, typer.Option("--prove", help="Plant cases in a scratch vault, dream, and check every promise.")
    ] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Read every row of the store, to find damage.")] = False,
) -> None:
    """Exits 1 when a check fails; each failure says what to do."""
    document = _proof() if prove else _examination(verify)
    checks = document.get("checks") or []
    render.show(document, lambda: "\n".join(_line(check) for check in checks))
    if any(state(check) == "fail" for check in checks):
        raise typer.Exit(1)


def _examination(verify: bool) -> dict[str, Any]:
    """What the daemon sees, and what only its next start would: a configuration that no longer loads."""
    document = connect.get(connect.path_of("doctor", verify=verify))
    wrong = glance.misconfigured(current.environ)
    if wrong:
        document = {
            "ok": False,
            "checks": [{"name": "configuration loads", "ok": False, "detail": wrong}, *(document.get("checks") or ())],
        }
    return document


def _proof() -> dict[str, Any]:
    from muninn_cmd.prove import prove

    return prove()


def state(check: dict[str, Any]) -> str:
    """A key of ``MARKS``; what the daemon examined is ``ok`` or not, what was proved has a status."""
    if "status" in check:
        return str(check["status"])
    return ("warn" if check.get("degraded") else "ok") if check.get("ok") else "fail"


def _line(check: dict[str, Any]) -> str:
    mark, colour = MARKS.get(state(check), ("?", YELLOW))
    detail = one_line(check.get("detail") or "")
    return f"{render.style(mark, colour)} {one_line(check.get('name', ''))}" + (f": {detail}" if detail else "")
