"""The folder of a release of many tables: a CSV file for each, a page, the certificate, and what was
measured.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from shoal.cli.count_figures import OF_TABLES, headed
from shoal.cli.error_heat_map import error_heat_map
from shoal.engines.held_rows import HeldRows
from shoal.page import Heading, Page, PageTable, Part, Words
from shoal.plan import Kind, Type
from shoal.workloads import PlannedTable, ReleasedTable, ReleasedTables

BESIDE = ("index.html", "certificate.json", "measurements.json", "measurements.parquet")
"""The other files in the folder, beside the tables."""

_MOST_SHOWN = 60
"""A page shows so many cells of a table; the file has all of them."""


def files_of(tables: Sequence[ReleasedTable | PlannedTable]) -> dict[str, str]:
    """The names of the files by those of the tables, each with a file of its own, also where capitals
    make no difference.
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(table.name for table in tables):
        plain = re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-") or "table"
        tries = (plain if at == 1 else f"{plain}-{at}" for at in count(1))
        file = next(each for each in tries if each.lower() not in taken)
        taken.add(file.lower())
        found[name] = f"{file}.csv"
    return found


def write_folder(
    released: ReleasedTables, tables: list[ReleasedTable], out: Path, title: str
) -> None:
    """All files of a release; ``tables`` are those that readers get."""
    out.mkdir(parents=True, exist_ok=True)
    files = files_of(tables)
    for table in tables:
        table.to_csv(out / files[table.name])
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
        Words(f"Together they cost {released.plan.price_words}."),
    ]
    if released.known is not None:
        parts.append(
            Words(
                f"Not protected: the totals by {released.known.name} were public before, and "
                "stand here as they are."
            )
        )
    parts += [Heading("How exact the tables are"), error_heat_map(tables)]
    files = files_of(tables)
    for table in tables:
        columns = table.to_columns()
        names = [name for name in columns if name != "standard_error"]
        cells = list(zip(*(columns[name] for name in names), strict=True))
        shown = [
            [OF_TABLES.get(name, str)(value) for name, value in zip(names, row, strict=True)]
            for row in cells[:_MOST_SHOWN]
        ]
        numbers = frozenset(at for at, name in enumerate(names) if name in OF_TABLES)
        heads = [headed(name, OF_TABLES) for name in names]
        parts += [Heading(table.name), PageTable(heads, shown, numbers)]
        if len(cells) > _MOST_SHOWN:
            parts.append(
                Words(
                    f"The first {_MOST_SHOWN} of {len(cells):,} cells; all are in {files[table.name]}."
                )
            )
    return Page(title, parts)
