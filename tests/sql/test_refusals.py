"""What is refused, where it points, and that nothing else ever comes out of the parser."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.sql.catalogue import ROWS, TABLES

from shoal.errors import (
    ExpressionError,
    InputError,
    InternalError,
    RefusedError,
    ShoalError,
    UnknownNameError,
    UnreadableError,
)
from shoal.plan import BOOLEAN, INTEGER, TEXT, Literal, Query, Ref, Row, Scan, Table, column
from shoal.sql import expression, question, relation

REFUSED = [
    ("SELECT SUM(age) OVER () FROM visits", "window"),
    ("SELECT ROW_NUMBER() OVER (ORDER BY age) FROM visits", "window"),
    ("SELECT DISTINCT city FROM visits", "DISTINCT"),
    ("SELECT DISTINCT ON (city) city, COUNT(*) FROM visits GROUP BY city", "DISTINCT"),
    ("SELECT COUNT(*) FROM visits OFFSET 3", "OFFSET"),
    (
        "SELECT COUNT(*) FROM (SELECT ROW_NUMBER() OVER (ORDER BY age) AS r FROM visits) WHERE r = 1",
        "one person only",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT RANK() OVER (PARTITION BY user_id ORDER BY age) AS r FROM visits)",
        "not computed",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT SUM(spend) OVER (PARTITION BY user_id) AS r FROM visits)",
        "order",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT COUNT(*) OVER (PARTITION BY user_id ORDER BY age ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS r FROM visits)",
        "frame",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT LAG(age, age) OVER (PARTITION BY user_id ORDER BY age) AS r FROM visits)",
        "whole number",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT ROW_NUMBER() OVER (PARTITION BY x ORDER BY x) AS r FROM rows)",
        "one person only",
    ),
    ("SELECT COUNT(*) FROM visits v JOIN visits w ON v.age = w.age", "whose row"),
    ("SELECT COUNT(*) FROM visits v WHERE EXISTS (SELECT 1 FROM people p)", "whose row"),
    (
        "SELECT COUNT(*) FROM visits v WHERE EXISTS (SELECT 1 FROM visits w WHERE w.user_id = v.user_id AND w.day > v.day)",
        "equalities",
    ),
    (
        "SELECT COUNT(*) FROM visits v WHERE v.city NOT IN (SELECT city FROM visits w WHERE w.user_id = v.user_id)",
        "NOT IN",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT city FROM visits INTERSECT SELECT city FROM visits)",
        "different persons",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT user_id FROM visits EXCEPT ALL SELECT user_id FROM people)",
        "ALL",
    ),
    (
        "SELECT AVG(m) FROM (SELECT user_id, MEDIAN(age) AS m FROM visits GROUP BY user_id)",
        "one person",
    ),
    ("SELECT COUNT(*) FROM visits v JOIN towns t ON v.kind = 'a'", "one side"),
    ("SELECT COUNT(*) FROM (SELECT city FROM visits GROUP BY city)", "GROUP"),
    (
        "SELECT COUNT(*) FROM people p JOIN (SELECT city, COUNT(*) AS n FROM visits GROUP BY city) c ON p.user_id = c.n",
        "different persons apart",
    ),
    ("SELECT visits.* FROM visits", "rows are not shown"),
    ("SELECT COUNT(*) FROM (SELECT * FROM visits LIMIT 3)", "LIMIT"),
    ("SELECT COUNT(*) FROM (SELECT * FROM visits ORDER BY age)", "ORDER"),
    ("SELECT COUNT(*) FROM visits WHERE RANDOM() < 1", "random choice"),
    ("SELECT COUNT(*) FROM visits WHERE day < CURRENT_DATE", "changes"),
    ("SELECT COUNT(*) FROM visits WHERE EXP(spend) > 1", "same bits"),
    ("SELECT COUNT(*) FROM visits WHERE spend ^ 0.5 > 1", "same bits"),
    ("SELECT COUNT(*) FROM visits WHERE REGEXP_COUNT(city, 'x') > 1", "regular"),
    ("SELECT COUNT(*) FROM visits WHERE REGEXP_MATCHES(city, kind)", "constant"),
    ("SELECT COUNT(*) FROM visits WHERE REGEXP_MATCHES(city, 'a', 'm')", "no option 'm'"),
    ("SELECT COUNT(*) FROM visits WHERE city SIMILAR TO 'a%'", "disagree on %"),
    ("SELECT COUNT(*) FROM visits WHERE REGEXP_EXTRACT(city, '(a)b', 1) = 'a'", "group"),
    ("SELECT COUNT(*) FROM visits WHERE REGEXP_REPLACE(city, '[0-9]', '') = 'a'", "'g'"),
    ("SELECT COUNT(*) FROM visits WHERE city IN (SELECT city FROM towns)", "sub-query"),
    ("SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM towns)", "sub-query"),
    ("SELECT COUNT(*) FROM visits WHERE age > (SELECT 1)", "sub-query"),
    ("SELECT COUNT(*) FROM visits WHERE SUM(age) > 1", "aggregate"),
    ("SELECT SUM(COUNT(*)) FROM visits", "aggregate"),
    ("SELECT SUM(DISTINCT age) FROM visits", "DISTINCT"),
    ("SELECT QUANTILE(age, []) FROM visits", "empty"),
    ("SELECT QUANTILE(age, [0.1, 0.2]) + 1 FROM visits", "by itself"),
    ("SELECT COUNT(*) FROM visits HAVING QUANTILE(age, [0.1]) > 1", "by itself"),
    ("SELECT QUANTILE(age, [age]) AS q FROM visits", "levels from 0 to 1"),
    ("SELECT QUANTILE(age, [2]) AS q FROM visits", "levels from 0 to 1"),
    ("SELECT QUANTILE(age, [1e999999999]) AS q FROM visits", "levels from 0 to 1"),
    ("SELECT QUANTILE(age, [[0.5]]) AS q FROM visits", "levels from 0 to 1"),
    ("SELECT QUANTILE(age, [0.5, 0.50]) AS q FROM visits", "one name"),
    ("SELECT city FROM visits", "neither grouped"),
    ("SELECT 1 FROM visits", "rows"),
    ("SELECT age, COUNT(*) FROM visits GROUP BY city", "neither grouped"),
    ("SELECT COUNT(*) FROM visits, towns", "ON"),
    ("SELECT COUNT(*) FROM visits JOIN towns USING 0", "USING"),
    ("SELECT COUNT(*) FROM visits CROSS JOIN towns", "ON"),
    ("SELECT COUNT(*) FROM visits FULL JOIN towns USING (city)", "FULL"),
    ("SELECT COUNT(*) FROM visits RIGHT JOIN towns USING (city)", "public"),
    ("SELECT COUNT(*) FROM towns LEFT JOIN visits USING (city)", "public"),
    ("SELECT COUNT(*) FROM visits JOIN prices USING (city)", "how many rows"),
    ("SELECT COUNT(*) FROM visits v JOIN towns t ON v.city > t.city", "equalities"),
    ("SELECT COUNT(*) FROM visits v JOIN towns t ON v.city = v.kind", "one side"),
    ("SELECT COUNT(*) FROM visits v JOIN people p ON v.age = p.user_id", "whose row"),
    ("SELECT COUNT(*) FROM visits v JOIN rows r ON v.user_id = r.x", "whose row"),
    (
        "SELECT COUNT(*) FROM visits JOIN people ON visits.user_id = people.user_id WHERE user_id > 3",
        "several tables",
    ),
    ("SELECT COUNT(*) FROM towns", "public"),
    ("SELECT COUNT(*) FROM read_csv('/etc/passwd')", "files"),
    ("SELECT COUNT(*) FROM visits TABLESAMPLE 10%", "SAMPLE"),
    ("SELECT COUNT(*) FROM visits GROUP BY ROLLUP (city)", "ROLLUP"),
    ("SELECT COUNT(*) FROM visits LIMIT 10 PERCENT", "LIMIT"),
    ("SELECT COUNT(*) FROM (SELECT age FROM visits UNION SELECT x FROM rows)", "UNION"),
    ("SELECT city FROM visits UNION ALL SELECT city FROM towns", "different tables"),
    ("INSERT INTO visits VALUES (1)", "one SELECT"),
    ("DROP TABLE visits", "one SELECT"),
    ("SELECT COUNT(*)", "FROM"),
    ("SELECT QUANTILE_CONT(age, age) FROM visits", "level"),
    ("SELECT COUNT(*) AS n, SUM(age) AS n FROM visits", "one name"),
    ("SELECT COUNT(*) FROM visits WHERE age = ?", "parameter"),
    ("SELECT COUNT(*) FROM visits WHERE a.b.age = 1", "two parts"),
    ("SELECT COUNT(*) FROM visits WHERE isnan(spend)", "NaN"),
    ("SELECT COUNT(*) FROM visits WHERE at + INTERVAL 1.5 HOUR > at", "whole number of seconds"),
]


@pytest.mark.parametrize(("sql", "word"), REFUSED)
def test_a_construct_without_a_private_answer_is_refused_with_its_reason(
    sql: str, word: str
) -> None:
    with pytest.raises(RefusedError) as caught:
        question(sql, TABLES)
    assert word in caught.value.problem
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("sql", "place", "offer"),
    [
        ("SELECT COUNT(*) FROM visit", "line 1, column 22", "visits"),
        ("SELECT citty, COUNT(*) FROM visits GROUP BY 1", "line 1, column 8", "city"),
        ("SELECT COUNT(*)\nFROM visits\nWHERE  lowr(city) = 'x'", "line 3, column 8", "lower"),
        ('SELECT COUNT(*) FROM visits WHERE "City" = 1', "line 1, column 35", "city"),
        ("SELECT COUNT(*) FROM visits WHERE t.age = 1", "line 1, column 35", "age"),
        ("SELECT COUNT(*) FROM 'x.csv'", "line 1, column 22", "visits"),
    ],
)
def test_an_unknown_name_is_pointed_at_and_near_names_are_offered(
    sql: str, place: str, offer: str
) -> None:
    with pytest.raises(UnknownNameError) as caught:
        question(sql, TABLES)
    assert caught.value.problem.startswith(place)
    assert offer in caught.value.remedy


def test_the_caret_stands_under_the_word() -> None:
    with pytest.raises(UnknownNameError) as caught:
        question("SELECT COUNT(*)\nFROM visits WHERE agge > 3", TABLES)
    _, line, caret = caught.value.problem.split("\n")
    assert line[caret.index("^") :].startswith("agge > 3")


@pytest.mark.parametrize(
    "sql",
    ["", "   ", ";", "SELECT COUNT( FROM visits", "SELECT 'x", "SELECT 1; SELECT 2", "(" * 5000,
     "SELECT COUNT(*) FROM visits WHERE \0", "x" * 200_000, "-- nothing"],
)  # fmt: skip
def test_what_is_not_one_statement_is_unreadable(sql: str) -> None:
    with pytest.raises(UnreadableError):
        question(sql, TABLES)


@pytest.mark.parametrize(
    "sql",
    ["x > 'a'", "x + true", "lower(x)", "substring('a', 0)", "round(x, x)", "x like 'a'", "bin(x, 0)",
     "width_bucket(x, 1, 0, 3)", "date_trunc('eon', date '2026-01-01')", "cast(Y as text)", "1e999",
     "x = '2026'", "replace('a', '', 'b')", "sqrt(true)", "case when x then 1 end", "coalesce(x, 'a')"],
)  # fmt: skip
def test_types_that_do_not_fit_are_an_error_before_any_row_is_read(sql: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        expression(sql, Scan(ROWS))
    assert caught.value.problem.startswith("line 1, column")


@pytest.mark.parametrize("depth", [400, 5000])
@pytest.mark.parametrize("sql", ["{o}x{c} > 0", "{p}x > 0", "{m}x > 0", "{n}true"])
def test_a_deep_text_gives_no_error_but_ours(sql: str, depth: int) -> None:
    written = sql.format(
        o="(" * depth, c=")" * depth, p="x + " * depth, m="- " * depth, n="not " * depth
    )
    try:
        made = expression(written, Scan(ROWS))
    except InputError:
        return
    assert made.type == BOOLEAN


WORDS = [
    "SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "HAVING", "LIMIT", "JOIN", "ON", "USING", "UNION ALL", "WITH", "AS",
    "(", ")", ",", "*", "+", "-", "/", "%", "=", "<", ">", "||", "::", ".", ";", "'", '"', "--", "/*", "*/", "[", "]", "{", "}",
    "COUNT", "SUM", "AVG", "MEDIAN", "QUANTILE_CONT", "FILTER", "OVER", "DISTINCT", "CASE", "WHEN", "THEN", "ELSE", "END", "CAST",
    "visits", "people", "towns", "city", "age", "spend", "user_id", "day", "x", "1", "0", "-1", "1.5", "1e9", "'a'", "'it''s'", "NULL",
    "TRUE", "AND", "OR", "NOT", "IN", "BETWEEN", "LIKE", "IS", "INTERVAL", "DATE", "INTEGER", "month", "LEFT", "lower", "bin", "$1", "?", "@",
    "\\", "\n", "\t", "é", "🤦", "\u2028", "EXCLUDE", "VALUES", "PIVOT", "LATERAL", "UNNEST", "STRUCT", "MAP", "lambda", "->", "QUALIFY", "ALL",
]  # fmt: skip
soups = st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)
mutants = st.tuples(
    st.sampled_from([sql for sql, _ in REFUSED]
                    + ["SELECT city, COUNT(*) AS n FROM visits JOIN towns USING (city) GROUP BY city HAVING n > 1 ORDER BY n LIMIT 2"]),
    st.integers(0, 120), st.integers(0, 10), st.sampled_from(WORDS),
).map(lambda t: t[0][: t[1]] + " " + t[3] + " " + t[0][t[1] + t[2] :])  # fmt: skip


T = TypeVar("T")


def outcome(read: Callable[[], T]) -> T | ShoalError:
    """What comes of reading a text: a value or an error of ours, and nothing else."""
    try:
        return read()
    except InternalError:
        raise
    except ShoalError as error:
        return error


@examples(200, many=600)
@given(
    soups | mutants | st.text(max_size=60) | soups.map("SELECT COUNT(*) FROM visits WHERE ".__add__)
)
def test_any_text_gives_a_question_or_an_error_of_ours(sql: str) -> None:
    made = outcome(lambda: question(sql, TABLES))
    assert made.explain() if isinstance(made, Query) else made.remedy


@examples(133, many=400)
@given(soups | st.text(max_size=40))
def test_any_text_gives_an_expression_or_an_error_of_ours(sql: str) -> None:
    for made in (
        outcome(lambda: expression(sql, Scan(ROWS))),
        outcome(lambda: relation(sql, TABLES)),
    ):
        assert made.remedy if isinstance(made, ShoalError) else made


names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)


@settings(max_examples=150)
@given(names, names)
def test_a_quoted_name_and_a_quoted_text_mean_themselves(name: str, text: str) -> None:
    rows = Scan(Table("t", (column(name, INTEGER), column(name + "_", INTEGER)), protects=Row()))
    quoted, value = name.replace('"', '""'), text.replace("'", "''")
    assert expression(f'"{quoted}"', rows) == Ref(rows.columns[0])
    assert expression(f"'{value}'", rows) == Literal(text, TEXT)


@pytest.mark.parametrize("sql", [5, None, b"SELECT 1"])
def test_what_is_not_text_is_said_to_be_none(sql: object) -> None:
    with pytest.raises(UnreadableError, match="SQL is text"):
        question(sql, {})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "typed",
    ["STRING_AGG(city, ',')", "LISTAGG(city)", "ANY_VALUE(city)", "FIRST(city)", "LIST(age)", "MAX_BY(city, age)", "ARG_MIN(city, age)"],
)  # fmt: skip
def test_a_refusal_names_the_function_that_was_typed(typed: str) -> None:
    with pytest.raises(RefusedError) as caught:
        question(f"SELECT {typed} AS x FROM visits", TABLES)
    assert f"{typed.partition('(')[0]} would show" in caught.value.problem
    assert "GROUP BY x" in caught.value.remedy


def test_a_missing_argument_is_named_without_the_words_of_the_parser() -> None:
    with pytest.raises(UnreadableError) as caught:
        question("SELECT STRFTIME(day) AS x, COUNT(*) FROM visits GROUP BY 1", TABLES)
    assert "lacks an argument, its format" in caught.value.problem
    assert "sqlglot" not in str(caught.value)
