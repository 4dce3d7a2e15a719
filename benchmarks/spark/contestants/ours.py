"""Shoal on Spark: a first question from the file on, and what comes after it on the same rows."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.questions.contestants import ours
from benchmarks.questions.workloads import Files, Workload
from benchmarks.spark.session import finish, started

__all__ = ["finish", "sequence"]


def sequence(workload: Workload, files: Files) -> dict[str, Callable[[], object]]:
    """Acts to be timed one after the other, in one process."""
    spark = started()
    return ours.sequence(workload, files, lambda path: spark.read.parquet(str(path)))
