"""Automatic links: which memories mention which titles, kept in step with every write."""

from muninn.domain.linking.linker import LinkChanges, Linker
from muninn.domain.linking.orphans import Orphan, orphans
from muninn.domain.linking.vault_index import LinkLimits

__all__ = ["LinkChanges", "LinkLimits", "Linker", "Orphan", "orphans"]
