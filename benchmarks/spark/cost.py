"""What a question costs a cluster, fitted to measurements: bytes through shuffles, and memory of the driver.

``python -m benchmarks.spark.cost`` measures tables of several sizes in one session and prints the fit.  Bytes are Spark's own count,
from the REST pages of the session; the driver's memory is what Python grew by while keys came.
The model is linear: bytes = a * rows + b * keys.  Rows are moved once, to their person; of each key every part sends its partial totals.
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
from benchmarks.questions.data import CACHE

SIZES = (
    (200_000, 20_000, 100),
    (200_000, 100_000, 1_000),
    (800_000, 800, 100),
    (1_600_000, 4_000, 50),
    (800_000, 80_000, 100),
    (800_000, 400_000, 100_000),
    (1_600_000, 160_000, 1_000),
    (1_600_000, 800_000, 100_000),
    (3_200_000, 320_000, 10_000),
)
"""Rows, persons, keys."""
KEPT = CACHE / "spark-cost.json"
TARGET = (10**11, 10**9, 10**6)
SEED = 20261116


@dataclass(frozen=True)
class Point:
    """One measured table."""

    rows: int
    persons: int
    keys: int
    cells: int
    shuffled: int
    driver: int


def measured() -> list[Point]:
    """Every size, asked for votes and totals by key; kept until the folder is removed."""
    if KEPT.exists():
        return [Point(**each) for each in json.loads(KEPT.read_text())]
    settings = {"spark.ui.enabled": "true", "spark.ui.port": "0", "spark.driver.memory": "4g"}
    from benchmarks.spark.session import started

    spark = started(**settings)
    found = [_one(spark, *size) for size in SIZES]
    spark.stop()
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps([vars(each) for each in found]))
    return found


def _one(spark: Any, rows: int, persons: int, keys: int) -> Point:
    print(f"spark: cost of {rows:,} rows, {persons:,} persons, {keys:,} keys", flush=True)
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
    return Point(rows, persons, keys, cells, spent, max(0, grown))


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
    """Bytes through shuffles by row and key, none below zero, and how far off it is at each point, as a share."""

    by_row: float
    by_key: float
    off: tuple[float, ...]

    def at(self, rows: float, keys: float) -> float:
        return self.by_row * rows + self.by_key * keys


def fitted(points: Sequence[Point]) -> Fit:
    """Least squares of relative errors, with coefficients that are not negative."""
    from scipy.optimize import nnls

    sizes = np.array([[p.rows, p.keys] for p in points], dtype=float)
    spent = np.array([p.shuffled for p in points], dtype=float)
    found, _ = nnls(sizes / spent[:, None], np.ones(len(points)))
    off = sizes @ found / spent - 1
    return Fit(float(found[0]), float(found[1]), tuple(map(float, off)))


def tables() -> list[str]:
    """The measurements with what the fit says of them, and what it predicts."""
    points = measured()
    fit = fitted(points)
    lines = [
        "| Cost on Spark: rows | persons | keys | cells | MB shuffled | fit, MB | off | MB the driver grew |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for point, off in zip(points, fit.off, strict=True):
        numbers = [quantity(n) for n in (point.rows, point.persons, point.keys, point.cells)]
        said = fit.at(point.rows, point.keys)
        numbers += [f"{point.shuffled / 1e6:.1f}", f"{said / 1e6:.1f}", f"{off:+.1%}"]
        lines.append("| " + " | ".join([*numbers, f"{point.driver / 1e6:.0f}"]) + " |")
    rows, persons, keys = TARGET
    whole = fit.at(rows, keys)
    told = (
        f"The fit: {fit.by_row:.1f} bytes a row and {fit.by_key:.0f} a key go through shuffles. For {rows:.0e} rows of {persons:.0e} persons and "
        f"{keys:.0e} keys it predicts {whole / 1e12:.1f} TB, {whole / 1000 / 1e9:.1f} GB for each of 1000 partitions. Nothing of that size was run."
    )
    return ["\n".join(lines), told]


def main() -> None:
    print("\n\n".join(tables()))


if __name__ == "__main__":
    main()
