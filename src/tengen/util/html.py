# SPDX-License-Identifier: MIT
"""HTML reports, each one file that needs nothing else, in light and dark mode.

    html = page("Training of mixnet-s", section("Result", table(("net", "loss"), rows)))

The content security policy of the page loads nothing and runs only the script and the style sheet
that are in it, both named by their hashes: no foreign text can become a script even if it got past
the escaping. `charts` makes the pictures.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files

_CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def escape(text: object) -> str:
    """Text for an element or a quoted attribute: escaped, and without control characters, which
    HTML does not allow or which change the direction of what follows.
    """
    return html.escape(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", str(text)))


def page(
    title: str,
    *sections: str,
    lead: str = "",
    footer: str = "",
    style: str = "",
    script: str = "",
    data: str = "",
) -> str:
    """A page. `title` is plain text, all else is HTML. `lead` follows the title; `style` is added
    to the style of all reports; `data` is JSON for the script, in `<script id="data">`.
    """
    css = _read_text("page.css") + style
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(css)}';"
        " base-uri 'none'; form-action 'none'"
    )
    scripts = f'<script type="application/json" id="data">{data}</script>\n' if data else ""
    scripts += f"<script>{script}</script>\n" if script else ""
    body = "\n".join(filter(None, sections))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(title)}</title>\n<style>{css}</style>\n</head>\n<body>\n"
        f"<header>\n<h1>{escape(title)}</h1>\n{lead}\n</header>\n"
        f"<main>\n{body}\n</main>\n{footer}\n{scripts}</body>\n</html>\n"
    )


def section(title: str, *content: str, name: str = "") -> str:
    """A section with a heading, empty if it has no content. `name` is the id that links lead to."""
    inner = "\n".join(filter(None, content))
    if not inner:
        return ""
    if not name:
        return f"<section>\n<h2>{escape(title)}</h2>\n{inner}\n</section>"
    return (
        f'<section id="{name}" aria-labelledby="{name}-title">\n'
        f'<h2 id="{name}-title">{escape(title)}</h2>\n{inner}\n</section>'
    )


def charts(*figures: str) -> str:
    """Figures in a grid; empty if there are none."""
    inner = "".join(figures)
    return f'<div class="charts">{inner}</div>' if inner else ""


def preformatted(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"


class Cell(str):
    """HTML of a table cell, made by `cell`."""


def cell(content: str, style: str = "", *, head: bool = False, title: str = "") -> Cell:
    """A table cell; `content` is HTML, `title` (a tooltip) is plain text."""
    name = "th" if head else "td"
    scope = ' scope="row"' if head else ""
    classes = f' class="{style}"' if style else ""
    tooltip = f' title="{escape(title)}"' if title else ""
    return Cell(f"<{name}{scope}{classes}{tooltip}>{content}</{name}>")


def row_head(text: str) -> Cell:
    """The head of a row; `text` is plain."""
    return cell(escape(text), head=True)


def table(
    heads: Sequence[str | tuple[str, str]],
    rows: Iterable[Sequence[object]],
    caption: str = "",
    style: str = "",
) -> str:
    """A table that may be wider than the page.

    `heads` are plain text, or (HTML, tooltip). Values of `rows` are plain text; those made by
    `cell` are taken as they are. `caption` is for screen readers. Numbers are right-aligned.
    """
    top = "".join(_head(head) for head in heads)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    classes = f' class="{style}"' if style else ""
    named = f'<caption class="hidden">{escape(caption)}</caption>' if caption else ""
    return (
        f'<div class="scroll"><table{classes}>{named}<thead><tr>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _head(head: str | tuple[str, str]) -> str:
    if isinstance(head, str):
        return f'<th scope="col">{escape(head)}</th>'
    tooltip = f' title="{escape(head[1])}"' if head[1] else ""
    return f'<th scope="col"{tooltip}>{head[0]}</th>'


def _cell(value: object) -> str:
    if isinstance(value, Cell):
        return value
    number = isinstance(value, int | float) and not isinstance(value, bool)
    text = "" if value is None else f"{value:,}" if isinstance(value, int) and number else value
    return cell(escape(text), "number" if number else "")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _read_text(name: str) -> str:
    """A file beside this one, with plain line ends: browsers hash what they parsed."""
    return files("tengen.util").joinpath(name).read_text("utf-8").replace("\r\n", "\n")
