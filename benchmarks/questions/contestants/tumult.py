"""Tumult Analytics on Spark in local mode: pure budgets, one query per aggregate, means as a
quotient afterwards.
"""

from __future__ import annotations

import os
import sys
import tempfile
from typing import Any

import pandas as pd
from pyspark.sql import SparkSession
from tmlt.analytics import (
    AddRowsWithID,
    ApproxDPBudget,
    KeySet,
    MaxGroupsPerID,
    MaxRowsPerGroupPerID,
    MaxRowsPerID,
    PureDPBudget,
    QueryBuilder,
    Session,
)

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
from benchmarks.spark.session import finish

__all__ = ["finish", "prepare"]


def prepare(workload: Workload, files: Files) -> Act:
    spark = _spark()

    def ask(epsilon: float) -> Answers:
        session = _session(spark, files, ApproxDPBudget(epsilon, DELTA))
        queries = _queries(_keyed(session, workload, epsilon), workload)
        share = epsilon / (len(queries) + workload.selects)
        answers: Answers = {}
        for column, query in queries.items():
            found = session.evaluate(query, PureDPBudget(share)).toPandas()
            for row in found.to_dict("records"):
                key = str(row[workload.key]) if workload.key else ""
                answers.setdefault(key, {})[column] = float(row[column])
        if "mean" in workload.columns:
            for cells in answers.values():
                cells["mean"] = cells["total"] / cells["n"] if cells["n"] else 0.0
        return answers

    return ask


def _spark() -> Any:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    made = (
        SparkSession.builder.master("local[*]")
        .config("spark.driver.memory", "8g")
        .config("spark.sql.shuffle.partitions", "8")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.warehouse.dir", tempfile.mkdtemp(prefix="benchmark-warehouse-"))
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .getOrCreate()
    )
    made.sparkContext.setLogLevel("ERROR")
    return made


def _session(spark: Any, files: Files, budget: Any) -> Any:
    visits = spark.read.parquet(str(files.visits)).drop("day")
    return (
        Session.Builder()
        .with_privacy_budget(budget)
        .with_id_space("persons")
        .with_private_dataframe("visits", visits, AddRowsWithID("user_id", "persons"))
        .with_public_dataframe("regions", spark.read.parquet(str(files.regions)))
        .build()
    )


def _keyed(session: Any, workload: Workload, epsilon: float) -> Any:
    """The rows of a question, bounded and, where there are keys, grouped."""
    rows = QueryBuilder("visits")
    if workload.name == "regions":
        rows = rows.join_public("regions", ["city"])
    if not workload.key:
        return rows.enforce(MaxRowsPerID(ROWS_PER_GROUP))
    if workload.name != "persons":
        rows = rows.enforce(MaxRowsPerGroupPerID(workload.key, ROWS_PER_GROUP))
    rows = rows.enforce(MaxGroupsPerID(workload.key, GROUPS))
    return rows.groupby(_keys(session, workload, epsilon))


def _keys(session: Any, workload: Workload, epsilon: float) -> Any:
    if workload.keys:
        return KeySet.from_dict({workload.key: list(workload.keys)})
    rows = QueryBuilder("visits").enforce(MaxRowsPerID(GROUPS)).get_groups([workload.key])
    found = session.evaluate(rows, ApproxDPBudget(epsilon / 3, DELTA))
    told: Any = pd.DataFrame(found.toPandas())
    return KeySet.from_dict({workload.key: [str(key) for key in told[workload.key]]})


def _queries(rows: Any, workload: Workload) -> dict[str, Any]:
    if workload.name == "persons":
        return {"persons": rows.count_distinct(["user_id"], name="persons")}
    if workload.name == "quantiles":
        return {
            name: rows.quantile("age", at, *ALL_AGES, name=name) for name, at in QUANTILES.items()
        }
    if workload.name == "variance":
        return {"spread": rows.variance("spend", *ALL_SPEND, name="spread")}
    made = {"n": rows.count(name="n")}
    if "total" in workload.columns:
        made["total"] = rows.sum("spend", *ALL_SPEND, name="total")
    return made
