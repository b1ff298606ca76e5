"""muninn goes into the settings of agents and out again; what the person had stays, byte for byte."""

from __future__ import annotations

import io
import json
import os
import stat
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from muninn.agents import tomledit
from muninn.agents.ledger import Ledger
from muninn.agents.places import AGENTS, BY_NAME, Agent, Form, Launch, Machine
from muninn.agents.setup import ADD, KEEP, REFUSE, REMOVE, apply, plan, plan_removal, snippet
from muninn.errors import ConfigError, ConflictError
from muninn.hooks.settings import EVENTS, own_commands

LAUNCH = Launch("/opt/muninn/bin/muninn", environ={"MUNINN_HOME": "/data/m"})
FOREIGN = '{\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t"other": {"command": "x", "args": ["ñ"]}\n\t}\n}\n'
COMMENTED = '{\n  // mine\n  "servers": {\n    "other": {"command": "x"}, // keep\n  },\n}\n'


class Person:
    """A home folder with settings, and a ledger in it."""

    def __init__(self, home: Path, *, platform: str = "linux") -> None:
        self.machine = Machine(home=home, platform=platform)
        self.ledger_folder = home / ".muninn" / "agents"

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.ledger_folder)

    def file(self, name: str) -> Path:
        file = BY_NAME[name].file(self.machine)
        assert file is not None
        return file

    def has(self, name: str, content: str | bytes) -> Path:
        file = self.file(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def install(self, *names: str, launch: Launch = LAUNCH) -> list[str]:
        ledger = self.ledger
        changes = plan([BY_NAME[name] for name in names], self.machine, launch, ledger)
        for change in changes:
            apply(change, ledger)
        return [change.action for change in changes]

    def leave(self) -> list[str]:
        ledger = self.ledger
        changes = plan_removal(AGENTS, self.machine, ledger)
        for change in changes:
            apply(change, ledger)
        return [change.action for change in changes]


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


def entry(person: Person, name: str) -> object:
    agent, text = BY_NAME[name], person.file(name).read_text("utf-8")
    if agent.form is Form.TOML:
        return tomledit.read(text, agent.path)
    from muninn.agents import jsonedit

    return jsonedit.read(text, agent.path, comments=agent.form is Form.JSONC)


def tree(folder: Path) -> dict[str, bytes]:
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {name: data for name, data in files.items() if not name.startswith(".muninn")}


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_into_nothing_and_out_again(person: Person, agent: Agent) -> None:
    assert person.install(agent.name) == [ADD]
    assert entry(person, agent.name) == agent.entry(LAUNCH)
    assert stat.S_IMODE(person.file(agent.name).stat().st_mode) == 0o600
    assert person.install(agent.name) == [KEEP]
    assert person.leave() == [REMOVE]
    assert tree(person.machine.home) == {}
    assert [path.name for path in person.machine.home.iterdir()] == [".muninn"]
    assert person.leave() == []


CASES = {
    "foreign servers": ("claude-code", FOREIGN),
    "empty object": ("cursor", "{}"),
    "empty file": ("windsurf", ""),
    "blank file": ("windsurf", "\n\n"),
    "byte order mark": ("claude-desktop", "\ufeff{}\r\n"),
    "windows line ends": ("claude-desktop", '{\r\n  "mcpServers": {\r\n  }\r\n}'),
    "comments": ("vscode", COMMENTED),
    "one line": ("opencode", '{"$schema": "https://opencode.ai/config.json", "mcp": {}}'),
    "toml": ("codex", '# mine\nmodel = "o3"\n\n[mcp_servers.other]\ncommand = "x"\n'),
    "toml without a final line end": ("codex", 'model = "o3"'),
    "toml with windows line ends": ("codex", '[a]\r\nb = 1\r\n'),
    "empty toml": ("codex", ""),
}  # fmt: skip


@pytest.mark.parametrize(("name", "text"), CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("keep_hash", [True, False])
def test_the_bytes_come_back(person: Person, name: str, text: str, keep_hash: bool) -> None:
    file = person.has(name, text)
    file.chmod(0o644)
    before = tree(person.machine.home)
    assert person.install(name) == [ADD]
    assert entry(person, name) == BY_NAME[name].entry(LAUNCH)
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    assert person.install(name) == [KEEP]
    if not keep_hash and text.strip():  # as if touched since: our entry is cut out instead of the copy put back
        listing = person.ledger_folder / "agents.json"
        listing.write_text(listing.read_text().replace('"after": "', '"after": "x'))
    assert person.leave() == [REMOVE]
    assert tree(person.machine.home) == before


def test_what_the_person_adds_in_between_stays(person: Person) -> None:
    file = person.has("cursor", FOREIGN)
    person.install("cursor")
    changed = file.read_text().replace('"dark"', '"light"').replace('"other"', '"another"')
    file.write_text(changed)
    assert person.install("cursor", launch=Launch("/new/place/muninn")) == [ADD]
    assert "/new/place" in file.read_text()
    person.leave()
    assert file.read_text() == FOREIGN.replace('"dark"', '"light"').replace('"other"', '"another"')


def test_a_file_of_ours_that_others_use_too_is_not_deleted(person: Person) -> None:
    person.install("cursor")
    file = person.file("cursor")
    document = json.loads(file.read_text())
    document["mcpServers"]["theirs"] = {"command": "y"}
    file.write_text(json.dumps(document, indent=2))
    person.leave()
    assert json.loads(file.read_text()) == {"mcpServers": {"theirs": {"command": "y"}}}


def test_a_new_command_replaces_the_old_entry(person: Person) -> None:
    for name in ("claude-code", "codex"):
        person.has(name, "" if name == "codex" else FOREIGN)
        before = tree(person.machine.home)
        person.install(name)
        assert person.install(name, launch=Launch("/elsewhere/muninn")) == [ADD]
        assert "/opt/muninn" not in person.file(name).read_text()
        person.leave()
        assert tree(person.machine.home) == before


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("claude-code", "{ // no\n}", "line 1, column 3"),
        ("claude-code", '{"a": 1,}', "line 1, column 8"),
        ("vscode", '{"servers": ', "line 1"),
        ("cursor", '{"mcpServers": []}', "a list"),
        ("cursor", "[]", "a list"),
        ("cursor", b'{"a": "\xff"}', "UTF-8"),
        ("codex", "a = \n", "line 1"),
        ("codex", 'mcp_servers = {other = {command = "x"}}\n', "mcp_servers"),
        ("cursor", '{"mcpServers": {"muninn": {"command": "mine"}}}', "somebody else"),
        ("codex", '[mcp_servers.muninn]\ncommand = "mine"\n', "somebody else"),
    ],
)
def test_what_cannot_be_edited_is_left_alone_and_explained(
    person: Person, name: str, content: str | bytes, why: str
) -> None:
    person.has(name, content)
    before = tree(person.machine.home)
    (change,) = plan([BY_NAME[name]], person.machine, LAUNCH, person.ledger)
    assert change.action == REFUSE
    assert why in change.why
    assert "/opt/muninn/bin/muninn" in change.snippet
    apply(change, person.ledger)
    assert tree(person.machine.home) == before


def test_a_file_that_cannot_be_parsed_at_removal_is_left_alone(person: Person) -> None:
    file = person.has("cursor", FOREIGN)
    person.install("cursor")
    file.write_text(file.read_text() + "oops")
    broken = file.read_text()
    (change,) = plan_removal(AGENTS, person.machine, person.ledger)
    assert change.action == REFUSE
    apply(change, person.ledger)
    assert file.read_text() == broken
    assert person.ledger.entries


def test_a_change_under_our_hands_is_noticed(person: Person) -> None:
    file = person.has("cursor", FOREIGN)
    (change,) = plan([BY_NAME["cursor"]], person.machine, LAUNCH, person.ledger)
    file.write_text("{}")
    with pytest.raises(ConflictError, match="changed meanwhile"):
        apply(change, person.ledger)
    assert file.read_text() == "{}"


def test_symbolic_links_stay_links(person: Person, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "mcp.json"
    real.parent.mkdir()
    real.write_text(FOREIGN)
    link = person.file("cursor")
    link.parent.mkdir()
    link.symlink_to(real)
    person.install("cursor")
    assert link.is_symlink()
    assert "muninn" in real.read_text()
    person.leave()
    assert real.read_text() == FOREIGN


def test_agents_are_found_by_what_they_leave_behind(tmp_path: Path) -> None:
    def found(machine: Machine) -> set[str]:
        return {agent.name for agent in AGENTS if agent.present(machine)}

    linux = Machine(home=tmp_path, platform="linux")
    assert found(linux) == set()
    for folder in (
        ".claude",
        ".cursor",
        ".codex",
        ".codeium/windsurf",
        ".config/opencode",
        ".config/Code/User",
        ".config/Claude",
    ):
        (tmp_path / folder).mkdir(parents=True)
    assert found(linux) == set(BY_NAME)
    mac = Machine(home=tmp_path, platform="darwin")
    assert found(mac) == {"claude-code", "cursor", "codex", "windsurf", "opencode"}
    assert "Library" in str(BY_NAME["claude-desktop"].file(mac))
    moved = Machine(
        home=tmp_path,
        platform="linux",
        environ={"CODEX_HOME": "/c", "CLAUDE_CONFIG_DIR": "/d", "XDG_CONFIG_HOME": "rel"},
    )
    assert BY_NAME["codex"].file(moved) == Path("/c/config.toml")
    assert BY_NAME["claude-code"].file(moved) == Path("/d/.claude.json")
    assert BY_NAME["vscode"].file(moved) == tmp_path / ".config/Code/User/mcp.json"


def test_inside_a_project_only_agents_that_have_such_a_file(tmp_path: Path) -> None:
    machine = Machine(home=tmp_path / "home", platform="linux", project=tmp_path)
    changes = plan(AGENTS, machine, Launch("muninn"), Ledger(tmp_path / "l"))
    assert {str(change.file.relative_to(tmp_path)) for change in changes} == {
        ".mcp.json", ".cursor/mcp.json", ".codex/config.toml", ".vscode/mcp.json", "opencode.json"}  # fmt: skip


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_snippets_are_what_the_agent_reads(agent: Agent) -> None:
    text = snippet(agent, LAUNCH)
    document: object = tomllib.loads(text) if agent.form is Form.TOML else json.loads(text)
    for step in agent.path:
        assert isinstance(document, dict)
        document = document[step]
    assert document == agent.entry(LAUNCH)


def test_a_damaged_ledger_is_named(person: Person) -> None:
    person.ledger_folder.mkdir(parents=True)
    (person.ledger_folder / "agents.json").write_text("{")
    with pytest.raises(ConfigError, match=r"agents\.json"):
        _ = person.ledger


@pytest.fixture
def muninn(person: Person, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    from muninn_cmd.app import run

    monkeypatch.chdir(person.machine.home)

    def call(*words: str, code: int = 0) -> str:
        environ = {"HOME": str(person.machine.home), "PATH": os.environ["PATH"]}
        assert run(["init", *words], environ) == code
        return capsys.readouterr().out

    return call


def test_the_verb_from_end_to_end(person: Person, muninn: Callable[..., str]) -> None:
    assert "No agent found" in muninn()
    person.has("cursor", FOREIGN)
    person.has("vscode", COMMENTED)
    broken = person.has("windsurf", "{ // mine\n}")
    before = tree(person.machine.home)
    assert "would be" in muninn("--dry-run", code=1)
    assert tree(person.machine.home) == before
    assert not person.ledger_folder.exists()
    said = muninn(code=1)
    assert f"Cursor: added to {person.file('cursor')}" in said
    assert "left alone" in said
    assert broken.read_text() == "{ // mine\n}"
    rows = json.loads(muninn("--json", code=1))["changes"]
    assert {row["agent"]: row["action"] for row in rows} == {"cursor": "keep", "vscode": "keep", "windsurf": "refuse"}
    assert "taken out of" in muninn("--remove")
    assert tree(person.machine.home) == before
    assert "Nothing of muninn" in muninn("--remove")
    assert '"mcpServers"' in muninn("--print", "--agent", "claude-code")
    muninn("--agent", "emacs", code=2)


SETTINGS = '{\n  "theme": "dark",\n  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}\n}'


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("words", "answers", "hooked"),
    [
        (("--yes",), "", True), (("--yes", "--no-hooks"), "", False), ((), None, False), ((), "y\ny\n", True), ((), "\nno\n", False),
    ],
)  # fmt: skip
def test_claude_code_is_offered_its_hooks_and_gives_every_byte_back(
    person: Person, muninn: Callable[..., str], monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...], answers: str | None, hooked: bool,
) -> None:  # fmt: skip
    person.has("claude-code", FOREIGN)
    settings = person.machine.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(SETTINGS)
    before = tree(person.machine.home)
    if answers:
        monkeypatch.setattr("sys.stdin", _Terminal(answers))
    said = muninn(*words)
    assert f"Claude Code: added to {person.file('claude-code')}" in said
    assert (f"Claude Code's hooks: added to {settings}" in said) is hooked
    assert ("muninn hook install" in said) is not hooked
    assert len(own_commands(settings.read_text())) == (len(EVENTS) if hooked else 0)
    if hooked:
        rows = json.loads(muninn("--yes", "--json"))["changes"]
        assert [(row["file"], row["action"]) for row in rows] == [
            (str(person.file("claude-code")), "keep"), (str(settings), "keep"),
        ]  # fmt: skip
    monkeypatch.setattr("sys.stdin", io.StringIO())
    said = muninn("--remove")
    assert ("Claude Code's hooks: taken out of" in said) is hooked
    assert tree(person.machine.home) == before


def test_settings_that_do_not_parse_keep_claude_code_from_its_hooks_only(
    person: Person, muninn: Callable[..., str]
) -> None:
    person.has("claude-code", FOREIGN)
    settings = person.machine.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text("{ // mine\n}")
    said = muninn("--yes", code=1)
    assert "Claude Code: added to" in said
    assert f"Claude Code's hooks: left alone: {settings}: line 1, column 3" in said
    assert said.count(f"{settings}:") == 1
    assert settings.read_text() == "{ // mine\n}"
    assert "hooks" not in muninn("--remove", "--yes")
    assert "hooks" not in muninn("--remove", "--agent", "cursor")


def test_a_dry_run_shows_the_hooks_and_writes_nothing(person: Person, muninn: Callable[..., str]) -> None:
    person.has("claude-code", FOREIGN)
    before = tree(person.machine.home)
    rows = json.loads(muninn("--dry-run", "--json"))["changes"]
    assert [row["action"] for row in rows] == ["add", "add"]
    assert "UserPromptSubmit" in rows[1]["difference"]
    assert tree(person.machine.home) == before
