"""A Spark cluster of two processes on loopback, a master and a worker, for as long as a test
runs.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from tests.engines.spark_java import BRIEF

PATIENCE = 600


@dataclass
class Cluster:
    """A master and its workers; each is the head of a group of processes, so that an executor ends
    with its worker.
    """

    folder: Path
    master: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    address: str = ""

    def start_worker(self) -> None:
        """Start a worker of two cores, and wait until the master knows it."""
        name = f"worker{len(self.workers)}"
        place = self.folder / name
        options = ["--host", "127.0.0.1", "--cores", "2", "--memory", "512m", "--webui-port", "0"]
        command = ["worker.Worker", *options, "--work-dir", str(place), self.address]
        self.workers.append(_started(self.folder, name, command))
        _wait_for(self.folder / f"{name}.log", "(Successfully registered) with master")

    def kill_worker(self) -> None:
        """Kill the last worker with its executors, as a machine that is unplugged."""
        _kill(self.workers[-1])

    def kill_executors(self) -> None:
        """Kill what runs under the last worker, and not the worker."""
        for each in psutil.Process(self.workers[-1].pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):  # it ended with the one before it
                each.kill()

    def close(self) -> None:
        for each in [*self.workers, self.master]:
            _kill(each)


@contextlib.contextmanager
def a_cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster with one worker; whatever happens, nothing of it is left."""
    command = ["master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
    made = Cluster(folder, _started(folder, "master", command))
    try:
        made.address = _wait_for(folder / "master.log", r"Starting Spark master at (\S+)")
        _wait_for(folder / "master.log", "New state: (ALIVE)")
        made.start_worker()
        yield made
    finally:
        made.close()


def _started(folder: Path, name: str, command: list[str]) -> subprocess.Popen[bytes]:
    import pyspark  # noqa: PLC0415 - an extra

    home = Path(pyspark.__file__).parent
    script = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{command[0]}"]
    settings: dict[str, Any] = {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": BRIEF,
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_HOME": str(home),
    }
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(
            [*script, *command[1:]],
            stdout=log,
            stderr=log,
            cwd=folder,
            env={**os.environ, **settings},
            start_new_session=True,
        )


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a group of processes; one that has ended is gone already."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(PATIENCE)


def _wait_for(log: Path, pattern: str) -> str:
    """What the group of a pattern is in a log, once it is there on a line that has ended."""
    end = time.monotonic() + PATIENCE
    while not (found := re.search(f"{pattern}.*\n", log.read_text(errors="replace"))):
        assert time.monotonic() < end, log.read_text(errors="replace")[-2000:]
        time.sleep(0.1)
    return found[1]
