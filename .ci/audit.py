"""Known vulnerabilities among the pinned dependencies, as far as a vulnerability service can be asked.

``python .ci/audit.py PIP_AUDIT [SECONDS]``: exit code 1 when a pinned version is known to be vulnerable, else 0. A service
counts as reachable when it knows what is wrong with an old version that everybody knows about; silence, an index that
answers for it, or a proxy that says nothing is found would otherwise pass for "no known vulnerabilities".
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
KNOWN = "jinja2==2.4.1"  # vulnerable since 2014
SERVICES = ("pypi", "osv")
SECONDS = 90.0  # for one audit


def main() -> int:
    command, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    with tempfile.TemporaryDirectory() as folder:
        known = Path(folder, "known.txt")
        known.write_text(KNOWN + "\n", "utf-8")
        service = next((one for one in SERVICES if _vulnerable(_audited(command, one, known, seconds) or [])), None)
    if service is None:
        sys.stdout.write(f"not audited: no vulnerability service answers ({', '.join(SERVICES)})" + "\n")
        return 0
    found = _audited(command, service, ROOT / "requirements-dev.lock", seconds)
    if found is None:
        sys.stdout.write(f"not audited: {service} stopped answering" + "\n")
        return 0
    vulnerable = _vulnerable(found)
    for one in vulnerable:
        fixed = {version for flaw in one["vulns"] for version in flaw.get("fix_versions", ())}
        names = ", ".join(flaw["id"] for flaw in one["vulns"])
        sys.stdout.write(
            f"{one['name']} {one['version']}: {names}; fixed in {', '.join(sorted(fixed)) or 'no release yet'}" + "\n"
        )
    skipped = sum("skip_reason" in one for one in found)
    sys.stdout.write(f"{len(found) - skipped} pinned dependencies audited by {service}, {skipped} unknown to it" + "\n")
    return 1 if vulnerable else 0


def _audited(command: str, service: str, requirements: Path, seconds: float) -> list[dict[str, Any]] | None:
    """Every dependency as pip-audit tells it, or None when it could not tell in time."""
    words = [command, "--progress-spinner", "off", "--format", "json", "--timeout", "10", "--no-deps", "--disable-pip",
             "--vulnerability-service", service, "--requirement", str(requirements)]  # fmt: skip
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=seconds, check=False)
        told: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError, TypeError):
        return None
    return told


def _vulnerable(dependencies: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for one in dependencies if one.get("vulns")]


if __name__ == "__main__":
    sys.exit(main())
