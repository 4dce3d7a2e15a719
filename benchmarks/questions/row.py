"""The row *questions*: seven private questions to ten million rows, beside the plain query and four
peers.
"""

from __future__ import annotations

import os

from benchmarks.measure import Row
from benchmarks.questions import errors, processes, quantile_errors, quick, times
from benchmarks.questions.processes import PEERS
from benchmarks.questions.workloads import DELTA, EPSILON, GROUPS, ROWS_PER_GROUP


def run(*, with_ours: bool) -> Row:
    """Measure the row; without ours it measures the peers alone."""
    row = Row("Questions", tables=[_words()])
    before = os.getloadavg()[0]
    needed = times.measured(with_ours=with_ours)
    row.tables += times.tables(needed)
    row.goals += times.goals(needed)
    if with_ours:
        for part in (quick.run, quantile_errors.run):
            tables, goals = part()
            row.tables += tables
            row.goals += goals
    off = errors.measured(with_ours=with_ours)
    row.tables += errors.tables(off)
    row.goals += errors.goals(off)
    row.tables.append(_load(before, os.getloadavg()[0]))
    return row


def _load(before: float, after: float) -> str:
    return (
        f"Load of the machine before and after: {before:.1f} and {after:.1f} on {os.cpu_count()} cores. Above the number of cores, wall "
        "times are those of a busy machine; figures of peers that were kept from an earlier run have that run's load."
    )


def _words() -> str:
    there = ", ".join(
        f"{peer.name} ({peer.package} {processes.version(peer) or 'could not be run'})"
        for peer in PEERS
    )
    return (
        f"{times.FULL:,} rows of 1,000,000 persons with 1 to 200 rows each, in one Parquet file; epsilon {EPSILON:g} and delta "
        f"{DELTA:g} for each question; {GROUPS} groups and {ROWS_PER_GROUP} rows in each from one person. From the file on, in a "
        "fresh process, without imports and without the start of Spark: for Shoal and the plain query the median CPU and the least wall time of "
        f"{times.PROCESSES} process(es), for peers one. CPU is that of the process and its children. A peer whose figure on "
        f"{times.SMALLER:,} rows says that it would pass {times.PATIENCE:g} CPU seconds, if all of it grew with the rows, is left at those rows, and ours is "
        f"compared on the same. Errors are means over groups and repetitions on {errors.ROWS:,} rows. Peers: {there}."
    )
