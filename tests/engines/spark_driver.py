"""What a test runs in a process of its own: a driver at a cluster, with a vault.

It prints a line for each thing that happened: ``integers``, ``running`` (tasks of a question that
was charged), ``held`` (what everybody contributes is held by the cluster), ``answer``, ``error``,
``spent``, ``sound``.  After ``held`` it waits for a line: whoever reads decides meanwhile what
happens to the cluster.  After ``running`` it goes on by itself.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.engines.spark_java import BRIEF

import shoal
from shoal.engines import engine_choice
from shoal.engines.spark import Spark, SparkTable
from shoal.engines.spark.connection import opened
from shoal.errors import ShoalError
from shoal.plan import Bounded, Ref, Scan, Table, Value, count_of, distinct_of
from shoal.sensitivity import Norm

PERSON = shoal.Person("user", groups=2, rows_per_group=3)
CITIES = ("Graz", "Linz", "Wien")
SLOW = "aggregate(sequence(1, {0}), user, (a, x) -> (a * 31 + x) % 1000003) >= 0"
"""True of every row, after so many steps."""


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
    address, rows, place, steps = sys.argv[1:]
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "512m",
        "spark.executor.memory": "512m",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.liveUpdate.period": "0",
        "spark.driver.extraJavaOptions": BRIEF,
        "spark.executor.extraJavaOptions": BRIEF,
        "spark.log.level": "OFF",
        "spark.local.dir": str(Path(place).parent / "local"),
        "spark.sql.warehouse.dir": str(Path(place).parent / "warehouse"),
    }
    given = " ".join(f"--conf '{name}={value}'" for name, value in settings.items())
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"{given} pyspark-shell"
    spark = opened(address)
    frame = spark.read.parquet(rows)
    engine = Spark({"visits": frame})
    told("integers", sorted(engine.totals(plan_of(engine)).items()))
    engine.close()
    vars(engine_choice)["Spark"] = Watched
    slow = frame.where(SLOW.format(steps))
    with shoal.open(place) as vault:
        for name, source in (("visits", SparkTable(spark, rows)), ("slow", slow)):
            vault.add(
                name,
                source,
                protects=PERSON,
                columns={"city": shoal.Choices(CITIES), "spend": shoal.Range(0, 50)},
                required=["city", "spend"],
                budget=shoal.Pure(100),
                relation="new people",
            )
        for key, name in (("one", "visits"), ("two", "slow"), ("three", "visits WHERE spend > 1")):
            for _ in range(2):
                asked(vault, key, name)
        told("sound", vault.verify().is_sound)
    spark.stop()


def asked(vault: Any, key: str, rows: str) -> None:
    """Ask for a count and a sum by city, under a key, and tell what came of it."""
    sql = f"SELECT city, COUNT(*) AS n, SUM(spend) AS spend FROM {rows} GROUP BY city"
    try:
        told("answer", vault.sql(sql).release(epsilon=10, key=key).rows)
    except ShoalError as error:
        told("error", type(error).__name__, str(error).replace("\n", " "))
    told("spent", vault.budget(rows.split(maxsplit=1)[0]).spent)


class Watched(Spark):
    """The engine, which says when tasks of a question run, and waits once what it keeps is held; a
    question is charged before it comes here.
    """

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        make = self._kept._made

        def made(*given: Any) -> Any:
            kept = make(*given)
            told("held")
            sys.stdin.readline()
            return kept

        vars(self._kept)["_made"] = made

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
