"""An answer on a terminal or in a pipe."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from shoal.cli.account_view import AccountView
from shoal.exact import short_up
from shoal.plots.measure_names import measure_in_words


def show(answer: AccountView, console: Console) -> None:
    """Print the table of measures and where the truth lies."""
    count = f"{answer.releases:,} release" + ("" if answer.releases == 1 else "s")
    if answer.text is not None and len(answer.text) <= 400:
        console.print(Text(answer.text, style="bold"))
    console.print(Text(f"{count}; neighbours: {answer.neighbours}", style="dim"))
    console.print()
    console.print(_table(answer))
    console.print()
    best = answer.comparison.best
    found = f"{answer.asked} {short_up(answer.number(best))}"
    console.print(
        Text.assemble(
            (f"{found} at {answer.given}", "bold green"), f"{answer.between}. {answer.bracket()}"
        )
    )


def explain(sentences: tuple[str, ...], console: Console) -> None:
    """Print what the answer means."""
    console.print()
    for sentence in sentences:
        console.print(Text(sentence))


def _table(answer: AccountView) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    table.add_column("measure", no_wrap=True)
    table.add_column(f"{answer.asked} at {answer.given}", justify="right")
    table.add_column("")
    for place, bound in enumerate(answer.comparison.bounds):
        tightest = place == 0
        table.add_row(
            measure_in_words(bound.measure),
            short_up(answer.number(bound)),
            "tightest" if tightest else "",
            style="bold green" if tightest else None,
        )
    return table
