"""What ``muninn status`` knows and prints, in every state, without Typer and, if it can, without opening the store.

Rules: an answer from the daemon wins; else the lock tells waking from asleep; asleep, the document of the last clean
close is read. Only when that is missing (an unclean end) is the store opened. It always exits 0.
"""

from __future__ import annotations

import sys

from muninn import errors, paths
from muninn.client import Client, error_of
from muninn_cmd.notation import compose, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

REMEDY = "it makes a lost socket again within seconds; if it does not: muninn restart (muninn logs tells why)"
ANSWER_WITHIN = 5.0  # seconds a daemon may take to say how it is


def run(environ: Mapping[str, str], *, as_json: bool) -> int:
    document = gather(environ)
    sys.stdout.write((compose(document) if as_json else describe(document)) + "\n")
    return 0


def gather(environ: Mapping[str, str]) -> dict[str, Any]:
    """The status document of design: state, pid, socket, counts, last dream, gate; and what is wrong."""
    document = _state(environ)
    wrong = misconfigured(environ)
    if wrong and wrong not in document.get("problem", ""):
        document["problem"] = " · ".join(filter(None, (document.get("problem"), wrong)))
    return document


def misconfigured(environ: Mapping[str, str]) -> str:
    """Why the configuration does not load, over which the next start would stumble; empty when it does."""
    try:
        paths.require_folder(paths.home_name(environ))
    except errors.ConfigError as error:
        return str(error)
    named = any(name.startswith("MUNINN_") and name != "MUNINN_HOME" for name in environ)
    if not named and not _exists(f"{paths.home_name(environ)}/{paths.CONFIG}"):
        return ""
    from muninn.config import load

    try:
        load(environ)
    except errors.ConfigError as error:
        return str(error)
    return ""


def _state(environ: Mapping[str, str]) -> dict[str, Any]:
    home = paths.home_name(environ)
    socket = paths.socket_name(home, environ)
    try:
        return {**_asked(Client(socket, timeout=ANSWER_WITHIN)), "socket": socket}
    except errors.NotRunningError:
        pass
    except errors.MuninnError as error:
        return _unanswered(home, socket, str(error))
    from muninn_cmd.holder import holder

    held = holder(f"{home}/{paths.LOCK}")
    if held is not None:
        lost = held.lost(socket)
        if lost:
            return _unanswered(home, socket, f"{lost}; {REMEDY}")
        return {**_blank(home, socket), **_recorded(home), **_awakening(home, held.phase), "pid": held.pid or None}
    return _asleep(home, socket, environ)


def _unanswered(home: str, socket: str, problem: str) -> dict[str, Any]:
    """What the lock alone tells of a daemon that does not say how it is."""
    from muninn_cmd.holder import holder

    held = holder(f"{home}/{paths.LOCK}")
    blank = _blank(home, socket, problem=problem)
    return {**blank, "state": held.phase or "awake", "pid": held.pid or None} if held is not None else blank


def _asked(client: Client) -> dict[str, Any]:
    status, content = client.exchange("GET", "/v1/status")
    try:
        document = parse(content)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise errors.MuninnError(f"what listens on {client.path} is not muninn")
    if status >= 400:
        raise error_of(status, document)
    return document


def _blank(home: str, socket: str, problem: str = "") -> dict[str, Any]:
    """Nothing where there is no store, not known (None) where there is one that was not asked."""
    none = None if _exists(f"{home}/{paths.DATA}") else 0
    document: dict[str, Any] = {
        "state": "asleep",
        "pid": None,
        "socket": socket,
        "home": home,
        "memories": none,
        "vaults": none,
        "embedding_pending": 0,
        "last_dream": None,
        "dream_due": _exists(f"{home}/{paths.DUE}"),
        "gate": None if none is None else {"open": False, "why": "nothing was written yet"},
    }
    return {**document, "problem": problem} if problem else document


def _asleep(home: str, socket: str, environ: Mapping[str, str]) -> dict[str, Any]:
    blank = _blank(home, socket)
    recorded = _recorded(home)
    if recorded or not _exists(f"{home}/{paths.DATA}"):
        return _with_gate({**blank, **recorded, "state": "asleep", "pid": None, "socket": socket})
    from muninn_cmd.connect import local_status

    try:
        return {**blank, **local_status(environ), "state": "asleep", "pid": None, "socket": socket}
    except errors.MuninnError as error:
        return {**blank, "problem": str(error)}
    except Exception as error:  # status has an answer in every state, that of a broken installation included
        return {**blank, "problem": f"the store could not be opened: {type(error).__name__}: {error}"}


def _recorded(home: str) -> dict[str, Any]:
    document = _read(f"{home}/{paths.STATUS}")
    if document:
        document["dream_due"] = _exists(f"{home}/{paths.DUE}")
    return document


def recorded_dream(environ: Mapping[str, str]) -> str | None:
    """The id of the last dream before this start, "" when it never dreamed, None when nobody wrote it down."""
    document = _read(f"{paths.home_name(environ)}/{paths.STATUS}")
    if not document:
        return None if _exists(f"{paths.home_name(environ)}/{paths.DATA}") else ""
    last = document.get("last_dream")
    return str(last.get("dream_id")) if isinstance(last, dict) else ""


def progress_line(environ: Mapping[str, str]) -> str:
    """What a dream at start is doing, on one line; empty when it does not dream."""
    from muninn_cmd.text import one_line

    progress = _read(f"{paths.home_name(environ)}/{paths.PROGRESS}")
    return one_line("dreaming … " + _flat(progress), 100) if progress else ""


def _awakening(home: str, phase: str) -> dict[str, Any]:
    progress = _read(f"{home}/{paths.PROGRESS}")
    return {"state": "dreaming", "progress": progress} if progress else {"state": phase or "waking"}


def _with_gate(document: dict[str, Any]) -> dict[str, Any]:
    """A gate that only waited for time opens by itself while muninn sleeps."""
    gate = document.get("gate")
    if not isinstance(gate, dict) or gate.get("open"):
        return document
    opens = gate.get("opens_at")
    if isinstance(opens, str):
        import datetime as dt

        try:
            due = dt.datetime.fromisoformat(opens) <= dt.datetime.now(dt.UTC)  # noqa: TID251 - a root
        except (ValueError, TypeError):
            return document
        if due:
            document["gate"] = {**gate, "open": True, "why": "enough time and writes since the last dream"}
    return document


def _read(name: str) -> dict[str, Any]:
    try:
        with open(name, "rb") as file:  # noqa: PTH123 - pathlib costs more than the rest of this file
            document = parse(file.read())
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _exists(name: str) -> bool:
    import os

    return os.path.exists(name)  # noqa: PTH110 - as above


def describe(status: Mapping[str, Any]) -> str:
    """The status as a person reads it at a glance."""
    from muninn_cmd.text import columns, count, moment, number, one_line

    state = str(status.get("state", "?")).replace("_", " ")
    pid = status.get("pid")
    known = status.get("memories") is not None
    held = f"{number(status['memories'])} in {count(int(status.get('vaults') or 0), 'vault')}" if known else "not known"
    rows: list[tuple[str, ...]] = [("", "memories", held)]
    if status.get("embedding_pending"):
        rows.append(
            ("", "embedding", f"{number(status['embedding_pending'])} still to be embedded; found by words meanwhile")
        )
    last, never = status.get("last_dream"), "never" if known else "not known"
    rows.append(("", "last dream", f"{moment(last.get('finished_at'))}  {last.get('dream_id', '')}" if last else never))
    gate = status.get("gate") or {}
    verdict = f"gate {'open' if gate.get('open') else 'closed'}: {one_line(gate.get('why', ''))}"
    rows.append(("", "next dream", verdict if gate else "not known"))
    if status.get("dream_due"):
        rows.append(
            ("", "", "due: it dreams at the next start" + ("" if gate.get("open") else ", if the gate is open then"))
        )
    rows += _details(status)
    rows.append(("", "socket", one_line(status.get("socket", ""))))
    head = f"muninn is {state}" + (f" (pid {pid})" if pid else "")
    if status.get("problem"):
        head += f"\n  {one_line(status['problem'])}"
    return head + "\n" + columns(rows)


def _details(status: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Lines that only a daemon can fill; each is left out where it has nothing to say."""
    from muninn_cmd.text import moment, one_line

    rows: list[tuple[str, ...]] = []
    progress = status.get("progress")
    if isinstance(progress, dict):
        rows.append(("", "dreaming", one_line(" ".join(str(v) for v in progress.values() if v not in (None, "")), 90)))
    if status.get("next_consolidation"):
        rows.append(("", "consolidates", moment(status["next_consolidation"])))
    for key, label in (("embedder", "embedder"), ("providers", "models"), ("store", "store"), ("hooks", "hooks")):
        value = _size(status[key]) if key == "store" and isinstance(status.get(key), dict) else status.get(key)
        if value:
            rows.append(("", label, one_line(_flat(value), 110)))
    return rows + [("", "note", one_line(note, 160)) for note in status.get("warnings") or ()]


def _size(store: dict[str, Any]) -> str:
    """``1.4 MB in 3 fragments``, and where, when it is not here."""
    megabytes = f"{int(store.get('bytes') or 0) / 1e6:.1f} MB"
    number = int(store.get("fragments") or 0)
    fragments = f" in {number} fragment{'s' * (number != 1)}" if number else ""
    return megabytes + fragments + (f" at {store['uri']}" if store.get("uri") not in (None, "", "local") else "")


def _flat(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_flat(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(_flat(item) for item in value)
    return str(value)
