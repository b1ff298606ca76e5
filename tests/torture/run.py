"""``python tests/torture/run.py CASE``: one accident after the other, with figures as JSON on stdout.

Everything happens in a folder that is made for it and taken away after (``--keep`` leaves it). Exit code 1 when a promise
was broken; the message says which and with which seed.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "cmd")]
sys.path = [entry for entry in sys.path if entry != str(Path(__file__).parent)]

CASES = (
    "kill",
    "failpoints",
    "nth",
    "pruning",
    "power",
    "full",
    "starts",
    "stops",
    "socket",
    "fuzz",
    "described",
    "endurance",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", action="store_true", help="leave the folder where it is")
    parser.add_argument("--say", action="store_true", help="tell each round on stderr")
    given = parser.parse_args()
    folder = tempfile.mkdtemp(prefix=f"muninn-{given.case}-")
    try:
        module, name = _function(given.case)
        function = getattr(importlib.import_module(f"tests.torture.{module}"), name)
        figures = function(Path(folder), rounds=given.rounds, seed=given.seed, say=given.say)
        sys.stdout.write(json.dumps(figures, indent=1) + "\n")
        return 0
    except AssertionError as error:
        sys.stderr.write(f"BROKEN: {error}\n")
        if given.keep:
            sys.stderr.write(f"kept: {folder}\n")
        return 1
    finally:
        if not given.keep:
            import shutil

            shutil.rmtree(folder, ignore_errors=True)


def _function(case: str) -> tuple[str, str]:
    homes = {"failpoints": "faults", "nth": "faults", "full": "disk", "power": "disk", "starts": "processes", "stops": "processes",
             "socket": "abuse", "described": "fuzz"}  # fmt: skip
    return homes.get(case, case), case


if __name__ == "__main__":
    sys.exit(main())
