"""The row *workloads*: many tables published together, beside noise on every cell, trees, and
tables one by one; very many values, a stream of days, and Laplace noise beside OpenDP's tree.

All have Gaussian noise of rho 0.5 and one row for each person.  Errors are roots of mean squared
errors over all numbers that are asked for: those expected, and those of a release of made-up
counts.  Trees are answered by least squares, as well as they can be.
"""

from __future__ import annotations

import subprocess
import sys
import time
from math import sqrt
from typing import Any

import numpy as np

from benchmarks.measure import Goal, Row, table
from benchmarks.peers import has
from benchmarks.table_peers import HDMM, OPENDP, hdmm, opendp_tree

ADULT = (100, 100, 100, 99, 85, 42, 16, 15, 9, 7, 6, 5, 2, 2)
VALUES = 1024
PREFIX, RANGES = f"{VALUES} prefix sums", f"all ranges of {VALUES}"
PAIRS, TRIPLES = "Adult, 2 columns", "Adult, 3 columns"
CASES = (PREFIX, RANGES, PAIRS, TRIPLES)
MANY, DAYS = 100_000, 365
LARGE, LARGE_RANGES = f"{MANY:,} prefix sums", f"all ranges of {MANY:,}"
STREAM = f"running totals of {DAYS} days, each told on its day"
PUBLISHED = {PREFIX: 2.956, RANGES: 3.515, PAIRS: 6.3587, TRIPLES: 10.5153}
"""The optimum as the literature has it."""
OURS, BOUND = "**Shoal**", "no strategy has less than"


def run(*, with_ours: bool) -> Row:
    """Measure the row; all of it is ours, or computed here."""
    row = Row("Workloads")
    if not (with_ours and has("shoal")):
        return row
    expected: dict[str, dict[str, float]] = {"each value, or table by table": _plain()}
    for fan_out in (2, 4, 16):
        expected[f"tree of fan-out {fan_out}, least squares"] = _tree(fan_out)
    ours: dict[str, float] = {}
    bounds: dict[str, float] = {}
    others: dict[str, dict[str, float]] = {
        name: {} for name in ("measured / expected", "planning, CPU s", "release, CPU s")
    }
    for case in CASES:
        print(f"workloads: {case}")
        found = _measured(case)
        ours[case], bounds[case] = found["expected"], found["bound"]
        for name, cells in others.items():
            cells[case] = found[name]
    expected |= {OURS: ours, BOUND: bounds}
    row.tables.append(table("Expected error of one number, rho 0.5", CASES, expected, digits=5))
    row.tables.append(table("Shoal", CASES, others))
    row.goals += _goals(ours, bounds, others)
    many = {LARGE: _large(), LARGE_RANGES: _large_ranges(), STREAM: _stream()}
    row.tables.append(
        table("Very many values, and days, rho 0.5", tuple(many[LARGE]), many, digits=5)
    )
    row.goals += _large_goals(many)
    row.tables.append(
        table("Expected or measured error, epsilon 1 alone", (PREFIX, RANGES), _pure(), digits=4)
    )
    return row


def _wanted(case: str) -> Any:
    from shoal.workloads import AllRanges, Marginals, PrefixSums, Workload

    if case in (PREFIX, RANGES):
        line = PrefixSums("value") if case == PREFIX else AllRanges("value")
        return Workload.of({"value": VALUES}, [line])
    adult = {f"column {at}": size for at, size in enumerate(ADULT)}
    return Workload.of(adult, [Marginals(list(adult), of=2 if case == PAIRS else 3)])


def _measured(case: str) -> dict[str, float]:
    """The expected error, the bound, what was measured, and CPU seconds of planning and of a
    release.
    """
    from shoal.workloads import ListedCells

    start = time.process_time()
    workload = _wanted(case)
    plan = workload.plan(rho="0.5")
    expected, gap = plan.overall_rmse, plan.optimality_gap
    planned = time.process_time() - start
    generator = np.random.default_rng(1)
    people = 48_842
    places = np.array(
        [generator.integers(0, n, people) for n in workload.domain.shape(workload.domain)]
    )
    counts = ListedCells(workload.domain, places, np.ones(people, dtype=np.int64))
    start = time.process_time()
    first = plan.release(counts)
    released = time.process_time() - start
    repetitions = [
        first,
        *(plan.release(counts) for _ in range(400 if case in (PREFIX, RANGES) else 0)),
    ]
    squares = cells = 0.0
    for tables in repetitions:
        for each in tables:
            true = counts.marginal(each.columns).astype(float)
            for axis, query in enumerate(each.query.queries):
                true = query.apply(true, axis)
            squares, cells = squares + float(((each.values - true) ** 2).sum()), cells + true.size
    return {
        "expected": expected,
        "bound": expected / sqrt(1 + gap),
        "measured / expected": sqrt(squares / cells) / expected,
        "planning, CPU s": planned,
        "release, CPU s": released,
    }


def _large() -> dict[str, float]:
    """Prefix sums of very many values."""
    from shoal.workloads import PrefixSums, Workload

    print(f"workloads: {LARGE}")
    start = time.process_time()
    plan = Workload.of({"value": MANY}, [PrefixSums("value")]).plan(rho="0.5")
    expected, gap = plan.overall_rmse, plan.optimality_gap or 0.0
    planned = time.process_time() - start
    counts = np.random.default_rng(1).poisson(20, MANY)
    true = np.cumsum(counts)
    start = time.process_time()
    errors = [plan.release(counts)["prefix(value)"].values - true]
    released = time.process_time() - start
    errors += [plan.release(counts)["prefix(value)"].values - true for _ in range(399)]
    squares = np.array([float(np.mean(np.square(each))) for each in errors])
    return {
        "expected": expected,
        "no strategy has less than": expected / sqrt(1 + gap),
        "each value": sqrt((MANY + 1) / 2),
        "measured / expected": sqrt(float(squares.mean())) / expected,
        "its standard error": _of_root(squares),
        "planning, CPU s": planned,
        "release, CPU s": released,
        "peak memory, MB": _peak_megabytes(),
    }


def _of_root(squares: Any) -> float:
    """The standard error of the root of a mean, as a share of it.

    The errors of one release hang together: the mean square of 100,000 prefix sums varies by a
    quarter from release to release, so what counts is the number of releases.
    """
    return float(squares.std(ddof=1) / sqrt(len(squares)) / squares.mean() / 2)


_MEMORY = f"""
import re, numpy as np
from pathlib import Path
from shoal.workloads import PrefixSums, Workload
plan = Workload.of({{"value": {MANY}}}, [PrefixSums("value")]).plan(rho="0.5")
plan.release(np.ones({MANY}, dtype=np.int64))["prefix(value)"].standard_errors
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024)
"""


def _peak_megabytes() -> float:
    """The largest memory of a process that plans and releases; the interpreter is in it.

    Not `ru_maxrss`, in which a child also has what its parent held when it was started.
    """
    done = subprocess.run(
        [sys.executable, "-c", _MEMORY], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def _large_ranges() -> dict[str, float]:
    """All ranges of very many values are too many to print; their mean error is known."""
    from shoal.workloads import AllRanges, TableDomain
    from shoal.workloads.large_ordered import LargeOrderedStrategy

    start = time.process_time()
    domain = TableDomain.of({"value": MANY})
    strategy = LargeOrderedStrategy(domain, tuple(AllRanges("value").tables(domain)))
    error = strategy.pulls[0] * strategy.measurements[0].factors[0].longest
    rows = MANY * (MANY + 1) / 2
    return {
        "expected": sqrt(error / rows),
        "no strategy has less than": sqrt(strategy.bound / rows),
        "each value": sqrt((MANY + 2) / 3),
        "planning, CPU s": time.process_time() - start,
    }


def _stream() -> dict[str, float]:
    from shoal.measures import ZeroConcentrated
    from shoal.sensitivity import Relation
    from shoal.workloads import StreamPlan

    print(f"workloads: {STREAM}")
    start = time.process_time()
    plan = StreamPlan.of(DAYS, ZeroConcentrated("0.5"), Relation.ADD_REMOVE, 1)
    expected = plan.rmse
    planned = time.process_time() - start
    counts = [int(each) for each in np.random.default_rng(1).poisson(80, DAYS)]
    errors, start = [], time.process_time()
    repetitions = 1500
    for _ in range(repetitions):
        told = [plan.noisy(counts[: day + 1]) for day in range(DAYS)]
        errors.append(plan.matrix.running(told) - np.cumsum(counts))
    squares = np.mean(np.square(errors), axis=1)
    return {
        "expected": expected,
        "no strategy has less than": expected / sqrt(1 + (plan.optimality_gap or 0)),
        "each value": sqrt((DAYS + 1) / 2),
        "measured / expected": sqrt(float(squares.mean())) / expected,
        "its standard error": _of_root(squares),
        "planning, CPU s": planned,
        "release, CPU s": (time.process_time() - start) / repetitions,
    }


def _pure() -> dict[str, dict[str, float]]:
    """Laplace noise: expected for ours and for noise on each value, measured for OpenDP."""
    ours = {case: _wanted(case).plan(epsilon=1).overall_rmse for case in (PREFIX, RANGES)}
    plain = {PREFIX: sqrt(VALUES + 1), RANGES: sqrt(2 * (VALUES + 2) / 3)}
    found = {"each value": plain, HDMM: dict(zip((PREFIX, RANGES), hdmm(), strict=True))}
    if has("opendp"):
        found[OPENDP] = dict(zip((PREFIX, RANGES), opendp_tree(VALUES), strict=True))
    return {**found, OURS: ours}


def _large_goals(many: dict[str, dict[str, float]]) -> list[Goal]:
    bound = "no strategy has less than"
    gap = max(many[case]["expected"] / many[case][bound] - 1 for case in (LARGE, LARGE_RANGES))
    spent = many[LARGE]["planning, CPU s"] + many[LARGE]["release, CPU s"]
    off = max(abs(many[case]["measured / expected"] - 1) for case in (LARGE, STREAM))
    return [
        Goal(f"{MANY:,} values within 1 % of the bound", 0.01, gap, "", at_most=True),
        Goal("planned and released in 5 CPU s", 5, spent, " s", at_most=True),
        Goal("measured within 2 % of expected there too", 0.02, off, "", at_most=True),
    ]


def _plain() -> dict[str, float]:
    """Noise of variance 1 on each value; or every table by itself, with its part of the budget."""
    pairs, triples = (len(_wanted(case).tables) for case in (PAIRS, TRIPLES))
    return {
        PREFIX: sqrt((VALUES + 1) / 2),
        RANGES: sqrt((VALUES + 2) / 3),
        PAIRS: sqrt(pairs),
        TRIPLES: sqrt(triples),
    }


def _tree(fan_out: int) -> dict[str, float]:
    """Sums over the nodes of a tree, all with the same noise, by least squares."""
    from shoal.workloads.column_queries import EACH_PREFIX, EACH_RANGE

    levels, width = [np.eye(VALUES)], 1
    while width < VALUES:
        width *= fan_out
        levels.append(np.add.reduceat(np.eye(VALUES), np.arange(0, VALUES, width), axis=0))
    levels.pop()  # the root is the total, which all other levels tell as well
    gram = sum(level.T @ level for level in levels)
    inverse = np.linalg.inv(gram) * len(levels)
    return {
        name: sqrt(float((query.gram(VALUES) * inverse).sum()) / query.rows(VALUES))
        for name, query in ((PREFIX, EACH_PREFIX), (RANGES, EACH_RANGE))
    }


def _goals(
    ours: dict[str, float], bounds: dict[str, float], others: dict[str, dict[str, float]]
) -> list[Goal]:
    worst = max(ours[case] / PUBLISHED[case] - 1 for case in CASES)
    gap = max((ours[case] / bounds[case]) ** 2 - 1 for case in CASES)
    off = max(abs(ratio - 1) for ratio in others["measured / expected"].values())
    planned, released = others["planning, CPU s"], others["release, CPU s"]
    ordered = max(planned[PREFIX], planned[RANGES])
    return [
        Goal("at most 0.02 % above the published optima", 2e-4, max(worst, 0.0), "", at_most=True),
        Goal("a sum of squares within 0.001 of the bound", 1e-3, max(gap, 0.0), "", at_most=True),
        Goal("measured within 2 % of expected", 0.02, off, "", at_most=True),
        Goal("1024 ordered values planned in 2 CPU s", 2, ordered, " s", at_most=True),
        Goal("all tables of 3 columns of Adult planned in 1 CPU s", 1, planned[TRIPLES], " s", at_most=True),
        Goal("and released in 10 CPU s", 10, released[TRIPLES], " s", at_most=True),
    ]  # fmt: skip
