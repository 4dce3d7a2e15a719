"""Pieces of HTML for notebooks: tables, bars, lines and blocks, in which every text is escaped.

Notebooks are light or dark by a theme that HTML is not told of.  So nothing here sets the colour of
text or of the page: text is inherited, lines and quiet text are a part of it, and bars have a
colour that is seen on both.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

_QUIET = "opacity:.75;font-size:85%"
_GAP = "padding:.2em .6em"
_TRACK = "display:inline-block;vertical-align:middle;width:10em;height:.7em;border-radius:.35em;overflow:hidden;background:rgba(127,127,127,.3)"
_FILL = "display:block;height:100%;background:#3a86c8"


class Html(str):
    """Text that is HTML already; any other text is escaped where it is put in."""

    __slots__ = ()


@dataclass(frozen=True)
class HtmlCell:
    """One cell of a table: to the right if it is a number, smaller if it stands back."""

    text: str
    side: str = "left"
    quiet: bool = False
    span: int = 1


def escaped(text: str) -> str:
    """Text as HTML; what is HTML already stays as it is."""
    return text if isinstance(text, Html) else html.escape(text)


def block(*parts: str) -> str:
    """Pieces one below the other, as `_repr_html_` gives them."""
    inside = (
        part if part.startswith("<table") else f'<div style="{_GAP}">{part}</div>'
        for part in map(escaped, parts)
        if part
    )
    return f"<div>{''.join(inside)}</div>"


def title(name: str, about: str = "") -> Html:
    """A name in bold, and what is said of it behind."""
    said = f' <span style="{_QUIET}">{escaped(about)}</span>' if about else ""
    return Html(f"<strong>{escaped(name)}</strong>{said}")


def table(
    head: Sequence[str | HtmlCell],
    rows: Iterable[Sequence[str | HtmlCell]],
) -> Html:
    """Rows below a head; a cell that is plain text stands to the left."""
    top = "".join(_cell(each, "th") for each in head)
    body = "".join(f"<tr>{''.join(_cell(each, 'td') for each in row)}</tr>" for row in rows)
    style = "border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.15em 0"
    above = f"<thead><tr>{top}</tr></thead>" if top else ""
    return Html(f'<table style="{style}">{above}<tbody>{body}</tbody></table>')


def bar(share: Fraction | float, words: str) -> Html:
    """A bar that is filled to a share between 0 and 1, with words that say the same behind it.

    What is more than nothing is seen, however little it is.
    """
    part = min(1.0, max(0.0, float(share)))
    width = max(1, int(100 * part)) if share > 0 else 0
    said = escaped(words)
    return Html(
        f'<span role="img" aria-label="{width} % of the bar is filled" style="{_TRACK}">'
        f'<span style="{_FILL};width:{width}%"></span></span> <span>{said}</span>'
    )


def quiet(lines: Iterable[str]) -> Html:
    """Lines that stand back, one below the other; nothing if there are none."""
    said = "<br>".join(escaped(each) for each in lines)
    return Html(f'<div style="max-width:56em;{_QUIET}">{said}</div>' if said else "")


def preformatted(text: str) -> Html:
    """Text whose lines and blanks stay as they are."""
    style = "white-space:pre-wrap;margin:0;background:none;color:inherit"
    return Html(f'<pre style="{style}">{escaped(text)}</pre>')


def _cell(given: str | HtmlCell, tag: str) -> str:
    cell = given if isinstance(given, HtmlCell) else HtmlCell(given)
    line = "border-bottom:1px solid rgba(127,127,127,.5);" if tag == "th" else ""
    style = f"text-align:{cell.side};vertical-align:baseline;{line}{_GAP}{';' + _QUIET if cell.quiet else ''}"
    span = f' colspan="{cell.span}"' if cell.span > 1 else ""
    return f'<{tag}{span} style="{style}">{escaped(cell.text)}</{tag}>'


class ExplainedPlan(str):
    """What is computed for a question, step by step; everything that takes text takes it.

    >>> print(ExplainedPlan("release count rows AS n"))
    release count rows AS n
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        return block(preformatted(self))
