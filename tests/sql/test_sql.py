"""What a SELECT means."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.sql.catalogue import ROWS, TABLES, VISITS

from shoal.errors import RefusedError
from shoal.plan import (
    Filter,
    FromTable,
    Listed,
    PersonJoin,
    Project,
    PublicJoin,
    Query,
    Scan,
    Selected,
    Statistic,
    UnionAll,
    evaluate,
    range_of,
    text_of,
)
from shoal.sql import expression, outputs, question, relation


def asked(sql: str) -> Query:
    return question(sql, TABLES)


@pytest.mark.parametrize(
    ("written", "statistic", "level"),
    [
        ("COUNT(*)", Statistic.COUNT_ROWS, None),
        ("COUNT()", Statistic.COUNT_ROWS, None),
        ("COUNT(age)", Statistic.COUNT, None),
        ("COUNT(DISTINCT city)", Statistic.COUNT_DISTINCT, None),
        ("COUNT(DISTINCT user_id)", Statistic.COUNT_PERSONS, None),
        ("SUM(age)", Statistic.SUM, None),
        ("AVG(age)", Statistic.MEAN, None),
        ("VARIANCE(age)", Statistic.VARIANCE, None),
        ("VAR_SAMP(age)", Statistic.VARIANCE, None),
        ("VAR_POP(age)", Statistic.VARIANCE_POPULATION, None),
        ("STDDEV(age)", Statistic.DEVIATION, None),
        ("STDDEV_SAMP(age)", Statistic.DEVIATION, None),
        ("STDDEV_POP(age)", Statistic.DEVIATION_POPULATION, None),
        ("MIN(age)", Statistic.LEAST, None),
        ("MAX(day)", Statistic.GREATEST, None),
        ("MEDIAN(age)", Statistic.QUANTILE, Fraction(1, 2)),
        ("QUANTILE_CONT(age, 0.9)", Statistic.QUANTILE, Fraction(9, 10)),
        ("QUANTILE(age, 0.25)", Statistic.QUANTILE, Fraction(1, 4)),
        ("PERCENTILE_CONT(0.1) WITHIN GROUP (ORDER BY age)", Statistic.QUANTILE, Fraction(1, 10)),
        (
            "PERCENTILE_CONT(0.1) WITHIN GROUP (ORDER BY age DESC)",
            Statistic.QUANTILE,
            Fraction(9, 10),
        ),
        ("COUNT_IF(age > 3)", Statistic.COUNT, None),
        ("APPROX_COUNT_DISTINCT(city)", Statistic.COUNT_DISTINCT, None),
        ("SUM(age > 3)", Statistic.SUM, None),
        ("SKEWNESS(age)", Statistic.SKEWNESS, None),
        ("KURTOSIS(age)", Statistic.KURTOSIS, None),
        ("CORR(age, spend)", Statistic.CORRELATION, None),
        ("COVAR_POP(age, spend)", Statistic.COVARIANCE_POPULATION, None),
        ("COVAR_SAMP(age, spend)", Statistic.COVARIANCE, None),
        ("REGR_SLOPE(age, spend)", Statistic.SLOPE, None),
        ("REGR_INTERCEPT(age, spend)", Statistic.INTERCEPT, None),
        ("REGR_R2(age, spend)", Statistic.DETERMINATION, None),
        ("REGR_COUNT(age, spend)", Statistic.COUNT, None),
        ("REGR_AVGX(age, spend)", Statistic.MEAN, None),
        ("REGR_AVGY(age, spend)", Statistic.MEAN, None),
        ("COUNT(*) FILTER (WHERE age > 3)", Statistic.COUNT, None),
    ],
)
def test_an_aggregate_is_the_statistic_it_names(
    written: str, statistic: Statistic, level: Fraction | None
) -> None:
    (aggregate,) = asked(f"SELECT {written} AS x FROM visits").aggregates
    assert (aggregate.name, aggregate.statistic, aggregate.level) == ("x", statistic, level)


def test_counting_distinct_keys_of_several_columns_counts_persons_only_if_all_are_there() -> None:
    rows = relation("SELECT a, b FROM pairs WHERE a IS NOT NULL AND b IS NOT NULL", TABLES)
    made = outputs(rows, by={}, show={"n": "COUNT(DISTINCT (a, b))", "m": "COUNT(DISTINCT a)"})
    kinds = [aggregate.statistic for aggregate in made.aggregates]
    assert kinds == [Statistic.COUNT_PERSONS, Statistic.COUNT_DISTINCT]


def test_distinct_pairs_with_a_real_are_refused_because_engines_write_reals_differently() -> None:
    with pytest.raises(RefusedError, match="texts, whole numbers, dates and conditions"):
        asked("SELECT COUNT(DISTINCT (city, spend)) FROM visits")


def test_a_filter_of_an_aggregate_becomes_null_where_it_does_not_hold() -> None:
    (aggregate,) = asked("SELECT SUM(age) FILTER (WHERE kind = 'a') FROM visits").aggregates
    assert aggregate.argument is not None
    assert text_of(aggregate.argument) == "CASE WHEN (kind = 'a') THEN age ELSE NULL END"
    assert range_of(aggregate.argument) == (Fraction(0), Fraction(120))


def test_arithmetic_on_aggregates_is_computed_after_the_release() -> None:
    made = asked("SELECT SUM(spend) / COUNT(*) + 1 AS m, COUNT(*) * 2 AS n FROM visits")
    assert [a.statistic for a in made.aggregates] == [Statistic.SUM, Statistic.COUNT_ROWS]
    released = {a.name: v for a, v in zip(made.aggregates, (30.0, 4), strict=True)}
    assert [evaluate(e, released) for _, e in made.after.columns] == [8.5, 8]


def test_the_same_aggregate_is_released_once() -> None:
    made = asked(
        "SELECT kind, COUNT(*) n FROM visits GROUP BY 1 HAVING count(*) > 5 ORDER BY COUNT(*)"
    )
    assert len(made.aggregates) == 1
    assert made.after.having is not None
    assert text_of(made.after.having) == "(n > 5)"


def test_having_order_limit_and_offset_follow_the_release() -> None:
    after = asked(
        "SELECT city, COUNT(*) AS n FROM visits GROUP BY city HAVING n > 5 "
        "ORDER BY n DESC NULLS FIRST, 1 LIMIT 7 OFFSET 2"
    ).after
    assert (after.limit, after.offset) == (7, 2)
    assert [(text_of(o.expression), o.descending, o.nulls_first) for o in after.order] == [
        ("n", True, True),
        ("city", False, False),
    ]


def test_an_order_by_a_name_means_the_column_of_the_answer_first() -> None:
    after = asked("SELECT city, AVG(age) AS age FROM visits GROUP BY city ORDER BY age").after
    assert text_of(after.order[0].expression) == "age"


@pytest.mark.parametrize(
    ("key", "known"),
    [
        ("kind", Listed(("a", "b"), null=True)),
        ("age > 3", Listed((False, True), null=True)),
        ("month(day)", Listed(tuple(range(1, 13)), null=True)),
        ("WIDTH_BUCKET(age, 0, 100, 2)", Listed((0 + 1, 2, 3), null=True)),
        ("CASE WHEN age < 18 THEN 'young' ELSE 'old' END", Listed(("old", "young"), null=False)),
        ("city", Selected()),
        ("upper(city)", Selected()),
    ],
)
def test_the_values_of_a_key_are_known_from_facts_or_have_to_be_selected(
    key: str, known: object
) -> None:
    (made,) = asked(f"SELECT {key} AS k, COUNT(*) FROM visits GROUP BY k").keys
    assert made.known == known


def test_the_values_of_a_key_are_known_from_a_public_table() -> None:
    joined = "visits JOIN towns ON visits.city = towns.city"
    (made,) = asked(f"SELECT region, COUNT(*) FROM {joined} GROUP BY region").keys
    assert made.known == FromTable("towns", "region", null=True)


def test_a_condition_on_a_key_lists_its_values() -> None:
    sql = "SELECT city, COUNT(*) FROM visits WHERE city IN ('x', 'y') GROUP BY city"
    assert asked(sql).keys[0].known == Listed(("x", "y"), null=False)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT CITY, COUNT(*) FROM VISITS GROUP BY CiTy",
        'SELECT "city", COUNT(*) FROM "visits" GROUP BY "city"',
        "SELECT v.city, COUNT(*) FROM visits AS v GROUP BY V.city",
        "FROM visits SELECT city, COUNT(*) GROUP BY ALL",
        "WITH v AS (SELECT * FROM visits) SELECT city, COUNT(*) FROM v GROUP BY 1",
        "SELECT city, COUNT(*) FROM (SELECT city FROM visits) GROUP BY city",
    ],
)
def test_the_same_question_can_be_written_in_many_ways(sql: str) -> None:
    made = asked(sql)
    assert [text_of(key.expression) for key in made.keys] == ["city"]
    assert [a.statistic for a in made.aggregates] == [Statistic.COUNT_ROWS]


def test_a_join_to_a_public_table_multiplies_by_what_its_key_says() -> None:
    made = asked("SELECT COUNT(*) FROM visits LEFT JOIN towns USING (city)").relation
    assert isinstance(made, PublicJoin)
    assert (made.kind, made.at_most, dict(made.stability)) == ("left", 1, {"visits": 1})


def test_a_public_table_may_stand_on_either_side_of_an_inner_join() -> None:
    made = asked("SELECT COUNT(*) FROM towns t JOIN visits v ON t.city = v.city").relation
    assert isinstance(made, PublicJoin)
    assert made.protects == VISITS.protects


@pytest.mark.parametrize("sides", ["visits v JOIN people p", "people p JOIN visits v"])
def test_private_tables_are_joined_on_the_person_and_the_keyed_side_is_cut(sides: str) -> None:
    made = asked(
        f"SELECT sex, COUNT(*) FROM {sides} ON v.user_id = p.user_id GROUP BY sex"
    ).relation
    assert isinstance(made, PersonJoin)
    assert made.at_most == 1
    assert dict(made.stability) == {"visits": 1, "people": None}


def test_a_union_of_a_table_with_itself_counts_each_row_twice() -> None:
    both = "(SELECT x FROM rows UNION ALL SELECT x + 1 FROM rows)"
    made = asked(f"SELECT COUNT(*) FROM {both} AS u").relation
    assert isinstance(made, UnionAll)
    assert dict(made.stability) == {"rows": 2}


def test_a_star_stands_for_all_columns_but_those_left_out() -> None:
    made = relation("SELECT * EXCLUDE (city, day), age AS again FROM visits", TABLES)
    assert [c.name for c in made.columns] == ["user_id", "kind", "age", "spend", "at", "again"]


def test_a_sub_query_cannot_lose_the_person() -> None:
    made = relation("SELECT spend AS s FROM (SELECT spend, 7 AS user_id FROM visits)", TABLES)
    assert isinstance(made, Project)
    assert len(made.person) == 1
    (count,) = outputs(made, by={}, show={"n": "COUNT(DISTINCT s)"}).aggregates
    assert count.statistic is Statistic.COUNT_DISTINCT


def test_a_rewritten_person_column_no_longer_counts_persons() -> None:
    made = asked("SELECT COUNT(DISTINCT user_id) FROM (SELECT user_id + 1 AS user_id FROM visits)")
    assert made.aggregates[0].statistic is Statistic.COUNT_DISTINCT


def test_a_renamed_person_column_still_counts_persons() -> None:
    made = asked("SELECT COUNT(DISTINCT u) FROM (SELECT user_id AS u FROM visits)")
    assert made.aggregates[0].statistic is Statistic.COUNT_PERSONS


def test_where_comes_before_what_is_selected() -> None:
    made = asked("SELECT SUM(age) FROM visits WHERE age BETWEEN 18 AND 65").relation
    assert isinstance(made, Filter)
    assert isinstance(made.source, Scan)
    assert [str(c.span) for c in made.columns if c.name == "age"] == ["18 .. 65"]


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("x > 3 and not Y is null", "((x > 3) AND (NOT (Y IS NULL)))"),
        ("case x when 1 then 'a' end", "CASE WHEN (x = 1) THEN 'a' ELSE NULL END"),
        ('lower("he said ""hi""; --")', 'LOWER("he said ""hi""; --")'),
        ("x between 1 and 2 or x in (5, 6)", "((x BETWEEN 1 AND 2) OR (x IN (5, 6)))"),
        ("x::double / 0.5", "(CAST(x AS real) / 0.5e0)"),
        ("x * 1.50", "(x * 1.50)"),
        ("-9223372036854775808", "-9.223372036854776e+18"),
        ("x + 1e3", "(CAST(x AS real) + 1000.0e0)"),
        ("'it''s' || cast(x as text)", "('it''s' || CAST(x AS text))"),
        ("x is not distinct from 3", "(x IS NOT DISTINCT FROM 3)"),
        ("date_diff('day', date '2026-01-01', date '2026-03-01')", "59"),
        ("date_diff('month', date '2026-01-31', date '2026-03-01')", "2"),
        ("date '2026-01-01' + interval 2 week", "DATE '2026-01-15'"),
        ("date '2026-01-01' - 1", "DATE '2025-12-31'"),
        ("date_trunc('month', timestamp '2026-05-06 07:08:09')", "TIMESTAMP '2026-05-01 00:00:00'"),
        ("1 / 0", "NULL"),
        ("try_cast('x' as integer)", "NULL"),
        ("cast('1.005' as decimal(10, 2))", "1.01"),
        ("concat('a', null, 'b')", "'ab'"),
        ("'50%' like '50!%' escape '!'", "TRUE"),
        ("'ABC' ilike 'a%'", "TRUE"),
        ("round(2.345, 2)", "2.35"),
    ],
)
def test_an_expression_alone_means_what_sql_means(sql: str, text: str) -> None:
    assert text_of(expression(sql, Scan(ROWS))) == text


def test_a_text_is_compared_with_a_date_as_a_date() -> None:
    made = expression("day >= '2026-05-01'", Scan(VISITS))
    assert text_of(made) == "(day >= DATE '2026-05-01')"


def test_a_question_built_of_parts_is_the_question_written_in_sql() -> None:
    built = outputs(Scan(VISITS), by={"city": "city"}, show={"n": "count(*)"}, having="n > 3")
    assert built == asked("SELECT city, COUNT(*) AS n FROM visits GROUP BY city HAVING n > 3")


LISTS = {
    "QUANTILE(age, [0.1, 0.5, 0.999])": ["10", "50", "99_9"],
    "QUANTILE_CONT(age, [0, .25, 1])": ["0", "25", "100"],
    "QUANTILE_CONT(age, [0.5]) FILTER (WHERE age > 3)": ["50"],
    "PERCENTILE_CONT([0.1, 1e-3]) WITHIN GROUP (ORDER BY age)": ["10", "0_1"],
}


@pytest.mark.parametrize("written", LISTS)
def test_a_list_of_levels_is_a_column_for_each(written: str) -> None:
    made = asked(f"SELECT kind, {written} AS q, COUNT(*) AS n FROM visits GROUP BY kind")
    names = [f"q_{level}" for level in LISTS[written]]
    assert [name for name, _ in made.after.columns] == ["kind", *names, "n"]
    for aggregate, level in zip(made.aggregates, LISTS[written], strict=False):
        assert aggregate.level == Fraction(level.replace("_", ".")) / 100
    alone = [
        written.replace(written[written.index("[") : written.index("]") + 1], one)
        for one in _levels(written)
    ]
    several = ", ".join(f"{one} AS {name}" for one, name in zip(alone, names, strict=True))
    assert made == asked(f"SELECT kind, {several}, COUNT(*) AS n FROM visits GROUP BY kind")
    built = outputs(Scan(VISITS), by={"kind": "kind"}, show={"q": written, "n": "count(*)"})
    assert built.aggregates == made.aggregates


def _levels(written: str) -> list[str]:
    return written[written.index("[") + 1 : written.index("]")].split(", ")


def test_columns_of_a_list_are_sorted_and_filtered_by_name() -> None:
    made = asked("SELECT QUANTILE(age, [0.1, 0.9]) AS q FROM visits HAVING q_10 > 3 ORDER BY q_90")
    assert made.after.having is not None
    assert text_of(made.after.order[0].expression) == "q_90"


def test_the_least_and_the_greatest_carry_a_note_and_nothing_else_does() -> None:
    made = asked('SELECT MIN(age) AS lo, MAX(day) AS "the last", MEDIAN(age) AS m FROM visits')
    assert made.notes == (
        "lo is a low quantile, some ranks inside: the least value itself is somebody's.",
        '"the last" is a high quantile, some ranks inside: the greatest value itself is somebody\'s.',
    )
    assert made.explain().endswith("\n".join(f"note: {note}" for note in made.notes))
    assert asked("SELECT MEDIAN(age) AS m FROM visits").notes == ()
