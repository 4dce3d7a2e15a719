"""Spark Connect: the same whole numbers through a server, which a process of its own starts."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from tests.engines.spark_session import needs_java

pytestmark = [needs_java, pytest.mark.audit]

SCRIPT = """
import pyarrow as pa
from pyspark.sql import SparkSession
from shoal.engines.reference import Reference
from shoal.engines.spark import Spark
from shoal.plan import *
from shoal.sensitivity import Norm

session = SparkSession.builder.remote("local[2]").getOrCreate()
data = pa.table({"u": [at % 50 for at in range(900)], "k": [at % 7 for at in range(900)], "x": [at / 3 for at in range(900)]})
told = []
engine = Spark({"t": session.createDataFrame(data)}, progress=lambda done, total: told.append(done <= total))
facts = (column("u", INTEGER), column("k", INTEGER), column("x", REAL, Range(0, 200)))
scan = Scan(Table("t", facts, protects=Person("u", groups=2, rows_per_group=3)))
held = {each.name: Ref(each) for each in scan.columns}
plan = Bounded(scan, (held["k"],), (count_of(), PERSONS, sum_of(held["x"])), Norm.L2)
assert engine.totals(plan) == Reference({"t": data.to_pylist()}).totals(plan)
assert told and all(told)
engine.close()
assert not session.catalog.listTables()
print("the same")
"""


def test_spark_connect_gives_the_integers_of_the_reference() -> None:
    given = "--conf spark.ui.enabled=false --conf spark.sql.shuffle.partitions=2"
    settings = {
        "PYSPARK_SUBMIT_ARGS": f"{given} --conf spark.driver.host=127.0.0.1 pyspark-shell",
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **settings},
        timeout=600,
    )
    assert "the same" in done.stdout, done.stderr[-2000:]
