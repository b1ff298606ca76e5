"""The daemon's main loop: lock, wake, perhaps dream, serve, fall asleep.

Where no dream is pending the socket opens first and the store loads behind it; where one is, the dream comes first and
the socket after. SIGTERM and SIGINT fall asleep gracefully: ``dream.due`` is written before anything is taken down. A
second signal leaves at once; what was acknowledged is on disk already. A signal that comes before the store is touched
does not wait for it. A socket whose file was taken away is made again, as long as the home is still the one that is locked.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from threading import Event, Thread
from typing import Any, Protocol

from muninn import logs, paths
from muninn.api.server import Gateway, server
from muninn.atomic import private_folder
from muninn.clock import SystemClock
from muninn.config import Config
from muninn.daemon.lifecycle import Lifecycle, Phase
from muninn.daemon.listening import Place, listen
from muninn.daemon.lock import HomeLock
from muninn.daemon.notify import Notifier
from muninn.daemon.scheduler import Schedule
from muninn.dream.files import DreamFiles
from muninn.errors import AlreadyRunningError, LockedError, MuninnError

_EXTEND_EVERY = 5.0  # seconds
_EXTEND_BY = 30.0
_LOOK_AT_CLOCK = 15.0
_LOOK_AT_SOCKET = 2.0
_OPEN_FILES = 8192


class Running(Protocol):
    """The part of the application that the daemon drives."""

    phase: str
    next_consolidation: datetime | None
    service: Any
    dreamer: Any
    store: Any

    def status(self) -> dict[str, Any]: ...
    def start_background(self) -> None: ...
    def interrupt(self) -> None: ...
    def upkeep(self) -> None: ...
    def backup(self, folder: str | None) -> dict[str, Any]: ...
    def close(self) -> None: ...


Load = Callable[[], None]  # imports what ``Build`` needs: most of the time that waking takes
Build = Callable[[HomeLock], Running]


class _NotWokenError(BaseException):
    """Asked to stop while only modules were being imported; like KeyboardInterrupt, no handler on the way may take it."""


class Daemon:
    def __init__(self, config: Config, environ: Mapping[str, str], load: Load, build: Build, *, no_dream: bool) -> None:
        self._config = config
        self._environ = environ
        self._load = load
        self._loading = False
        self._build = build
        self._no_dream = no_dream
        self._lifecycle = Lifecycle(self._entered)
        self._lock: HomeLock | None = None
        self._stop = Event()
        self._asked = ""
        self._ended = Event()
        self._notify = Notifier(environ)
        self._log = logs.logger("muninn.daemon")
        self._gateway = Gateway(self._waking_status, self._report)
        self._server = server(self._gateway, self._tick)
        self._serving: Thread | None = None
        self._place: Place | None = None
        self._looked_at = 0.0
        self._why_lost = ""
        self._app: Running | None = None
        self._last_tick = 0.0
        self._socket_path = paths.socket_path(config.home, environ)

    def run(self) -> int:
        """Serve until told to stop; returns the exit code."""
        lock = self._lock = self._own()
        self._lifecycle.on("start")
        signal.signal(signal.SIGTERM, self._on_signal)
        signal.signal(signal.SIGINT, self._on_signal)
        logs.configure(paths.log_path(self._config.home))
        self._log.info("waking", pid=os.getpid(), home=str(self._config.home))
        extending = Thread(target=self._extend, name="muninn-notify", daemon=True)
        extending.start()
        try:
            return self._live(lock)
        finally:
            self._ended.set()
            self._unlink_socket()

    def _own(self) -> HomeLock:
        try:
            return HomeLock(self._config.home)
        except LockedError:
            raise AlreadyRunningError(f"another muninn holds {self._config.home}", hint="see: muninn status") from None

    def _live(self, lock: HomeLock) -> int:
        pending = self._dream_pending()
        listener = None if pending else self._open()
        try:
            self._import()
        except _NotWokenError:
            return self._turn_over()
        try:
            app = self._app = self._build(lock)
            if not self._stop.is_set():
                self._dream_first(app, pending)
            if not self._stop.is_set():
                listener = listener or self._open()
                self._serve(app)
        except (MuninnError, OSError) as error:
            failure = error if isinstance(error, MuninnError) else MuninnError(f"cannot go on: {error.strerror}")
            self._log.error("cannot_wake", error=str(error))
            self._gateway.fail(failure)
            self._shut()
            if self._app is not None:
                self._app.close()
            raise failure from error
        return self._fall_asleep(app)

    def _import(self) -> None:
        """Raises _NotWokenError when a signal comes meanwhile."""
        self._loading = True
        try:
            if self._stop.is_set():
                raise _NotWokenError
            self._load()
        finally:
            self._loading = False

    def _turn_over(self) -> int:
        """Sleep on: nothing was opened, so all there is to do is to owe a dream."""
        self._begin_sleep()
        try:
            DreamFiles(private_folder(self._config.data)).mark_due(SystemClock().now(), why="stopped")
        except OSError as error:
            self._log.error("dream_due_not_written", error=str(error))
        self._shut()
        self._lifecycle.on("closed")
        self._log.info("asleep")
        return 0

    def _dream_first(self, app: Running, pending: bool) -> None:
        """The gated, time-boxed dream of a start. Whatever goes wrong in it, the daemon starts."""
        if self._no_dream:
            return
        if not pending:
            self._quietly("gate", app.dreamer.record_gate)
            return
        self._lifecycle.on("dream")
        app.phase = "dreaming"
        try:
            app.dreamer.dream_at_start(progress=self._progress)
        except Exception as error:  # a dream that fails must never keep the memory from being served
            self._log.error("dream_failed", error=type(error).__name__, exc_info=error)
        finally:
            with suppress(OSError):
                (self._config.home / paths.PROGRESS).unlink(missing_ok=True)
            if self._lifecycle.phase == "dreaming":
                self._lifecycle.on("dreamt")
                app.phase = "waking"

    def _serve(self, app: Running) -> None:
        schedule = Schedule(
            self._config,
            consolidate=lambda: self._quietly("consolidation", app.dreamer.consolidate),
            dream=lambda: self._quietly("dream", app.dreamer.dream_by_clock),
            upkeep=lambda: self._quietly("upkeep", app.upkeep),
            backup=lambda: self._quietly("backup", lambda: app.backup(None)),
            last_consolidation=max((one.started_at for one in app.service.dreams()), default=None),
        )
        schedule.start()
        app.start_background()
        app.phase = self._lifecycle.on("ready").value
        app.next_consolidation = schedule.next_run("consolidation")
        self._gateway.open(app)  # type: ignore[arg-type]
        self._notify.send("READY=1", "STATUS=awake")
        self._log.info("awake", memories=app.service.read.count())
        while not self._stop.wait(_LOOK_AT_CLOCK):
            schedule.follow_clock()
            app.next_consolidation = schedule.next_run("consolidation")
        self._begin_sleep()  # before the event loop ends, and with it the watchdog
        self._owe_dream(app)
        self._shut()
        schedule.close()

    def _begin_sleep(self) -> None:
        """Only a signal leads here; the log says which, for whoever asks in the morning why nobody was awake."""
        if self._lifecycle.phase != "falling_asleep":
            self._lifecycle.on("stop")
            self._notify.send("STOPPING=1", "STATUS=falling asleep")
            self._log.info("falling_asleep", signal=self._asked)

    def _owe_dream(self, app: Running) -> None:
        """A disk that takes no marker costs a dream, not a clean end."""
        try:
            app.dreamer.mark_due()
        except OSError as error:
            self._log.error("dream_due_not_written", error=str(error))

    def _fall_asleep(self, app: Running) -> int:
        self._begin_sleep()
        app.phase = "falling_asleep"
        if not (self._config.home / paths.DUE).exists():
            self._owe_dream(app)
        self._shut()
        app.close()
        self._lifecycle.on("closed")
        self._log.info("asleep")
        return 0

    def _quietly(self, name: str, job: Callable[[], object]) -> None:
        try:
            job()
        except Exception as error:  # scheduled work reports and waits for its next turn
            self._log.error("scheduled_work_failed", work=name, error=type(error).__name__, exc_info=error)

    def _report(self, event: str, **facts: object) -> None:
        self._log.error(event, **facts)

    # -- the socket

    def _open(self) -> socket.socket:
        listener = listen(self._socket_path)
        self._place = Place(self._socket_path)
        serving = Thread(
            target=lambda: asyncio.run(self._server.serve(sockets=[listener])), name="muninn-http", daemon=True
        )
        serving.start()
        self._serving = serving
        return listener

    def _shut(self) -> None:
        """Stop taking requests; return when those under way are answered."""
        if self._serving is None:
            return
        self._gateway.turn_away()
        self._server.should_exit = True
        self._serving.join(timeout=10)
        self._gateway.close()
        self._serving = None

    def _unlink_socket(self) -> None:
        if self._place is not None and self._place.stands:
            self._socket_path.unlink(missing_ok=True)

    def _listen_again(self) -> socket.socket | None:
        """A new socket where the file of the one that listens is gone. What keeps it from being made is logged once."""
        if self._lock is None or not self._lock.stands() or self._place is None or self._place.stands:
            return None
        try:
            listener = listen(self._socket_path)
        except (MuninnError, OSError) as error:
            if self._why_lost != str(error):
                self._why_lost = str(error)
                self._log.error("socket_lost", error=self._why_lost)
            return None
        self._place, self._why_lost = Place(self._socket_path), ""
        self._log.warning("listening_again", socket=str(self._socket_path))
        return listener

    # -- what others are told

    def _waking_status(self) -> dict[str, Any]:
        recorded = _read_json(self._config.home / paths.STATUS)
        return {**recorded, "state": self._lifecycle.phase.value, "pid": os.getpid(), "socket": str(self._socket_path)}

    def _progress(self, document: Mapping[str, object]) -> None:
        with suppress(OSError):  # a full disk hides the progress, it does not end the dream
            (self._config.home / paths.PROGRESS).write_text(json.dumps(dict(document)), "utf-8")

    def _extend(self) -> None:
        """While waking, dreaming or falling asleep, tell the supervisor that it is still so."""
        while not self._ended.is_set():
            if self._lifecycle.phase != "awake":
                self._notify.extend(_EXTEND_BY, str(self._lifecycle.phase))
            self._ended.wait(_EXTEND_EVERY)

    def _tick(self) -> socket.socket | None:
        """Called by the event loop ten times a second: the watchdog hears the loop itself. A socket is to be listened at."""
        interval = self._notify.watchdog_seconds
        now = time.monotonic()
        if interval is not None and now - self._last_tick >= interval:
            self._last_tick = now
            self._notify.send("WATCHDOG=1")
        if now - self._looked_at < _LOOK_AT_SOCKET:
            return None
        self._looked_at = now
        return self._listen_again()

    def _entered(self, phase: Phase) -> None:
        if self._lock is not None:
            self._lock.note(phase)

    def _on_signal(self, number: int, *_: object) -> None:
        if self._stop.is_set():
            os._exit(130)
        self._asked = signal.Signals(number).name
        self._stop.set()
        if self._loading:
            raise _NotWokenError
        if self._app is not None:
            self._app.interrupt()

    def _dream_pending(self) -> bool:
        """Whether a dream may have to come before the socket, judged without opening the store."""
        home = self._config.home
        if self._no_dream or not self._config.data.is_dir():
            return False
        recorded = _read_json(home / paths.STATUS)
        if not recorded:
            return True
        if not (home / paths.DUE).exists():
            return False
        gate = recorded.get("gate") or {}
        opens = gate.get("opens_at")
        return bool(gate.get("open")) or (isinstance(opens, str) and opens <= _utc_now())


def _utc_now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _read_json(path: Any) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _raise_file_limit() -> None:
    """As many open files as the system allows: each connection is one, and so are those of the tables."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    if soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def serve(config: Config, environ: Mapping[str, str], load: Load, build: Build, *, no_dream: bool) -> int:
    """Be the daemon of ``config.home`` until told to stop. Returns the exit code. Raises MuninnError."""
    os.umask(0o077)
    _raise_file_limit()
    try:
        private_folder(config.home)
    except OSError as error:
        raise MuninnError(f"cannot use {config.home}: {error.strerror}", hint="set MUNINN_HOME") from None
    return Daemon(config, environ, load, build, no_dream=no_dream).run()
