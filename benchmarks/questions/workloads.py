"""The seven questions, the same for everyone: their keys, what is released, and the plain SQL that
gives the truth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.questions.data import CATEGORIES, CITIES, REGIONS

EPSILON, DELTA = 1.0, 1e-6
"""What one question may cost, whoever answers it."""
GROUPS, ROWS_PER_GROUP = 5, 3
"""How much of one person counts: so many groups, and so many rows in each."""
NO_NOISE = 1e5
"""An epsilon at which noise is below notice: what is answered then is a library's own bounded
truth.
"""

Answers = dict[str, dict[str, float]]
"""Key ("" if there are no groups) -> column -> released number."""
Act = Callable[[float], Answers]
"""Ask once, at an epsilon, from the files on."""


class CannotError(Exception):
    """A contestant has no way to ask this; the text says why."""


@dataclass(frozen=True)
class Workload:
    """One question."""

    name: str
    columns: tuple[str, ...]
    sql: str
    key: str = ""
    keys: tuple[str, ...] = ()
    """The keys that everyone is told; none, with a key, means that they must be found privately."""

    @property
    def selects(self) -> bool:
        return bool(self.key) and not self.keys


@dataclass(frozen=True)
class Files:
    """Where the private and the public table lie."""

    visits: Path
    regions: Path


_BY_CITY = (
    "SELECT city, COUNT(*) AS n, SUM(spend) AS total, AVG(spend) AS mean FROM visits GROUP BY city"
)
_ALL = (
    Workload("count", ("n",), "SELECT COUNT(*) AS n FROM visits"),
    Workload("by city", ("n", "total", "mean"), _BY_CITY, "city", tuple(CITIES)),
    Workload("by private city", ("n", "total", "mean"), _BY_CITY, "city"),
    Workload(
        "persons",
        ("persons",),
        "SELECT category, COUNT(DISTINCT user_id) AS persons FROM visits GROUP BY category",
        "category",
        tuple(CATEGORIES),
    ),
    Workload(
        "quantiles",
        ("lower", "middle", "upper"),
        "SELECT category, QUANTILE_CONT(age, 0.25) AS lower, MEDIAN(age) AS middle, QUANTILE_CONT(age, 0.75) AS upper "
        "FROM visits GROUP BY category",
        "category",
        tuple(CATEGORIES),
    ),
    Workload("variance", ("spread",), "SELECT VARIANCE(spend) AS spread FROM visits"),
    Workload(
        "regions",
        ("n", "total"),
        "SELECT region, COUNT(*) AS n, SUM(spend) AS total FROM visits JOIN regions USING (city) GROUP BY region",
        "region",
        tuple(REGIONS),
    ),
)
WORKLOADS = {each.name: each for each in _ALL}
QUANTILES = {"lower": 0.25, "middle": 0.5, "upper": 0.75}
