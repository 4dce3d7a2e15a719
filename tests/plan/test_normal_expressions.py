"""An expression and its one spelling have the same value in every row, and other words have the same
spelling.
"""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engines.generated import COLUMNS, SCAN, TYPES, comparisons, expressions, tables
from tests.examples import examples

import shoal
from shoal.engines.reference import Reference
from shoal.plan import (
    BOOLEAN,
    INTEGER,
    TEXT,
    Call,
    Expression,
    Literal,
    Project,
    Ref,
    Row,
    Scan,
    Table,
    call,
    column,
    evaluate,
    text_of,
)
from shoal.plan.normal_expressions import NormalSpelling
from shoal.sql import expression

PEOPLE = Scan(
    Table(
        "people",
        (column("x", INTEGER), column("y", INTEGER), column("s", TEXT), column("b", BOOLEAN)),
        protects=Row(),
    )
)


def spelled(sql: str) -> Expression:
    return NormalSpelling(PEOPLE.columns).of(expression(sql, PEOPLE))


ALIKE = [
    ("x > 3", "3 < x", "NOT x <= 3", "NOT (NOT (x > 3))", "(x > 3) = TRUE", "(x > 3) <> FALSE"),
    ("x = y", "y = x", "NOT x <> y", "NOT NOT y = x"),
    ("x < y", "y > x", "NOT y <= x"),
    ("x BETWEEN 1 AND 5", "x >= 1 AND x <= 5", "5 >= x AND 1 <= x", "NOT (x < 1 OR x > 5)"),
    ("x NOT BETWEEN 1 AND 5", "x < 1 OR x > 5", "5 < x OR NOT x >= 1"),
    ("x IN (1, 2, 3)", "x IN (3, 1, 2, 1)", "x = 2 OR x IN (3, 1)", "NOT x NOT IN (1, 2, 3)"),
    ("x NOT IN (1, 2)", "x <> 2 AND x <> 1", "NOT (x = 1 OR x = 2)"),
    ("x IN (7)", "x = 7", "7 = x"),
    ("x IN (1, NULL)", "x = NULL OR x = 1"),
    ("b AND x > 1 AND y > 2", "y > 2 AND (x > 1 AND b)", "b AND b AND y > 2 AND x > 1 AND 1 = 1"),
    ("b OR x > 1 OR y > 2", "y > 2 OR (x > 1 OR b) OR b OR FALSE"),
    ("NOT (b AND x > 1)", "x <= 1 OR NOT b", "b = FALSE OR NOT x > 1"),
    ("x + y", "y + x"),
    ("x * 2 > y", "y < 2 * x"),
    ("LEAST(x, y, 3)", "LEAST(3, y, x)"),
    ("CASE WHEN x > 1 AND b THEN x + 1 END", "CASE WHEN b AND 1 < x THEN 1 + x END"),
    ("x IS NOT NULL AND b", "b AND NOT x IS NULL"),
]


@pytest.mark.parametrize("words", ALIKE, ids=lambda words: words[0])
def test_other_words_have_the_same_spelling(words: tuple[str, ...]) -> None:
    assert len({spelled(each) for each in words}) == 1, [text_of(spelled(e)) for e in words]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x > 3", "x >= 3"),
        ("x < y", "y < x"),
        ("x - y", "y - x"),
        ("x IN (1, 2)", "x IN (1, 2, NULL)"),
        ("b OR x > 1 AND y > 2", "(b OR x > 1) AND y > 2"),
        ("NOT (b AND x > 1)", "NOT b AND NOT x > 1"),
        ("x BETWEEN 1 AND 5", "x BETWEEN 5 AND 1"),
        ("x = 1 OR y = 2", "x = 2 OR y = 1"),
        ("b IS NULL", "NOT b"),
        ("x = y", "x IS NOT DISTINCT FROM y"),
        ("s IN ('a', 'b')", "s IN ('a, b')"),
        ("COALESCE(x, y)", "COALESCE(y, x)"),
    ],
)
def test_another_meaning_has_another_spelling(one: str, other: str) -> None:
    assert spelled(one) != spelled(other)


@pytest.mark.slow
@examples(80, many=3000)
@given(
    table=tables(most=6),
    made=st.one_of(
        comparisons(), expressions(BOOLEAN), st.sampled_from(TYPES).flatmap(expressions)
    ),
)
def test_an_expression_and_its_spelling_have_the_same_value_in_every_row(
    table: pa.Table, made: Expression
) -> None:
    named = (("asked", made), ("spelled", NormalSpelling(COLUMNS).of(made)))
    rows = Reference({"rows": table.to_pylist()}).rows(Project(SCAN, named))
    assert [row[0] for row in rows] == [row[1] for row in rows]


@pytest.mark.slow
@examples(80, many=3000)
@given(made=st.one_of(comparisons(), expressions(BOOLEAN)))
def test_a_spelling_is_its_own_spelling(made: Expression) -> None:
    once = NormalSpelling(COLUMNS).of(made)
    assert NormalSpelling(COLUMNS).of(once) == once


TRUTHS = (True, False, None)
LEAVES = ("x > 1", "x = 2", "y BETWEEN 1 AND x", "x IN (1, 2, NULL)", "b", "x <> y", "y IN (0, 3)")


def respelled(made: Expression, chance: Random) -> Expression:
    """The same condition, in other words: every rule is used backwards, here and there."""
    if not isinstance(made, Call):
        return made
    parts = [respelled(part, chance) for part in made.arguments]
    turned = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
    other = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq"}
    name, found = made.name, call(made.name, *parts, type=made.type)
    if name in turned and chance.random() < 0.5:
        found = call(turned[name], parts[1], parts[0])
    if name in other and chance.random() < 0.3:
        found = call("not", call(other[name], *parts))
    if name in ("and", "or") and chance.random() < 0.6:
        found = call(name, parts[1], parts[0])
    if name in ("and", "or") and chance.random() < 0.3:
        opposite = {"and": "or", "or": "and"}[name]
        found = call("not", call(opposite, *(call("not", part) for part in parts)))
    if name == "between" and chance.random() < 0.5:
        found = call("and", call("le", parts[0], parts[2]), call("ge", parts[0], parts[1]))
    if name == "in" and chance.random() < 0.7:
        listed = [*parts[1:], *chance.sample(parts[1:], 1)]
        found = call("in", parts[0], *chance.sample(listed, len(listed)))
    if found.type == BOOLEAN and chance.random() < 0.2:
        found = call(chance.choice(["and", "or"]), found, found)
    return (
        call("not", call("not", found))
        if found.type == BOOLEAN and chance.random() < 0.2
        else found
    )


@st.composite
def conditions(draw: st.DrawFn, depth: int = 3) -> Expression:
    if depth == 0 or draw(st.booleans()):
        return expression(draw(st.sampled_from(LEAVES)), PEOPLE)
    if draw(st.integers(0, 3)) == 0:
        return call("not", draw(conditions(depth - 1)))
    word = draw(st.sampled_from(["and", "or"]))
    return call(word, draw(conditions(depth - 1)), draw(conditions(depth - 1)))


@pytest.mark.slow
@examples(80, many=5000)
@given(made=conditions(), seed=st.integers(0, 2**32))
def test_random_respellings_have_one_spelling(made: Expression, seed: int) -> None:
    spelling = NormalSpelling(PEOPLE.columns)
    other = respelled(made, Random(seed))
    assert spelling.of(other) == spelling.of(made)
    for x in (None, 0, 1, 2, 3):
        for y in (None, 0, 1, 3):
            for b in TRUTHS:
                row: dict[str, shoal.plan.Value] = {"x": x, "y": y, "b": b, "s": None}
                assert evaluate(spelling.of(made), row) == evaluate(made, row)


def test_many_conditions_are_not_nested_deeply() -> None:
    x = Ref(PEOPLE.columns[0])
    made: Expression = call("gt", x, Literal(0, INTEGER))
    for at in range(1, 140):
        made = call("and", made, call("gt", x, Literal(at, INTEGER)))
    found = NormalSpelling(PEOPLE.columns).of(made)
    assert isinstance(found, Call)
    assert found.depth < 12
