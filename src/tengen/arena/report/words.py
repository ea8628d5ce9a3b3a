# SPDX-License-Identifier: MIT
"""Numbers and foreign text as the report writes them. Pure functions of plain values.

Relies on `Elo` alone; every other file of the report relies on it.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Sequence

from tengen.arena.elo import Elo

__all__ = [
    "DASH",
    "cell",
    "count",
    "elo_words",
    "number",
    "percent",
    "results",
    "safe",
    "seconds",
    "signed",
    "table",
]

_NO_TEXT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"  # where there is nothing to tell


def safe(text: object) -> str:
    """Text for an element or a quoted attribute: escaped, and without control characters, which
    HTML does not allow or which turn the direction of what follows.
    """
    return html.escape(_NO_TEXT.sub("\N{REPLACEMENT CHARACTER}", str(text)))


def signed(value: float, digits: int = 1) -> str:
    """A number with its sign; a typographic minus, and no sign before a zero."""
    if math.isinf(value):
        return "+∞" if value > 0 else f"{_MINUS}∞"
    rounded = round(value, digits)
    sign = "+" if rounded > 0 else ""
    return f"{sign}{rounded + 0.0:.{digits}f}".replace("-", _MINUS)


def number(value: float) -> str:
    """Points: a whole number, or one with a half."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f}%"


def seconds(value: float) -> str:
    """A time with three digits in the unit that fits."""
    if value <= 0:
        return "0 ms"
    for least, unit, size in ((60.0, "min", 60.0), (0.9995, "s", 1.0), (9.995e-4, "ms", 1e-3)):
        if value >= least:
            return f"{_three(value / size)} {unit}"
    return f"{_three(value / 1e-6)} µs"


def _three(value: float) -> str:
    digits = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def count(value: int, what: str) -> str:
    return f"{value:,} {what}" if value == 1 else f"{value:,} {what}s"


def results(wins: int, draws: int, losses: int) -> str:
    return f"+{wins:,} ={draws:,} {_MINUS}{losses:,}"


def elo_words(elo: Elo) -> str:
    """A difference with its interval of 95%."""
    if math.isinf(elo.low) and math.isinf(elo.high):
        return "unknown"
    if math.isinf(elo.elo):
        return f"above {signed(elo.low, 0)}" if elo.elo > 0 else f"below {signed(elo.high, 0)}"
    return f"{signed(elo.elo)} [{signed(elo.low)}, {signed(elo.high)}]"


def cell(content: str, kind: str = "", *, head: bool = False, title: str = "") -> str:
    """A cell of a table; `content` is HTML already, `title` is not."""
    name = "th" if head else "td"
    scope = ' scope="row"' if head else ""
    of_kind = f' class="{kind}"' if kind else ""
    hint = f' title="{safe(title)}"' if title else ""
    return f"<{name}{scope}{of_kind}{hint}>{content}</{name}>"


def table(
    kind: str, heads: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]], caption: str
) -> str:
    """A table that can be wider than the page. `heads` are (HTML, hint); rows are cells; the
    caption is for those who hear the page.
    """
    hints = [f' title="{safe(hint)}"' if hint else "" for _, hint in heads]
    top = "".join(
        f'<th scope="col"{hint}>{name}</th>' for (name, _), hint in zip(heads, hints, strict=True)
    )
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return (
        f'<div class="scroll"><table class="{kind}"><caption class="hidden">{safe(caption)}'
        f"</caption><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )
