"""Knows who is speaking, for which project, and what they may read.

Rules: a vault that is not named is the project's for writing, and the project's plus the default one for reading; outside
a project reading spans all. An agent is a model somewhere else, so the text of a legal vault is not handed to it, unless
a person named that vault in a flag or in ``.muninn.toml``; nor is the vault's name. It may add to one, without being told what
is there already, and change nothing in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from muninn.errors import EgressRefusedError, MuninnError, NotFoundError
from muninn.mcp.gateway import Gateway
from muninn.mcp.project import Project, vault_key

Json = dict[str, Any]

PROVENANCE = {
    "session_id": "X-Muninn-Session",
    "agent_role": "X-Muninn-Agent-Role",
    "run_id": "X-Muninn-Run",
    "run_trigger": "X-Muninn-Trigger",
    "iteration": "X-Muninn-Iteration",
}
_TOO_LONG = 256  # characters of a provenance value
_ODD = re.compile(r"[^\w.+ -]+")


@dataclass(slots=True)
class Session:
    """One agent's connection.

    ``nonce``: unlike that of any other session. ``headers``: provenance from the environment. ``epoch``: Unix time now.
    """

    gateway: Gateway
    nonce: str
    project: Project = field(default_factory=Project)
    default_vault: str = "default"
    headers: Mapping[str, str] = field(default_factory=dict)
    epoch: Callable[[], float] = lambda: 0.0
    agent: str = ""

    def introduce(self, client_info: object) -> None:
        """Take the agent's name and version from what it says about itself."""
        if isinstance(client_info, dict):
            words = (str(client_info.get(key) or "") for key in ("name", "version"))
            self.agent = _ODD.sub("", " ".join(word for word in words if word)).strip()[:80]

    @property
    def client(self) -> str:
        return f"mcp/{self.agent}" if self.agent else "mcp"

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        tool: str,
        key: str | None = None,
        provenance: Mapping[str, object] | None = None,
    ) -> Json:
        """One request in this session's name. ``key`` makes a write that is sent twice count once."""
        headers = {"X-Muninn-Session": f"mcp-{self.nonce}", **self.headers}
        headers |= {"X-Muninn-Client": self.client, "X-Muninn-Tool": tool}
        for name, value in (provenance or {}).items():
            if value is not None:
                headers[PROVENANCE[name]] = str(value)[:_TOO_LONG]
        if key is not None:
            headers["Idempotency-Key"] = f"{self.nonce}-{key}"
        return self.gateway.call(method, path, body, headers=headers)

    def writing(self, vault: str | None) -> str | None:
        """Where to write; None leaves it to the daemon."""
        return vault or self.project.vault

    def reading(self, vault: str | None, *, tool: str) -> list[str]:
        """Which vaults to read. Empty when there is none yet. Raises EgressRefusedError, NotFoundError."""
        tiers = self._tiers(tool)
        if vault and vault != "*":
            known = next((name for name in tiers if vault_key(name) == vault_key(vault)), None)
            if known is None:
                if self.project.vault and vault_key(vault) == vault_key(self.project.vault):
                    return []
                names = [name for name in tiers if self._readable(name, tiers[name])]
                raise NotFoundError(f"no vault {vault!r}", hint=f"vaults: {', '.join(names[:20]) or 'none yet'}")
            if not self._readable(known, tiers[known]):
                raise EgressRefusedError(f"vault {known} is legal: its text stays away from models", hint=_LEGAL)
            return [known]
        readable = [name for name in tiers if self._readable(name, tiers[name])]
        if self.project.vault is None or vault == "*":
            return readable
        mine = {vault_key(self.project.vault), vault_key(self.default_vault)}
        return [name for name in readable if vault_key(name) in mine]

    def may_see(self, memory: Mapping[str, object]) -> bool:
        """Whether a memory, or a recall result, may be shown to the agent."""
        return self._readable(str(memory.get("vault", "")), str(memory.get("tier") or ""))

    def require(self, memory: Json) -> Json:
        """The memory. Raises EgressRefusedError when the agent may not see it."""
        if not self.may_see(memory):
            raise EgressRefusedError(f"memory {memory.get('id')} is in a legal vault", hint=_LEGAL)
        return memory

    def require_open(self, memory_id: str, *, tool: str) -> None:
        """Raises EgressRefusedError for a memory that the agent may not see, hence not change; NotFoundError for none."""
        self.require(self.call("GET", path_of("memories", memory_id, "links"), tool=tool))

    def closed_vaults(self, *, tool: str) -> list[str]:
        """The names of the vaults the agent may not read; the names are not for it either."""
        return [name for name, tier in self._tiers(tool).items() if not self._readable(name, tier)]

    def _tiers(self, tool: str) -> dict[str, str]:
        vaults = self.call("GET", "/v1/vaults", tool=tool).get("vaults", [])
        return {str(vault["name"]): str(vault["tier"]) for vault in vaults}

    def _readable(self, vault: str, tier: str) -> bool:
        chosen = self.project.vault if self.project.chosen else None
        return tier != "legal" or (chosen is not None and vault_key(vault) == vault_key(chosen))


_LEGAL = "a person may allow it: muninn mcp --vault NAME, or .muninn.toml"


def path_of(*parts: str, **query: object) -> str:
    """``path_of("memories", id)`` → ``/v1/memories/…``; None values are left out."""
    pairs = {name: value for name, value in query.items() if value is not None}
    return "/v1/" + "/".join(quote(part, safe="") for part in parts) + (f"?{urlencode(pairs)}" if pairs else "")


def explain(error: MuninnError) -> str:
    """An error as one line for the agent."""
    return " ".join(str(error).split())
