"""The plain query, without any privacy: Spark on the Parquet file."""

from __future__ import annotations

from benchmarks.questions.workloads import Act, Answers, Files, Workload
from benchmarks.spark.session import finish, started

__all__ = ["finish", "prepare"]


def prepare(workload: Workload, files: Files) -> Act:
    spark = started()

    def ask(_: float) -> Answers:
        for name, path in (("visits", files.visits), ("regions", files.regions)):
            spark.read.parquet(str(path)).createOrReplaceTempView(name)
        sql = workload.sql.replace("QUANTILE_CONT(", "PERCENTILE(")
        held = 1 if workload.key else 0
        return {
            str(row[0]) if held else "": dict(
                zip(workload.columns, map(float, row[held:]), strict=True)
            )
            for row in spark.sql(sql).collect()
        }

    return ask
