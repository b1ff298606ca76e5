"""Bars for a terminal and for an SVG file. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from muninn_cmd.text import one_line

Series = Sequence[tuple[str, float]]
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def bars(title: str, series: Series, *, width: int = 40) -> str:
    """A horizontal bar per value, to an eighth of a character."""
    if not series:
        return f"{title}\n  (nothing yet)"
    most = max((value for _, value in series), default=0) or 1
    label = max(len(one_line(name)) for name, _ in series)
    lines = [f"  {one_line(name).rjust(label)}  {_bar(value / most, width)} {value:g}" for name, value in series]
    return "\n".join([title, *lines])


def _bar(share: float, width: int) -> str:
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    return _EIGHTHS[8] * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")


def svg(panels: Sequence[tuple[str, Series]]) -> str:
    """The same bars as one self-contained picture, a panel under the other."""
    width, row, head, pad = 720, 22, 40, 16
    parts: list[str] = []
    top = pad
    for title, series in panels:
        most = max((value for _, value in series), default=0) or 1
        parts.append(f'<text x="{pad}" y="{top + 18}" class="t">{_safe(title)}</text>')
        top += head
        for name, value in series:
            length = round(420 * value / most, 1)
            parts.append(
                f'<text x="190" y="{top + 14}" class="n">{_safe(name)}</text>'
                f'<rect x="200" y="{top + 3}" width="{length}" height="14" rx="3"/>'
                f'<text x="{208 + length}" y="{top + 14}">{value:g}</text>'
            )
            top += row
        top += pad
    style = (
        "text{font:13px sans-serif;fill:#334}.t{font-weight:bold;font-size:15px}.n{text-anchor:end}rect{fill:#5b6ee1}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top}" viewBox="0 0 {width} {top}">'
        f'<style>{style}</style><rect width="{width}" height="{top}" style="fill:#fff"/>{"".join(parts)}</svg>\n'
    )


def _safe(text: str) -> str:
    return escape(one_line(text, 60))
