"""Random questions on random rows through Spark: neighbours against the claim, and both sides
against the reference.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from scripts.fuzzing.case import Case, Seen
from scripts.fuzzing.judging import apart, played, recorded
from scripts.fuzzing.kinds import questions
from scripts.fuzzing.kinds.questions import Plan, Question
from scripts.fuzzing.world import Rows


@dataclass(frozen=True)
class SparkQuestion(Question):
    """A question on two neighbours, through Spark."""

    def check(self) -> Seen:
        if not has_java():
            return Seen((), "no Java")
        plan = self.plan
        if plan.refusal is not None:
            return Seen.refused(plan.refusal, "while planning")
        first = recorded(lambda: _run(plan, plan.world.rows))
        second = played(first, lambda: _run(plan, self.other))
        found = apart(first, second, plan.world.unit.relation) or self._engines_apart(first, second)
        return Seen(tuple(found), first.ending.outcome)


def _run(plan: Plan, rows: Rows) -> Any:
    from shoal.engines.spark import Spark

    frame = session().createDataFrame(plan.world.arrow(rows))
    engine = Spark({"data": frame})
    try:
        return plan.run_on(engine)
    finally:
        engine.close()


def has_java() -> bool:
    home = os.environ.get("JAVA_HOME")
    return bool(home and Path(f"{home}/bin/java").exists()) or shutil.which("java") is not None


@cache
def session() -> Any:
    """One small session for the process."""
    from shoal.engines.spark.connection import opened

    settings = {
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": tempfile.mkdtemp(prefix="shoal-spark-"),
        "spark.log.level": "OFF",
        "spark.ui.enabled": "false",
    }
    given = " ".join(f"--conf {name}={value}" for name, value in settings.items())
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"{given} pyspark-shell"
    made = opened("local[2]")
    made.sparkContext.setLogLevel("OFF")
    return made


def make(number: int) -> Case:
    """A question of its own for each case."""
    plan = questions.plan_of(1_000_000 + number)
    return SparkQuestion(plan, "spark", plan.world.neighbour(Random(f"spark {number}")))
