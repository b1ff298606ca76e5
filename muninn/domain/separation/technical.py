"""Knows what a technical token is: URL, address, hash, date, version, port, path, identifier."""

from __future__ import annotations

import re
from unicodedata import category

from muninn.domain.separation.text import LONGEST_CHUNK

_URL = re.compile(r"^(?:[a-z][a-z0-9+.-]*://|www\.)\S+$", re.IGNORECASE)
_EMAIL = re.compile(r"^[^@\s]+@[^@\s]+\.[a-z]{2,}$", re.IGNORECASE)
_DOMAIN = re.compile(
    r"^(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|app|es|eu|edu|gov|local|internal|test|ai|co|cloud|info)(?:/\S*)?$",
    re.IGNORECASE,
)
_HASH = re.compile(r"^(?:sha\d+:|0x)?(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,128}$", re.IGNORECASE)
ISO_DATE = re.compile(r"^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:T.*)?$")
_ISO_MONTH = re.compile(r"^(\d{4})-(0[1-9]|1[0-2])$")
_SLASHED = re.compile(r"^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})$")
_QUARTER = re.compile(r"^(?:[qh]\d|\d[qht])$", re.IGNORECASE)
_ORDINAL = re.compile(r"^\d+\.(?:o|a|er|ª|º)$")
_CLOCK = re.compile(r"^(\d{1,2}):(\d{2})(?::\d{2})?(?:[ap]m|h)?$", re.IGNORECASE)
VERSION = re.compile(r"^(?:v\d\w*|\d+\.\d+\.\d\w*|\d+(?:\.\d+)*\.x)(?:[-+.]\w+)*$", re.IGNORECASE)
_HOST_PORT = re.compile(r"^([\w.-]*):(\d{2,5})$")
ADDRESS = re.compile(r"^\d{1,3}(?:\.\d{1,3}){3}(?:/\d+)?$")
_FILE = re.compile(
    r"^[\w.*-]*\.(?:py|pyi|js|ts|tsx|jsx|go|rs|rb|java|kt|c|h|cpp|cs|sh|bash|zsh|sql|md|txt|rst|json|jsonl|toml|ya?ml|ini|cfg|conf|"
    r"env|lock|log|csv|tsv|xml|html|css|pdf|docx?|xlsx?|png|jpe?g|svg|zip|gz|tar|tgz|db|sqlite|pem|key|crt|service|sock|pid|bak)$",
    re.IGNORECASE,
)


def classify(key: str) -> tuple[str | None, str]:
    """The slot and the canonical value of one technical token; None for a word of a script whose letters carry marks."""
    if len(key) > LONGEST_CHUNK:
        return "identifier", key
    if _URL.match(key):
        return "url", key.rstrip("/")
    for pattern, slot in (
        (_EMAIL, "identifier"),
        (_QUARTER, "date"),
        (_CLOCK, "time"),
        (_HASH, "hash"),
        (_ISO_MONTH, "date"),
        (VERSION, "version"),
        (ADDRESS, "identifier"),
        (_ORDINAL, "number"),
    ):
        if pattern.match(key):
            return slot, key
    dated = _numeric_date(key)
    if dated:
        return "date", dated
    address = _HOST_PORT.match(key)
    if address:
        return "port", key
    if _DOMAIN.match(key):
        return "url", key.rstrip("/")
    if _looks_like_path(key):
        return "path", key
    if key[:1] in "$€£¥₹" and key[1:2].isdigit():
        return "number", key
    if {category(character)[0] for character in key} == {"L", "M"}:
        return None, key
    if key.startswith("-") or any(map(str.isalpha, key)):
        return "identifier", key
    return "number", key


def _numeric_date(key: str) -> str | None:
    """ISO and day/month/year; a date that could be read both ways stays as written."""
    iso = ISO_DATE.match(key)
    if iso:
        return f"{iso[1]}-{int(iso[2]):02d}-{int(iso[3]):02d}" if "T" not in key else key
    slashed = _SLASHED.match(key)
    if not slashed:
        return None
    first, second, year = int(slashed[1]), int(slashed[2]), slashed[3]
    if len(year) == 4 and first > 12 >= second >= 1:
        return f"{year}-{second:02d}-{first:02d}"
    if len(year) == 4 and second > 12 >= first >= 1:
        return f"{year}-{first:02d}-{second:02d}"
    return key


def _looks_like_path(key: str) -> bool:
    if _FILE.match(key):
        return True
    if "\\" in key:
        return True
    if "/" not in key:
        return False
    return key[0] in "/~." or key.endswith("/") or key.count("/") > 1 or bool(_FILE.match(key.rsplit("/", 1)[1]))
