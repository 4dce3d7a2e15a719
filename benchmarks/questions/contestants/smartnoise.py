"""SmartNoise SQL on a pandas frame, which it copies into SQLite; its epsilon is per column, so it
is divided.

It bounds the rows of a person, not groups and rows in each: groups times rows stands for both.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow.parquet as pq
from snsql import Privacy, from_df

from benchmarks.questions.data import ALL_AGES, ALL_SPEND
from benchmarks.questions.workloads import (
    DELTA,
    GROUPS,
    ROWS_PER_GROUP,
    Act,
    Answers,
    CannotError,
    Files,
    Workload,
)

CANNOT = {"quantiles": "no quantiles in its SQL"}
NAMES = {"VARIANCE(": "VAR(", "FROM visits": "FROM bench.visits"}
COLUMNS = ("user_id", "city", "category", "spend", "age")


def prepare(workload: Workload, files: Files) -> Act:
    if workload.name in CANNOT:
        raise CannotError(CANNOT[workload.name])
    sql = _sql(workload)

    def ask(epsilon: float) -> Answers:
        frame = _frame(workload, files)
        share = epsilon / _reader(frame.head(10), workload, 1.0).get_privacy_cost(sql)[0]
        rows = _reader(frame, workload, share).execute(sql)
        held = 1 if workload.key else 0
        return {
            str(row[0]) if held else "": {
                column: float(value or 0)
                for column, value in zip(workload.columns, row[held:], strict=True)
            }
            for row in rows[1:]
        }

    return ask


def _sql(workload: Workload) -> str:
    made = workload.sql.replace(" JOIN regions USING (city)", "")
    for ours, theirs in NAMES.items():
        made = made.replace(ours, theirs)
    return made


def _frame(workload: Workload, files: Files) -> Any:
    """The columns a question needs; the public join is made in pandas, for its own joins need
    keys.
    """
    wanted = [c for c in COLUMNS if c == "user_id" or c in workload.sql]
    frame = pq.read_table(files.visits, columns=wanted).to_pandas()
    if workload.name == "regions":
        frame = frame.merge(pd.read_parquet(files.regions), on="city").drop(columns="city")
    return frame


def _reader(frame: Any, workload: Workload, epsilon: float) -> Any:
    privacy = Privacy(epsilon=epsilon, delta=DELTA)
    return from_df(frame, privacy=privacy, metadata=_metadata(frame, workload))


def _metadata(frame: Any, workload: Workload) -> dict[str, Any]:
    known: dict[str, Any] = {
        "user_id": {"type": "int", "private_id": True},
        "spend": {"type": "float", "lower": ALL_SPEND[0], "upper": ALL_SPEND[1]},
        "age": {"type": "int", "lower": ALL_AGES[0], "upper": ALL_AGES[1]},
    }
    rows = 1 if workload.name == "persons" else ROWS_PER_GROUP
    options = {
        "max_ids": rows * (GROUPS if workload.key else 1),
        "sample_max_ids": True,
        "censor_dims": workload.selects,
        "clamp_counts": False,
        "row_privacy": False,
    }
    columns = {name: known.get(name, {"type": "string"}) for name in frame.columns}
    return {"": {"bench": {"visits": options | columns}}}
