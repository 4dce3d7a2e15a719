"""How far quantiles are off: medians of skewed incomes in value, nine quantiles in rank.

`python -m benchmarks.questions.quantile_errors` prints this part alone.  ``BENCH_INCOMES`` names a
CSV file with a column ``income``, such as the sample of 1,000 persons of the PUMS census file that
tutorials use; without it the incomes are made up.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Goal, table

RANGE = 500_000
ROWS = 1_000
RELEASES = 2_000
DATASETS = 250
LEVELS = [level / 10 for level in range(1, 10)]
OURS = "**Shoal**"


def run() -> tuple[list[str], list[Goal]]:
    """Tables and goals of this part."""
    print("questions: errors of quantiles", flush=True)
    found, whose = incomes()
    medians = {f"epsilon {epsilon}": median_error(found, epsilon) for epsilon in ("1", "0.1")}
    together, alone = (rank_error(one_by_one=each) for each in (False, True))
    tables = [
        table(
            f"Median absolute error of the median of {len(found):,} incomes ({whose}), range 0 to {RANGE:,}",
            list(medians),
            {OURS: medians},
        ),
        table(
            f"Mean rank error of nine quantiles of {ROWS:,} normal rows at epsilon 1",
            ["in one question", "one by one"],
            {OURS: {"in one question": together, "one by one": alone}},
        ),
    ]
    goals = [
        Goal("nine quantiles within 6 ranks on average", 6, together, " ranks", at_most=True),
    ]
    if whose != "made up":
        goals += [
            Goal("the median within 45 at epsilon 1", 45, medians["epsilon 1"], "", at_most=True),
            Goal(
                "the median within 600 at epsilon 0.1",
                600,
                medians["epsilon 0.1"],
                "",
                at_most=True,
            ),
        ]
    return tables, goals


def incomes() -> tuple[NDArray[np.int64], str]:
    """Incomes, and whose they are."""
    path = os.environ.get("BENCH_INCOMES")
    if path is None:
        drawn = np.random.default_rng(17).lognormal(9.9, 1.0, ROWS)
        return np.minimum(drawn, RANGE).round(-2).astype(np.int64), "made up"
    with Path(path).open(encoding="utf-8", newline="") as lines:
        found = [round(float(line["income"])) for line in csv.DictReader(lines)]
    return np.array(found, dtype=np.int64), Path(path).stem


def median_error(found: NDArray[np.int64], epsilon: str) -> float:
    """The median over many releases of how far the median is off, in value."""
    ask = _held(found, (0, RANGE)).sql("SELECT MEDIAN(x) AS m FROM data")
    meant = float(np.median(found))
    off = [abs(ask.release(epsilon=epsilon).rows[0][0] - meant) for _ in range(RELEASES)]
    return float(np.median(off))


def rank_error(*, one_by_one: bool) -> float:
    """The mean over datasets and levels of how far off in rank quantiles are, for epsilon 1 in
    all.
    """
    drawn, off = np.random.default_rng(29), []
    for _ in range(DATASETS):
        rows = np.sort(drawn.normal(size=ROWS))
        for level, value in zip(LEVELS, _nine(rows, one_by_one=one_by_one), strict=True):
            off.append(abs(int(np.searchsorted(rows, value)) - level * ROWS))
    return float(np.mean(off))


def _nine(rows: NDArray[np.float64], *, one_by_one: bool) -> list[float]:
    held = _held(rows, (-10, 10))
    if one_by_one:
        asked = [held.sql(f"SELECT QUANTILE_CONT(x, {level}) AS q FROM data") for level in LEVELS]
        return [ask.release(epsilon="1/9").rows[0][0] for ask in asked]
    levels = ", ".join(map(str, LEVELS))
    ask = held.sql(f"SELECT QUANTILE_CONT(x, [{levels}]) AS q FROM data")
    return list(ask.release(epsilon=1).rows[0])


def _held(rows: NDArray[Any], between: tuple[int, int]) -> Any:
    import pyarrow as pa

    import shoal

    return shoal.private(
        pa.table({"x": rows}),
        protects=shoal.Row(),
        columns={"x": shoal.Range(*between)},
        budget=shoal.Pure(10**6),
    )


if __name__ == "__main__":
    shown, promised = run()
    print("\n\n".join([*shown, "\n".join(goal.line() for goal in promised)]))
