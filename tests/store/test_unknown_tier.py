"""A tier that nobody knows, found on disk: the store opens, its text counts as legal, and the doctor can name it."""

from __future__ import annotations

from pathlib import Path

import lancedb

from muninn.config import StoreConfig
from muninn.domain.memory import Vault
from muninn.domain.records import Transaction
from muninn.domain.trust import Tier
from muninn.store.lance import LanceStore
from muninn.testing import FakeClock


def test_an_unknown_tier_on_disk_is_legal_and_named(tmp_path: Path) -> None:
    data = tmp_path / "data"
    store = LanceStore(data, StoreConfig())
    store.append(Transaction(vaults=(Vault(name="work", tier=Tier.WORK, created_at=FakeClock().now()),)))
    store.close()
    lancedb.connect(str(data)).open_table("vaults").update(where="key = 'work'", values={"tier": "secret"})
    opened = LanceStore(data, StoreConfig())
    assert [vault.tier for vault in opened.vaults()] == [Tier.LEGAL]
    assert opened.unknown_tiers() == ("secret",)
    opened.close()
