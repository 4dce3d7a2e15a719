"""What an expression is called: its text in SQL reads back as the same expression, so no two are
called alike.
"""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engines.generated import PAIR_SCAN, SCAN, TYPES, applications, expressions
from tests.examples import examples

from shoal.plan import (
    BOOLEAN,
    DATE,
    FUNCTIONS,
    INTEGER,
    REAL,
    TEXT,
    TIMESTAMP,
    Expression,
    Literal,
    Ref,
    Row,
    Scan,
    Table,
    call,
    column,
    decimal,
    text_of,
)
from shoal.sql import expression

APPLICATIONS = applications()


@pytest.mark.slow
@examples(200, many=600)
@given(st.sampled_from(TYPES).flatmap(expressions))
def test_the_text_of_an_expression_reads_back_as_the_same_expression(made: Expression) -> None:
    if not (isinstance(made, Literal) and made.value is None):  # NULL alone has no type in SQL
        assert expression(text_of(made), SCAN) == made


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_function_is_written_so_that_it_reads_back(name: str) -> None:
    for made in APPLICATIONS[name]:
        assert expression(text_of(made), PAIR_SCAN) == made, text_of(made)


CONSTANTS = [
    Literal(1, INTEGER),
    Literal(-1, INTEGER),
    Literal(-(2**63), INTEGER),
    Literal(2**63 - 1, INTEGER),
    Literal(1.0, REAL),
    Literal(-1.5, REAL),
    Literal(0.1, REAL),
    Literal(0.0, REAL),
    Literal(5e-324, REAL),
    Literal(1.7976931348623157e308, REAL),
    Literal(2.0**63, REAL),
    Literal(1, decimal(1)),
    Literal(10, decimal(1)),
    Literal(100, decimal(2)),
    Literal(1, decimal(18)),
    Literal(-(2**63) + 1, decimal(18)),
    Literal("", TEXT),
    Literal("it's", TEXT),
    Literal("{*}{0}{type}", TEXT),
    Literal("%_\\\n\u00e9\U0001f41f", TEXT),
    Literal("2026-01-31", TEXT),
    Literal(dt.date(1, 1, 1), DATE),
    Literal(dt.date(2026, 1, 31), DATE),
    Literal(dt.datetime(2026, 1, 31), TIMESTAMP),
    Literal(dt.datetime(2026, 1, 31, 23, 59, 59, 1), TIMESTAMP),
    Literal(value=True, type=BOOLEAN),
    Literal(value=False, type=BOOLEAN),
]


@pytest.mark.parametrize("made", CONSTANTS, ids=text_of)
def test_a_constant_reads_back_with_its_type(made: Literal) -> None:
    assert expression(text_of(made), SCAN) == made


def test_no_two_constants_are_written_alike() -> None:
    assert len({text_of(each) for each in CONSTANTS}) == len(CONSTANTS)


@pytest.mark.parametrize("name", ['a"b', "a b", "A", "a", "'", "{0}", "\u00e9", "1"])
def test_a_name_reads_back_whatever_is_in_it(name: str) -> None:
    rows = Scan(Table("t", (column(name, INTEGER),), protects=Row()))
    assert expression(text_of(Ref(rows.columns[0])), rows) == Ref(rows.columns[0])


def test_a_list_may_hold_what_looks_like_a_form() -> None:
    """This ended in a ValueError of Python's own."""
    s = Ref(SCAN.columns[5])
    made = call("in", s, Literal("a", TEXT), Literal("{*}", TEXT), Literal("{1*}", TEXT))
    assert text_of(made) == "(s IN ('a', '{*}', '{1*}'))"


def test_the_escape_of_like_is_written() -> None:
    s, pattern = Ref(SCAN.columns[5]), Literal("a!%", TEXT)
    plain, escaped = call("like", s, pattern), call("like", s, pattern, Literal("!", TEXT))
    assert text_of(plain) == "(s LIKE 'a!%')"
    assert text_of(escaped) == "(s LIKE 'a!%' ESCAPE '!')"
