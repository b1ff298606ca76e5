"""How muninn is: the status document, and the doctor's checks. Health is reading, not counting."""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muninn.dream.teller import stamp
from muninn.errors import MuninnError, StoreError
from muninn.store.reserve import NAME as RESERVE

if TYPE_CHECKING:
    from muninn.app import App
    from muninn.llm.provider import Health
    from muninn.ports import Clock

Check = dict[str, Any]
_MODEL_PATIENCE = 3.0  # seconds
_COUNTED_FOR = 30.0  # seconds
_RESTORE = "bring them back with muninn backup restore"


def status_document(app: App) -> dict[str, Any]:
    """State, counts, last dream, gate, and what a person should know; cheap enough to ask every second."""
    read = app.read
    following = app.next_consolidation if app.phase == "awake" else None
    return {
        "state": "dreaming" if app.phase == "awake" and app.dreamer.under_way else app.phase,
        "pid": os.getpid() if app.phase != "asleep" else None,
        "socket": str(app.socket),
        "home": str(app.config.home),
        "memories": read.count(),
        "vaults": len(read.vaults()),
        "embedding_pending": len(read.pending_embeddings()),
        "last_dream": app.dreamer.last_dream(),
        "dream_due": app.dreamer.due(),
        "gate": app.dreamer.gate(),
        "writes": app.service.writes,
        "next_consolidation": stamp(following) if following else None,
        "embedder": app.embedders.default.model,
        "providers": list(app.config.llm.providers),
        "store": {
            **app.store.statistics(),
            "bytes": app.footprint.bytes(),
            "reserve": "released" if app.store.reserve_released else "held",
            "uri": app.config.store.uri or "local",
        },
        "hooks": _hooks(app.person / ".claude" / "settings.json"),
        "durability": app.config.store.durability,
        "warnings": _warnings(app),
    }


def _warnings(app: App) -> list[str]:
    """What a person should know."""
    warnings = list(app.dreamer.warnings())
    if app.store.trouble is not None:
        warnings.append(f"the tables do not follow the log: {app.store.trouble}")
    if lost := app.astray():
        warnings.append(str(lost))
    elif app.store.reserve_released:
        free = app.store.statistics()["free_bytes"] >> 20
        warnings.append(f"the disk is nearly full ({free} MiB free): the reserve is given up; free space")
    foreign = app.service.foreign_models()
    if foreign:
        others = ", ".join(f"{count} by {model}" for model, count in sorted(foreign.items()))
        warnings.append(
            f"vectors of another model ({others}): they are compared only among themselves; to bring all together run: muninn reembed"
        )
    return warnings


def _hooks(settings: Path) -> str:
    """Whether Claude Code feels through muninn, as far as the person's own settings say."""
    from muninn.hooks.settings import own_commands

    try:
        installed = own_commands(settings.read_text("utf-8"))
    except FileNotFoundError:
        return "not installed"
    except (OSError, UnicodeDecodeError, MuninnError) as error:
        return f"{settings} cannot be read: {error}"
    return f"installed for {len(installed)} events" if installed else "not installed"


class Footprint:
    """How many bytes a folder takes, counted at most every half minute: whoever waits for something asks far more often."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder, self._clock = folder, clock
        self._bytes, self._stale_at = 0, -math.inf

    def bytes(self) -> int:
        now = self._clock.monotonic()
        if now >= self._stale_at:
            self._bytes, self._stale_at = folder_size(self._folder), now + _COUNTED_FOR
        return self._bytes


def folder_size(folder: Path) -> int:
    """Bytes of all files below a folder but the reserve; files that vanish meanwhile do not count."""
    total = 0
    for path in folder.rglob("*"):
        if path == folder / RESERVE:
            continue
        try:
            total += path.lstat().st_size
        except OSError:
            continue
    return total


def examine(app: App, *, verify: bool) -> dict[str, Any]:
    """Every check, each ``{name, ok, detail}``; ``verify`` reads every row and compares what can be compared."""
    checks: list[Check] = []
    _run(checks, "home is private", lambda: _private(app))
    _run(checks, "store opens and reads", lambda: _counted(app.read.count(active_only=False), "memory", "memories"))
    _run(checks, "log and tables agree", lambda: _following(app))
    _run(checks, "disk has room", lambda: _room(app.config.data))
    _run(checks, "embedder answers", lambda: _embedder(app))
    _run(checks, "vaults have known tiers", lambda: _tiers(app))
    _run(checks, "dream files", lambda: app.dreamer.examine())
    _run(checks, "dreams read", lambda: _dreams(app))
    checks += [_model(health) for health in app.models.status(deadline=app.clock.monotonic() + _MODEL_PATIENCE)]
    for vault in app.read.vaults():
        allowed = ", ".join(app.models.for_tier(vault.tier)) or "none"
        checks.append(
            {
                "name": f"vault {vault.name}",
                "ok": True,
                "detail": f"tier {vault.tier}; models that may see it: {allowed}",
            }
        )
    if verify:
        _run(checks, "every row reads", lambda: _verify(app))
    return {"ok": all(check["ok"] for check in checks), "checks": checks}


def _model(health: Health) -> Check:
    """A configured model that cannot be reached costs the dream its judgement, not the memory its health."""
    state = "reachable" if health.reachable else "not reachable, so dreams go on without its judgement"
    if health.reachable is None:
        state = "not asked, so dreams go on without its judgement"
    if health.reachable and health.model_present is False:
        state = f"reachable, but {health.model} is not there"
    note = f"; {health.note}" if health.note else ""
    return {
        "name": f"model {health.provider}",
        "ok": True,
        "degraded": not (health.reachable and health.model_present is not False),
        "detail": f"{health.model} at {health.address} ({health.location}): {state}{note}",
    }


def _run(checks: list[Check], name: str, check: Callable[[], str]) -> None:
    try:
        checks.append({"name": name, "ok": True, "detail": check()})
    except (MuninnError, OSError) as error:
        checks.append({"name": name, "ok": False, "detail": str(error)})


def _private(app: App) -> str:
    home = app.config.home
    if lost := app.astray():
        raise lost
    # what lies in a closed folder cannot be reached, whatever its own mode
    if stat.S_IMODE(home.stat().st_mode) & 0o077:
        raise MuninnError(f"others can reach {home}", hint=f"chmod -R go= {home}")
    return "nobody else can read it"


def _following(app: App) -> str:
    if app.store.trouble is not None:
        raise app.store.trouble
    figures = app.store.statistics()
    pending = figures["pending_rows"]
    return f"{_counted(pending, 'row')} on {'its' if pending == 1 else 'their'} way, {_counted(figures['fragments'], 'fragment')}"


def _room(data: Path) -> str:
    free = os.statvfs(data).f_bavail * os.statvfs(data).f_frsize
    if free < 256 << 20:
        raise MuninnError(
            f"only {free >> 20} MiB are free", hint="free space; writes stop when the disk is full, reads go on"
        )
    return f"{free >> 30} GiB free"


def _embedder(app: App) -> str:
    embedder = app.embedders.default
    from muninn.domain.trust import Tier

    embedder.query("muninn", tier=Tier.GLOBAL)
    return f"{embedder.model}, {embedder.dimensions} dimensions, {embedder.location}"


def _tiers(app: App) -> str:
    unknown = app.store.unknown_tiers()
    if unknown:
        raise MuninnError(
            f"stored with a tier nobody knows: {', '.join(map(repr, unknown))}; treated as legal",
            hint="muninn vault set NAME --tier T",
        )
    vaults = app.read.vaults()
    return f"{_counted(len(vaults), 'vault')}, {sum(v.tier == 'legal' for v in vaults)} legal"


def _dreams(app: App) -> str:
    records = app.service.dreams()
    if damaged := [record.id for record in records if record.damaged]:
        raise StoreError(f"{_counted(len(damaged), 'dream')} cannot be read: {', '.join(damaged[:5])}", hint=_RESTORE)
    return _counted(len(records), "dream")


def _verify(app: App) -> str:
    """Read every row from disk and compare content hashes and vector lengths."""
    from muninn.domain.memory import content_hash

    rows, damaged = 0, []
    for memory, vector in app.store.memories():
        rows += 1
        if content_hash(memory.content) != memory.content_hash or (vector is not None and len(vector) % 4):
            damaged.append(memory.id)
    for read in (
        app.store.links,
        app.store.usage,
        app.store.dreams,
        app.store.suggestions,
        app.store.decisions,
        app.store.egress,
    ):
        rows += sum(1 for _ in read())
    rows += sum(1 for dream in app.store.dreams() for _ in app.store.operations(dream.id))
    if damaged:
        raise MuninnError(
            f"damaged on disk: {_counted(len(damaged), 'memory', 'memories')}, {', '.join(damaged[:5])}",
            hint=_RESTORE,
        )
    return f"{_counted(rows, 'row')} read, every content hash agrees"


def _counted(amount: int, one: str, many: str = "") -> str:
    return f"{amount} {one if amount == 1 else many or one + 's'}"
