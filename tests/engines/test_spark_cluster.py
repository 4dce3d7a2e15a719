"""A real cluster, a master and a worker: the same integers as everywhere, and one debit whatever becomes of the worker."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines.spark_cluster import Cluster, a_cluster
from tests.engines.spark_driver import plan_of
from tests.engines.spark_session import needs_java, session

from shoal.engines.duckdb import DuckDB
from shoal.engines.spark import Spark

pytestmark = [needs_java, pytest.mark.xdist_group("spark")]

ROWS = 120
MILLISECONDS = 25
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
        command += [cluster.address, str(rows), str(place), str(MILLISECONDS)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def line(self, kind: str) -> str:
        """The rest of the next line, which must be of a kind."""
        assert self.process.stdout is not None
        found = self.process.stdout.readline()
        assert found.split()[:1] == [kind], f"{found} {self.rest()}"
        return found.removeprefix(kind).strip()

    def rest(self) -> str:
        """What else is said once the driver has ended."""
        self.process.kill()
        return "".join(self.process.communicate())[-3000:]

    def close(self) -> None:
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

    driver.line("running")
    cluster.kill_worker()
    cluster.start_worker()
    answer = driver.line("answer")
    assert [key for key, _ in ast.literal_eval(answer)] == ["Graz", "Linz", "Wien"]
    assert driver.line("spent") == "epsilon 10"
    assert driver.line("answer") == answer
    assert driver.line("spent") == "epsilon 10"

    driver.line("running")
    cluster.kill_executors()
    assert driver.line("error").startswith("SourceError [source-1] the engine could not read")
    assert driver.line("spent") == "epsilon 20"
    assert driver.line("error").startswith("ChargeError [ledger-6]")
    assert driver.line("spent") == "epsilon 20"
    assert driver.line("sound") == "True"
