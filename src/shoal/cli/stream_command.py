"""The command for counts that are released day by day."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import Force, answers, fresh, refusals, remarks, working
from shoal.cli.count_figures import OF_DAYS, headed
from shoal.cli.options import Analyst, AsJson, Epsilon, Rho, VaultOption, opened
from shoal.cli.printed_tables import plain_table
from shoal.errors import SchemaError
from shoal.vault.released_days import ReleasedDays
from shoal.workloads import StreamPlan

STREAM = """
For example:

    shoal stream daily-visits --of visits --by day --rho 0.5 --preview

    shoal stream daily-visits --of visits --by day --rho 0.5

    shoal stream daily-visits --until 2026-01-31 --out visits.csv
"""
_SHOWN = 14
"""So many of the last days are printed; a file gets all."""


def stream(
    name: Annotated[str, typer.Argument(help="A name of your own for the stream.")],
    *,
    of: Annotated[
        str | None, typer.Option("--of", metavar="DATASET", help="Open it: counts of this dataset.")
    ] = None,
    by: Annotated[
        str | None, typer.Option("--by", metavar="COL", help="The column of days.")
    ] = None,
    epsilon: Epsilon = None,
    rho: Rho = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Only show the error of every day. Free.")
    ] = False,
    until: Annotated[
        str | None, typer.Option(metavar="DAY", help="Release every day up to this one.")
    ] = None,
    analyst: Analyst = None,
    out: Annotated[
        Path | None, typer.Option(help="Write all released days to this CSV file.")
    ] = None,
    force: Force = False,
    vault: VaultOption = None,
    as_json: AsJson = False,
) -> None:
    """Release one count a day, paid for once.

    Opening a stream pays for all its days. Days are then released when their rows are there, and
    cost nothing more.
    """
    with refusals():
        if (of is None) != (by is None) or (preview and of is None):
            raise SchemaError(
                "a stream is opened, or looked at before, with a dataset and its column of days.",
                remedy=f"Write: shoal stream {name[:40]} --of visits --by day --rho 0.5",
            )
        if out is not None:
            fresh(out, force=force)
        reads = preview or (of is None and until is None)
        with opened(vault, analyst, only_reads=reads) as held:
            if out is not None:
                held.check_out(out)
            if of is not None and by is not None:
                asked = held.daily(name, of, by)
                if preview:
                    _show_plan(asked.preview(epsilon=epsilon, rho=rho), as_json=as_json)
                    return
                asked.open(epsilon=epsilon, rho=rho)
            found = held.stream(name)
            if until is None:
                released = found.released()
            else:
                with working("Releasing"):
                    released = found.release(until)
        if out is not None:
            released.to_csv(out)
        _show(released, as_json=as_json)


def _show_plan(plan: StreamPlan, *, as_json: bool) -> None:
    if as_json:
        told = {
            "price": str(plan.measure),
            "days": plan.days,
            "count_within": plan.half_widths(plan.daily_errors).tolist(),
            "total_within": plan.half_widths(plan.running_errors).tolist(),
        }
        typer.echo(json.dumps(told, indent=2))
        return
    answers().print(str(plan), soft_wrap=True, markup=False, highlight=False)


def _show(released: ReleasedDays, *, as_json: bool) -> None:
    columns = released.to_columns()
    if as_json:
        days = next(iter(columns))
        columns[days] = [str(each) for each in columns[days]]
        typer.echo(json.dumps({"price": released.price, "days": columns}, indent=2))
        return
    shown = [
        [OF_DAYS.get(name, str)(each) for each in values[-_SHOWN:]]
        for name, values in columns.items()
    ]
    heads = [headed(name, OF_DAYS) for name in columns]
    answers().print(plain_table(heads, list(zip(*shown, strict=True))))
    remarks().print(
        f"{len(released)} of {released.plan.days} days are released; "
        f"all of them together cost {released.price}.",
        soft_wrap=True,
        markup=False,
    )
