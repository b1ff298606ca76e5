"""Importing LanceDB without the client of a remote catalogue, which nobody here calls and which is half of its import.

The generated package consists of value classes with elaborate validation; while ``lancedb`` is imported it is answered
with plain ones. When an import under this cover fails, the cover is taken away and the whole import happens.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_SPARED = "lance_namespace_urllib3_client"


class _Plain:
    """Stands for a class of the spared package, all of which only carry named values."""

    def __init__(self, **values: object) -> None:
        self.__dict__.update(values)


class _Cover(MetaPathFinder, Loader):
    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:  # noqa: ARG002
        return ModuleSpec(name, self, is_package=True) if name.split(".", 1)[0] == _SPARED else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = ModuleType(spec.name)

        def absent(name: str) -> type:
            if name.startswith("__"):
                raise AttributeError(name)
            made = type(name, (_Plain,), {"__module__": spec.name})
            setattr(module, name, made)
            return made

        module.__getattr__ = absent  # type: ignore[method-assign]
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run: names are made when they are asked for."""


def import_lancedb() -> Any:
    """The module ``lancedb``, loaded the short way when that works."""
    if "lancedb" in sys.modules or _SPARED in sys.modules:
        return _complete()
    cover = _Cover()
    sys.meta_path.insert(0, cover)
    try:
        return _complete()
    except Exception:  # a later lancedb may need what is spared: then it gets it
        for name in [name for name in sys.modules if name.split(".", 1)[0] in (_SPARED, "lancedb", "lance_namespace")]:
            if name != "lancedb._lancedb":  # native code starts once in a process
                del sys.modules[name]
    finally:
        sys.meta_path.remove(cover)
    return _complete()


def _complete() -> Any:
    importlib.import_module("lancedb.index")
    return importlib.import_module("lancedb")
