"""Tumult Analytics, asked as in the row *questions*, in the session that everyone gets here."""

from __future__ import annotations

from benchmarks.questions.contestants import tumult
from benchmarks.questions.workloads import Act, Files, Workload
from benchmarks.spark.session import finish, started

__all__ = ["finish", "prepare"]


def prepare(workload: Workload, files: Files) -> Act:
    started()
    return tumult.prepare(workload, files)
