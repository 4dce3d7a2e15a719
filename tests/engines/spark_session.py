"""One session of Spark for a whole test process: local, small, quiet."""

from __future__ import annotations

import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.engines.spark_java import BRIEF

from shoal.engines.spark.connection import opened


def has_java() -> bool:
    home = os.environ.get("JAVA_HOME")
    return bool(home and Path(f"{home}/bin/java").exists()) or shutil.which("java") is not None


def is_left_out() -> bool:
    """Without Java the tests of Spark are left out, unless they are demanded: then they fail."""
    return not has_java() and not os.environ.get("SHOAL_NEED_SPARK")


NO_JAVA = "there is no Java, so Spark cannot run: sh scripts/java.sh installs it"
needs_java = pytest.mark.spark
"""A marker for every test that starts Spark; `tests/conftest.py` skips them where they are left
out.
"""


INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}
"""No plan is compiled to Java, nor planned again between its stages: a plan over a few rows takes
0.30 s of processor time in place of 0.55. It is for single questions and not for a whole session,
as Spark cannot list its tables so.
"""


@cache
def session() -> Any:
    """The session; Spark forgets it with the process."""
    settings = {
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": tempfile.mkdtemp(prefix="shoal-spark-"),
        "spark.local.dir": tempfile.mkdtemp(prefix="shoal-spark-"),
        "spark.log.level": "OFF",
        "spark.ui.enabled": "false",
        "spark.driver.extraJavaOptions": BRIEF,
    }
    given = " ".join(f"--conf '{name}={value}'" for name, value in settings.items())
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"{given} pyspark-shell"
    made = opened("local[2]")
    made.sparkContext.setLogLevel("OFF")
    return made
