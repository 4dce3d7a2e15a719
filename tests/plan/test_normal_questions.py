"""A question and its one spelling have the same rows, keys and aggregates; other words have the same
spelling.
"""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.corpus.corpus import hospital, planned, questions
from tests.engines.test_relations import Data, datasets, relations, scans
from tests.examples import examples

from shoal.engines.reference import Reference
from shoal.measures import Approx
from shoal.plan import (
    INTEGER,
    Aggregate,
    Column,
    Filter,
    Literal,
    Person,
    PersonWindow,
    Project,
    Query,
    Ref,
    Row,
    Rows,
    Scan,
    Sorting,
    Span,
    Statistic,
    Table,
    WindowWord,
    WithinPerson,
    call,
    normal_question,
    normal_questions,
)
from shoal.plan.normal_questions import normal_rows
from shoal.query.ask import Ask
from shoal.query.canonical import canonical_plan
from shoal.query.payment import CostRequest
from shoal.query.pricing import priced
from shoal.query.private_tables import Private

WIDE = (10, 300)


@pytest.mark.parametrize("kind", ["scan", "filter", "project"])
def test_the_columns_of_a_wide_table_are_listed_a_few_times(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not once for each of them: 4,000 columns took 8 s, in a preview that is free."""
    listed = list[int]()
    by_name = normal_questions._by_name

    def counted(rows: Rows) -> Any:
        listed.append(len(rows.columns))
        return by_name(rows)

    monkeypatch.setattr(normal_questions, "_by_name", counted)

    def times(count: int) -> int:
        columns = tuple(Column(f"c{at}", INTEGER) for at in range(count))
        rows: Rows = Scan(Table("t", columns, protects=Row()))
        if kind == "filter":
            rows = Filter(rows, call("gt", Ref(rows.columns[0]), Literal(1, INTEGER)))
        if kind == "project":
            rows = Project(rows, tuple((f"d{c.name}", Ref(c)) for c in rows.columns))
        listed.clear()
        found = normal_rows(rows, dissolve=False).with_columns([c.name for c in rows.columns])
        assert len(found.columns) == count
        return len(listed)

    assert len({times(count) for count in WIDE}) == 1


UNITS = (Person("u", groups=2, rows_per_group=2), Person("u2"))


@pytest.mark.slow
@examples(40, many=2000)
@given(made=relations(UNITS), data=datasets(), dissolve=st.booleans())
def test_a_relation_and_its_spelling_have_the_same_rows(
    made: Rows, data: Data, dissolve: bool
) -> None:
    names = [column.name for column in made.columns]
    other = normal_rows(made, dissolve=dissolve).with_columns(names)
    engine = Reference(data)
    asked, spelled = (Counter(engine.rows(each, persons=True)) for each in (made, other))
    assert asked == spelled
    assert other.protects == made.protects
    assert [column.type for column in other.columns] == [column.type for column in made.columns]


@pytest.mark.parametrize("dissolve", [True, False])
def test_a_window_keeps_the_columns_of_its_sub_query(dissolve: bool) -> None:
    """What it tells is of computed columns, and all of them decide the order."""
    scan = scans(UNITS)["left"]
    held = {column.name: Ref(column) for column in scan.columns}
    moved = call("multiply", held["x"], Literal(-1, INTEGER))
    under = Project(scan, (("u", held["u"]), ("k", held["k"]), ("x", moved)))
    told = {column.name: Ref(column) for column in under.columns}
    order = (Sorting(told["k"]),)
    window = PersonWindow(WindowWord.BEFORE, told["x"], (told["u"],), order)
    made = WithinPerson(under, "before", window)
    data: Data = {"left": [{"u": 1, "k": "a", "x": x, "y": None} for x in (1, 2, 3)]}
    other = normal_rows(made, dissolve=dissolve).with_columns(["u", "k", "x", "before"])
    engine = Reference({**data, "right": [], "public": []})
    asked, spelled = (sorted(map(repr, engine.rows(each))) for each in (made, other))
    assert asked == spelled


@pytest.fixture(scope="module")
def held() -> Private:
    return hospital()


def form(ask: Ask) -> str:
    return json.dumps(canonical_plan(normal_question(ask.question)))


ALIKE = [
    (
        "SELECT COUNT(*) AS n FROM visits WHERE stay > 3 AND ward = 'surgery'",
        "SELECT COUNT(*) AS m FROM visits AS v WHERE 'surgery' = v.ward AND 3 < v.stay",
        "SELECT COUNT(*) AS n FROM (SELECT * FROM visits) WHERE NOT stay <= 3 AND ward = 'surgery'",
        (
            "WITH a AS (SELECT stay AS x, ward AS w FROM visits WHERE ward IN ('surgery')) "
            "SELECT COUNT(*) AS n FROM a WHERE x > 3"
        ),
        "SELECT COUNT(*) AS n FROM visits WHERE 1 = 1 AND stay > 3 AND ward = 'surgery' AND stay > 3",
    ),
    (
        (
            "SELECT ward, kind, COUNT(*) AS n, AVG(cost) AS c FROM visits "
            "WHERE stay BETWEEN 2 AND 9 AND kind IN ('inpatient', 'emergency') GROUP BY ward, kind"
        ),
        (
            "SELECT AVG(cost) AS mean, kind, COUNT(*) AS n, ward FROM visits "
            "WHERE (kind = 'emergency' OR kind = 'inpatient') AND stay <= 9 AND stay >= 2 "
            "GROUP BY kind, ward ORDER BY n LIMIT 3"
        ),
    ),
    (
        (
            "SELECT p.sex, AVG(v.cost) AS c FROM visits v JOIN patients p ON p.patient_id = v.patient_id "
            "WHERE v.stay > 2 GROUP BY p.sex"
        ),
        (
            "SELECT q.sex, AVG(w.cost) AS c FROM (SELECT * FROM visits WHERE stay > 2) w "
            "JOIN patients q USING (patient_id) GROUP BY q.sex"
        ),
    ),
    (
        "SELECT AVG(n) AS a FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id)",
        "SELECT AVG(k) AS a FROM (SELECT v.patient_id AS id, COUNT(*) AS k FROM visits v GROUP BY 1)",
    ),
    (
        "SELECT SUM(stay + 1) AS s FROM visits",
        "WITH a AS (SELECT 1 + stay AS y FROM visits) SELECT SUM(y) AS n FROM a",
    ),
    (
        (
            "SELECT COUNT(*) AS n FROM patients WHERE patient_id IN "
            "(SELECT patient_id FROM visits WHERE ward = 'surgery' AND stay > 1)"
        ),
        (
            "SELECT COUNT(*) AS n FROM patients p WHERE p.patient_id IN "
            "(SELECT v.patient_id FROM visits v WHERE 1 < v.stay AND NOT v.ward <> 'surgery')"
        ),
    ),
    (
        "SELECT COUNT(*) FILTER (WHERE age > 60 AND sex = 'F') AS n FROM patients",
        "SELECT COUNT(*) FILTER (WHERE 'F' = sex AND 60 < age) AS women FROM patients",
    ),
    (
        "SELECT sex, COUNT(*) AS n FROM visits NATURAL JOIN patients GROUP BY sex",
        "SELECT sex, COUNT(*) AS n FROM visits JOIN patients USING (patient_id) GROUP BY sex",
    ),
    (
        (
            "SELECT AVG(x) AS a FROM (SELECT patient_id, stay AS x FROM visits UNION ALL "
            "SELECT patient_id, age AS x FROM patients WHERE age > 60 AND sex = 'F')"
        ),
        (
            "SELECT AVG(x) AS a FROM (SELECT patient_id, age AS x FROM patients WHERE sex = 'F' "
            "AND 60 < age UNION ALL SELECT patient_id, stay AS x FROM visits)"
        ),
    ),
]


@pytest.mark.parametrize("words", ALIKE, ids=lambda words: words[0][:40])
def test_the_same_question_in_other_words_has_one_form(
    held: Private, words: tuple[str, ...]
) -> None:
    assert len({form(held.sql(each)) for each in words}) == 1


OTHERS = [
    (
        "SELECT COUNT(*) AS n FROM visits WHERE stay > 3",
        "SELECT COUNT(*) AS n FROM visits WHERE stay >= 3",
    ),
    (
        "SELECT SUM(x) AS n FROM (SELECT stay AS x, cost AS y FROM visits)",
        "SELECT SUM(y) AS n FROM (SELECT stay AS x, cost AS y FROM visits)",
    ),
    (
        "SELECT AVG(n) AS a FROM (SELECT patient_id, COUNT(*) AS n, MAX(stay) AS m FROM visits GROUP BY patient_id)",
        "SELECT AVG(m) AS a FROM (SELECT patient_id, COUNT(*) AS n, MAX(stay) AS m FROM visits GROUP BY patient_id)",
    ),
    (
        "SELECT COUNT(*) AS n FROM visits v LEFT JOIN patients p USING (patient_id) WHERE p.age > 3",
        "SELECT COUNT(*) AS n FROM visits v LEFT JOIN (SELECT * FROM patients WHERE age > 3) p USING (patient_id)",
    ),
    (
        (
            "SELECT SUM(x) AS a FROM (SELECT patient_id, stay AS x, 7 AS y FROM visits UNION ALL "
            "SELECT patient_id, age AS y, 5 AS x FROM patients)"
        ),
        (
            "SELECT SUM(x) AS a FROM (SELECT patient_id, age AS y, 5 AS x FROM patients UNION ALL "
            "SELECT patient_id, stay AS x, 7 AS y FROM visits)"
        ),
    ),
]


@pytest.mark.parametrize(("one", "other"), OTHERS, ids=lambda text: text[:40])
def test_another_question_has_another_form(held: Private, one: str, other: str) -> None:
    assert form(held.sql(one)) != form(held.sql(other))


def test_what_a_condition_teaches_of_a_computed_column_is_kept(held: Private) -> None:
    """Without its sub-query the sum would range from 1 to 61."""
    asked = held.sql("SELECT SUM(y) AS s FROM (SELECT stay + 1 AS y FROM visits) WHERE y >= 40")
    (aggregate,) = normal_question(asked.question).aggregates
    assert aggregate.argument is not None
    assert aggregate.argument.span is not None
    assert aggregate.argument.span == Span(Fraction(40), Fraction(61))


def test_counting_what_is_never_missing_counts_rows(held: Private) -> None:
    asked = held.sql("SELECT COUNT(stay) AS n FROM visits WHERE stay IS NOT NULL").question
    assert normal_question(asked).aggregates == (Aggregate("n", Statistic.COUNT_ROWS),)


def _error(question: Query) -> float:
    request = CostRequest(Approx(1, Fraction(1, 10**5)), Fraction(1, 10**5))
    return priced(question, request).variance()


@pytest.mark.slow
def test_no_question_of_the_corpus_has_more_noise_in_its_spelling(held: Private) -> None:
    found = [planned(held, each) for each in questions()]
    for ask in (each for each in found if isinstance(each, Ask)):
        made = normal_question(ask.question)
        assert normal_question(made) == made
        assert _error(made) <= _error(ask.question) * (1 + 1e-9), ask.text
