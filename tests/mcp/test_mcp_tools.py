"""What an agent can do, on the real API."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from muninn.app import App
from muninn.mcp.answers import LIMIT, QUOTED
from muninn.mcp.newest import id_at
from muninn.mcp.tools import TOOLS


def test_remember_links_and_carries_provenance(agent: Any) -> None:
    agent.result("initialize", protocolVersion="2025-06-18", clientInfo={"name": "claude-code", "version": "2.1"})
    first = agent.use("remember", content="The deploy checklist lives in ops/deploy.md", title="Deploy checklist")
    assert first["created"] is True
    assert first["vault"] == "proj"
    second = agent.use(
        "remember",
        content="Antes del viernes, el deploy checklist",
        provenance={"agent_role": "reviewer", "run_id": "r1", "run_trigger": "cron", "iteration": 3},
    )
    assert {"to": first["id"], "relation": "mentions"} in second["links"]
    assert agent.use("read", id=second["id"])["provenance"] == {
        "client": "mcp/claude-code 2.1",
        "session_id": "mcp-n4",
        "agent_role": "reviewer",
        "run_id": "r1",
        "run_trigger": "cron",
        "iteration": 3,
        "tool": "remember",
    }


def test_the_same_text_twice_is_known_already(agent: Any) -> None:
    first = agent.use("remember", content="the API listens on port 8443")
    again = agent.use("remember", content="the API listens on port 8443")
    assert again["id"] == first["id"]
    assert again["created"] is False


def test_many_at_once_and_one_bad_one(agent: Any) -> None:
    memories = [{"content": "uno"}, {"content": "   "}, {"content": "tres", "title": "Tres", "kind": "decision"}]
    answer = agent.use("remember_many", memories=memories)
    assert (answer["stored"], answer["refused"]) == (2, 1)
    assert "error" in answer["results"][1]
    assert agent.use("read", id=answer["results"][2]["id"])["kind"] == "decision"


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({}, "memories[1] lacks content"),
        ({"content": ""}, "memories[1].content is empty"),
        ({"content": "x", "kind": "poem"}, "one of: fact"),
        ({"content": "x", "tags": "a"}, "memories[1].tags must be array"),
        ({"content": "x", "vault": "other"}, "memories[1] has no 'vault'"),
    ],
)
def test_one_that_does_not_fit_does_not_stop_the_rest(agent: Any, bad: dict[str, Any], says: str) -> None:
    answer = agent.use("remember_many", memories=[{"content": "uno"}, bad, {"content": "tres"}])
    assert (answer["stored"], answer["refused"]) == (2, 1)
    assert says in answer["results"][1]["error"]
    assert agent.use("read", id=answer["results"][2]["id"])["content"] == "tres"
    assert agent.use("remember_many", memories=[bad])["refused"] == 1


def test_recall_read_edit_forget(agent: Any) -> None:
    made = agent.use("remember", content="The API listens on port 8443 since May")
    found = agent.use("recall", query="which port does the API listen on?")
    assert found["note"] == QUOTED
    assert [hit["id"] for hit in found["results"]] == [made["id"]]
    agent.use("edit", id=made["id"], content="The API listens on port 9443 since June", tags=["api"])
    read = agent.use("read", id=made["id"])
    assert (read["content"], read["tags"]) == ("The API listens on port 9443 since June", ["api"])
    assert agent.use("forget", id=made["id"])["state"] == "forgotten"
    assert agent.use("recall", query="which port does the API listen on?")["results"] == []


def test_link_and_neighbours(agent: Any) -> None:
    a, b = (agent.use("remember", content=text)["id"] for text in ("the DNS resolver is slow", "pods restart at night"))
    made = agent.use("link", source=a, target=b, relation="causes", weight=0.9)
    assert (made["relation"], made["weight"]) == ("causes", 0.9)
    around = agent.use("neighbours", id=b)
    assert [(link["source"], link["relation"]) for link in around["links"]] == [(a, "causes")]
    assert around["memories"][a]["title"]
    agent.use("link", source=a, target=b, relation="causes", remove=True)
    assert agent.use("neighbours", id=b)["links"] == []


def test_reading_spans_the_project_and_the_default_vault(agent: Any, hire: Callable[..., Any]) -> None:
    agent.use("remember", content="we use tabs in this project")
    hire(None).use("remember", content="I prefer tabs everywhere")
    hire("elsewhere").use("remember", content="elsewhere they use tabs too")
    assert {hit["vault"] for hit in agent.use("recall", query="tabs")["results"]} == {"proj", "default"}
    assert {hit["vault"] for hit in agent.use("recall", query="tabs", vault="elsewhere")["results"]} == {"elsewhere"}
    everywhere = {"proj", "default", "elsewhere"}
    assert {hit["vault"] for hit in agent.use("recall", query="tabs", vault="*")["results"]} == everywhere
    assert {hit["vault"] for hit in hire(None).use("recall", query="tabs")["results"]} == everywhere
    assert "proj" in agent.refused("recall", query="tabs", vault="nowhere")


def test_a_project_without_memories_is_empty_not_an_error(agent: Any) -> None:
    assert agent.use("recall", query="anything") == {"results": [], "abstained": True, "searched": []}
    assert agent.use("recall", query="anything", vault="proj")["results"] == []
    assert agent.use("vaults") == {"vaults": [], "writes_go_to": "proj"}


def test_legal_text_stays_away_from_agents(agent: Any, hire: Callable[..., Any]) -> None:
    lawyer = hire("legal-acme", chosen=True)
    secret = lawyer.use("remember", content="the settlement with Acme is 40,000", title="Acme settlement")["id"]
    open_one = agent.use("remember", content="the settlement of the dispute with Acme")["id"]
    assert lawyer.use("recall", query="settlement")["results"][0]["id"] == secret
    assert lawyer.use("read", id=secret)["content"].startswith("the settlement")
    for tool, arguments in (
        ("read", {"id": secret}),
        ("neighbours", {"id": secret}),
        ("recall", {"query": "settlement", "vault": "LEGAL-acme"}),
        ("edit", {"id": secret, "content": "the settlement with Acme is 4"}),
        ("edit", {"id": secret, "tags": ["x"]}),
        ("forget", {"id": secret}),
        ("link", {"source": secret, "target": open_one}),
        ("link", {"source": open_one, "target": secret}),
        ("remember", {"content": "there is no settlement", "vault": "legal-acme", "supersedes": secret}),
    ):
        assert "legal" in agent.refused(tool, **arguments)
    before = lawyer.use("read", id=secret)
    for outsider in (agent, hire(None), hire("legal-acme")):
        shown = json.dumps(
            [
                outsider.use("recall", query="settlement with Acme 40,000", vault="*"),
                outsider.use("vaults") if outsider.session.project.vault != "legal-acme" else {},
                outsider.result("resources/list"),
                outsider.result("prompts/get", name="where_did_we_leave_off"),
            ]
        )
        assert "40,000" not in shown
        assert "legal-acme" not in shown
        assert secret not in shown
    told = [
        agent.use("remember", content=f"the settlement with Acme is {amount}", vault="legal-acme")
        for amount in ("40,000", "41,000")
    ]
    assert told[0] == told[1], "what is there already is not told by the answer"
    assert not {"id", "created", "similar", "links"} & told[0].keys()
    many = agent.use(
        "remember_many", memories=[{"content": "x", "supersedes": secret}, {"content": "y"}], vault="legal-acme"
    )
    assert "legal" in many["results"][0]["error"]
    assert many["results"][1].keys() == {"stored", "sealed"}
    after = lawyer.use("read", id=secret)
    assert {name: after[name] for name in ("title", "content", "state")} == {
        name: before[name] for name in ("title", "content", "state")
    }
    assert len(lawyer.use("recall", query="settlement with Acme 41,000")["results"]) > 1
    assert "40,000" in json.dumps(lawyer.result("prompts/get", name="where_did_we_leave_off"))


def test_agents_name_memories_whole_so_that_guesses_find_none(agent: Any, hire: Callable[..., Any]) -> None:
    secret = hire("legal-acme", chosen=True).use("remember", content="the settlement with Acme is 40,000")["id"]
    other = agent.use("remember", content="tabs, not spaces")["id"]
    guess = secret[:-1]
    for tool, arguments in (
        ("read", {"id": guess}),
        ("neighbours", {"id": guess}),
        ("edit", {"id": guess, "tags": ["x"]}),
        ("forget", {"id": guess}),
        ("link", {"source": other, "target": guess}),
        ("read", {"id": secret[:6]}),
    ):
        refusal = agent.refused(tool, **arguments)
        assert "there is no memory" in refusal
        assert secret not in refusal


def test_answers_are_bounded_and_say_what_was_cut(agent: Any) -> None:
    text = "abc " * 30_000
    long = agent.use("remember", content=text)["id"]
    for n in range(20):
        agent.use("remember", content=f"{n} " + "quite a long memory about whales " * 200)
    result = agent.result("tools/call", name="recall", arguments={"query": "whales", "limit": 25})
    assert len(result["content"][0]["text"]) <= LIMIT
    assert json.loads(result["content"][0]["text"])["truncated"] is True
    read, pieces, offset = {"next_offset": 0}, [], 0
    while "next_offset" in read:
        read = agent.use("read", id=long, offset=read["next_offset"])
        pieces.append(read["content"])
        offset += 1
    assert "".join(pieces) == text
    assert offset == 8


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("recall", {}, "lacks query"),
        ("recall", {"query": ""}, "query is empty"),
        ("recall", {"query": "x", "limit": 26}, "1 to 25"),
        ("recall", {"query": "x", "limit": True}, "integer"),
        ("recall", {"query": 5}, "query must be string"),
        ("recall", {"query": "x", "wat": 1}, "no 'wat'"),
        ("remember", {"content": "   "}, "blank"),
        ("remember", {"content": "x", "kind": "poem"}, "one of: fact"),
        ("remember", {"content": "x", "provenance": {"who": "me"}}, "no 'who'"),
        ("remember", {"content": "x", "tags": "a"}, "tags must be array"),
        ("remember_many", {"memories": []}, "1 to 100"),
        ("remember_many", {"memories": [{"content": "a"}, "b"]}, "memories[1] must be object"),
        ("read", {"id": "nope"}, "no memory 'nope'"),
        ("read", {"id": "../../v1/vaults"}, "no memory"),
        ("edit", {"id": "nope", "tags": []}, "no memory 'nope'"),
        ("link", {"source": "a", "target": "b", "relation": "likes"}, "one of: relates_to"),
        ("journal", {"since": "yesterday"}, "yesterday"),
    ],
)
def test_what_does_not_fit_is_told_to_the_model(agent: Any, tool: str, arguments: dict[str, Any], says: str) -> None:
    assert says in agent.refused(tool, **arguments)


def test_every_tool_is_described(agent: Any) -> None:
    listed = agent.result("tools/list")["tools"]
    assert 10 <= len(listed) <= 12
    for tool in listed:
        assert len(tool["description"]) > 40
        assert tool["inputSchema"]["type"] == "object"
        assert set(tool["inputSchema"]["required"]) <= set(tool["inputSchema"]["properties"])
    reading = {tool["name"] for tool in listed if tool["annotations"]["readOnlyHint"]}
    assert reading == {"recall", "read", "neighbours", "vaults", "journal", "suggestions", "status"}
    assert len(json.dumps(listed)) < 16_000  # every session pays for this text


def test_writes_carry_an_idempotency_key_of_their_own(agent: Any) -> None:
    arguments: dict[str, dict[str, Any]] = {
        "remember": {"content": "one"},
        "remember_many": {"memories": [{"content": "two"}]},
    }
    for name in arguments:
        agent.use(name, **arguments[name])
    made = agent.use("remember", content="three")["id"]
    agent.use("edit", id=made, tags=["x"])
    agent.use("forget", id=made)
    keys = [headers["Idempotency-Key"] for headers in agent.caller.headers if "Idempotency-Key" in headers]
    assert len(keys) == len(set(keys)) == 5
    assert {tool.name for tool in TOOLS if tool.writes} == {"remember", "remember_many", "edit", "forget", "link"}


def test_resources_and_templates(agent: Any) -> None:
    made = [agent.use("remember", content=f"memoria número {n}")["id"] for n in range(60)]
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = agent.result("resources/list", **cursor)
        seen += [resource["uri"] for resource in page["resources"]]
        if "nextCursor" not in page:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert seen == ["muninn://journal", *(f"muninn://memories/{one}" for one in sorted(made))]
    contents = agent.result("resources/read", uri=seen[1])["contents"][0]
    assert json.loads(contents["text"])["content"].startswith("memoria número")
    assert "No dreams yet" in agent.result("resources/read", uri="muninn://journal")["contents"][0]["text"]
    assert agent.request("resources/read", uri="muninn://memories/nope")["error"]["code"] == -32002
    assert agent.request("resources/read", uri="file:///etc/passwd")["error"]["code"] == -32002
    assert agent.result("resources/list", cursor="odd")["resources"] == []


def test_where_did_we_leave_off_shows_the_newest_first(agent: Any, app: App) -> None:
    for n in range(30):
        agent.use("remember", content=f"step {n} of the migration is done")
    text = agent.result("prompts/get", name="where_did_we_leave_off")["messages"][0]["content"]["text"]
    assert text.index("step 29") < text.index("step 20")
    assert "step 10 " not in text
    topic = agent.result("prompts/get", name="where_did_we_leave_off", arguments={"topic": "step 3 of the migration"})
    assert "step 3 of" in topic["messages"][0]["content"]["text"]
    assert agent.request("prompts/get", name="nope")["error"]["code"] == -32602
    assert agent.request("prompts/get", name="where_did_we_leave_off", arguments={"x": "y"})["error"]["code"] == -32602
    assert "journal" in agent.result("prompts/get", name="what_did_the_night_bring")["messages"][0]["content"]["text"]
    assert id_at(0) == "0" * 10


def test_the_journal_comes_without_lines_on_legal_vaults(agent: Any, hire: Callable[..., Any], app: App) -> None:
    hire("legal-acme", chosen=True).use("remember", content="privileged")
    for n in range(3):
        agent.use("remember", content=f"ordinary {n}")
    app.dreamer.dream(kind="dream", force=True, dry_run=False, vault=None, timeout=30.0, llm=False, plan=None)
    text = agent.use("journal")["entries"][0]["text"]
    assert "Dream" in text
    assert "legal-acme" not in text
    assert "legal-acme" in hire("legal-acme", chosen=True).use("journal")["entries"][0]["text"]
