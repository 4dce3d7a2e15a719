"""The curator's commands around a declaration: write one to edit, and see what it cuts off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import Force, answers, refusals, remarks, writable
from shoal.cli.csv_options import Decimal, Delimiter, Encoding, Header, Types, source_of
from shoal.cli.options import (
    AsJson,
    ByPerson,
    ByRow,
    Groups,
    RowsPerGroup,
    VaultOption,
    WholeBudget,
    opened,
    unit_of,
)
from shoal.errors import SchemaError
from shoal.measures import budget_of
from shoal.vault.declaration_check import WARNING
from shoal.vault.proposal import declare as write_declaration

DECLARE = """
For example:

    shoal declare visits.csv

    shoal declare visits.csv --person patient --budget 1,1e-6

    shoal declare old.csv --no-header --names patient,ward,days
"""
CHECK = """
For example:

    shoal check visits

    shoal check visits --json
"""


def declare(
    path: Annotated[
        str,
        typer.Argument(help="A .csv or .parquet file, or a folder of .parquet files."),
    ],
    *,
    name: Annotated[
        str | None, typer.Option(help="What SQL calls it.  [default: the file's name]")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write.  [default: NAME.toml]")
    ] = None,
    row: ByRow = False,
    person: ByPerson = None,
    groups: Groups = None,
    rows_per_group: RowsPerGroup = None,
    budget: WholeBudget = None,
    types: Types = None,
    header: Header = None,
    names: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,C", help="The names of the columns of a CSV file without a header."
        ),
    ] = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Write a declaration of a file for you to edit: its columns, who is protected, and the budget.
    Nothing is registered.

    Shoal reads the file to propose types. Ranges and choices are left for you to fill in: whatever
    stands in the declaration is public, so state what you know and copy nothing from the rows.
    """
    with refusals():
        if names is not None and header is not False:
            raise SchemaError(
                "--names is given, and the file has a header.",
                remedy="Add --no-header if its first row holds data, or leave --names out.",
            )
        unit = None
        if row or person:
            unit = unit_of(
                row=row,
                person=person,
                groups=groups,
                rows_per_group=rows_per_group,
                change=False,
                public=False,
            )
        source = source_of(
            path,
            types or [],
            header=header,
            delimiter=delimiter,
            decimal=decimal,
            encoding=encoding,
        )
        if out is not None:
            writable(out)
        file = write_declaration(
            source,
            name=name,
            out=out,
            names=[each.strip() for each in names.split(",")] if names else (),
            protects=unit,
            budget=None if budget is None else budget_of(budget),
            force=force,
        )
        answers().print(
            f"Wrote {file}. Nothing is registered yet. Fill it in, then run: shoal add {file}",
            soft_wrap=True,
        )


def check(
    name: Annotated[str, typer.Argument(help="The dataset.")],
    *,
    vault: VaultOption = None,
    as_json: AsJson = False,
) -> None:
    """Show what a declaration cuts off: values outside ranges and choices, cells of another type,
    people beyond their share.

    For the curator alone: the numbers are exact and not private. Nothing is spent or written.
    """
    with refusals(), opened(vault, only_reads=True) as held:
        found = held.check(name)
        if as_json:
            typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False, default=str))
            return
        remarks().print(WARNING, style="bold", soft_wrap=True)
        answers().print(
            str(found).removeprefix(f"{WARNING}\n"), soft_wrap=True, markup=False, highlight=False
        )
