"""The plain query, without any privacy: DuckDB on the Parquet file."""

from __future__ import annotations

import duckdb

from benchmarks.questions.workloads import Act, Answers, Files, Workload


def prepare(workload: Workload, files: Files) -> Act:
    def ask(_: float) -> Answers:
        with duckdb.connect() as connection:
            for name, path in (("visits", files.visits), ("regions", files.regions)):
                connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{path}')")
            rows = connection.execute(workload.sql).fetchall()
        held = 1 if workload.key else 0
        return {
            str(row[0]) if held else "": dict(
                zip(workload.columns, map(float, row[held:]), strict=True)
            )
            for row in rows
        }

    return ask
