"""Installing and removing hooks leaves a settings file as it was, to the byte."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muninn.errors import ConfigError
from muninn.hooks.settings import EVENTS, apply, hook_command, own_commands, plan_install, plan_uninstall, settings_file

COMMAND = hook_command("/usr/bin/python3", "/opt/muninn hook/__init__.py")
FOREIGN = '{"type": "command", "command": "my-webhook.js metacog"}'

TEXTS = [
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    '{"model":"opus"}',
    '{\n  "model": "opus"\n}\n',
    '{\r\n\t"model": "opus",\r\n\t"env": {"A": "1"}\r\n}\r\n',
    '\ufeff{"model": "opus"}',
    '{"a":1e400,"b":-0.0,"c":123456789012345678901234567890,"d":"\\u00e9\\ud83d\\ude00/\\/","e":[ ],"f":{ } }',
    '{"a": "\\ud800", "\\u0068ooks": {"Stop": [ ]}}',
    '\n\n \t{"a":' + "[" * 150 + "]" * 150 + "}\n ",
    '{"hooks":{}}',
    '{"hooks": {}, "z": 1}',
    '{"hooks": {"PostToolUse": []}}',
    '{\n    "hooks": {\n        "PostToolUse": [ {"matcher": "Bash", "hooks": [' + FOREIGN + "]} ]\n    }\n}",
    '{"hooks":{"Stop":[{"hooks":[' + FOREIGN + "]}],\"PreToolUse\":[]},\n\n\n \"ñ\": \"😀\"  }\n\n\n",
    '{"hooks" : {"SessionEnd":[{"hooks":[' + FOREIGN + "," + FOREIGN + "]}, {}]} }",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_in_and_out_restores_the_bytes(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(text.encode())
    apply(plan_install(file, COMMAND))
    installed = json.loads(file.read_bytes().decode("utf-8-sig"))
    assert own_commands(file.read_text("utf-8")).keys() == set(EVENTS)
    before = json.loads(text.removeprefix("\ufeff"))
    for event, groups in before.get("hooks", {}).items():
        assert installed["hooks"][event][: len(groups)] == groups
    apply(plan_uninstall(file))
    assert file.read_bytes() == text.encode()
    assert [p.name for p in tmp_path.iterdir()] == ["settings.json"]


@pytest.mark.parametrize("text", TEXTS)
def test_a_second_install_changes_nothing_and_a_new_command_replaces_the_old(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(text.encode())
    apply(plan_install(file, COMMAND))
    assert not plan_install(file, COMMAND).changed
    apply(plan_install(file, hook_command("/new/python", "/new/file")))
    assert set(own_commands(file.read_text("utf-8")).values()) == {hook_command("/new/python", "/new/file")}
    apply(plan_uninstall(file))
    assert file.read_bytes() == text.encode()


@pytest.mark.parametrize("text", TEXTS)
def test_what_the_person_changed_in_between_stays(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(text.encode())
    apply(plan_install(file, COMMAND))
    start = file.read_text("utf-8").index("{") + 1
    changed = file.read_text("utf-8")
    file.write_bytes((changed[:start] + '"mine": [1, 2],' + changed[start:]).encode())
    apply(plan_uninstall(file))
    expected = {"mine": [1, 2], **json.loads(text.removeprefix("\ufeff"))}
    assert json.loads(file.read_bytes().decode("utf-8-sig")) == expected
    assert not file.with_name("settings.json.muninn-backup").exists()


def test_a_file_that_was_not_there_is_gone_again(tmp_path: Path) -> None:
    file = settings_file(tmp_path / "home", None)
    apply(plan_install(file, COMMAND))
    assert own_commands(file.read_text()).keys() == set(EVENTS)
    assert file.stat().st_mode & 0o777 == 0o600
    apply(plan_install(file, hook_command("/new/python", "/new/file")))
    apply(plan_uninstall(file))
    assert not file.parent.exists()


def test_nobody_else_may_write_where_hooks_are_read_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        file = settings_file(tmp_path / "home" / "person", None)
        apply(plan_install(file, COMMAND))
    finally:
        os.umask(old)
    assert [folder.stat().st_mode & 0o777 for folder in file.parents[:3]] == [0o755] * 3


def test_own_entries_in_a_shared_group_go_alone(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    mine = json.dumps({"type": "command", "command": COMMAND})
    file.write_text('{"hooks": {"Stop": [{"hooks": [' + FOREIGN + ", " + mine + "]}]}}")
    apply(plan_uninstall(file))
    assert file.read_text() == '{"hooks": {"Stop": [{"hooks": [' + FOREIGN + "]}]}}"


def test_a_link_stays_a_link_and_modes_stay(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text('{"a": 1}')
    real.chmod(0o644)
    file = tmp_path / "settings.json"
    file.symlink_to(real)
    apply(plan_install(file, COMMAND))
    assert file.is_symlink()
    assert own_commands(real.read_text())
    assert real.stat().st_mode & 0o777 == 0o644
    apply(plan_uninstall(file))
    assert real.read_text() == '{"a": 1}'


def test_uninstall_without_hooks_touches_nothing(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text('{"a": 1}')
    assert not plan_uninstall(file).changed
    assert not plan_uninstall(tmp_path / "none.json").changed


@pytest.mark.parametrize(
    ("text", "line"),
    [('{\n  "a": 1,\n}', "line 2, column 9"), ('{\n // why\n "a": 1}', "line 2"), ("", "line 1"), ('{"a": 1}\n{"b": 2}', "line 2"), ("{'a': 1}", "line 1")],
)  # fmt: skip
def test_what_is_not_strict_json_is_refused_with_its_line(tmp_path: Path, text: str, line: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(text)
    with pytest.raises(ConfigError, match=line):
        plan_install(file, COMMAND)
    with pytest.raises(ConfigError, match=line):
        plan_uninstall(file)
    assert file.read_text() == text


@pytest.mark.parametrize("text", ["[]", "3", '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": null}'])
def test_what_has_another_shape_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(text)
    with pytest.raises(ConfigError, match=r"settings\.json"):
        plan_install(file, COMMAND)


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes('{"a": "ñ"}'.encode("latin-1"))
    with pytest.raises(ConfigError, match="UTF-8"):
        plan_install(file, COMMAND)


HANDLER = st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=12)})
GROUP = st.fixed_dictionaries({"hooks": st.lists(HANDLER, max_size=2)}, optional={"matcher": st.text(max_size=5)})
HOOKS = st.dictionaries(st.sampled_from([*EVENTS, "PreToolUse"]), st.lists(GROUP, max_size=2), max_size=4)
SETTINGS = st.dictionaries(
    st.text(max_size=6).filter(lambda k: k != "hooks"),
    st.integers() | st.text(max_size=8) | st.lists(st.booleans()),
    max_size=4,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=20)
@given(SETTINGS, st.none() | HOOKS, st.sampled_from([None, 2, 4, "\t"]), st.booleans())
def test_any_settings_come_back(
    tmp_path: Path, rest: dict[str, object], hooks: dict[str, object] | None, indent: int | str | None, windows: bool
) -> None:
    document = rest if hooks is None else {**rest, "hooks": hooks}
    text = json.dumps(document, indent=indent, ensure_ascii=windows)
    raw = (text.replace("\n", "\r\n") if windows else text).encode("utf-8", "replace")
    file = tmp_path / "settings.json"
    file.write_bytes(raw)
    apply(plan_install(file, COMMAND))
    apply(plan_uninstall(file))
    assert file.read_bytes() == raw


def test_what_cannot_be_read_is_named_and_left_alone(tmp_path: Path) -> None:
    folder, loop, pipe = (tmp_path / name for name in ("folder", "loop", "pipe"))
    folder.mkdir()
    loop.symlink_to(loop)
    os.mkfifo(pipe)
    for file in (folder, loop, pipe):
        with pytest.raises(ConfigError, match=f"cannot read .*{file.name}"):
            plan_install(file, COMMAND)
        with pytest.raises(ConfigError, match=f"cannot read .*{file.name}"):
            plan_uninstall(file)
    assert sorted(tmp_path.iterdir()) == [folder, loop, pipe]
