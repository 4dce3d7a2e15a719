"""The command that publishes many tables at once: what is wanted in a file, what comes out in a
folder.
"""

from __future__ import annotations

import json
from math import prod
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from shoal.cli.acceptance_publishing import Accepting
from shoal.cli.console import Force, answers, fresh, refusals, remarks, working, writable
from shoal.cli.detail_publishing import FILES, detail_for, publish_detail
from shoal.cli.options import Analyst, AsJson, Epsilon, Rho, VaultOption, opened
from shoal.cli.printed_tables import plain_table
from shoal.cli.publication_folder import BESIDE, files_of, write_folder
from shoal.cli.publish_file import asked_for, title_of, wanted_tables
from shoal.errors import SchemaError
from shoal.query.publication import Publication
from shoal.workloads import (
    PublicationPlan,
    check_whole_numbers,
)

PUBLISH = """
For example:

    shoal publish tables.toml --rho 0.1 --preview

    shoal publish tables.toml --rho 0.1 --out tables

The file says which tables:

    dataset = "people"

    whole_numbers = true

    [[tables]]

    marginals = ["region", "sex", "age"]

    up_to = 2
"""


def publish(
    file: Annotated[Path, typer.Argument(help="A TOML file that lists the tables.")],
    *,
    vault: VaultOption = None,
    epsilon: Epsilon = None,
    rho: Rho = None,
    within: Annotated[
        str | None,
        typer.Option(help="Spend as little as puts every cell within this error."),
    ] = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Only show the error of every table. Free.")
    ] = False,
    analyst: Analyst = None,
    key: Annotated[
        str | None,
        typer.Option(metavar="IDEMPOTENCY", help="A name of your own for this act."),
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path("tables"),
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Release many tables at once, with the least noise, so that they add up.

    The folder gets a CSV file for each table, a page, the certificate, and what was measured.
    Publishing the same again is free and gives the same tables.
    """
    with refusals():
        wanted = wanted_tables(file)
        if not preview:
            _check_out(out, force=force)
        with opened(vault, analyst, only_reads=preview) as held:
            if "detail" in wanted:
                if within is not None:
                    raise SchemaError(
                        "--within and [detail] were both given.",
                        remedy="Give --epsilon or --rho for a table in detail.",
                    )
                detail = detail_for(held, wanted, file.parent)
                for each in FILES if not preview else ():
                    held.check_out(out / each)
                spent = {"epsilon": epsilon, "rho": rho}
                publish_detail(detail, spent, out, preview=preview, key=key, as_json=as_json)
                return
            if "accept" in wanted:
                if rho is not None or within is not None:
                    raise SchemaError(
                        "tables with [accept] have a price in epsilon alone.",
                        remedy="Give --epsilon, without --rho and --within.",
                    )
                accepted = Accepting(held, wanted, file.parent, epsilon, out)
                if preview:
                    accepted.preview(as_json=as_json)
                else:
                    accepted.publish(key=key, as_json=as_json)
                return
            asked = asked_for(held, wanted, file.parent)
            price = _price(asked, epsilon, rho, within)
            plan = asked.preview(**price)
            whole = bool(wanted.get("whole_numbers"))
            if whole:
                check_whole_numbers(plan)  # before anything is spent
            if preview:
                _show(plan, as_json=as_json)
                return
            for each in (*files_of(plan.lines()).values(), *BESIDE):
                held.check_out(out / each)
            with working("Publishing"):
                released = asked.release(**price, key=key)
            with working("Making tables"):
                tables = list(released.whole_numbers() if whole else released)
        write_folder(released, tables, out, title_of(wanted))
        if as_json:
            told = {"price": str(plan.measure), "tables": files_of(tables)}
            typer.echo(json.dumps(told, indent=2))
            return
        _show(plan, as_json=False)
        remarks().print(
            f"Wrote {len(tables)} tables to {out}; start with {out / 'index.html'}.",
            soft_wrap=True,
            markup=False,
        )


def _check_out(out: Path, *, force: bool) -> None:
    """The folder can be made and is empty, or may be written over; checked before anything is
    spent.
    """
    if out.is_dir():
        if any(out.iterdir()):
            fresh(out, force=force)
        return
    writable(out)
    fresh(out, force=False)


def _price(
    asked: Publication, epsilon: str | None, rho: str | None, within: str | None
) -> dict[str, Any]:
    """What is spent, as it was typed; or the least that is accurate enough."""
    if within is None:
        wishes = any(table.within is not None for table in asked.workload.tables)
        if wishes and epsilon is None and rho is None:
            return asked.priced(asked.for_error())
        return {"epsilon": epsilon, "rho": rho}
    if epsilon is not None or rho is not None:
        raise SchemaError(
            "a price and --within were both given.",
            remedy="Give --within for a wanted error, or --epsilon or --rho for a price.",
        )
    return asked.priced(asked.for_error(within))


def _show(plan: PublicationPlan, *, as_json: bool) -> None:
    rows = [(each.name, prod(each.shape), each.widest) for each in plan.lines()]
    if as_json:
        told = [{"table": name, "cells": cells, "within": far} for name, cells, far in rows]
        typer.echo(json.dumps({"price": str(plan.measure), "tables": told}, indent=2))
        return
    console = answers()
    console.print(
        Text.assemble(
            "Costs ", (str(plan.measure), "bold"), ". Each cell within, at 95% confidence:"
        ),
        soft_wrap=True,
    )
    shown = [(name, f"{cells:,}", f"{far:,.1f}") for name, cells, far in rows]
    console.print(plain_table(["table", "cells", "within"], shown))
