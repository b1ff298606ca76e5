"""The composition root: the only place that knows every part, and the only one that reads clock, entropy and environment."""

from __future__ import annotations

import gc
import json
import os
import random  # noqa: TID251 - the root injects randomness
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from threading import Event, Thread, local
from typing import Any, Self

from muninn import failpoints, logs, paths
from muninn.atomic import write_atomically
from muninn.clock import SystemClock, Ulids
from muninn.config import Config
from muninn.daemon.health import Footprint, examine, status_document
from muninn.daemon.lock import HomeLock
from muninn.domain.marks import watermarks
from muninn.domain.records import Egress, Transaction
from muninn.domain.trust import Tier
from muninn.dream.engine import Dreamer
from muninn.embed.registry import Embedders
from muninn.errors import MuninnError, ProviderError, StoreError
from muninn.hooks.service import HookService
from muninn.llm.models import Models
from muninn.ports import Clock, Ids
from muninn.recall.choice import read_model
from muninn.service import MemoryService
from muninn.store.lance import LanceStore
from muninn.wordlists import dictionary

EMBED_BATCH = 32
_EMBED_IDLE = 0.2  # seconds between looks when nothing waits
_EMBED_PAUSE = 60.0  # seconds after an embedder failed


class _Ledger:
    """The egress ledger in the store. During a rehearsal (a dry run) only what really left the process is written."""

    def __init__(self, store: LanceStore) -> None:
        self._store = store
        self._here = local()

    @contextmanager
    def rehearsal(self) -> Iterator[None]:
        """For the thread that rehearses; what others try meanwhile is written as always."""
        self._here.rehearsing = True
        try:
            yield
        finally:
            self._here.rehearsing = False

    def record(self, entry: Egress) -> None:
        if getattr(self._here, "rehearsing", False) and not entry.bytes_out:
            return
        self._store.wait(self._store.append(Transaction(egress=(entry,))))


class App:
    """Everything that is running, with one way to end it. Built by ``build``."""

    def __init__(
        self, config: Config, *, lock: HomeLock, environ: Mapping[str, str], clock: Clock, ids: Ids, read_only: bool
    ) -> None:
        self.config = config
        self.clock = clock
        self.ids = ids
        self.read_only = read_only
        self.interrupted = Event()
        self.phase = "asleep"
        self.next_consolidation: datetime | None = None
        self._environ = dict(environ)
        self.person = Path(environ.get("HOME", "/"))
        self._lock = lock
        self.footprint = Footprint(config.data, clock)
        self._log = logs.logger("muninn.app")
        self._closing = Event()
        self.store = LanceStore(config.data, config.store, read_only=read_only)
        self._ledger = _Ledger(self.store)
        self.models = Models(
            config.llm, ledger=self._ledger, clock=clock, ids=ids, environ=environ, jitter=random.random
        )
        self.embedders = Embedders(config, self._endpoint)
        self.read = read_model(self.store, self.embedders, config.recall)
        gc.freeze()  # what is resident stays: the collector need not walk it again and again
        self.service = MemoryService(
            store=self.store, read=self.read, embedders=self.embedders, clock=clock, ids=ids,
            default_vault=config.vault.default,
        )  # fmt: skip
        ids.follow((*self.store.ordered_ids(), *watermarks(self.service.meta())))  # the clock may have been set back
        self.hooks = self._hooks()
        self.dreamer = self._dreamer()
        self._embedding = Thread(target=self._embed_late, name="muninn-embed", daemon=True)
        if not read_only:
            (config.home / paths.STATUS).unlink(missing_ok=True)
            self._name_embedders()
            self.store.start()

    def _hooks(self) -> HookService:
        return HookService(
            self.config.senses,
            clock=self.clock,
            state_dir=self.config.home / "hooks",
            home=self.person,
            remember=self.propose,
            language=self.config.journal.language,
        )

    def _dreamer(self) -> Dreamer:
        return Dreamer(
            self.config,
            service=self.service,
            models=self.models,
            clock=self.clock,
            ids=self.ids,
            interrupted=self.interrupted.is_set,
            rules=lambda: [rule.lesson for rule in self.hooks.working_rules()],
        )

    def _name_embedders(self) -> None:
        """Write into the store's marker who embeds for which tiers, once no vector of another model is left."""
        serving = {tier: self.embedders.for_tier(tier) for tier in Tier}
        named = {tier.value: {"model": one.model, "dimensions": one.dimensions} for tier, one in serving.items()}
        if self.store.marker.embedders != named and not self.service.foreign_models():
            self.store.set_marker(replace(self.store.marker, embedders=named))

    def _endpoint(self, config: Any) -> Any:
        from muninn.embed.endpoint import EndpointEmbedder

        return EndpointEmbedder(config, gate=self.models.gate, key=lambda: self.models.key("openai"))

    def propose(self, body: Mapping[str, object]) -> None:
        """A memory proposed at the end of a session, through the same door as every other."""
        from muninn.api.local import dispatch

        dispatch(self, "POST", "/v1/memories", dict(body), {"X-Muninn-Client": "hook"})

    def interrupt(self) -> None:
        """End what a stop must not wait for: planning, and questions to models. Storage calls go on to their end."""
        self.interrupted.set()
        self.models.close()

    def start_background(self) -> None:
        """Read in what questions and writes need, then embed what waits for its vector."""
        self._embedding.start()

    def _embed_late(self) -> None:
        dictionary.load()
        self.service.warm()
        gc.freeze()  # titles and texts too
        pause = 0.0
        while not self._closing.wait(pause):
            pause = _EMBED_IDLE
            try:
                if self.read.pending_embeddings():
                    self.service.embed_pending(limit=EMBED_BATCH)
                    pause = 0.0
            except ProviderError as error:
                self._log.warning("embedding_pending", error=str(error))
                self._closing.wait(_EMBED_PAUSE)
            except StoreError as error:
                self._log.error("embedding_not_stored", error=str(error))
                self._closing.wait(_EMBED_PAUSE)
            except Exception as error:  # a fault must not end what embeds; status goes on to count what waits
                self._log.error("embedding_failed", error=type(error).__name__, exc_info=error)
                self._closing.wait(_EMBED_PAUSE)

    @contextmanager
    def rehearsal(self) -> Iterator[None]:
        """A dry run: attempts that sent nothing leave no line in the ledger."""
        with self._ledger.rehearsal():
            yield

    def upkeep(self) -> None:
        """What keeps years of notes small: compaction, and letting go of what nothing reads any more."""
        self.dreamer.let_go()
        if not self.interrupted.is_set():  # a stop waits for this, and a later upkeep will do
            self.store.maintain()

    def status(self) -> dict[str, Any]:
        """The status document; counts are of active memories."""
        return status_document(self)

    def doctor(self, *, verify: bool) -> dict[str, Any]:
        return examine(self, verify=verify)

    def astray(self) -> StoreError | None:
        """What to say where the home was renamed or taken away meanwhile."""
        return self._lock.astray()

    def backup(self, folder: str | None) -> dict[str, Any]:
        from muninn.daemon.backup import back_up

        if lost := self.astray():  # a copy of nothing would be made in a home made anew
            raise lost
        return back_up(self, folder)

    def copies_since(self, at: datetime) -> tuple[Path, ...]:
        """Backups, and stores set aside, that may still hold what was stored at ``at``."""
        from muninn.daemon.copies import copies_since

        return copies_since(self.config, at)

    @property
    def socket(self) -> Path:
        return paths.socket_path(self.config.home, self._environ)

    def close(self) -> None:
        """Finish what is under way, put everything on disk, say how things stood, release the lock."""
        self._closing.set()
        if self._embedding.is_alive():
            self._embedding.join()
        self.phase = "asleep"
        with ExitStack() as ending:
            ending.callback(self._lock.close)
            ending.callback(self._leave_status)
            ending.callback(self.store.close)
            ending.callback(self.hooks.close)
            ending.callback(self.models.close)

    def _leave_status(self) -> None:
        """For ``muninn status`` while nobody serves; without it the next start looks for itself."""
        if self.read_only:
            return
        try:
            write_atomically(self.config.home / paths.STATUS, json.dumps(self.status()))
        except (OSError, RuntimeError, MuninnError) as error:
            self._log.error("status_not_written", error=str(error))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def build(
    config: Config,
    *,
    environ: Mapping[str, str] | None = None,
    lock: HomeLock | None = None,
    clock: Clock | None = None,
    ids: Ids | None = None,
    read_only: bool = False,
) -> App:
    """A running App that holds the lock of its home. Raises LockedError, StoreError, ConfigError; leaves nothing behind then.

    ``read_only`` changes no byte under the home: for dry runs and looks at a store that nobody serves.
    """
    environ = os.environ if environ is None else environ
    if environ.get("MUNINN_TEST") == "1":
        failpoints.arm(environ.get("MUNINN_FAILPOINTS", ""))
    lock = lock or HomeLock(config.home, quiet=read_only)
    try:
        return App(
            config, lock=lock, environ=environ, clock=clock or SystemClock(), ids=ids or Ulids(), read_only=read_only
        )
    except BaseException:
        lock.close()
        raise
