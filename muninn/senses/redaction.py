"""Secrets in commands and error texts, taken out before anything is kept. Errs towards taking out."""

from __future__ import annotations

import re

MARK = "[redacted]"

_PATTERNS = tuple(
    re.compile(pattern, flags)
    for pattern, flags in (
        (r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
        (
            r"\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abeprs]|hf|npm|pypi|dop_v1|shpat|sk-ant)[-_][\w-]{12,}",
            0,
        ),
        (r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{12,}\b", 0),
        (r"\bAIza[\w-]{30,}", 0),
        (r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?", 0),
        (r"(?i)\b(?:bearer|basic)\s+[\w.~+/-]{8,}=*", 0),
        (r"(?i)(?<=://)[^\s/@:]*:[^\s/@]+(?=@)", 0),
    )
)
_ASSIGNED = re.compile(
    r"(?i)((?:pass(?:word|wd|phrase)?|contrase(?:ñ|n)a|clave|secret|token|api[-_]?key|access[-_]?key|credential|"
    r"authorization)[\w-]{0,40}[\"']?\s{0,5}[=:]\s{0,5}|--(?:password|token|secret|api-key)[= ]+)(\"[^\"]*\"|'[^']*'|[^\s,;&|]+)"
)
_LONG = re.compile(r"[\w+/=-]{32,}", re.ASCII)


def redact(text: str) -> str:
    """``text`` with keys, tokens, passwords, private keys and URL credentials replaced by a mark."""
    for pattern in _PATTERNS:
        text = pattern.sub(MARK, text)
    text = _ASSIGNED.sub(lambda match: match.group(1) + MARK, text)
    return _LONG.sub(lambda match: MARK if _random(match.group()) else match.group(), text)


def _random(word: str) -> bool:
    """Whether a long word looks drawn at random: both cases and digits, and no path."""
    return "/" not in word.strip("/") and all(any(map(kind, word)) for kind in (str.isupper, str.islower, str.isdigit))
