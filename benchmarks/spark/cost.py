"""What a question costs a cluster, fitted to measurements: bytes through shuffles, and memory of
the driver.

``python -m benchmarks.spark.cost`` measures tables of several sizes in one session and prints the
fit.  Bytes are Spark's own count, from the REST pages of the session; the driver's memory is what
Python grew by while keys came.
The model is linear: bytes = a * rows + b * lines.  Rows are moved once, to their person; then every
partition sends a line of partial totals for each key it has: at most one for each cell, and for
each key and partition.  It does so once where keys are few, and three times where they are more.
"""

from __future__ import annotations

import gc
import json
import tempfile
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil

import shoal
from benchmarks.measure import quantity

SIZES = (
    (200_000, 20_000, 100, 8),
    (200_000, 100_000, 1_000, 64),
    (800_000, 800, 100, 8),
    (1_600_000, 4_000, 50, 32),
    (800_000, 80_000, 100, 64),
    (800_000, 400_000, 100_000, 4),
    (1_600_000, 160_000, 1_000, 8),
    (1_600_000, 800_000, 100_000, 32),
    (1_600_000, 800_000, 20_000, 64),
    (3_200_000, 320_000, 10_000, 8),
)
"""Rows, persons, keys, partitions."""
TARGET = (10**11, 10**9, 10**6, 10**4)
SEED = 20261116
FEW = 65_536
"""Up to so many keys votes and totals are found at once; beyond, that was in vain, and each is
found by itself.
"""


@dataclass(frozen=True)
class Point:
    """One measured table."""

    rows: int
    persons: int
    keys: int
    partitions: int
    lines: float
    shuffled: int
    driver: int


def measured() -> list[Point]:
    """Every size, asked for votes and totals by key; partitions are as many as are said."""
    settings = {"spark.ui.enabled": "true", "spark.ui.port": "0", "spark.driver.memory": "4g"}
    settings["spark.sql.adaptive.coalescePartitions.enabled"] = "false"
    from benchmarks.spark.session import started

    spark = started(**settings)
    found = [_one(spark, *size) for size in SIZES]
    spark.stop()
    return found


def _one(spark: Any, rows: int, persons: int, keys: int, partitions: int) -> Point:
    print(f"spark: cost of {rows:,} rows, {persons:,} persons, {keys:,} keys", flush=True)
    spark.conf.set("spark.sql.shuffle.partitions", str(partitions))
    random = np.random.default_rng(SEED)
    person, key = random.integers(0, persons, rows), random.integers(0, keys, rows)
    cells = len(np.unique(person * keys + key))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        _write(path, person, key, random.random(rows) * 500)
        held = shoal.private(
            spark.read.parquet(str(path)),
            name="rows",
            protects=shoal.Person("person", groups=5, rows_per_group=3),
            columns={"spend": shoal.Range(0, 500)},
            budget=shoal.Approx(10**9, "1e-3"),
        )
        before, resident = _shuffled(spark), _resident()
        ask = held.sql("SELECT key, COUNT(*) AS n, SUM(spend) AS spend FROM rows GROUP BY key")
        ask.release(epsilon=1000, delta="1e-4")
        spent, grown = _shuffled(spark) - before, _resident() - resident
    lines = lines_of(cells, keys, partitions)
    return Point(rows, persons, keys, partitions, lines, spent, max(0, grown))


def lines_of(cells: float, keys: int, partitions: int) -> float:
    """How many lines of partial totals are sent at most, of all rounds."""
    return min(cells, keys * partitions) * (1 if keys <= FEW else 3)


def _write(path: Path, person: Any, key: Any, spend: Any) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"person": person, "key": key, "spend": spend}), path)


def _shuffled(spark: Any) -> int:
    """Bytes written to shuffles so far, as the session's own pages count them."""
    context = spark.sparkContext
    page = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/stages"
    with urllib.request.urlopen(page) as answer:
        return sum(stage["shuffleWriteBytes"] for stage in json.load(answer))


def _resident() -> int:
    gc.collect()
    return int(psutil.Process().memory_info().rss)


@dataclass(frozen=True)
class Fit:
    """Bytes through shuffles by row and line, none below zero, and how far off it is at each point,
    as a share.
    """

    by_row: float
    by_line: float
    off: tuple[float, ...]

    def at(self, rows: float, lines: float) -> float:
        return self.by_row * rows + self.by_line * lines


def fitted(points: Sequence[Point]) -> Fit:
    """Least squares of relative errors, with coefficients that are not negative."""
    from scipy.optimize import nnls

    sizes = np.array([[p.rows, p.lines] for p in points], dtype=float)
    spent = np.array([p.shuffled for p in points], dtype=float)
    found, _ = nnls(sizes / spent[:, None], np.ones(len(points)))
    off = sizes @ found / spent - 1
    return Fit(float(found[0]), float(found[1]), tuple(map(float, off)))


def tables() -> list[str]:
    """The measurements with what the fit says of them, and what it predicts."""
    points = measured()
    fit = fitted(points)
    lines = [
        "| Cost on Spark: rows | persons | keys | partitions | lines | MB shuffled | fit, MB | off | MB the driver grew |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for point, off in zip(points, fit.off, strict=True):
        sizes = (point.rows, point.persons, point.keys, point.partitions, point.lines)
        numbers = [quantity(n) for n in sizes]
        said = fit.at(point.rows, point.lines)
        numbers += [f"{point.shuffled / 1e6:.1f}", f"{said / 1e6:.1f}", f"{off:+.1%}"]
        lines.append("| " + " | ".join([*numbers, f"{point.driver / 1e6:.0f}"]) + " |")
    rows, persons, keys, partitions = TARGET
    whole = fit.at(rows, lines_of(rows, keys, partitions))
    told = (
        f"The fit: {fit.by_row:.1f} bytes a row and {fit.by_line:.0f} a line go through shuffles. For {rows:.0e} rows of {persons:.0e} persons, {keys:.0e} keys and "
        f"{partitions:.0e} partitions it predicts {whole / 1e12:.1f} TB, {whole / partitions / 1e6:.0f} MB a partition. Nothing of that size was run."
    )
    return ["\n".join(lines), told]


def main() -> None:
    print("\n\n".join(tables()))


if __name__ == "__main__":
    main()
