"""Trust tiers, strictest first, and the one table that says which text may reach which model.

Nothing is allowed unless the table names it: an unknown provider, place or purpose is refused, an unknown stored tier is
treated as legal. The text a memory was written under keeps its tier wherever it goes; mixed text takes the strictest.
"""

from __future__ import annotations

import ipaddress
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from muninn.errors import UsageError


class Tier(StrEnum):
    LEGAL = "legal"
    WORK = "work"
    PERSONAL = "personal"
    PROJECT = "project"
    GLOBAL = "global"


_STRICTEST_FIRST = tuple(Tier)


def strictest(*tiers: Tier) -> Tier:
    """The tier that governs text drawn from all of ``tiers``."""
    return min(tiers, key=_STRICTEST_FIRST.index)


def looser(new: Tier, old: Tier) -> bool:
    """Whether moving a vault from ``old`` to ``new`` lets its text reach more models."""
    return _STRICTEST_FIRST.index(new) > _STRICTEST_FIRST.index(old)


def parse_tier(text: str) -> Tier:
    """The tier a person or a request named. Raises UsageError; there is no nearest guess for trust."""
    try:
        return Tier(text.strip().casefold())
    except ValueError:
        raise UsageError(f"unknown tier {text!r}", hint=f"one of: {', '.join(Tier)}") from None


class Location(StrEnum):
    """Where a model runs, as far as it can be proved: by the address connected to, or by TLS to the provider's own host."""

    IN_PROCESS = "in-process"
    LOOPBACK = "loopback"
    OFFICIAL = "official"
    REMOTE = "remote"


class Purpose(StrEnum):
    """What the text is for. A probe carries no memory text: it asks a server what it is."""

    CONSOLIDATE = "consolidate"
    EMBED = "embed"
    PROBE = "probe"


PROVIDERS = ("ollama", "anthropic", "openai")
IN_PROCESS = "in-process"
OFFICIAL_HOSTS: Mapping[str, str] = {"anthropic": "api.anthropic.com", "openai": "api.openai.com"}

_Place = tuple[str, Location]
_INSIDE: frozenset[_Place] = frozenset({(IN_PROCESS, Location.IN_PROCESS)})
_OLLAMA_HERE: frozenset[_Place] = frozenset({("ollama", Location.LOOPBACK)})
_ANTHROPIC: frozenset[_Place] = frozenset({("anthropic", Location.OFFICIAL), ("anthropic", Location.LOOPBACK)})
_ANYWHERE: frozenset[_Place] = frozenset((p, where) for p in PROVIDERS for where in Location if where != "in-process")
_NOWHERE: frozenset[_Place] = frozenset()

POLICY: Mapping[tuple[Tier, Purpose], frozenset[_Place]] = {
    (Tier.LEGAL, Purpose.CONSOLIDATE): _NOWHERE,
    (Tier.LEGAL, Purpose.EMBED): _INSIDE,
    (Tier.LEGAL, Purpose.PROBE): _NOWHERE,
    (Tier.WORK, Purpose.CONSOLIDATE): _OLLAMA_HERE | _ANTHROPIC,
    (Tier.WORK, Purpose.EMBED): _INSIDE | _OLLAMA_HERE,
    (Tier.WORK, Purpose.PROBE): _OLLAMA_HERE | _ANTHROPIC,
    (Tier.PERSONAL, Purpose.CONSOLIDATE): _OLLAMA_HERE | _ANTHROPIC,
    (Tier.PERSONAL, Purpose.EMBED): _INSIDE | _OLLAMA_HERE,
    (Tier.PERSONAL, Purpose.PROBE): _OLLAMA_HERE | _ANTHROPIC,
    (Tier.PROJECT, Purpose.CONSOLIDATE): _ANYWHERE,
    (Tier.PROJECT, Purpose.EMBED): _INSIDE | _ANYWHERE,
    (Tier.PROJECT, Purpose.PROBE): _ANYWHERE,
    (Tier.GLOBAL, Purpose.CONSOLIDATE): _ANYWHERE,
    (Tier.GLOBAL, Purpose.EMBED): _INSIDE | _ANYWHERE,
    (Tier.GLOBAL, Purpose.PROBE): _ANYWHERE,
}


@dataclass(frozen=True, slots=True)
class Ruling:
    """Whether text may go, and the sentence that the ledger and the dream report show."""

    allowed: bool
    why: str


def rule(tier: object, provider: str, *, location: str, purpose: str) -> Ruling:
    """The ruling for one text, one place, one purpose. Total: whatever it does not know, it refuses."""
    try:
        places = POLICY[Tier(tier), Purpose(purpose)]  # type: ignore[arg-type]
        place = (provider, Location(location))
    except ValueError:
        return Ruling(False, f"no rule for tier {tier!s}, {provider} ({location}), purpose {purpose}")
    if place in places:
        return Ruling(True, f"tier {tier} allows {provider} ({location})")
    if tier == Tier.LEGAL:
        return Ruling(False, "tier legal: its text never leaves the process")
    allowed = ", ".join(sorted(f"{name} ({where})" for name, where in places)) or "nothing"
    return Ruling(False, f"tier {tier} does not allow {provider} ({location}); it allows {allowed}")


def places_for(tier: Tier, provider: str, *, purpose: str) -> frozenset[Location]:
    """The locations at which ``provider`` may see text of ``tier``; empty when none."""
    return frozenset(where for where in Location if rule(tier, provider, location=where, purpose=purpose).allowed)


def providers_for(tier: Tier, configured: Iterable[str], *, purpose: str = Purpose.CONSOLIDATE) -> tuple[str, ...]:
    """The configured providers that ``tier`` could use at some location, in configured order, each once."""
    return tuple(name for name in dict.fromkeys(configured) if places_for(tier, name, purpose=purpose))


def address_location(address: str) -> Location:
    """LOOPBACK for 127/8, ::1 and 127/8 mapped into IPv6; REMOTE for everything else, this machine's own LAN address included."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return Location.REMOTE
    mapped = getattr(ip, "ipv4_mapped", None)
    return Location.LOOPBACK if (mapped or ip).is_loopback else Location.REMOTE


def forwards(model: str) -> bool:
    """Whether the name is one of Ollama's cloud models, which a local server passes on to the internet."""
    name, _, tag = model.strip().casefold().rpartition("/")[2].partition(":")
    return tag == "cloud" or tag.endswith("-cloud") or name.endswith("-cloud")


def passes_on(shown: Mapping[str, object]) -> bool:
    """Whether Ollama's description of a model (``/api/show``) says that the model runs elsewhere."""
    return bool(shown.get("remote_host") or shown.get("remote_model"))


VAULT_NAME_LIMIT = 64  # characters after NFKC
_NAME_MARKS = frozenset("._-:/")
_LOOKALIKES = str.maketrans({
    "а": "a", "ɑ": "a", "α": "a", "е": "e", "ё": "e", "ε": "e", "ɡ": "g", "ց": "g", "ӏ": "l", "і": "l", "ι": "l",
    "1": "l", "‐": "-", "‑": "-", "–": "-", "∕": "/", "⁄": "/", "꞉": ":",
})  # fmt: skip


def vault_name_problem(name: str) -> str | None:
    """Why ``name`` cannot name a vault, or None. Letters of any script with their marks, digits, ``. _ - : /``."""
    folded = unicodedata.normalize("NFKC", name)
    if not folded:
        return "a vault name cannot be empty"
    if len(folded) > VAULT_NAME_LIMIT:
        return f"a vault name has at most {VAULT_NAME_LIMIT} characters, this one has {len(folded)}"
    for position, char in enumerate(folded):
        category = unicodedata.category(char)
        if (
            char not in _NAME_MARKS
            and category[0] != "L"
            and category != "Nd"
            and not (position and category[0] == "M")
        ):
            return f"a vault name has letters, digits and . _ - : / only, not {char!a}"
    return None


def valid_vault_name(name: str) -> str:
    """``name`` in NFKC. Raises UsageError that says what is wrong with it."""
    if problem := vault_name_problem(name):
        raise UsageError(problem, hint="for example: work, notas-de-clase, client/acme")
    return unicodedata.normalize("NFKC", name)


def default_tier(name: str) -> Tier:
    """LEGAL for ``legal``, ``legal-*``, ``legal:*``, ``legal/*`` in any case or width, letters that look alike included."""
    folded = unicodedata.normalize("NFKC", name).casefold().translate(_LOOKALIKES)
    is_legal = folded == "legal" or folded.startswith(("legal-", "legal:", "legal/"))
    return Tier.LEGAL if is_legal else Tier.PERSONAL
