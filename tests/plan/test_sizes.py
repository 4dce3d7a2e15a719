"""Sizes: every text, every expression and every plan has a public bound, and no plan beyond the
limits is made.
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.engines.generated import PAIR_SCAN, SCAN, applications, expressions, pairs, tables
from tests.examples import examples

from shoal.engines.reference import Reference
from shoal.errors import ExpressionError, RelationError
from shoal.plan import (
    BOOLEAN,
    FUNCTIONS,
    TEXT,
    Call,
    Choices,
    Expression,
    Filter,
    Literal,
    Person,
    Ref,
    Scan,
    Table,
    call,
    column,
    evaluate,
    text_of,
)
from shoal.plan import expression as expression_file
from shoal.plan.sizes import LARGEST, LONGEST_READ, LONGEST_TEXT, MOST_WORK
from shoal.plan.types import INTEGER
from shoal.sql import expression, question, relation

PEOPLE = Table(
    "people",
    (
        column("id", INTEGER),
        column("s", TEXT),
        column("kind", TEXT, Choices(["a", "bcd"])),
        column("n", INTEGER),
    ),
    protects=Person("id"),
)
ROWS = Scan(PEOPLE)


def counted(sql: str) -> object:
    return question(f"SELECT COUNT(*) AS n FROM {sql}", {"people": PEOPLE})


# lengths


@pytest.mark.slow
@examples(133, many=400)
@given(tables(), expressions(TEXT))
def test_no_text_is_longer_than_its_expression_says(table: pa.Table, made: Expression) -> None:
    for owned in Reference({"rows": table.to_pylist()}).owned(SCAN):
        value = evaluate(made, owned.row)
        assert value is None or len(str(value)) <= made.length, text_of(made)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_function_bounds_the_text_it_makes_of_hostile_values(name: str) -> None:
    rows = Reference({"rows": pairs().to_pylist()}).owned(PAIR_SCAN)
    for made in applications()[name]:
        if made.type == TEXT:
            assert max(len(str(evaluate(made, owned.row) or "")) for owned in rows) <= made.length


@pytest.mark.parametrize(
    ("sql", "length"),
    [
        ("s", LONGEST_READ),
        ("kind", 3),
        ("'abc'", 3),
        ("kind || 'xy'", 5),
        ("concat(kind, kind, 'x')", 7),
        ("replace(kind, 'b', 'xyz')", 9),
        ("replace(kind, 'bc', 'xyz')", 4),
        ("replace(kind, 'bc', '')", 3),
        ("left(s, 10)", 10),
        ("right(kind, 10)", 3),
        ("substring(s, 2, 7)", 7),
        ("substring(s, 2)", LONGEST_READ),
        ("coalesce(kind, 'longer')", 6),
        ("greatest(kind, 'longer')", 6),
        ("case when n > 0 then kind when n < 0 then 'four' end", 4),
        ("nullif(kind, 'longer')", 3),
        ("cast(n as text)", 20),
        ("cast(n > 0 as text)", 5),
        ("upper(trim(kind))", 3),
        ("n", 0),
    ],
)
def test_the_length_of_a_text_follows_from_its_columns(sql: str, length: int) -> None:
    assert expression(sql, ROWS).length == length


def test_the_range_of_a_length_is_what_the_text_can_have() -> None:
    span = expression("length(s || kind)", ROWS).span
    assert span is not None
    assert [span.lo, span.hi] == [0, LONGEST_READ + 3]


def test_a_condition_on_a_text_does_not_shorten_it_for_the_engine() -> None:
    kept = Filter(ROWS, expression("s IN ('a', 'b')", ROWS))
    assert Ref(kept.columns[1]).length == LONGEST_READ


# limits

GROWN = "CASE WHEN s = 'HIV' THEN 'a' ELSE '' END"
for _ in range(5):
    GROWN = f"REPLACE({GROWN}, 'a', '{'a' * 100}')"


@pytest.mark.parametrize(
    "condition",
    [
        f"{GROWN} = 'x'",
        "s || s || s || s || s || s || s || s || s || s || s || s || s || s || s || s || s = 'x'",
        f"CONCAT({', '.join(['s'] * 17)}) = 'x'",
        "REPLACE(s, ' ', 'twenty characters more') = 'x'",
    ],
)
def test_a_text_that_could_grow_beyond_the_limit_is_refused_at_the_word(condition: str) -> None:
    with pytest.raises(ExpressionError, match="a text could grow to") as refused:
        counted(f"people WHERE {condition}")
    assert "^" in refused.value.problem
    assert f"{LONGEST_TEXT:,}" in refused.value.problem
    assert "LEFT" in refused.value.remedy


def test_a_constant_that_would_grow_is_refused_before_it_is_made() -> None:
    grown = "'a'"
    for _ in range(30):
        grown = f"REPLACE({grown}, 'a', '{'a' * 1000}')"
    with pytest.raises(ExpressionError, match="could grow"):
        expression(grown, ROWS)


def test_work_beyond_the_limit_is_refused_before_a_row_is_read() -> None:
    searched = " AND ".join(["CONTAINS(s, s)"] * 3)
    with pytest.raises(ExpressionError, match="characters of text in one row"):
        counted(f"people WHERE {searched}")
    with pytest.raises(ExpressionError, match="characters of text in one row"):
        counted("people WHERE CONTAINS(s || s || s, s || s || s)")
    assert counted("people WHERE CONTAINS(s, s)")


def test_work_is_added_up_over_the_whole_question() -> None:
    inner = "people"
    for _ in range(3):
        inner = f"(SELECT * FROM {inner} WHERE CONTAINS(s, s))"
    with pytest.raises(ExpressionError, match="characters of text in one row"):
        counted(inner)


def test_a_pattern_of_like_has_a_limit() -> None:
    assert expression(f"s LIKE '{'%a' * 500}'", ROWS)
    with pytest.raises(ExpressionError, match="the pattern of LIKE has 1,001 characters"):
        expression(f"s LIKE '{'a' * 1001}'", ROWS)


def test_many_branches_on_one_text_are_not_too_much_work() -> None:
    branches = " ".join(f"WHEN s = 'value {at}' THEN {at}" for at in range(1000))
    made = expression(f"CASE {branches} END", ROWS)
    assert made.cost.work < MOST_WORK // 1000


# planning


def nested(step: str, times: int, inner: str = "SELECT n, kind AS x FROM people") -> str:
    for _ in range(times):
        inner = f"SELECT n, {step} AS x FROM ({inner})"
    return inner


@pytest.mark.parametrize(
    "step",
    [
        "x || x",
        "CASE WHEN x = 'a' THEN x ELSE x || 'b' END",
        "NULLIF(x, x)",
        "REPLACE(x, 'a', 'b') || LEFT(x, 1)",
    ],
)
@pytest.mark.parametrize("times", [16, 40])
def test_columns_that_double_at_each_step_are_refused_before_they_are_spelled_out(
    step: str, times: int, visits: Callable[[], int]
) -> None:
    with pytest.raises(ExpressionError, match=r"more than 20,000 parts|could grow|in one row"):
        counted(f"({nested(step, times)}) WHERE x = 'z'")
    assert visits() < 40 * times


def test_a_table_expression_that_doubles_is_refused_before_it_is_walked() -> None:
    parts = ["t0 AS (SELECT s FROM people)"]
    parts += [
        f"t{at} AS (SELECT * FROM t{at - 1} UNION ALL SELECT * FROM t{at - 1})"
        for at in range(1, 13)
    ]
    with pytest.raises(RelationError, match="more than 1000 steps"):
        question(f"WITH {', '.join(parts)} SELECT COUNT(*) AS n FROM t12", {"people": PEOPLE})


def test_a_long_chain_of_table_expressions_is_refused_in_words() -> None:
    parts = ["t0 AS (SELECT s FROM people)"]
    parts += [f"t{at} AS (SELECT s FROM t{at - 1})" for at in range(1, 900)]
    with pytest.raises(RelationError, match="one after the other"):
        relation(f"WITH {', '.join(parts)} SELECT s FROM t899", {"people": PEOPLE})


@pytest.fixture
def visits(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many calls were made into expressions since the test began."""
    made, seen = Call.__init__, [0]

    def counting(self: Call, *arguments: object, **named: object) -> None:
        seen[0] += 1
        made(self, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(expression_file.Call, "__init__", counting)
    return lambda: seen[0]


@pytest.mark.parametrize(
    "form",
    [
        "SELECT COUNT(*) AS n FROM people WHERE {} > 0",
        "SELECT SUM({}) + SUM(n) AS n FROM people",
        "SELECT {} AS k, COUNT(*) AS n FROM people GROUP BY {}",
        "SELECT {} AS k, COUNT(*) AS n FROM people GROUP BY k HAVING {} > 0",
    ],
)
def test_planning_makes_parts_in_proportion_to_the_text(
    form: str, visits: Callable[[], int]
) -> None:
    made = []
    for size in (10, 20, 40):
        before = visits()
        text = "n" + " + 1 * n" * size
        question(form.replace("{}", text), {"people": PEOPLE})
        made.append(visits() - before)
    assert made[2] - made[1] <= 2 * (made[1] - made[0]) + 4


def test_the_parts_of_a_question_count_columns_as_often_as_they_are_used() -> None:
    rows = relation(nested("x || x", 3), {"people": PEOPLE})
    assert rows.columns[1].cost.parts == 15
    assert rows.columns[1].cost.parts < LARGEST


# LIKE

_letters = st.text(alphabet="ab%_*\n\u00e9", max_size=8)


@pytest.mark.slow
@settings(max_examples=400)
@given(_letters, _letters)
@example("ab", "%b%a%")
@example("aba", "%ab%ba")
def test_like_finds_what_a_search_of_every_place_finds(text: str, pattern: str) -> None:
    made = call("like", Literal(text, TEXT), Literal(pattern, TEXT))
    assert made == Literal(_slow_like(text, pattern), BOOLEAN)


def _slow_like(text: str, pattern: str) -> bool:
    if not pattern:
        return not text
    if pattern[0] == "%":
        return any(_slow_like(text[at:], pattern[1:]) for at in range(len(text) + 1))
    return bool(text) and pattern[0] in ("_", text[0]) and _slow_like(text[1:], pattern[1:])


def test_a_pattern_of_many_signs_is_as_fast_on_any_text() -> None:
    """With a search that returns to every earlier place this would not end."""
    text, pattern = "a" * LONGEST_READ, "%a" * 60 + "_b%"
    assert evaluate(call("like", Literal(text, TEXT), Literal(pattern, TEXT)), {}) is False
