"""Questions without groups under *change*: the width of a range hides a row, and the number of all
rows is no secret.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from random import Random

from scripts.fuzzing.case import Case
from scripts.fuzzing.grammar import CLAMPED, Grammar
from scripts.fuzzing.kinds.questions import Plan, Question
from scripts.fuzzing.values import few
from scripts.fuzzing.world import World
from shoal.plan import Person, Range, Row, Unit
from shoal.sensitivity import Relation

FACES = ("reference",) * 8 + ("sorting", "sql")
KINDS = {"who": "integer", "k": "text", "x": "integer", "y": "real", "m": "decimal"}
RANGES = (Range(5, 10), Range(-10, -5), Range(-2, 3), Range(0, 100), Range(7, 7))
"""Ranges of one sign, of both, far from 0, and of no width: cells beyond them count as an end."""
ROWS = (
    "data",
    "data",
    "(SELECT * FROM data UNION ALL SELECT * FROM data) AS data",
    "(SELECT * FROM data UNION ALL SELECT * FROM data WHERE {b}) AS data",
    "(SELECT who, k, x, COALESCE(y, 1e0) AS y, m FROM data) AS data",
)
ASKED = (
    "COUNT(*)",
    "COUNT({a})",
    "SUM({a})",
    "SUM({a})",
    "AVG({a})",
    "VARIANCE({a})",
    "COUNT(DISTINCT {x})",
)


def make(number: int) -> Case:
    """The case with this number: as many in a row share a question as there are faces."""
    group, at = divmod(number, len(FACES))
    plan = plan_of(group)
    return Question(plan, FACES[at], plan.world.neighbour(Random(f"replacement {number}")))


@lru_cache(maxsize=4)
def plan_of(group: int) -> Plan:
    """A world whose numbers have ranges, some of them without NULL, and a question about all rows
    or some.
    """
    rng = Random(f"replacements {group}")
    facts = {name: rng.choice(RANGES) for name in ("x", "y", "m")}
    cells = {name: [*few(rng, kind), None] for name, kind in KINDS.items()}
    required = tuple(name for name in facts if rng.random() < 0.7)
    world = World(KINDS, facts, required, unit_of(rng), [], cells)
    rows = [
        {name: rng.choice(pool) for name, pool in cells.items()} for _ in range(rng.randint(1, 6))
    ]
    grammar = Grammar(rng, KINDS, tuple(facts))
    asked = [_number(rng, grammar, rng.choice(ASKED)) for _ in range(rng.choice((1, 1, 2)))]
    shown = ", ".join(f"{each} AS a{at}" for at, each in enumerate(asked))
    where = f" WHERE {grammar.expression('b')}" if rng.random() < 0.3 else ""
    sql = f"SELECT {shown} FROM {grammar.filled(rng.choice(ROWS), 1)}{where}"
    return Plan.of(replace(world, rows=rows), sql, rng.choice(("laplace", "gaussian")))


def unit_of(rng: Random) -> Unit:
    """Mostly each row; persons may come back with other numbers of rows."""
    if rng.random() < 0.7:
        return Row(relation=Relation.CHANGE)
    return Person("who", rows_per_group=rng.choice((1, 2, 3)), relation=Relation.CHANGE)


def _number(rng: Random, grammar: Grammar, aggregate: str) -> str:
    """An aggregate of a column, or of something computed that has a range."""
    of = rng.choice(("x", "x", "y", "m", grammar.filled(rng.choice(CLAMPED), 1)))
    return grammar.filled(aggregate.replace("{a}", of), 1)
