"""A real cluster, a master and a worker: the same integers as everywhere, and one debit whatever
becomes of the worker.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines.spark_cluster import Cluster, a_cluster
from tests.engines.spark_driver import plan_of
from tests.engines.spark_session import needs_java, session

from shoal.engines.duckdb import DuckDB
from shoal.engines.spark import Spark
from shoal.plan import WHOLE

pytestmark = needs_java

ROWS = 120
STEPS = 200_000
"""What a row of the slow table takes, in additions."""
PATIENCE = 900
"""After so many seconds a driver that says nothing is ended."""
DATA = pa.table(
    {
        "user": [at % 17 for at in range(ROWS)],
        "city": [("Graz", "Linz", "Wien")[at % 3] for at in range(ROWS)],
        "spend": [float(at % 40) for at in range(ROWS)],
    }
)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with a_cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made


class Driver:
    """The lines of a driver, one after the other."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        rows = folder / "visits.parquet"
        pq.write_table(DATA, rows)
        place = folder / "office.shoal"
        command = [sys.executable, "-W", "ignore", "-m", "tests.engines.spark_driver"]
        command += [cluster.address, str(rows), str(place), str(STEPS)]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.patience = threading.Timer(PATIENCE, self.process.kill)
        self.patience.start()

    def line(self, kind: str) -> str:
        """The rest of the next line, which must be of a kind; whether quick tasks were seen running
        is no matter.
        """
        assert self.process.stdout is not None
        found = self.process.stdout.readline()
        while kind != "running" and found == "running\n":
            found = self.process.stdout.readline()
        assert found.split()[:1] == [kind], f"{found} {self.rest()}"
        return found.removeprefix(kind).strip()

    def go_on(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def rest(self) -> str:
        """What else is said once the driver has ended."""
        self.process.kill()
        return "".join(self.process.communicate())[-3000:]

    def close(self) -> None:
        self.patience.cancel()
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def driver(cluster: Cluster, tmp_path: Path) -> Iterator[Driver]:
    made = Driver(cluster, tmp_path)
    yield made
    made.close()


def test_a_cluster_gives_the_integers_of_others_and_debits_once_whatever_becomes_of_its_worker(
    cluster: Cluster, driver: Driver
) -> None:
    duck = DuckDB({"visits": DATA})
    local = Spark({"visits": session().createDataFrame(DATA)})
    meant = sorted(duck.totals(plan_of(duck)).items())
    assert sorted(local.totals(plan_of(local)).items()) == meant
    assert ast.literal_eval(driver.line("integers")) == meant

    # contributions are held, and lost with the worker: they are made again
    driver.line("held")
    cluster.kill_worker()
    cluster.start_worker()
    driver.go_on()
    driver.line("held")
    driver.go_on()
    _settled(driver, meant, "epsilon 10")

    # tasks run, and are lost with the worker: others run in their place
    driver.line("running")
    cluster.kill_worker()
    cluster.start_worker()
    driver.line("held")
    driver.go_on()
    _settled(driver, meant, "epsilon 20")

    # contributions are lost twice: the question fails, and stays spent
    for _ in range(2):
        driver.line("held")
        cluster.kill_executors()
        driver.go_on()
    assert driver.line("error").startswith("UnansweredError [answer-1]")
    assert driver.line("spent") == "epsilon 30"
    assert driver.line("error").startswith("ChargeError [ledger-6]")
    assert driver.line("spent") == "epsilon 30"
    assert driver.line("sound") == "True"


def _settled(driver: Driver, meant: list[tuple[Any, Any]], spent: str) -> None:
    """There is an answer, of all rows; the same key has the same answer, for which nothing more is
    spent.

    A part of the rows would miss some 20 of 40; noise is as far off with a chance below 1e-6.
    """
    answer = driver.line("answer")
    for ((city,), (rows, *_)), (told, count, _) in zip(
        meant, ast.literal_eval(answer), strict=True
    ):
        assert told == city
        assert abs(count - rows / WHOLE) < 16
    assert driver.line("spent") == spent
    assert driver.line("answer") == answer
    assert driver.line("spent") == spent
