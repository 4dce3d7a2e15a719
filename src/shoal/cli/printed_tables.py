"""Tables of answers, budgets and releases on a terminal or in a pipe."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from shoal.cli.console import answers
from shoal.exact import short
from shoal.page import PageTable
from shoal.plan import Choices, Range
from shoal.query.shown_answer import Presentable
from shoal.vault.certificate_page import answer_grid
from shoal.vault.dataset import StatedColumn

_MOST_CHOICES = 20
_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
_NEEDED = "\n\t\u200c\u200d\u00ad"
"""Characters that show nothing and that texts need; none of them moves another one."""


def shown(text: str) -> str:
    r"""A text that others wrote, for a terminal: what would steer it is shown as it is written.

    >>> print(shown("a\x1b[2J, b\u202e"))
    a\x1b[2J, b\u202e
    """
    return "".join(repr(c)[1:-1] if _steers(c) else c for c in text)


def _steers(character: str) -> bool:
    return character not in _NEEDED and unicodedata.category(character) in _UNSEEN


def show_plan(price: str, text: str, *, as_json: bool) -> None:
    """What a preview says of many counts at once."""
    if as_json:
        typer.echo(json.dumps({"price": price, "preview": text}, indent=2))
        return
    answers().print(Text(text), soft_wrap=True)


def plain_table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[int] = (),
    *,
    dim: Sequence[int] = (),
) -> Table:
    """A table without edges; columns in ``right`` stand to the right, those in ``dim`` stand
    back.
    """
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for at, name in enumerate(head):
        table.add_column(
            Text(shown(name)),
            justify="right" if at in right else "left",
            style="dim" if at in dim else None,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(shown(cell)) for cell in row))
    return table


def show_answer(console: Console, answer: Presentable) -> None:
    """An answer with its intervals and notes."""
    grid: PageTable = answer_grid(answer)
    head, rows = [str(name) for name in grid.head], [[str(cell) for cell in r] for r in grid.rows]
    back = [at for at, name in enumerate(head) if name.endswith(" interval")]
    console.print(plain_table(head, rows, sorted(grid.numbers), dim=back))
    for note in answer.notes:
        console.print(Text(f"note: {note}", style="yellow"))


def known_of(column: StatedColumn) -> str:
    """What is stated of a column: its range or its choices, whether it holds no NULL, and how often
    values repeat.
    """
    said = []
    if isinstance(column.fact, Range):
        said.append(str(column.fact).removeprefix("Range(").removesuffix(")").replace(", ", " to "))
    elif isinstance(column.fact, Choices):
        shown = [str(each) for each in column.fact.values[:_MOST_CHOICES]]
        more = len(column.fact.values) - len(shown)
        said.append(f"one of {', '.join(shown)}{f' and {more:,} more' if more else ''}")
    elif column.span is not None and column.type.numeric:
        said.append(f"{short(column.span.lo)} to {short(column.span.hi)}")
    if column.required:
        said.append("no NULL")
    if column.rows is not None:
        said.append(f"at most {column.rows:,} row{'s' if column.rows > 1 else ''} of each value")
    return "; ".join(said) or "-"


def facts_table(rows: Sequence[tuple[str, str]]) -> Table:
    """Names and what they are, without a head."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, said in rows:
        table.add_row(Text(name), Text(shown(said)))
    return table
