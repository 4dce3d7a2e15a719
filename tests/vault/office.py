"""A small office: a table of visits, a public table of towns, and a vault that knows both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv, parquet

import shoal
from shoal.vault import Vault

PLANTED = "Zyzzogeton"
"""A value of the private table that must be found nowhere else."""

UNIT = shoal.Person("user_id", groups=2, rows_per_group=3)
FACTS: dict[str, shoal.Range | shoal.Choices] = {
    "kind": shoal.Choices(["work", "leisure"]),
    "spend": shoal.Range(0, 500),
}
BY_KIND = "SELECT kind, COUNT(*) AS n, AVG(spend) AS spend FROM visits GROUP BY kind"
COUNT = "SELECT COUNT(*) AS n FROM visits"


def rows(people: int = 600, *, first: int = 0) -> pa.Table:
    ids = [first + at // 2 for at in range(2 * people)]
    return pa.table(
        {
            "user_id": ids,
            "town": [("Aldam", "Brook", PLANTED)[at % 3] for at in range(2 * people)],
            "kind": [("work", "leisure")[at % 2] for at in range(2 * people)],
            "spend": [float(at * 7 % 300) for at in range(2 * people)],
        }
    )


def write(folder: Path, name: str = "visits.parquet", table: pa.Table | None = None) -> Path:
    path = folder / name
    held = rows() if table is None else table
    if path.suffix == ".csv":
        csv.write_csv(held, path)
    else:
        parquet.write_table(held, path)
    return path


def office(
    folder: Path,
    budget: shoal.Measure | None = None,
    *,
    towns: bool = False,
    place: str | None = None,
    **more: Any,
) -> Vault:
    vault = shoal.open(place or folder / "office.shoal")
    options = {"protects": UNIT, "columns": FACTS, **more}
    vault.add("visits", write(folder), budget=budget or shoal.Pure(1), **options)
    if towns:
        table = pa.table({"town": ["Aldam", "Brook"], "region": ["north", "south"]})
        vault.add("towns", write(folder, "towns.csv", table), public=True)
    return vault
