"""Questions with one canonical text have one meaning: their rows, keys and arguments are the same on
random small tables.

Random questions are written in SQL, each in several spellings and with small changes of meaning
beside them.  Those that share a canonical text must agree on every table; the spelling that is
priced must agree with the question as it was asked, and is its own spelling.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter, defaultdict
from random import Random
from typing import Any

import pytest

from shoal.engines.reference import Reference
from shoal.errors import ShoalError
from shoal.plan import (
    BOOLEAN,
    DATE,
    INTEGER,
    REAL,
    TEXT,
    Expression,
    Literal,
    Person,
    Project,
    Query,
    Statistic,
    Table,
    call,
    column,
    normal_question,
)
from shoal.query.canonical import canonical_plan
from shoal.sql import question

UNIT = Person("u", groups=2, rows_per_group=2)
TABLES = {
    "t": Table(
        "t",
        (
            column("u", INTEGER),
            column("x", INTEGER),
            column("y", REAL),
            column("s", TEXT),
            column("d", DATE),
            column("b", BOOLEAN),
        ),
        protects=UNIT,
    ),
    "r": Table("r", (column("u", INTEGER), column("z", INTEGER)), protects=UNIT),
}
CELLS: dict[str, list[Any]] = {
    "u": [1, 1, 2, 3],
    "x": [None, -1, 0, 1, 2, 3],
    "z": [None, 0, 1, 2],
    "y": [None, 0.0, -0.0, 0.5, -1.5, 2.0],
    "s": [None, "", "a", "A", "a ", " a", "b"],
    "d": [None, dt.date(2024, 2, 29), dt.date(2024, 3, 1), dt.date(1999, 12, 31)],
    "b": [None, True, False],
}
LEAVES = [
    "x {c} {i}", "{i} {c} x", "x {c} y", "y {c} 0.5", "y {c} -0.0", "s {e} '{w}'", "'{w}' {e} s",
    "x IN ({i}, {i})", "x NOT IN ({i}, {i})", "x IN ({i}, NULL)", "x BETWEEN {i} AND {i}", "b",
    "b {e} TRUE", "x IS NULL", "x IS NOT DISTINCT FROM {i}", "d {c} DATE '2024-03-01'",
    "x + {i} {c} y", "LEAST(x, {i}) {c} {i}", "s LIKE '{w}%'", "UPPER(s) {e} '{w}'",
    "COALESCE(x, {i}) {c} {i}", "x - {i} {c} y",
]  # fmt: skip
VALUES = ["x", "y", "x + {i}", "{i} + x", "x * y", "y * x", "x - {i}", "GREATEST(x, {i})", "-x"]
KEYS = ["s", "b", "x", "x + {i}", "TRIM(s)", "LOWER(s)", "EXTRACT(YEAR FROM d)"]
SOURCES = [
    "t",
    "t AS q",
    "(SELECT * FROM t)",
    "(SELECT u, x, y, s, d, b FROM t WHERE {p})",
    "(SELECT u, x + {i} AS x, y, s, d, b FROM t)",
    "(SELECT u, x, y, s, d, b FROM t UNION ALL SELECT u, {i} * x, y, s, d, b FROM t WHERE {p})",
    "(SELECT t.u, x, y, s, d, b, z FROM t JOIN r ON t.u = r.u)",
    "(SELECT t.u, x, y, s, d, b, z FROM t LEFT JOIN r ON t.u = r.u AND x = z)",
    "(SELECT t.u, x, y, s, d, b, z FROM t LEFT JOIN (SELECT * FROM r WHERE z > {i}) r ON t.u = r.u)",
    "(SELECT u, b, s, COUNT(*) AS x, COUNT(y) AS y, DATE '2024-03-01' AS d FROM t WHERE {p} GROUP BY u, b, s)",
]


def filled(form: str, chance: Random) -> str:
    """A form with its places filled in."""
    found = form
    for place, choices in (
        ("{p}", None),
        ("{i}", ["0", "1", "2", "-1"]),
        ("{c}", ["<", "<=", ">", ">=", "=", "<>"]),
        ("{e}", ["=", "<>"]),
        ("{w}", ["a", "A", "a ", " a", "b"]),
    ):
        while place in found:
            word = condition(chance, 1) if choices is None else chance.choice(choices)
            found = found.replace(place, word, 1)
    return found


def condition(chance: Random, depth: int) -> str:
    kind = chance.random()
    if depth == 0 or kind < 0.4:
        return filled(chance.choice(LEAVES), chance)
    if kind < 0.55:
        return f"NOT ({condition(chance, depth - 1)})"
    word = chance.choice([" AND ", " OR "])
    return f"({condition(chance, depth - 1)}{word}{condition(chance, depth - 1)})"


def family(chance: Random) -> list[str]:
    """A question, the same in other orders and words, and others that differ a little."""
    source, value = filled(chance.choice(SOURCES), chance), filled(chance.choice(VALUES), chance)
    parts = [condition(chance, 2) for _ in range(chance.choice([1, 2]))]
    key = filled(chance.choice(KEYS), chance) if chance.random() < 0.5 else None
    aggregates = [f"SUM({value})", "COUNT(*)", f"COUNT({value})", f"AVG({value})"]
    shown = chance.sample(aggregates, 2)
    made = []
    for _ in range(6):
        where, listed, of = list(parts), list(shown), source
        chance.shuffle(where)
        chance.shuffle(listed)
        act = chance.randrange(6)
        if act == 1:
            where[0] = f"NOT (NOT ({where[0]}))"
        elif act == 2:
            of = f"(SELECT * FROM {source} WHERE {where.pop()})"
        elif act == 3:
            where[-1] = condition(chance, 1)  # another meaning, mostly
        elif act == 4:
            digit = chance.choice("012")
            where = [each.replace(digit, chance.choice("012")) for each in where]
        elif act == 5:
            where = [each.replace(" AND ", " OR ", 1) for each in where]
        kept = f" WHERE {' AND '.join(f'({each})' for each in where)}" if where else ""
        names = [f"{each} AS c{at}" for at, each in enumerate(listed)]
        by = "" if key is None else f" GROUP BY {key}"
        made.append(
            f"SELECT {', '.join([*([f'{key} AS k'] if key else []), *names])} FROM {of}{kept}{by}"
        )
    return made


def meaning(asked: Query, like: Query, data: dict[str, list[dict[str, Any]]]) -> Counter[Any]:
    """What a question computes: the rows of each person with keys and arguments, these in the order
    in which ``like`` has them.
    """
    keys = {each.name: each.expression for each in asked.keys}
    found = {each.name: each for each in asked.aggregates}
    listed = [keys[each.name] for each in like.keys]
    listed += [_argument(found[other.name]) for other in like.aggregates]
    named = tuple((f"v{at}", each) for at, each in enumerate(listed))
    return Counter(Reference(data).rows(Project(asked.relation, named), persons=True))


def _argument(aggregate: Any) -> Expression:
    if aggregate.argument is None:
        return Literal(value=True, type=BOOLEAN)
    if aggregate.statistic is Statistic.COUNT:  # it counts what is there
        return call("not", call("is_null", aggregate.argument))
    found: Expression = aggregate.argument
    return found


def tables(chance: Random) -> dict[str, list[dict[str, Any]]]:
    return {
        name: [
            {each.name: chance.choice(CELLS[each.name]) for each in table.columns}
            for _ in range(chance.randrange(8))
        ]
        for name, table in TABLES.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_questions_with_one_text_have_one_meaning(seed: int) -> None:
    chance, shared, refused = Random(seed), 0, 0
    for _ in range(10):
        data = [tables(chance) for _ in range(3)]
        by_text = defaultdict[str, list[tuple[str, list[Counter[Any]]]]](list)
        for text in family(chance):
            try:
                asked = question(text, TABLES)
            except ShoalError:  # a comparison of constants that no type fits, for instance
                refused += 1
                continue
            spelled = normal_question(asked)
            form = json.dumps(canonical_plan(spelled))
            assert json.dumps(canonical_plan(normal_question(spelled))) == form, text
            found = [meaning(asked, spelled, each) for each in data]
            assert found == [meaning(spelled, spelled, each) for each in data], text
            by_text[form].append((text, found))
        for (first, known), *others in by_text.values():
            for text, found in others:
                shared += text != first
                assert found == known, (first, text)
    assert shared >= 5  # there were pairs to compare
    assert refused < 30
