"""Legal text that lies in a looser vault reaches an agent by no tool: not as text, hint, reason or neighbour."""

from __future__ import annotations

import json
from typing import Any

from muninn.api.local import dispatch
from muninn.app import App

SECRET = "Privileged"


def test_legal_rows_of_an_open_vault_stay_away_from_agents(agent: Any, app: App) -> None:
    row = {"content": f"{SECRET}: the Arcos settlement is 40000 EUR", "tier": "legal", "vault": "proj"}
    status, answer = dispatch(app, "POST", "/v1/import", {"rows": [row]}, {})
    assert status == 200
    secret = answer["ids"][0]
    near = agent.use("remember", content="The Arcos settlement is 45000 EUR")
    assert "legal" in agent.refused("link", source=near["id"], target=secret)
    link = {"source": near["id"], "target": secret, "relation": "relates_to"}
    assert dispatch(app, "POST", "/v1/links", link, {})[0] == 201
    shown = [
        near,
        agent.use("recall", query="settlement of Arcos"),
        agent.use("recall", query="settlement of Arcos", vault="proj", include_archived=True),
        agent.use("neighbours", id=near["id"]),
        agent.use("read", id=near["id"]),
        agent.refused("read", id=secret),
        agent.refused("neighbours", id=secret),
    ]
    assert SECRET not in json.dumps(shown)
