"""The daemon about itself: status, health checks, egress, metrics, hooks, backup."""

from __future__ import annotations

from collections import Counter

from muninn.api.calls import Answer, Call, Core, Route
from muninn.api.ids import dream_id
from muninn.api.metrics import prometheus
from muninn.api.wire import plain
from muninn.domain.records import egress_totals
from muninn.errors import UsageError


def status(core: Core, _: Call) -> Answer:
    return Answer(document=core.status())


def egress(core: Core, call: Call) -> Answer:
    """What left the process for a vault, in a dream, or at all: newest first, and its sums."""
    vault = core.service.find_vault(call.query["vault"]).name if call.query.get("vault") else None
    dream = dream_id(core, call.query["dream"]) if call.query.get("dream") else None
    entries = sorted(
        (
            entry
            for entry in core.service.store.egress()
            if (vault is None or vault in entry.vault.split(", ")) and (dream is None or entry.dream_id == dream)
        ),
        key=lambda entry: entry.id,
        reverse=True,
    )
    shown = entries[: call.number("limit", 1000, high=100_000)]
    return Answer(document={"entries": [plain(e) for e in shown], "totals": egress_totals(entries)})


def hook(core: Core, call: Call) -> Answer:
    """One event of a coding agent; an empty document means silence."""
    return Answer(document=core.hooks.handle(call.path["event"], call.object()) or {})


def doctor(core: Core, call: Call) -> Answer:
    return Answer(document=core.doctor(verify=call.flag("verify")))


def calibrate(core: Core, _: Call) -> Answer:
    """What the bands mean for the embedder in use: the fit in the code, and a fresh one on the bundled sentences."""
    from muninn.embed.calibration import fit

    embedder = core.embedders.default
    fresh = fit(embedder)
    return Answer(document={"model": embedder.model, "calibration": plain(embedder.calibration), "fit": plain(fresh)})


def stats(core: Core, _: Call) -> Answer:
    """Figures for plots: strengths, births by day, dreams."""
    read, now = core.service.read, core.clock.now()
    memories = list(read.memories())
    active = [m for m in memories if m.active]
    strengths = read.strengths(now=now)
    return Answer(
        document={
            "strength": [round(strengths[m.id], 4) for m in active],
            "stability": [m.stability for m in active],
            "born": dict(sorted(Counter(m.created_at.date().isoformat() for m in memories).items())),
            "states": dict(sorted(Counter(m.state.value for m in memories).items())),
            "kinds": dict(sorted(Counter(m.kind.value for m in active).items())),
            "dreams": [
                {"dream_id": d.id, "kind": d.kind, "started_at": plain(d.started_at), "status": d.status}
                for d in core.service.dreams()
            ],
        }
    )


def metrics(core: Core, _: Call) -> Answer:
    return Answer(text=prometheus(core.status()), media="text/plain; version=0.0.4")


def backup(core: Core, call: Call) -> Answer:
    folder = call.object().get("folder")
    if folder is not None and not isinstance(folder, str):
        raise UsageError("folder must be text")
    return Answer(document=core.backup(folder))


def learnings(core: Core, call: Call) -> Answer:
    return Answer(
        document={"learnings": [plain(one) for one in core.hooks.learnings(call.query.get("project") or None)]}
    )


def openapi(core: Core, _: Call) -> Answer:  # noqa: ARG001 - one signature for every route
    from muninn.api.openapi import description

    return Answer(document=description())


ROUTES = (
    Route(method="GET", path="/v1/status", handler=status, summary="State, counts, last dream, gate"),
    Route(
        method="GET",
        path="/v1/egress",
        handler=egress,
        summary="What left the process, to whom, for which vault",
        query=("vault", "dream", "limit"),
    ),
    Route(method="POST", path="/v1/hooks/{event}", handler=hook, summary="An event of a coding agent"),
    Route(
        method="GET", path="/v1/learnings", handler=learnings, summary="Rules learned from sessions", query=("project",)
    ),
    Route(method="GET", path="/v1/doctor", handler=doctor, summary="Health checks", query=("verify",)),
    Route(method="GET", path="/v1/calibrate", handler=calibrate, summary="Similarity bands of the embedder"),
    Route(method="GET", path="/v1/stats", handler=stats, summary="Figures for plots"),
    Route(method="GET", path="/v1/metrics", handler=metrics, summary="Prometheus text"),
    Route(
        method="POST", path="/v1/backup", handler=backup, summary="Back the store up and verify the copy", writes=True
    ),
    Route(method="GET", path="/openapi.json", handler=openapi, summary="This description"),
)
