"""One tool call as the senses see it, read from a hook payload as Claude Code documents it.

A call failed when the failure event says so, or its response carries a non-zero exit code or an error flag; words in a
successful output mean nothing. What counts for the context is what reaches the model, not what the payload holds: an
edit's copy of the whole file and an image's bytes never do, and long output is cut on its way.
Nothing here trusts a type: any JSON object gives an action or None.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from muninn.senses.redaction import redact
from muninn.senses.signature import Signature, signature

LENGTHS = "muninn_lengths"
"""Payload key under which the hook says how long the strings were that it cut: JSON pointer → characters."""

CHARACTERS_PER_TOKEN = 4
IMAGE_TOKENS = 1_600
CONFIRMATION = 200  # characters the model sees of a written file
READ = 2_000  # characters of a command that are looked at
SHELL_LIMIT = 30_000  # characters of command output that reach the model
RESULT_LIMIT = 100_000


class Doing(StrEnum):
    LOOK = "look"  # changes nothing
    EDIT = "edit"  # writes files
    RUN = "run"  # anything else that can succeed or fail at a purpose
    WAIT = "wait"  # asks for something that is still going on


_EDITS = {"Edit", "Write", "MultiEdit", "NotebookEdit", "ApplyPatch"}
_LOOKS = {"Read", "Grep", "Glob", "LS", "NotebookRead", "WebFetch", "WebSearch", "ToolSearch", "LSP"}
_WAITS = {"BashOutput", "TaskOutput", "AgentOutput", "Monitor", "Sleep", "ScheduleWakeup", "KillShell", "TaskStop"}
_ASKS = {"AskUserQuestion", "ExitPlanMode"}  # the person answers these
_BOOKKEEPING = {
    "TodoWrite",
    "TodoRead",
    "TaskCreate",
    "TaskUpdate",
    "TaskList",
    "TaskGet",
    *_ASKS,
}

_LOOKING = re.compile(
    r"(?:ls|cat|head|tail|less|grep|egrep|rg|ag|fd|find|tree|pwd|wc|stat|file|which|type|env|echo|printf|du|df|ps|date|"
    r"sort|uniq|cut|tr|jq|awk|sed|diff|whoami|uname|git (?:status|log|diff|show|branch|blame|remote|ls-files|rev-parse))\b"
)
_WRITING = re.compile(r"(?<![0-9&>=-])>{1,2}(?!\s*/dev/null|&)|\bsed\b[^|;&]* -i|\btee\b|\bpatch\b|\bgit (?:apply|checkout|restore|stash|reset|merge|rebase|cherry-pick|pull)\b|\bperl\b[^|;&]* -\w*i")  # fmt: skip
_WAITING = re.compile(r"(?:sleep|wait|watch)\b|gh run watch\b")
_SEPARATOR = re.compile(r"&&|\|\||;|\n|\|")
_PREFIX = re.compile(r"(?:(?:sudo|time|nohup|env|command|exec)\s+|\w+=\S*\s+|(?:timeout|nice)\s+(?:-\S+\s+)*\S+\s+)+")
_FREE_ARGUMENTS = {"description", "timeout", "run_in_background", "dangerouslyDisableSandbox"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """``key`` is equal for equal (tool, arguments); ``attempt`` for two tries at the same thing. ``tokens`` reach the model.

    ``target`` is the file read or written, as given. ``label`` is for people, redacted. ``dependants`` is how many files
    import what was just written, None when not known. ``heard``: the person spoke through this call.
    """

    tool: str
    doing: Doing
    key: str
    attempt: str
    label: str
    tokens: int
    target: str = ""
    failed: bool = False
    error: Signature | None = None
    dependants: int | None = None
    bookkeeping: bool = False
    heard: bool = False


def read_action(payload: Mapping[str, Any], *, failure: bool) -> Action | None:
    """The action of a PostToolUse (or, with ``failure``, PostToolUseFailure) payload; None when it names no tool, or when
    a failure is the person's own interruption."""
    tool = _text(payload.get("tool_name"))
    if not tool or (failure and payload.get("is_interrupt") is True):
        return None
    given = payload.get("tool_input")
    arguments: dict[str, Any] = {str(k): v for k, v in given.items()} if isinstance(given, Mapping) else {}
    response = payload.get("tool_response")
    command = _text(arguments.get("command"))
    step = command[:READ]
    error = _text(payload.get("error")) if failure else _reported_error(response)
    target = _text(arguments.get("file_path")) or _text(arguments.get("notebook_path"))
    doing = _doing(tool, step)
    hurt = signature(error or "") if failure or error is not None else None
    if hurt is not None and hurt.mute and doing is Doing.LOOK:
        hurt = None  # a search without hits also exits with 1
    return Action(
        tool=tool[:100],
        doing=doing,
        key=_key(tool, arguments),
        attempt=_attempt(tool, step, target)[:120],
        label=redact((command.strip().splitlines() or [target or tool])[0][:READ])[:80],
        tokens=_tokens(tool, arguments, error if failure else response, _lengths(payload)),
        target=target[:500],
        failed=hurt is not None,
        error=hurt,
        bookkeeping=tool in _BOOKKEEPING,
        heard=tool in _ASKS and hurt is None,
    )


def _text(value: object) -> str:
    """A string that can be kept: lone surrogates, which JSON allows, are replaced."""
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else value.encode("utf-8", "replace").decode()


def _lengths(payload: Mapping[str, Any]) -> Mapping[str, int]:
    given = payload.get(LENGTHS)
    return {str(k): v for k, v in given.items() if isinstance(v, int)} if isinstance(given, Mapping) else {}


def _doing(tool: str, command: str) -> Doing:
    if tool in _EDITS:
        return Doing.EDIT
    if tool in _LOOKS or tool in _BOOKKEEPING:
        return Doing.LOOK
    if tool in _WAITS:
        return Doing.WAIT
    if not command:
        return Doing.RUN
    if _WRITING.search(command):
        return Doing.EDIT
    steps = [step for part in _SEPARATOR.split(command) if (step := _bare(part)) and not step.startswith("cd ")]
    if any(_WAITING.match(step) for step in steps):
        return Doing.WAIT
    return Doing.LOOK if steps and all(_LOOKING.match(step) for step in steps) else Doing.RUN


def _bare(step: str) -> str:
    return _PREFIX.sub("", step.strip(), count=1) if _PREFIX.match(step.strip()) else step.strip()


def _attempt(tool: str, command: str, target: str) -> str:
    """Two calls with the same attempt try the same thing: a program with its first words, or a tool with its file."""
    if not command:
        return f"{tool} {target}".strip()
    steps = [step for part in _SEPARATOR.split(command) if (step := _bare(part)) and not step.startswith("cd ")]
    tokens = (steps[0] if steps else command).split()
    words = [word for word in tokens[1:] if not word.startswith("-") and not word.isdigit()]
    return redact(" ".join([tokens[0].rsplit("/", 1)[-1], *words[:2]])) if tokens else tool


def _key(tool: str, arguments: Mapping[str, Any]) -> str:
    kept = {k: v for k, v in arguments.items() if k not in _FREE_ARGUMENTS}
    if isinstance(kept.get("command"), str):
        kept["command"] = " ".join(kept["command"].split())
    try:
        canonical = json.dumps([tool, kept], sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        canonical = f"{tool} {len(kept)}"
    return hashlib.blake2b(canonical.encode(), digest_size=12).hexdigest()


def _reported_error(response: object) -> str | None:
    """The error that a structured response reports about itself, or None."""
    if not isinstance(response, Mapping):
        return None
    code = next((response[k] for k in ("exitCode", "exit_code", "returnCode", "returncode") if k in response), 0)
    wrong = isinstance(code, int) and not isinstance(code, bool) and code != 0
    flagged = any(response.get(k) is True for k in ("is_error", "isError")) or response.get("success") is False
    if response.get("interrupted") is True or not (wrong or flagged):
        return None
    parts = (response.get(k) for k in ("error", "stderr", "stdout", "content", "message"))
    return "\n".join(filter(None, (_flat(part) for part in parts if part is not None)))[:20_000]


def _flat(value: object) -> str:
    """The text in a response value: strings as they are, text blocks joined."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return _flat(value.get("text", ""))
    if isinstance(value, (list, tuple)):
        return "\n".join(_flat(item) for item in value[:50])
    return ""


def _tokens(tool: str, arguments: Mapping[str, Any], result: object, lengths: Mapping[str, int]) -> int:
    spent = _size(arguments, "/tool_input", lengths)
    if isinstance(result, Mapping) and (tool in _EDITS):
        return (spent + CONFIRMATION) // CHARACTERS_PER_TOKEN
    where = "/error" if isinstance(result, str) and "/error" in lengths else "/tool_response"
    if isinstance(result, Mapping) and result.get("type") == "image":
        return spent // CHARACTERS_PER_TOKEN + IMAGE_TOKENS
    received = _size(result, where, lengths)
    limit = SHELL_LIMIT if tool == "Bash" else RESULT_LIMIT
    return (spent + min(received, limit)) // CHARACTERS_PER_TOKEN


_UNSEEN = {"filePath", "originalFile", "structuredPatch", "base64", "data", "totalTokens", "usage", "type", "mimeType"}


def _size(value: object, where: str, lengths: Mapping[str, int], depth: int = 0) -> int:
    """Characters of a JSON value that reach the model; strings that were cut count in full."""
    if isinstance(value, str):
        return lengths.get(where, len(value))
    if depth > 12:
        return 0
    if isinstance(value, Mapping):
        pairs = ((str(k), v) for k, v in value.items())
        return lengths.get(where, 0) + sum(_size(v, f"{where}/{k}", lengths, depth + 1) for k, v in pairs if k not in _UNSEEN or (depth == 0 and where == "/tool_input"))  # fmt: skip
    if isinstance(value, (list, tuple)):
        return lengths.get(where, 0) + sum(_size(v, f"{where}/{i}", lengths, depth + 1) for i, v in enumerate(value))
    return 0 if value is None else len(str(value))
