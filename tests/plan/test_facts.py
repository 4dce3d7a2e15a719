"""Facts: what may be stated, how it is made true, and what follows from it."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ExpressionError, FactsError, NumberError, RangeError, SchemaError
from shoal.plan import (
    BOOLEAN,
    DATE,
    INTEGER,
    REAL,
    TEXT,
    TIMESTAMP,
    Choices,
    Literal,
    Person,
    Range,
    Ref,
    Row,
    Scan,
    Table,
    Type,
    call,
    cast,
    column,
    decimal,
    evaluate,
    made_true,
    range_of,
    read,
    values_of,
    written,
)
from shoal.plan.meaning import clamped
from shoal.sql import expression, question

ROWS = Scan(
    Table(
        "t",
        (
            column("n", INTEGER, Range(-3, 5)),
            column("x", REAL, Range("0.1", 500)),
            column("m", decimal(2), Range("-1.005", "9.999")),
            column("day", DATE, Range("2024-02-28", "2024-03-01")),
            column("at", TIMESTAMP, Range("2024-01-01", "2024-12-31 12:00:00")),
            column("kind", TEXT, Choices(["b", "a"])),
            column("flag", BOOLEAN),
            column("free", INTEGER),
            column("loose", REAL),
        ),
        protects=Row(),
    )
)


@pytest.mark.parametrize(
    ("sql", "lo", "hi"),
    [
        ("n", -3, 5),
        ("n * 2 + 1", -5, 11),
        ("n - n", -8, 8),
        ("n * n", -15, 25),
        ("-n", -5, 3),
        ("abs(n)", 0, 5),
        ("sign(n)", -1, 1),
        ("n / 2", "-3/2", "5/2"),
        ("n // 2", -1, 2),
        ("n % 3", -3, 3),
        ("sqrt(abs(n) + 4)", 2, 3),
        ("floor(x)", 0, 500),
        ("ceil(m)", -1, 10),
        ("round(m)", -1, 10),
        ("m * 2", -2, "1998/100"),
        ("case when flag then n end", -3, 5),
        ("case when flag then n else 100 end", -3, 100),
        ("coalesce(free, 3)", None, None),
        ("greatest(0, least(100, coalesce(free, 0)))", 0, 100),
        ("least(n, free)", None, None),
        ("greatest(0, least(100, loose))", 0, 100),
        ("least(100, greatest(loose, 0)) * 2", 0, 200),
        ("month(day)", 1, 12),
        ("year(day)", 2024, 2024),
        ("hour(at)", 0, 23),
        ("day - date '2024-02-28'", 0, 2),
        ("length(kind)", 0, 1),
        ("width_bucket(n, 0, 4, 2)", 0, 3),
        ("bin(n, 2)", -4, 4),
        ("cast(flag as integer)", 0, 1),
        ("cast(n as decimal(10, 2))", -3, 5),
        ("cast(m as integer)", -1, 10),
        ("nullif(n, 3)", -3, 5),
        ("free + 1", None, None),
        ("1 / n", None, None),
        ("1 / x", Fraction(1 / 500), Fraction(1 / 0.1)),
    ],
)
def test_the_range_of_an_expression_follows_from_its_columns(sql: str, lo: Any, hi: Any) -> None:
    made = expression(sql, ROWS)
    if lo is None:
        with pytest.raises(FactsError):
            range_of(made)
    else:
        assert range_of(made) == (Fraction(lo), Fraction(hi))


@pytest.mark.parametrize(
    ("sql", "nullable"),
    [
        ("coalesce(n, 0) + 1", False),
        ("coalesce(n, 0) + 9223372036854775807", True),
        ("coalesce(n, 0) * 4611686018427387904", True),
        ("coalesce(x, 1.0) * 2", False),
        ("coalesce(x, 1.0) * 1e307", True),
        ("coalesce(free, 0) + 1", True),
        ("1 / coalesce(x, 1.0)", False),
        ("1 / coalesce(n, 0)", True),
        ("sqrt(coalesce(n, 0))", True),
        ("coalesce(day, date '2024-02-28') + 1", False),
        ("coalesce(day, date '2024-02-28') + 5000000", True),
        ("abs(coalesce(n, 0))", False),
        ("abs(coalesce(free, 0))", True),
        ("case when flag then 1 else 0 end", False),
        ("case when flag then n else 0 end", True),
        ("n", True),
    ],
)
def test_an_expression_is_null_free_only_if_nothing_can_overflow(sql: str, nullable: bool) -> None:
    assert expression(sql, ROWS).nullable is nullable


def test_a_missing_range_names_the_columns_that_need_one() -> None:
    with pytest.raises(FactsError) as caught:
        range_of(expression("free * loose + n", ROWS))
    assert "'free' and column 'loose'" in caught.value.remedy
    assert "'n'" not in caught.value.remedy


@pytest.mark.parametrize(
    ("sql", "values"),
    [
        ("kind", ("b", "a")),
        ("upper(kind)", ("A", "B")),
        ("flag", (False, True)),
        ("n", tuple(range(-3, 6))),
        ("n % 2 = 0", (False, True)),
        ("case when n > 0 then 'up' end", ("up",)),
        ("day", (dt.date(2024, 2, 28), dt.date(2024, 2, 29), dt.date(2024, 3, 1))),
        ("date_trunc('month', day)", (dt.date(2024, 2, 1), dt.date(2024, 3, 1))),
        ("month(at)", tuple(range(1, 13))),
        ("kind || kind", ("aa", "bb")),
        ("x", None),
        ("free", None),
        ("cast(free as text)", None),
    ],
)
def test_the_values_of_an_expression_are_listed_where_facts_allow(
    sql: str, values: tuple[Any, ...] | None
) -> None:
    assert values_of(expression(sql, ROWS)) == values


@pytest.mark.parametrize(
    ("kind", "fact", "given", "held"),
    [
        (INTEGER, Range(0, 9), -1, 0),
        (INTEGER, Range(0, 9), 10, 9),
        (INTEGER, Range("0.5", "8.5"), 10, 8),
        (INTEGER, Range(0, 9), 2**70, None),
        (REAL, Range(0, "0.1"), 7.0, 0.1),
        (REAL, Range(0, 1), float("nan"), None),
        (REAL, Range(0, 1), float("inf"), None),
        (decimal(2), Range(0, 1), Decimal("1.01"), 100),
        (DATE, Range("2024-01-01", "2024-12-31"), dt.date(2025, 1, 1), dt.date(2024, 12, 31)),
        (
            TIMESTAMP,
            Range("2024-01-01", "2024-12-31"),
            dt.datetime(2023, 1, 1),
            dt.datetime(2024, 1, 1),
        ),
        (TEXT, Choices(["a", "b"]), "c", None),
        (TEXT, Choices(["a", "b"]), "a", "a"),
        (BOOLEAN, Choices([True]), False, None),
    ],
)
def test_a_fact_is_made_true(kind: Type, fact: Range | Choices, given: Any, held: Any) -> None:
    stated = column("c", kind, fact)
    assert made_true(read(given, kind), stated) == held


def test_null_in_a_column_without_null_is_the_lowest_value() -> None:
    assert made_true(None, column("c", INTEGER, Range(4, 9), nullable=False)) == 4
    assert made_true(None, column("c", TEXT, Choices(["z", "a"]), nullable=False)) == "z"
    assert made_true("other", column("c", TEXT, Choices(["z", "a"]), nullable=False)) == "z"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Range(3, 2),
        lambda: Range(0, dt.date(2024, 1, 1)),
        lambda: Range("soon", 3),
        lambda: Choices([]),
        lambda: Choices("ab"),
        lambda: column("c", TEXT, Range(0, 1)),
        lambda: column("c", DATE, Range(0, 1)),
        lambda: column("c", INTEGER, Range("0.2", "0.8")),
        lambda: column("c", INTEGER, Range(0, 2**64)),
        lambda: column("c", INTEGER, Choices([1, 1])),
        lambda: column("c", INTEGER, Choices(["a"])),
        lambda: column("c", INTEGER, nullable=False),
        lambda: Person([]),
        lambda: Person(["a", "a"]),
        lambda: Person("a", nulls="keep"),  # type: ignore[arg-type]
        lambda: Table("t", ()),
        lambda: Table("t", (column("a", INTEGER), column("a", TEXT))),
        lambda: Table("t", (column("a", INTEGER),), protects=Person("b")),
        lambda: Table("t", (column("a", REAL),), protects=Person("a")),
        lambda: Table("t", (column("a", REAL),), keys={("b",): 1}),
    ],
)
def test_facts_that_do_not_fit_are_refused(wrong: Any) -> None:
    with pytest.raises(SchemaError):
        wrong()


@pytest.mark.parametrize("groups", [0, -1, "1/2", float("nan"), True])
def test_a_number_of_groups_counts(groups: Any) -> None:
    with pytest.raises((RangeError, NumberError)):
        Person("u", groups=groups)


def test_a_type_has_a_scale_only_where_that_means_something() -> None:
    assert decimal(0) == INTEGER
    with pytest.raises(ExpressionError):
        decimal(19)


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, places=4, min_value=-(10**12), max_value=10**12
    )
)
def test_a_decimal_is_read_and_written_as_itself(number: Decimal) -> None:
    assert written(read(number, decimal(4)), decimal(4)) == number


@pytest.mark.slow
@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_folding_constants_gives_the_value_a_row_would_have(a: int, b: int) -> None:
    for name in ("add", "multiply", "subtract", "divide", "mod", "int_divide"):
        folded = call(name, Literal(a, INTEGER), Literal(b, INTEGER))
        held = column("a", INTEGER, Choices([a]))
        assert isinstance(folded, Literal)
        made = values_of(call(name, Ref(held), Literal(b, INTEGER)))
        assert made == (() if folded.value is None else (folded.value,))


def test_a_cast_to_its_own_type_is_nothing() -> None:
    assert cast(Ref(ROWS.columns[0]), INTEGER) == Ref(ROWS.columns[0])


# advice


def test_the_advice_to_bound_an_expression_keeps_null_and_has_a_range() -> None:
    with pytest.raises(FactsError) as told:
        range_of(expression("x / n", ROWS))
    said = told.value.remedy.removeprefix("Bound it in the question: ").removesuffix(".")
    bounded = expression(said, ROWS)
    assert range_of(bounded) == (Fraction(0), Fraction(100))
    rows = [{"x": 1.0, "n": 0}, {"x": 3.0, "n": 2}, {"x": 500.0, "n": 1}]
    assert [evaluate(bounded, row) for row in rows] == [None, 1.5, 100.0]


def test_a_missing_value_is_not_the_upper_end_of_what_the_advice_bounds() -> None:
    """GREATEST(0, LEAST(100, x)) alone is 100 where x is missing: a mean of 1.5 became 34.33."""
    wrong = expression("GREATEST(0, LEAST(100, loose))", ROWS)
    right = expression(clamped(Ref(ROWS.columns[8])), ROWS)
    assert evaluate(wrong, {"loose": None}) == 100
    assert evaluate(right, {"loose": None}) is None


@pytest.mark.parametrize(
    ("argument", "noted"),
    [
        ("GREATEST(0, LEAST(100, loose))", True),
        ("LEAST(100, loose) + 1", True),
        ("CASE WHEN loose IS NOT NULL THEN GREATEST(0, LEAST(100, loose)) END", False),
        ("GREATEST(x, n)", False),
        ("x", False),
    ],
)
def test_a_question_that_counts_missing_values_as_numbers_says_so(
    argument: str, *, noted: bool
) -> None:
    made = question(f"SELECT AVG({argument}) AS m FROM t", {"t": ROWS.table})
    assert any("missing value" in note for note in made.notes) == noted
