"""Tables in which every column has one value, and a neighbour that brings another: what an engine
knows of all rows, such as the least and the largest value, must not change what one row counts for.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import Any

from scripts.fuzzing.case import Case
from scripts.fuzzing.kinds.questions import Plan, Question
from scripts.fuzzing.world import World
from shoal.plan import Choices, Person, Range, Row

FACES = ("parquet", "sql", "parquet sql", "sorting")
KINDS = {"who": "integer", "k": "text", "n": "integer", "x": "real", "d": "date"}
CELLS: Mapping[str, list[Any]] = {
    "k": ["", "a", "ab", "b", "zz", "é"],
    "n": [0, 1, 2, 7, -3, 2**40],
    "x": [0.0, 0.5, 7.0, -1.0, 1e9],
    "d": [dt.date(2020, 1, 1), dt.date(2020, 6, 15), dt.date(1969, 12, 31)],
}
FACTS: Mapping[str, tuple[Choices | Range | None, ...]] = {
    "k": (Choices(["", "a"]), Choices(["a", "ab", "q"]), Choices(["b"]), None),
    "n": (Choices([1, 2]), Choices([0, 7]), Range(0, 5), None),
    "x": (Range(0, 1), Range(2, 10), None),
    "d": (Range("2020-02-01", "2020-12-31"), None),
}
"""Most cells are not among the choices, or are beyond the range: a fact makes them NULL or an end."""
CONDITIONS = (
    *("k LIKE '{k}%'", "k NOT LIKE '{k}%'", "k LIKE '%{k}'", "k LIKE '%{k}_'"),
    *("STARTS_WITH(k, '{k}')", "ENDS_WITH(k, '{k}')", "CONTAINS(k, '{k}')"),
    *("REGEXP_MATCHES(k, '^{k}')", "k IN ('{k}', 'q')", "k NOT IN ('{k}', 'q')", "k = '{k}'"),
    *("k <> '{k}'", "k >= '{k}'", "k < '{k}'", "k BETWEEN '{k}' AND 'q'", "k IS NULL"),
    *("LENGTH(k) > 1", "UPPER(k) = 'A'", "COALESCE(k, '{k}') = '{k}'"),
    *("n IN ({n}, 8)", "n NOT IN ({n}, 8)", "n > {n}", "n + 1 > {n}", "n <> {n}", "n % 2 = 0"),
    *("n BETWEEN {n} AND 9", "ABS(n) > {n}", "COALESCE(n, {n}) = {n}", "n IS NOT NULL"),
    *("x > {x}", "x <= {x}", "x + 1 > {x}", "x <> {x}", "ROUND(x) = {x}", "x BETWEEN {x} AND 9"),
    *("d >= DATE '{d}'", "d <> DATE '{d}'", "YEAR(d) = 2020", "d < DATE '{d}'"),
)
ASKED = (
    "SELECT COUNT(*) AS a0 FROM data WHERE {0}",
    "SELECT COUNT(*) AS a0 FROM data WHERE {0} AND {1}",
    "SELECT COUNT(*) AS a0 FROM data WHERE NOT ({0} OR {1})",
    "SELECT ({0}) AS k0, COUNT(*) AS a0 FROM data GROUP BY k0",
    "SELECT SUM(CASE WHEN {0} THEN 1 ELSE 0 END) AS a0 FROM data WHERE {1}",
    "SELECT COUNT(*) AS a0 FROM (SELECT * FROM data WHERE {0}) AS data WHERE {1}",
    "SELECT COUNT(DISTINCT k) AS a0 FROM data WHERE {0}",
)


def make(number: int) -> Case:
    """The case with this number: as many in a row share a question as there are faces."""
    group, at = divmod(number, len(FACES))
    plan = plan_of(group)
    return Question(plan, FACES[at], plan.world.neighbour(Random(f"uniform {number}")))


@lru_cache(maxsize=4)
def plan_of(group: int) -> Plan:
    """Rows of different people who are alike in all else, and a question with conditions."""
    rng = Random(f"uniform {group}")
    facts = {name: fact for name in CELLS if (fact := rng.choice(FACTS[name])) is not None}
    cells = {"who": list(range(60)), **CELLS}
    alike = {name: rng.choice(pool) for name, pool in CELLS.items()}
    rows = [{"who": who, **alike} for who in range(rng.choice((3, 40)))]
    unit = Row() if rng.random() < 0.5 else Person("who", groups=1, rows_per_group=1)
    conditions = [_filled(rng, rng.choice(CONDITIONS), alike) for _ in range(2)]
    sql = rng.choice(ASKED).format(*conditions)
    return Plan.of(
        World(KINDS, facts, (), unit, rows, cells), sql, rng.choice(("laplace", "gaussian"))
    )


def _filled(rng: Random, condition: str, alike: Mapping[str, Any]) -> str:
    """A condition on what all rows have, or on another value."""
    pools = {name: [*pool, *(alike[name] for _ in pool)] for name, pool in CELLS.items()}
    return condition.format(**{name: rng.choice(pool) for name, pool in pools.items()})
