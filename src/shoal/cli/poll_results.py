"""What a poll has found, on a terminal and in files: shoal poll results and export."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from shoal.cli.console import Force, answers, fresh, refusals, writable
from shoal.cli.options import AsJson, VaultOption, opened
from shoal.cli.printed_tables import plain_table
from shoal.errors import PollError
from shoal.exact import short_down, short_up, shown, shown_up
from shoal.polls import Difference, PollEstimate, Results

RESULTS = """
For example:

    shoal poll results commute

    shoal poll results commute --what-if 0.5,1,2,4

    shoal poll results commute --early

    shoal poll results commute --csv
"""
EXPORT = """
For example:

    shoal poll export commute --out commute.json

    shoal poll export commute --out commute.csv
"""

Name = Annotated[str, typer.Argument(metavar="POLL", help="The name of a poll.")]


def results(
    name: Name,
    *,
    vault: VaultOption = None,
    confidence: Annotated[str, typer.Option(help="How sure.")] = "0.95",
    cross: Annotated[
        str | None, typer.Option(metavar="Q1,Q2", help="Two questions as one table.")
    ] = None,
    what_if: Annotated[
        str | None, typer.Option("--what-if", metavar="E1,E2", help="Margins at other epsilons.")
    ] = None,
    early: Annotated[
        bool, typer.Option("--early", help="Show estimates from too few answers, too.")
    ] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print a table of data.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print what the reports say, with intervals; looking costs nothing."""
    with refusals(), opened(vault, only_reads=True) as held:
        found = held.poll(name).results(confidence)
        if as_csv:
            typer.echo(found.to_csv(), nl=False)
            return
        said: dict[str, Any] = found.to_dict() if as_json else {}
        tables = None if cross is None else found.cross_tab(*_two(cross))
        rows = () if what_if is None else found.what_if(what_if.split(","))
        if as_json:
            said["cross"] = None if tables is None else tables.to_dict()
            said["what_if"] = [row.to_dict() for row in rows]
            typer.echo(json.dumps(said))
            return
        console = answers()
        _show_results(console, found, early=early)
        if tables is not None:
            for arm, cells in (*tables.arms.items(), ("together", tables.together)):
                if cells:
                    lines = [(arm, each) for row in cells for each in row]
                    console.print()
                    console.print(_estimates(lines, found, early=early))
        if rows:
            console.print()
            told = [
                [row.epsilon, shown_up(row.margin), f"{row.people:,}", row.words] for row in rows
            ]
            console.print(
                plain_table(["epsilon", "margin", "people", "what is sent"], told, (0, 1, 2))
            )


def _two(text: str) -> tuple[str, str]:
    names = [each.strip() for each in text.split(",")]
    if len(names) != 2:
        raise PollError("--cross needs two questions.", remedy="Write --cross fare,age.")
    return names[0], names[1]


def _show_results(console: Console, found: Results, *, early: bool) -> None:
    state = "open" if found.is_open else "closed"
    console.print(Text(f"{found.poll.name}: {found.people:,} reports, {state}", style="bold"))
    few = False
    for result in found:
        console.print()
        console.print(Text(result.question.text))
        lines = [(arm, each) for arm, every in result.arms.items() for each in every]
        lines += [("together", each) for each in result.together]
        few = few or not all(each.enough for _, each in lines)
        console.print(_estimates(lines, found, early=early))
        known = [each for each in result.differences if early or each.enough]
        if known:
            console.print(_differences(known))
    if few:
        console.print(Text(_FEW + ("" if early else _HOW), style="yellow"), soft_wrap=True)
    for arm, cost in found.shuffled().items():
        # elsewhere the number says nothing that the epsilon of one report does not say
        if cost is not None and 2 * cost.central <= cost.local:
            name = f" of {arm}" if len(found.poll.arms) > 1 else ""
            words = (
                f"Someone who sees only these counts{name}, and no single report, learns less: "
                f"epsilon {short_up(cost.central, digits=2)} (delta {short_up(cost.delta)}), "
                f"since a person is hidden among {cost.people:,}."
            )
            console.print(Text(words, style="dim"), soft_wrap=True)
    if found.is_open:
        note = "While a poll is open, quote 'at any time': it holds however often you look."
        console.print(Text(note, style="dim"))


_FEW = (
    "Too few answers yet: with fewer than the number in brackets the 95 % interval could be wider "
    "than half of the scale, whatever people answer. The number follows from the odds alone."
)
_HOW = " Add --early to see the estimates."


def _differences(known: list[Difference]) -> Any:
    rows = [
        [
            f"{each.arms[0]} less {each.arms[1]}",
            each.answer,
            shown(each.value, *each.interval).value,
            shown(each.value, *each.interval).ends,
            *([] if each.always is None else [shown(each.value, *each.always).ends]),
        ]
        for each in known
    ]
    head = ["arms", "answer", "difference", "interval"]
    return plain_table([*head, "at any time"][: len(rows[0])], rows, (2,))


def _estimates(lines: list[tuple[str, PollEstimate]], found: Results, *, early: bool) -> Any:
    head = [
        "arm",
        "answer",
        "people",
        "estimate",
        f"{short_down(100 * found.confidence)} % interval",
    ]
    rows = [
        [
            arm,
            each.answer,
            str(each.people),
            *(_numbers(each, found) if early or each.enough else _too_few(each, found)),
        ]
        for arm, each in lines
    ]
    return plain_table([*head, *(["at any time"] if found.is_open else [])], rows, (2, 3))


def _numbers(each: PollEstimate, found: Results) -> list[str]:
    method = "" if each.method == "exact" else f" {each.method}"
    return [
        "" if each.value is None else shown(each.value, *each.interval).value,
        shown(each.value, *each.interval).ends + method,
        *([_always(each)] if found.is_open else []),
    ]


def _too_few(each: PollEstimate, found: Results) -> list[str]:
    return [
        "",
        f"too few yet ({each.people:,} of {each.least:,})",
        *([""] if found.is_open else []),
    ]


def _always(each: PollEstimate) -> str:
    return "" if each.always is None else shown(each.value, *each.always).ends


def export(
    name: Name,
    *,
    vault: VaultOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help=".json with the exact odds, or .csv.  [default: JSON, printed]"
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Write the definition with its exact odds and all counters, for other programs."""
    with refusals(), opened(vault, only_reads=True) as held:
        found = held.poll(name)
        if out is None:
            typer.echo(found.to_json())
            return
        held.check_out(writable(out))
        fresh(out, force=force)
        text = found.to_csv() if out.suffix == ".csv" else found.to_json()
        out.write_text(text, encoding="utf-8")
        answers().print(Text(f"Wrote {out}."))
