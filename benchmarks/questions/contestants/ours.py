"""Shoal: a first question from the file on, and what comes after it on the same rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import shoal
from benchmarks.questions.data import ALL_AGES, ALL_SPEND, CATEGORIES, CITIES
from benchmarks.questions.workloads import (
    DELTA,
    EPSILON,
    GROUPS,
    ROWS_PER_GROUP,
    WORKLOADS,
    Act,
    Answers,
    Files,
    Workload,
)
from shoal.query import Preview, Private

OTHER = {
    "count": "SELECT AVG(spend) AS spend FROM visits",
    "by city": "SELECT city, AVG(age) AS age FROM visits GROUP BY city",
    "by private city": "SELECT city, AVG(age) AS age FROM visits GROUP BY city",
    "persons": "SELECT category, COUNT(*) AS n FROM visits GROUP BY category",
    "quantiles": "SELECT category, QUANTILE_CONT(age, 0.9) AS age FROM visits GROUP BY category",
    "variance": "SELECT AVG(spend) AS spend FROM visits",
    "regions": "SELECT region, AVG(age) AS age FROM visits JOIN regions USING (city) GROUP BY region",
}
"""Another question with the unit and the keys of the first."""
QUESTIONS = 4
"""How many selections of keys the delta of a table is to last for, where they are timed."""


def prepare(workload: Workload, files: Files) -> Act:
    def ask(epsilon: float) -> Answers:
        made = opened(workload, files, DELTA)
        if epsilon == EPSILON:
            return released(made, workload.sql, epsilon, delta=_delta(workload))
        law = _law(made, workload)
        if workload.selects:  # its bounded truth is that of known keys, scaled by its own law
            made = opened(WORKLOADS["by city"], files, DELTA)
        return released(made, workload.sql, epsilon, delta=None, law=law)

    return ask


def _law(made: Private, workload: Workload) -> str:
    """The law of the noise at EPSILON: it decides how persons are scaled, and so the bounded
    truth.
    """
    expected = previewed(made, workload).columns
    is_gaussian = any("Gaussian" in column.noise for column in expected)
    return "gaussian" if is_gaussian else "laplace"


def previewed(made: Private, workload: Workload) -> Preview:
    return made.sql(workload.sql).preview(epsilon=EPSILON, delta=_delta(workload))


def _delta(workload: Workload) -> float | None:
    """What is left of delta for keys; the other half Shoal keeps for the noise."""
    return DELTA / 2 if workload.selects else None


def sequence(
    workload: Workload, files: Files, read: Callable[[Path], object] = lambda path: path
) -> dict[str, Callable[[], object]]:
    """Acts to be timed one after the other, in one process; ``read`` says how an engine is given
    the private file.
    """
    delta = _delta(workload)
    held: list[Private] = []

    def first() -> object:
        held.append(opened(workload, files, QUESTIONS * DELTA, read))
        return released(held[0], workload.sql, EPSILON, delta=delta)

    def again() -> object:
        return released(held[0], workload.sql, EPSILON, delta=delta)

    def other() -> object:
        return released(held[0], OTHER[workload.name], EPSILON, delta=delta)

    return {"first": first, "again": again, "other": other}


def opened(
    workload: Workload,
    files: Files,
    delta: float,
    read: Callable[[Path], object] = lambda path: path,
) -> Private:
    """The table, without what a question with private keys must not know."""
    facts: dict[str, shoal.Range | shoal.Choices] = {
        "spend": shoal.Range(*ALL_SPEND),
        "age": shoal.Range(*ALL_AGES),
        "category": shoal.Choices(CATEGORIES),
    }
    if not workload.selects:
        facts["city"] = shoal.Choices(CITIES)
    return shoal.private(
        read(files.visits),
        name="visits",
        protects=shoal.Person("user_id", groups=GROUPS, rows_per_group=ROWS_PER_GROUP),
        columns=facts,
        required=list(facts),
        public={"regions": files.regions},
        budget=shoal.Approx(10**12, delta),
    )


def released(
    made: Private, sql: str, epsilon: float, *, delta: float | None, law: str | None = None
) -> Answers:
    """A question's answer by key; it is grouped by its first column if its text says so."""
    answer = made.sql(sql).release(epsilon=epsilon, delta=delta, noise=law)
    held = 1 if "GROUP BY" in sql else 0
    names = answer.columns[held:]
    rows: list[tuple[Any, ...]] = answer.rows
    return {
        str(row[0]) if held else "": {
            name: float(value or 0) for name, value in zip(names, row[held:], strict=True)
        }
        for row in rows
        if not held or row[0] is not None
    }
