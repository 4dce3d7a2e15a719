"""The command that publishes many tables at once: what is wanted in a file, what comes out in a
folder.
"""

from __future__ import annotations

import json
import re
from math import prod
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from shoal.cli.console import Force, answers, fresh, refusals, remarks, working, writable
from shoal.cli.error_heat_map import error_heat_map
from shoal.cli.options import Analyst, AsJson, Epsilon, Rho, VaultOption, opened
from shoal.cli.printed_tables import plain_table
from shoal.cli.publish_file import asked_for, wanted_tables
from shoal.engines.held_rows import HeldRows
from shoal.errors import SchemaError
from shoal.page import Heading, Page, PageTable, Part, Words
from shoal.plan import Kind, Type
from shoal.query.publication import Publication
from shoal.workloads import (
    PlannedTable,
    PublicationPlan,
    ReleasedTable,
    ReleasedTables,
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
_BESIDE = ("index.html", "certificate.json", "measurements.json", "measurements.parquet")
_MOST_SHOWN = 60
"""A page shows so many cells of a table; the file has all of them."""


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
            asked = asked_for(held, wanted, file.parent)
            price = _price(asked, epsilon, rho, within)
            plan = asked.preview(**price)
            whole = bool(wanted.get("whole_numbers"))
            if whole:
                check_whole_numbers(plan)  # before anything is spent
            if preview:
                _show(plan, as_json=as_json)
                return
            for each in (*map(_file_of, plan.lines()), *_BESIDE):
                held.check_out(out / each)
            with working("Publishing"):
                released = asked.release(**price, key=key)
            with working("Making tables"):
                tables = list(released.whole_numbers() if whole else released)
        _write(released, tables, out, str(wanted.get("title") or f"Tables of {wanted['dataset']}"))
        if as_json:
            told = {table.name: _file_of(table) for table in tables}
            typer.echo(json.dumps({"price": str(plan.measure), "tables": told}, indent=2))
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


def _file_of(table: ReleasedTable | PlannedTable) -> str:
    plain = re.sub(r"[^A-Za-z0-9_]+", "-", table.name).strip("-")
    return f"{plain or 'table'}.csv"


def _write(released: ReleasedTables, tables: list[ReleasedTable], out: Path, title: str) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for table in tables:
        table.to_csv(out / _file_of(table))
    head, numbers = released.measurements()
    (out / "measurements.json").write_text(json.dumps(head, indent=1), encoding="utf-8")
    columns: dict[str, Any] = {
        name: (Type(Kind.INTEGER), values) for name, values in numbers.items()
    }
    HeldRows(columns).write_parquet(out / "measurements.parquet")
    (out / "certificate.json").write_text(
        json.dumps(released.certificate, indent=1, ensure_ascii=False), encoding="utf-8"
    )
    (out / "index.html").write_text(_page(released, tables, title).html(), encoding="utf-8")


def _page(released: ReleasedTables, tables: list[ReleasedTable], title: str) -> Page:
    """The tables for a reader, what they cost, and what is not protected."""
    parts: list[Part] = [
        Words(
            "All numbers carry random noise, so that nobody can tell from them whether any one "
            "person is among the people counted. The interval beside a number holds the count "
            "without noise in 95 of 100 cases. The tables agree with each other: sums over the "
            "same people are equal."
        ),
        Words(f"Together they cost {released.plan.measure}."),
    ]
    if released.known is not None:
        parts.append(
            Words(
                f"Not protected: the totals by {released.known.name} were public before, and "
                "stand here as they are."
            )
        )
    parts += [Heading("How exact the tables are"), error_heat_map(tables)]
    for table in tables:
        columns = table.to_columns()
        names = [name for name in columns if name != "standard_error"]
        cells = list(zip(*(columns[name] for name in names), strict=True))
        shown = [[_figure(value) for value in row] for row in cells[:_MOST_SHOWN]]
        numbers = frozenset(at for at, name in enumerate(names) if name.startswith("count"))
        parts += [Heading(table.name), PageTable(_headed(names), shown, numbers)]
        if len(cells) > _MOST_SHOWN:
            parts.append(
                Words(
                    f"The first {_MOST_SHOWN} of {len(cells):,} cells; all are in {_file_of(table)}."
                )
            )
    return Page(title, parts)


def _headed(names: list[str]) -> list[str]:
    words = {"count_low": "from", "count_high": "to"}
    return [words.get(name, name) for name in names]


def _figure(value: object) -> str:
    return f"{value:,.1f}" if isinstance(value, float) else str(value)
