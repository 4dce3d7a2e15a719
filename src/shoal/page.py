"""A page for people, once as Markdown and once as HTML that needs nothing else."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h1{font-size:1.5rem;line-height:1.25}h2{font-size:1.25rem;margin-top:2.5rem}h3{font-size:1rem;margin-top:1.75rem}figure{margin:1rem 0}figcaption{color:#555;font-size:.9rem}
table{border-collapse:collapse;margin:1rem 0;max-width:100%;display:block;overflow-x:auto}
th,td{padding:.3rem .8rem .3rem 0;text-align:left;vertical-align:top;border-bottom:1px solid #ddd}
td.number,th.number{text-align:right;font-variant-numeric:tabular-nums}
td.key{white-space:nowrap;color:#555}
pre{background:#f5f5f3;padding:.8rem;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85rem}code{font-size:.9em;overflow-wrap:anywhere}
p,h1,h2,h3,figcaption{overflow-wrap:anywhere}
footer{margin-top:2rem;color:#666;font-size:.85rem}svg{max-width:100%;height:auto}
@media(prefers-color-scheme:dark){body{background:#161616;color:#e6e6e6}th,td{border-color:#444}pre{background:#222}td.key,footer,figcaption{color:#aaa}figure svg{background:#fff}}
"""


@dataclass(frozen=True)
class Heading:
    """A title, or the title of a part."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Words:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Code:
    """Text that is shown as it is."""

    text: str


@dataclass(frozen=True)
class PageTable:
    """A table; columns in ``numbers`` stand to the right."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: frozenset[int] = frozenset()


@dataclass(frozen=True)
class PagePicture:
    """A drawing as SVG, and what it shows in words."""

    svg: str
    caption: str


Part = Heading | Words | Code | PageTable | PagePicture


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
            f"<body>\n{body}\n</body></html>\n"
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
        case PageTable(head, rows, numbers):
            rule = ["---:" if at in numbers else "---" for at in range(len(head))]
            lines = [head, rule, *([_cell(each) for each in row] for row in rows)]
            return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return _plain(text).replace("\\", "\\\\").replace("|", "\\|") or " "


# Pages are written without a template language: there are five kinds of part, each with one place
# for text, and Jinja would add 1.4 MB to a core install and 60 ms of CPU to every page. Each text
# goes through `html.escape`, as tests/test_page.py checks; the only HTML that is let in as it is
# are the drawings of `plots`.
def _html(part: Part) -> str:
    match part:
        case Heading(text, level):
            return f"<h{level}>{html.escape(text)}</h{level}>"
        case Words(text):
            return f"<p>{html.escape(text)}</p>"
        case Code(text):
            return f"<pre>{html.escape(text)}</pre>"
        case PagePicture(svg, caption):
            return f"<figure>{svg}<figcaption>{html.escape(caption)}</figcaption></figure>"
        case PageTable(head, rows, numbers):
            lines = [_row(head, "th", numbers), *(_row(row, "td", numbers) for row in rows)]
            return f"<table>{''.join(lines)}</table>"


def _row(cells: Sequence[str], tag: str, numbers: frozenset[int]) -> str:
    made = [
        f"<{tag}{' class=number' if at in numbers else ''}>{html.escape(cell)}</{tag}>"
        for at, cell in enumerate(cells)
    ]
    return f"<tr>{''.join(made)}</tr>"
