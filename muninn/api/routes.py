"""The API as a table: every route once."""

from __future__ import annotations

from muninn.api import dreams, memories, system, transfer, vaults

ROUTES = (*memories.ROUTES, *vaults.ROUTES, *dreams.ROUTES, *transfer.ROUTES, *system.ROUTES)
