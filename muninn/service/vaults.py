"""Vaults: created, found by name, moved to another tier, removed when empty. Names are compared NFKC-casefolded."""

from __future__ import annotations

import difflib
from dataclasses import replace
from datetime import datetime

from muninn.domain.memory import Provenance, Vault, vault_key
from muninn.domain.records import Transaction
from muninn.domain.trust import Tier, default_tier, strictest, valid_vault_name
from muninn.errors import ConflictError, NotFoundError, UsageError
from muninn.service.writer import Writer


class Vaults(Writer):
    def find_vault(self, name: str) -> Vault:
        """The vault of this name. Raises NotFoundError naming the nearest ones."""
        known = self._vaults
        vault = known.get(vault_key(name))
        if vault is None:
            near = difflib.get_close_matches(vault_key(name), list(known), n=3, cutoff=0.4)
            names = ", ".join(known[key].name for key in near or sorted(known)[:5])
            raise NotFoundError(
                f"there is no vault {name[:80]!r}", hint=f"did you mean {names}?" if names else "there are none yet"
            )
        return vault

    def _resolve(self, name: str | None) -> Vault:
        """The vault a write goes to: the one of this name, or a new one with the tier its name asks for."""
        if name is None:
            name = self._default_vault
        vault = self._vaults.get(name) or self._vaults.get(vault_key(name))
        if vault is not None:
            return vault
        name = valid_vault_name(name)
        return self._vaults.get(vault_key(name)) or Vault(
            name=name, tier=default_tier(name), created_at=self._clock.now()
        )

    def create_vault(
        self,
        name: str,
        *,
        tier: Tier | None,
        by: Provenance,
        created_at: datetime | None = None,
    ) -> Vault:
        """Make a vault, or return the one that is there. Raises ConflictError when it exists with another tier."""
        with self._lock:
            vault = self._resolve(name)
            wanted = tier or vault.tier
            existing = vault.key in self._vaults
            if existing and tier is not None and vault.tier is not wanted:
                raise ConflictError(
                    f"vault {vault.name} exists with tier {vault.tier}",
                    hint=f"muninn vault set {vault.name} --tier {wanted}",
                )
            if existing:
                return vault
            vault = replace(vault, tier=wanted, created_at=created_at or vault.created_at)
            position = self._commit(Transaction(vaults=(vault,)))
        self.store.wait(position)
        self._tell("vault_created", by, vault=vault.name, tier=vault.tier.value)
        return vault

    def set_tier(self, name: str, tier: Tier, *, confirmed: bool, by: Provenance) -> Vault:
        """Move a vault and the text in it to another tier. Loosening needs a confirmation.

        Text that came under a stricter tier than the vault's is never loosened with it.
        """
        with self._lock:
            vault = self.find_vault(name)
            if strictest(vault.tier, tier) is vault.tier and tier is not vault.tier and not confirmed:
                raise UsageError(
                    f"moving vault {vault.name} from {vault.tier} to {tier} lets its text go where it could not go before",
                    hint="repeat with --yes if that is what you want",
                )
            changed = replace(vault, tier=tier)
            moved = ((memory, _moved(memory.tier, vault.tier, tier)) for memory in self.read.memories(vault.name))
            rows = tuple(replace(memory, tier=new) for memory, new in moved if memory.tier is not new)
            position = self._commit(Transaction(vaults=(changed,), memories=rows))
        self.store.wait(position)
        self._tell("tier_set", by, vault=vault.name, tier=tier.value)
        return changed

    def remove_vault(self, name: str, *, by: Provenance) -> Vault:
        """Remove an empty vault. Memories are never removed this way."""
        with self._lock:
            vault = self.find_vault(name)
            count = self.read.count(vault.name, active_only=False)
            if count:
                held = "memory" if count == 1 else "memories"
                raise ConflictError(
                    f"vault {vault.name} still holds {count} {held}, archived and forgotten ones included",
                    hint="purge them first (muninn forget ID --purge), or keep the vault",
                )
            position = self._commit(Transaction(drop_vaults=(vault.key,)))
        self.store.wait(position)
        self._tell("vault_removed", by, vault=vault.name)
        return vault


def _moved(own: Tier, before: Tier, after: Tier) -> Tier:
    """The tier of a memory whose vault moves: the vault's, unless its text came under a stricter one."""
    return after if own is before else strictest(own, after)
