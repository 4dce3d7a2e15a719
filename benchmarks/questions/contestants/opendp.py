"""OpenDP through Polars: contributions are truncated by person, then noise is Laplace at a total of
epsilon.

Groups are kept by ``keep="first"``: ``"sample"`` makes two fields of one name, which Polars refuses
(opendp 0.16).  It keeps groups of rank below the number asked for, so one fewer than it pays for.
Means and variances are made of noisy totals afterwards. The public join is made on the lazy frame
before OpenDP sees it, for margins must name columns of the source.
"""

from __future__ import annotations

from typing import Any

import opendp.prelude as dp
import polars as pl

from benchmarks.questions.data import ALL_AGES, ALL_SPEND
from benchmarks.questions.workloads import (
    DELTA,
    GROUPS,
    QUANTILES,
    ROWS_PER_GROUP,
    Act,
    Answers,
    Files,
    Workload,
)

MOST_ROWS, MOST_GROUPS = 2 * 10**6, 200
"""OpenDP wants to know how long and how many groups can be, for the rounding of sums."""


def prepare(workload: Workload, files: Files) -> Act:
    dp.enable_features("contrib", "honest-but-curious")

    def ask(epsilon: float) -> Answers:
        query = _bounded(_context(workload, files, epsilon), workload)
        found = _asked(query, workload).release().collect()
        return _answers(found, workload)

    return ask


def _context(workload: Workload, files: Files, epsilon: float) -> Any:
    loss = {"epsilon": epsilon, "delta": DELTA} if workload.selects else {"epsilon": epsilon}
    by = [workload.key] if workload.key else []
    return dp.Context.compositor(
        data=_source(workload, files),
        privacy_unit=dp.unit_of(contributions=1, identifier="user_id"),
        privacy_loss=dp.loss_of(**loss),
        split_evenly_over=1,
        margins=[dp.polars.Margin(by=by, max_length=MOST_ROWS, max_groups=MOST_GROUPS)],
    )


def _source(workload: Workload, files: Files) -> Any:
    rows = pl.scan_parquet(files.visits)
    if workload.name != "regions":
        return rows
    return rows.join(pl.scan_parquet(files.regions), on="city", how="left")


def _bounded(context: Any, workload: Workload) -> Any:
    query = context.query()
    rows = 1 if workload.name == "persons" else ROWS_PER_GROUP
    if not workload.key:
        return query.truncate_per_group(rows)
    by = [workload.key]
    return query.truncate_per_group(rows, by=by).truncate_num_groups(GROUPS, by=by, keep="first")


def _asked(query: Any, workload: Workload) -> Any:
    wanted = _expressions(workload)
    if not workload.key:
        return query.select(*wanted)
    made = query.group_by(workload.key).agg(*wanted)
    if workload.keys:
        made = made.with_keys(pl.LazyFrame({workload.key: list(workload.keys)}))
    return made


def _expressions(workload: Workload) -> list[Any]:
    if workload.name == "quantiles":
        ages = list(range(ALL_AGES[0], ALL_AGES[1] + 1))
        age: Any = pl.col("age").fill_null(0)  # OpenDP adds `dp` to the expressions of Polars
        return [age.dp.quantile(at, ages).alias(name) for name, at in QUANTILES.items()]
    if workload.name == "persons":
        return [dp.len().alias("persons")]
    made = [dp.len().alias("n")]
    spend: Any = pl.col("spend").fill_null(0.0).fill_nan(0.0)
    if workload.columns != ("n",):
        made.append(spend.dp.sum(ALL_SPEND).alias("total"))
    if workload.name == "variance":
        low, high = (float(end) ** 2 for end in ALL_SPEND)
        made.append((spend * spend).dp.sum((low, high)).alias("squares"))
    return made


def _answers(found: Any, workload: Workload) -> Answers:
    answers: Answers = {}
    for row in found.iter_rows(named=True):
        if "mean" in workload.columns:
            row["mean"] = row["total"] / row["n"] if row["n"] else 0.0
        if "spread" in workload.columns:
            row["spread"] = (row["squares"] - row["total"] ** 2 / row["n"]) / (row["n"] - 1)
        key = str(row[workload.key]) if workload.key else ""
        answers[key] = {column: float(row[column] or 0) for column in workload.columns}
    return answers
