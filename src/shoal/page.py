"""A page for people, once as Markdown and once as HTML that needs nothing else."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.25rem;margin-top:2.5rem}h3{font-size:1rem;margin-top:1.75rem}
figure{margin:1.25rem 0}figcaption,.note{color:#555;font-size:.9rem}.lead{font-size:1.1rem}
table{border-collapse:collapse;margin:1rem 0;max-width:100%}.wide{overflow-x:auto}
th,td{padding:.35rem .8rem .35rem 0;text-align:left;vertical-align:top;border-bottom:1px solid #ddd;overflow-wrap:break-word}td.long{overflow-wrap:anywhere}
th[scope=row]{font-weight:normal;color:#555;min-width:6rem}
td.number,th.number{text-align:right;font-variant-numeric:tabular-nums;overflow-wrap:normal}
th small,td small{display:block;font-size:.8rem;font-weight:normal;color:#555}
tr.faint td{color:#666}
pre{background:#f5f5f3;padding:.8rem;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85rem}code{font-size:.9em;overflow-wrap:anywhere}
p,h1,h2,h3,figcaption,summary{overflow-wrap:anywhere}summary{cursor:pointer;padding:.2rem 0}
svg{max-width:100%;height:auto}
@media screen and (prefers-color-scheme:dark){body{background:#161616;color:#e6e6e6}th,td{border-color:#444}pre{background:#222}
figcaption,.note,th[scope=row],th small,td small,tr.faint td{color:#aaa}figure svg{background:#fff}}
@media screen and (max-width:32em){table:has(td.words) thead{display:none}table:has(td.words) :is(tbody,tr,td){display:block}
table:has(td.words) td{border:0;padding:.15rem 0}table:has(td.words) td:first-child{font-weight:bold;padding-top:.8rem}}
@page{margin:18mm}
@media print{body{font-size:10.5pt;max-width:none;margin:0;padding:0}h1,h2,h3,summary,.lead{break-after:avoid}tr,figure{break-inside:avoid}
pre{background:none;border:1px solid #ccc}.wide{overflow:visible}details::details-content{content-visibility:visible;block-size:auto}}
"""


@dataclass(frozen=True)
class Heading:
    """A title, or the title of a part."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Words:
    """A paragraph; its ``tone`` is plain, that of the first sentence (lead) or of a note."""

    text: str
    tone: str = ""


@dataclass(frozen=True)
class Code:
    """Text that is shown as it is."""

    text: str


@dataclass(frozen=True)
class PageCell:
    """A cell with a second line in small letters."""

    text: str
    small: str = ""

    def __str__(self) -> str:
        return f"{self.text} ({self.small})" if self.small else self.text


@dataclass(frozen=True)
class PageTable:
    """A table; columns in ``numbers`` stand to the right, and rows in ``faint`` stand back.

    Where no column has a name, the first cell of each row is the name of the row.
    """

    head: Sequence[str | PageCell]
    rows: Sequence[Sequence[str | PageCell]]
    numbers: frozenset[int] = frozenset()
    faint: frozenset[int] = frozenset()


@dataclass(frozen=True)
class PagePicture:
    """A drawing as SVG, and what it shows in words."""

    svg: str
    caption: str


@dataclass(frozen=True)
class Fold:
    """Parts that most readers pass over: closed on the screen, a part of its own in Markdown."""

    summary: str
    parts: Sequence[Part]


Part = Heading | Words | Code | PageTable | PagePicture | Fold


@dataclass(frozen=True)
class Page:
    """Parts, one below the other."""

    title: str
    parts: Sequence[Part] = field(default_factory=tuple)

    def markdown(self) -> str:
        """The page as Markdown; pictures are left out, their captions stay."""
        return "\n\n".join([f"# {_plain(self.title)}", *map(_markdown, self.parts)]) + "\n"

    def html(self) -> str:
        """The page as one HTML file."""
        body = "\n".join([f"<h1>{html.escape(self.title)}</h1>", *map(_html, self.parts)])
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width,initial-scale=1">'
            f"<title>{html.escape(self.title)}</title><style>{_STYLE}</style></head>\n"
            f"<body><main>\n{body}\n</main></body></html>\n"
        )


def _markdown(part: Part) -> str:
    match part:
        case Heading(text, level):
            return f"{'#' * level} {_plain(text)}"
        case Words(text):
            return _plain(text)
        case Code(text):
            fence = "```"
            while fence in text:
                fence += "`"
            return f"{fence}text\n{text}\n{fence}"
        case PagePicture(_, caption):
            return f"*{_plain(caption)}*"
        case Fold(summary, parts):
            return "\n\n".join([f"**{_plain(summary)}**", *map(_markdown, parts)])
        case PageTable(head, rows, numbers):
            rule = ["---:" if at in numbers else "---" for at in range(len(head))]
            lines = [map(str, head), rule, *([_cell(each) for each in row] for row in rows)]
            return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _cell(cell: str | PageCell) -> str:
    return _plain(str(cell)).replace("\\", "\\\\").replace("|", "\\|") or " "


# Pages are written without a template language: there are six kinds of part, each with one place
# for text, and Jinja would add 1.4 MB to a core install and 60 ms of CPU to every page. Each text
# goes through `html.escape`, as tests/test_page.py checks; the only HTML that is let in as it is
# are the drawings of `plots`.
def _html(part: Part) -> str:
    match part:
        case Heading(text, level):
            return f"<h{level}>{html.escape(text)}</h{level}>"
        case Words(text, tone):
            return f"<p{f' class={tone}' if tone else ''}>{html.escape(text)}</p>"
        case Code(text):
            return f"<pre>{html.escape(text)}</pre>"
        case PagePicture(svg, caption):
            said = html.escape(caption)
            # As one image it is read out as its caption, not as every letter on its axes.
            image = f'<div role="img" aria-label="{said}"><div aria-hidden="true">{svg}</div></div>'
            return f"<figure>{image}<figcaption>{said}</figcaption></figure>"
        case Fold(summary, parts):
            inner = "".join(map(_html, parts))
            return f"<details><summary>{html.escape(summary)}</summary>{inner}</details>"
        case PageTable():
            return _table(part)


_FEW = 4
"""Tables of more columns may be wider than a phone, and can be moved sideways by themselves."""


def _table(table: PageTable) -> str:
    named = any(str(each) for each in table.head)
    head = f"<thead>{_row(table.head, 'th', table.numbers)}</thead>" if named else ""
    rows = [
        _row(row, "td", table.numbers, row_name=not named, faint=at in table.faint)
        for at, row in enumerate(table.rows)
    ]
    made = f"<table>{head}<tbody>{''.join(rows)}</tbody></table>"
    if len(table.head) <= _FEW:
        return made
    # Who has no mouse moves it with the arrow keys, so it can be reached and has a name.
    return f'<div class=wide tabindex=0 role=region aria-label="Table">{made}</div>'


def _row(
    cells: Sequence[str | PageCell],
    tag: str,
    numbers: frozenset[int],
    *,
    row_name: bool = False,
    faint: bool = False,
) -> str:
    made = []
    for at, cell in enumerate(cells):
        named = row_name and at == 0
        kind = " scope=row" if named else " class=number" if at in numbers else _long(cell, tag)
        kind += " scope=col" if tag == "th" else ""
        each = "th" if named else tag
        made.append(f"<{each}{kind}>{_inside(cell)}</{each}>")
    return f"<tr{' class=faint' if faint else ''}>{''.join(made)}</tr>"


_LONGEST_WORD = 24
"""Longer words, such as hashes, may be broken anywhere, so that a phone can show them."""
_LONGEST_CELL = 80
"""A table with a longer text is a list on a phone, where the text would be a column of single words."""


def _long(cell: str | PageCell, tag: str) -> str:
    if tag != "td":
        return ""
    longest = max(map(len, str(cell).split()), default=0)
    if longest > _LONGEST_WORD:
        return " class=long"
    return " class=words" if len(str(cell)) > _LONGEST_CELL else ""


def _inside(cell: str | PageCell) -> str:
    if isinstance(cell, str):
        return html.escape(cell)
    small = f"<small>{html.escape(cell.small)}</small>" if cell.small else ""
    return f"{html.escape(cell.text)}{small}"
