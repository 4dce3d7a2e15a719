"""The analyst's commands: preview, ask, explain, plan, suggest, dummy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from shoal.cli.console import Force, answers, fresh, refusals, remarks, working, writable
from shoal.cli.options import Analyst, AsJson, Delta, Epsilon, Noise, Rho, Sql, VaultOption, opened
from shoal.cli.printed_tables import plain_table, show_answer
from shoal.errors import RangeError
from shoal.exact import whole
from shoal.interpret import risk_of
from shoal.query import Answer, plan_budget
from shoal.query.shown_answer import level_of
from shoal.query.stored_answer import stored
from shoal.vault import Vault
from shoal.vault.certificate_page import promise_of
from shoal.vault.made_up_rows import dummy_rows

ASK = """
For example:

    shoal ask "SELECT COUNT(*) AS n FROM visits" --epsilon 0.1

    shoal ask "SELECT city, AVG(spend) AS spend FROM visits GROUP BY city" --epsilon 0.5 --as ana --key monday --json

    shoal ask "SELECT COUNT(*) AS n FROM visits" --epsilon 0.1 --dummy
"""
PREVIEW = """
For example:

    shoal preview "SELECT city, COUNT(*) AS n FROM visits GROUP BY city" --epsilon 0.2
"""
EXPLAIN = """
For example:

    shoal explain "SELECT city, COUNT(*) AS n FROM visits GROUP BY city"
"""
PLAN = """
For example:

    shoal plan "SELECT COUNT(*) AS n FROM visits" --error 50

    shoal plan "SELECT AVG(spend) AS m FROM visits" --error 5 --rows 1000 --confidence 0.9
"""
DUMMY = """
For example:

    shoal dummy visits -n 1000 --out made-up.parquet

    shoal dummy visits -n 5
"""
SUGGEST = """
For example:

    shoal suggest bounds visits spend --epsilon 0.2
"""
GROUPS = """
For example:

    shoal suggest groups visits city --epsilon 0.2
"""
ShowClipped = Annotated[
    bool,
    typer.Option(
        "--show-clipped",
        help="Count the people who have more rows or groups than their share, too; a tenth of the cost goes to it.",
    ),
]
Intervals = Annotated[
    str | None,
    typer.Option(
        metavar="CONFIDENCE",
        help="Confidence of intervals; quantiles get them, too, for a part of what is spent.",
    ),
]
ENDINGS = (".parquet", ".csv", ".json")


def ask(
    sql: Sql,
    *,
    vault: VaultOption = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    noise: Noise = None,
    key: Annotated[
        str | None,
        typer.Option(
            metavar="IDEMPOTENCY",
            help="A name of your own for this act: it is charged and answered once.",
        ),
    ] = None,
    analyst: Analyst = None,
    intervals: Intervals = None,
    show_clipped: ShowClipped = False,
    dummy: Annotated[
        bool, typer.Option("--dummy", help="Ask made-up rows instead, free of charge.")
    ] = False,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print comma-separated values.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="Write it to a .parquet, .csv or .json file.")
    ] = None,
    force: Force = False,
) -> None:
    """Release the private answer to a question, and pay for it.

    The same question at the same request is answered once: asking again is free and gives the same
    answer.
    """
    with refusals(sql):
        _check_out(out)
        with opened(vault, analyst, from_afar=not dummy) as held:
            if out is not None:
                held.check_out(out)
            fresh(out, force=force)
            before = held.position
            asked = (held.rehearse() if dummy else held).sql(sql, intervals=intervals)
            with working("Asking"):
                answer = asked.release(
                    epsilon=epsilon,
                    delta=delta,
                    rho=rho,
                    noise=noise,
                    key=None if dummy else key,
                    show_clipped=show_clipped,
                )
            free = dummy or answer.certificate["ledger"]["entry"] <= before
            if dummy:
                remarks().print(
                    Text(
                        "MADE-UP ROWS: this answer is about nobody, and cost nothing.",
                        style="bold yellow",
                    )
                )
            number = None if dummy else held.release_number(answer.certificate)
            _give(answer, out, as_json=as_json, as_csv=as_csv, free=free, number=number)
            if not (as_json or as_csv or number is None):
                _tell_cost(held, answer, number, free=free)


def preview(
    sql: Sql,
    *,
    vault: VaultOption = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    noise: Noise = None,
    confidence: Annotated[
        str | None, typer.Option(help="How sure the errors are.  [default: 0.95]")
    ] = None,
    intervals: Intervals = None,
    show_clipped: ShowClipped = False,
    analyst: Analyst = None,
    as_json: AsJson = False,
) -> None:
    """How far each number of an answer would be off, before anything is spent. Free."""
    with refusals(sql), opened(vault, analyst, only_reads=True, from_afar=True) as held:
        found = held.sql(sql, intervals=intervals).preview(
            epsilon=epsilon,
            delta=delta,
            rho=rho,
            noise=noise,
            confidence=confidence,
            show_clipped=show_clipped,
        )
        if as_json:
            typer.echo(json.dumps(found.to_dict(), indent=2))
            return
        console = answers()
        fits = "" if found.fits else ", more than is left of the budget"
        console.print(
            Text.assemble(
                "Would cost ",
                (found.price, "bold"),
                (fits, "bold red"),
                f". Within, at {level_of(found.confidence)} confidence:",
            ),
            soft_wrap=True,
        )
        rows = [(each.name, each.within, each.noise) for each in found.columns]
        console.print(plain_table(["column", "error", "noise"], rows))
        for note in found.notes:
            console.print(Text(f"note: {note}", style="yellow"))
        if found.threshold is not None:
            console.print(f"Groups of about {found.threshold:,.1f} or more units are told.")


def explain(sql: Sql, *, vault: VaultOption = None, analyst: Analyst = None) -> None:
    """What is computed, step by step, and how far one row or person reaches. Free."""
    with refusals(sql), opened(vault, analyst, only_reads=True, from_afar=True) as held:
        typer.echo(held.sql(sql).explain())


def plan(
    questions: Annotated[
        list[str], typer.Argument(metavar="SQL...", help="One question or several.")
    ],
    *,
    error: Annotated[str, typer.Option(help="How far each number may be off.")],
    vault: VaultOption = None,
    confidence: Annotated[str, typer.Option(help="How surely.")] = "0.95",
    column: Annotated[
        str | None, typer.Option(help="The number that matters.  [default: all]")
    ] = None,
    rows: Annotated[
        int | None, typer.Option(help="The least number of rows that matters, for means.")
    ] = None,
    delta: Delta = None,
    analyst: Analyst = None,
    as_json: AsJson = False,
) -> None:
    """What to spend for a wanted accuracy. Free."""
    with refusals("; ".join(questions)), opened(vault, analyst, only_reads=True) as held:
        targets = [
            held.sql(each).within(
                error, confidence=confidence, column=column, rows=rows, delta=delta
            )
            for each in questions
        ]
        with working("Planning"):
            made = plan_budget(targets)
        typer.echo(json.dumps(made.to_dict(), indent=2) if as_json else str(made))


def dummy(
    name: Annotated[str, typer.Argument(help="The dataset.")],
    *,
    vault: VaultOption = None,
    n: Annotated[int, typer.Option("-n", help="How many rows.")] = 1000,
    seed: Annotated[int | None, typer.Option(help="The same rows for the same number.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="A .parquet, .csv or .json file.  [default: print as CSV]")
    ] = None,
    force: Force = False,
) -> None:
    """Made-up rows with the columns of a dataset, from public facts alone: to write questions on,
    for free.
    """
    with refusals():
        _check_out(out)
        count = whole(n, "n", at_least=1)
        with opened(vault, only_reads=True, from_afar=True) as held:
            if out is not None:
                held.check_out(out)
            fresh(out, force=force)
            table = dummy_rows(held.dataset(name), count, seed=seed)
        if out is None:
            typer.echo(table.csv(), nl=False)
            return
        _write(table, out)
        answers().print(f"Wrote {count:,} made-up rows to {out}.", soft_wrap=True, markup=False)


suggest = typer.Typer(
    help="Estimate column bounds and limits per person privately (uses budget).",
    no_args_is_help=True,
)


@suggest.command(epilog=SUGGEST)
def bounds(
    dataset: Annotated[str, typer.Argument(help="The dataset.")],
    column: Annotated[str, typer.Argument(help="A column of numbers.")],
    *,
    vault: VaultOption = None,
    epsilon: Epsilon = None,
    rho: Rho = None,
    share: Annotated[str, typer.Option(help="How many of the rows it should hold.")] = "0.99",
    analyst: Analyst = None,
) -> None:
    """A range for a column, from counts by magnitude that are released privately."""
    with refusals(), opened(vault, analyst) as held:
        found = held.suggest_bounds(dataset, column, epsilon=epsilon, rho=rho, share=share)
        console = answers()
        if found.range is None:
            console.print(str(found), soft_wrap=True, markup=False)
            return
        lo, hi = str(found.range).removeprefix("Range(").removesuffix(")").split(", ")
        console.print(
            f"{found.range} holds about {found.share:.1%} of the rows ({found.price}).",
            soft_wrap=True,
            markup=False,
        )
        console.print(
            f"State it: shoal update {dataset} --range {column}={lo}:{hi}",
            soft_wrap=True,
            markup=False,
        )


@suggest.command(epilog=GROUPS)
def groups(
    dataset: Annotated[str, typer.Argument(help="The dataset.")],
    by: Annotated[
        list[str] | None,
        typer.Argument(metavar="KEY...", help="What questions will be grouped by."),
    ] = None,
    *,
    vault: VaultOption = None,
    epsilon: Epsilon = None,
    rho: Rho = None,
    share: Annotated[
        str, typer.Option(help="For how many of the persons it should be enough.")
    ] = "0.95",
    analyst: Analyst = None,
) -> None:
    """How many groups and rows per group to allow a person, from counts that are released
    privately.
    """
    with refusals(), opened(vault, analyst) as held:
        found = held.suggest_groups(dataset, *(by or ()), epsilon=epsilon, rho=rho, share=share)
        console = answers()
        if found.groups is None or found.rows_per_group is None:
            console.print(str(found), soft_wrap=True, markup=False)
            return
        said = f"--groups {found.groups} --rows-per-group {found.rows_per_group}"
        console.print(
            f"{said} is enough for about {share} of the persons ({found.price}).",
            soft_wrap=True,
            markup=False,
        )
        console.print(f"State it: shoal update {dataset} {said}", soft_wrap=True, markup=False)


def _check_out(out: Path | None) -> None:
    if out is None:
        return
    if out.suffix.lower() not in ENDINGS:
        raise RangeError(
            f"{out.name!r} ends in none of {', '.join(ENDINGS)}.",
            remedy="Choose one of these endings.",
        )
    writable(out)


def _give(
    answer: Answer,
    out: Path | None,
    *,
    as_json: bool,
    as_csv: bool,
    free: bool,
    number: int | None,
) -> None:
    if out is not None:
        if out.suffix.lower() == ".json":
            out.write_text(_as_json(answer, number, free=free), encoding="utf-8")
        else:
            _write(answer.to_rows(), out)
        remarks().print(f"Wrote {out}.", soft_wrap=True, markup=False)
    if as_json:
        typer.echo(_as_json(answer, number, free=free))
    elif as_csv:
        typer.echo(answer.to_rows().csv(), nl=False)
    if as_csv or (out is not None and out.suffix.lower() != ".json"):
        for note in answer.notes:  # a table has no place for them
            remarks().print(f"note: {note}", soft_wrap=True, markup=False)
    elif out is None and not as_json:
        show_answer(answers(), answer)


def _as_json(answer: Answer, number: int | None, *, free: bool) -> str:
    return json.dumps(data_of(stored(answer), number, free=free), indent=2, ensure_ascii=False)


def data_of(
    kept: Mapping[str, Any], number: int | None, *, free: bool | None = None
) -> dict[str, Any]:
    """A stored answer as it is told to programs; ``number`` is that of its release."""
    told = {
        name: kept[name]
        for name in (
            "columns",
            "types",
            "rows",
            "intervals",
            "confidence",
            "request",
            "notes",
            "certificate",
        )
    }
    if "clipped" in kept:
        told["clipped"] = dict(zip(("beyond", "within"), kept["clipped"], strict=True))
    head: dict[str, Any] = {} if number is None else {"release": number}
    return {**head, **({} if free is None else {"free": free}), **told}


def _tell_cost(held: Vault, answer: Answer, number: int, *, free: bool) -> None:
    certificate = answer.certificate
    console = answers()
    console.print()
    if free:
        console.print(
            Text(f"Free: this is the answer of release {number}, given again.", style="green")
        )
    else:
        console.print(Text(f"Release {number}; cost {answer.price}.", style="bold"))
        console.print(Text(f"By itself: {risk_of(promise_of(certificate))}", style="dim"))
    for each in certificate["datasets"]:
        if each["protects"] is not None:
            standing = held.budget(each["name"])
            console.print(
                Text(f"{each['name']}: {standing.spent} of {standing.whole} spent.", style="dim")
            )


def _write(table: Any, out: Path) -> None:
    if out.suffix.lower() == ".csv":
        out.write_text(table.csv(), encoding="utf-8", newline="")
    elif out.suffix.lower() == ".json":
        out.write_text(json.dumps(list(table.dicts()), indent=1, default=str), encoding="utf-8")
    else:
        table.write_parquet(out)
