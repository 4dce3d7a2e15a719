"""Functions of patterns: their bounds hold for every text, and their spellings are one question."""

from __future__ import annotations

from itertools import product
from time import process_time

import pytest

from shoal.errors import ExpressionError, RefusedError
from shoal.plan import (
    TEXT,
    Choices,
    Column,
    Literal,
    Ref,
    Row,
    Scan,
    Table,
    call,
    column,
    values_of,
)
from shoal.plan.expression import Call
from shoal.plan.functions import FUNCTIONS
from shoal.plan.sizes import MOST_WORK
from shoal.sql import expression

ROWS = Scan(
    Table(
        "t",
        (
            column("s", TEXT),
            Column("short", TEXT, longest=6),
            column("c", TEXT, Choices(["ab", "cd"])),
        ),
        protects=Row(),
    )
)
SHORT = Ref(ROWS.columns[1])


@pytest.mark.parametrize("pattern", ["a", "a+", "a{2}", "[ab]{2,3}", "^a+", "[^a]"])
@pytest.mark.parametrize("new", ["", "x", "xyz"])
def test_no_text_grows_beyond_its_bound(pattern: str, new: str) -> None:
    replaced = call("regexp_replace", SHORT, Literal(pattern, TEXT), Literal(new, TEXT))
    first = call("regexp_extract", SHORT, Literal(pattern, TEXT))
    assert isinstance(replaced, Call)
    assert isinstance(first, Call)
    texts = ["".join(each) for size in range(7) for each in product("ab", repeat=size)]
    longest = max(_length(replaced, text, pattern, new) for text in texts)
    assert max(_length(first, text, pattern) for text in texts) == first.length
    assert longest <= replaced.length
    assert pattern != "a" or longest == replaced.length


def _length(made: Call, *values: str) -> int:
    return len(str(FUNCTIONS[made.name].of(made, values)))


def test_the_work_is_bounded_before_a_row_is_read() -> None:
    assert expression("REGEXP_MATCHES(s, '^[a-z]{900}x')", ROWS).cost.work <= MOST_WORK
    with pytest.raises(ExpressionError, match="characters of text in one row"):
        expression(" AND ".join(f"REGEXP_MATCHES(s, '^[a-z]{{90{n}}}x')" for n in range(10)), ROWS)


@pytest.mark.parametrize(
    "pattern", ["(?s)x{0}.{{11}}", "a{0}"], ids=["many states", "many patterns"]
)
def test_the_patterns_of_a_question_are_bounded_together(pattern: str) -> None:
    began = process_time()
    with pytest.raises(RefusedError, match="too large together"):
        cases = (f"WHEN s ~ '{pattern.format(at)}' THEN {at}" for at in range(1000))
        expression(f"CASE {' '.join(cases)} END", ROWS)
    assert process_time() - began < 4  # a question of this length took minutes


WRONG = [
    (r"REGEXP_MATCHES(s, '(.)\1')", "column 1: .* character 5"),
    ("REGEXP_EXTRACT(s, 'ab')", "only for one set of characters"),
    (r"REGEXP_REPLACE(s, '[0-9]', '\1', 'g')", "plain text"),
    ("REGEXP_MATCHES(s, 3)", "constant text"),
    ("REGEXP_REPLACE(s, 'a', 'b', 'gz')", "no option 'z'"),
]


@pytest.mark.parametrize(("text", "reason"), WRONG)
def test_what_cannot_be_read_is_refused_before_a_row_is_read(text: str, reason: str) -> None:
    with pytest.raises((ExpressionError, RefusedError), match=reason):
        expression(text, ROWS)


SAME = [
    ("s ~ 'a'", "REGEXP_MATCHES(s, 'a')"),
    ("s RLIKE 'a'", "REGEXP_LIKE(s, 'a')"),
    ("s !~ 'a'", "NOT s REGEXP 'a'"),
    ("s ~* 'a'", "REGEXP_MATCHES(s, 'a', 'i')"),
    ("s ~* '(?s)a.'", "REGEXP_MATCHES(s, '(?is)a.')"),
    ("REGEXP_FULL_MATCH(s, 'a|b')", "s ~ '^(?:a|b)$'"),
    ("s SIMILAR TO 'a|b'", "REGEXP_FULL_MATCH(s, 'a|b', 'c')"),
    ("REGEXP_REPLACE(s, '.', 'b', 'gs')", "REGEXP_REPLACE(s, '(?s).', 'b', 'g')"),
    ("REGEXP_REPLACE(s, 'a', 'b', 'gi')", "REGEXP_REPLACE(s, '(?i)a', 'b', 'g')"),
    ("REGEXP_EXTRACT(s, 'a+', 0)", "REGEXP_EXTRACT(s, '(a+)')"),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_spellings_of_one_pattern(left: str, right: str) -> None:
    made = [expression(each, ROWS) for each in (left, right)]
    assert made[0] == made[1] or "(a+)" in right


def test_what_a_pattern_says_of_choices_is_known() -> None:
    assert values_of(expression("REGEXP_REPLACE(c, '[bd]', '', 'g')", ROWS)) == ("a", "c")
