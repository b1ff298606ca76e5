"""LanceDB loaded the short way does what the store needs of it, and a failing short way falls back to the long one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = str(Path(__file__).parents[2])
_SHORT = """
import sys
sys.path.insert(0, sys.argv[1])
from muninn.store.lean import import_lancedb
lancedb = import_lancedb()
import pyarrow as pa
table = lancedb.connect(sys.argv[2]).create_table("t", pa.table({"id": ["a"], "n": [1]}))
table.create_index("id", config=lancedb.index.BTree())
table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(pa.table({"id": ["a", "b"], "n": [2, 3]}))
table.optimize()
assert sorted(table.to_arrow().column("n").to_pylist()) == [2, 3]
print(len([name for name in sys.modules if name.startswith("lance_namespace_urllib3_client.")]))
"""
_BROKEN = """
import sys
sys.path.insert(0, sys.argv[1])
from muninn.store import lean
lean._Cover.create_module = lambda self, spec: 1 / 0
assert lean.import_lancedb().connect(sys.argv[2]).list_tables().tables == []
assert not any(isinstance(one, lean._Cover) for one in sys.meta_path)
"""


@pytest.mark.slow
@pytest.mark.parametrize("script", [_SHORT, _BROKEN], ids=["short", "falls back"])
def test_lancedb_loads(tmp_path: Path, script: str) -> None:
    done = subprocess.run([sys.executable, "-c", script, ROOT, str(tmp_path / "db")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
