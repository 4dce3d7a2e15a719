"""The session that every contestant gets: local, all cores, the same settings."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from typing import Any

SETTINGS = {
    "spark.driver.memory": "8g",
    "spark.sql.shuffle.partitions": "8",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}


def started(**more: str) -> Any:
    """A session, started; a first small job was run, so that what follows is the question's own."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[*]")
    for name, value in {**SETTINGS, **more}.items():
        builder = builder.config(name, value)
    builder = builder.config("spark.sql.warehouse.dir", tempfile.mkdtemp(prefix="benchmark-spark-"))
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    made.range(1000).selectExpr("SUM(id)").collect()
    return made


def finish() -> None:
    """Stop Spark and wait for Java, so that all it used is counted."""
    from pyspark.sql import SparkSession

    spark = SparkSession.getActiveSession()
    if spark is None:
        return
    gateway: Any = spark.sparkContext._gateway  # noqa: SLF001 - Spark has no public way to wait for its Java
    spark.stop()
    gateway.shutdown()
    with contextlib.suppress(OSError):
        gateway.proc.stdin.close()
    gateway.proc.wait(60)
