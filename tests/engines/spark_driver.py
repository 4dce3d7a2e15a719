"""What a test runs in a process of its own: a driver at a cluster, with a vault.

It prints a line for each thing that happened: ``integers``, ``running`` (tasks of a question that was charged are), ``answer``, ``error``, ``spent``.
After ``running`` it goes on by itself: whoever reads the lines decides what happens to the cluster.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import shoal
from shoal.engines import choosing
from shoal.engines.spark import Spark
from shoal.engines.spark.connection import opened
from shoal.errors import ShoalError
from shoal.plan import Bounded, Ref, Scan, Table, Value, count_of, distinct_of
from shoal.sensitivity import Norm

PERSON = shoal.Person("user", groups=2, rows_per_group=3)
COUNT = "SELECT city, COUNT(*) AS n FROM visits GROUP BY city"
SUM = "SELECT city, SUM(spend) AS spend FROM visits GROUP BY city"
CITIES = ("Graz", "Linz", "Wien")
SLOW = "java_method('java.lang.Thread', 'sleep', CAST({0} AS BIGINT)) = 'null'"
"""True of every row, after some milliseconds."""


def plan_of(engine: Any) -> Bounded:
    """A bounded plan over the columns of a source called visits."""
    scan = Scan(Table("visits", engine.columns("visits"), protects=PERSON))
    held = {column.name: Ref(column) for column in scan.columns}
    spend = held["spend"]
    terms = (count_of(), count_of(spend), distinct_of(spend))
    return Bounded(scan, (held["city"],), terms, Norm.L2)


def told(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def main() -> None:
    address, rows, place, milliseconds = sys.argv[1:]
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "512m",
        "spark.executor.memory": "512m",
        "spark.sql.shuffle.partitions": "2",
        "spark.task.maxFailures": "1",
        "spark.log.level": "OFF",
        "spark.local.dir": str(Path(place).parent / "local"),
        "spark.sql.warehouse.dir": str(Path(place).parent / "warehouse"),
    }
    given = " ".join(f"--conf {name}={value}" for name, value in settings.items())
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"{given} pyspark-shell"
    spark = opened(address)
    frame = spark.read.parquet(rows)
    engine = Spark({"visits": frame})
    told("integers", sorted(engine.totals(plan_of(engine)).items()))
    engine.close()
    vars(choosing)["Spark"] = Watched
    with shoal.open(place) as vault:
        vault.add(
            "visits",
            frame.repartition(2).where(SLOW.format(milliseconds)),
            protects=PERSON,
            columns={"city": shoal.Choices(CITIES), "spend": shoal.Range(0, 50)},
            required=["city", "spend"],
            budget=shoal.Pure(100),
        )
        for key, sql in (("one", COUNT), ("one", COUNT), ("two", SUM), ("two", SUM)):
            asked(vault, key, sql)
        told("sound", vault.verify().is_sound)
    spark.stop()


def asked(vault: Any, key: str, sql: str) -> None:
    try:
        told("answer", vault.sql(sql).release(epsilon=10, key=key).rows)
    except ShoalError as error:
        told("error", type(error).__name__, str(error).replace("\n", " "))
    told("spent", vault.budget("visits").spent)


class Watched(Spark):
    """The engine, which says when tasks of a question run; a question is charged before it comes here."""

    def parts(
        self, bounded: Bounded, *, soon: Bounded | None = None
    ) -> Iterator[dict[tuple[Value, ...], tuple[int, ...]]]:
        done = threading.Event()
        watching = threading.Thread(target=_watch, args=(self.session.sparkContext, done))
        watching.start()
        try:
            yield from super().parts(bounded, soon=soon)
        finally:
            done.set()
            watching.join()


def _watch(context: Any, done: threading.Event) -> None:
    tracker = context.statusTracker()
    while not done.is_set():
        stages = [tracker.getStageInfo(each) for each in tracker.getActiveStageIds()]
        if any(stage and stage.numActiveTasks for stage in stages):
            told("running")
            return
        time.sleep(0.02)


if __name__ == "__main__":
    main()
