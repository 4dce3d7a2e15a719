"""What a test runs in a process of its own: a question with very many private keys through a driver
with a small heap.

It prints how many keys were told, what was spent, and the most memory that Python had, in
megabytes.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from tests.engines.spark_java import BRIEF

import shoal
from shoal.engines.spark import contributions
from shoal.engines.spark.connection import opened

HEAP = "768m"


def main() -> None:
    keys = int(sys.argv[1])
    if keys < contributions._LARGE:  # few of them take the road of very many
        vars(contributions).update(_LARGE=1 << 14, _PART=1 << 12)
    folder = tempfile.gettempdir()
    os.environ["PYSPARK_SUBMIT_ARGS"] = (
        f"--driver-memory {HEAP} --driver-java-options '{BRIEF}' --conf spark.log.level=ERROR --conf spark.ui.enabled=false "
        f"--conf spark.local.dir={folder} --conf spark.sql.shuffle.partitions=16 pyspark-shell"
    )
    spark = opened("local[2]")
    # every key has one person, but key 7, which has a thousand
    rows = spark.sql(
        f"SELECT id AS person, IF(id < 1000, 7, id) AS k FROM RANGE(0, {keys + 1000}, 1, 8)"
    )
    # a key of one person is told with a chance of up to delta: of 10^7 such keys, once in a million
    # runs
    held = shoal.private(
        rows, protects=shoal.Person("person"), budget=shoal.Approx(1, "1e-12"), name="rows"
    )
    answer = held.sql("SELECT k, COUNT(*) AS n FROM rows GROUP BY k").release(
        epsilon="0.5", delta="1e-13"
    )
    sys.stdout.write(f"told {[row[0] for row in answer.rows]} megabytes {_most_megabytes()}\n")
    spark.stop()


def _most_megabytes() -> int:
    """The peak of this process; `getrusage` would count that of the process it was forked from."""
    said = Path("/proc/self/status").read_text()
    return int(said.split("VmHWM:")[1].split()[0]) // 1024


if __name__ == "__main__":
    main()
