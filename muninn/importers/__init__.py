"""Importers: files and other stores' exports, read as rows for ``muninn import``. They read; the service writes."""

from __future__ import annotations

from muninn.importers.items import FIELDS, Item, Rejected, Remark, Row, Vaults
from muninn.importers.table import IMPORTERS, Importer, importer_for

__all__ = ["FIELDS", "IMPORTERS", "Importer", "Item", "Rejected", "Remark", "Row", "Vaults", "importer_for"]
