"""Two questions have one canonical form only if they are one question: a stored answer is looked up
by it.
"""

from __future__ import annotations

import datetime as dt
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from tests.engines.generated import SCAN, TYPES, applications, expressions
from tests.engines.test_relations import relations

import shoal
from shoal.plan import (
    FUNCTIONS,
    Call,
    Column,
    Expression,
    Filter,
    Literal,
    PerPerson,
    Person,
    PersonJoin,
    PersonQuantity,
    PersonTotal,
    PersonWindow,
    Project,
    PublicJoin,
    Ref,
    Row,
    Rows,
    Scan,
    Sorting,
    Table,
    Type,
    UnionAll,
    Unit,
    Value,
    WindowWord,
    WithinPerson,
    call,
    column,
    normal_question,
)
from shoal.plan.facts import Span
from shoal.plan.types import Kind
from shoal.query.canonical import (
    canonical_expression,
    canonical_plan,
    canonical_rows,
    columns_called,
)
from shoal.sensitivity import Relation
from shoal.sql import question


def kind_of(text: str) -> Type:
    name, _, scale = text.rstrip(")").partition("(")
    return Type(Kind(name), int(scale or 0))


def value_of(written: Any, kind: Type) -> Value:
    if written is None:
        return None
    match kind.kind:
        case Kind.REAL:
            return float.fromhex(written)
        case Kind.DATE:
            return dt.date.fromisoformat(written)
        case Kind.TIMESTAMP:
            return dt.datetime.fromisoformat(written)
    return written  # type: ignore[no-any-return]


def expression_of(written: list[Any], columns: tuple[Column, ...]) -> Expression:
    """An expression, read back; made without any check, so that nothing but the text decides it."""
    match written:
        case ["column", int(at)]:
            return Ref(columns[at])
        case ["column", name]:
            return Ref(next(each for each in columns if each.name == name))
        case ["constant", kind, value]:
            return Literal(value_of(value, kind_of(kind)), kind_of(kind))
        case ["call", name, kind, arguments]:
            return Call(
                name, tuple(expression_of(each, columns) for each in arguments), kind_of(kind)
            )
    raise AssertionError(written)


def rows_of(written: list[Any], named: Rows) -> Rows:
    """A relation, read back.  ``named`` tells the names of columns that it makes, which are not in
    the text, and nothing else.
    """
    names = [column.name for column in named.columns]
    match written:
        case ["scan", name, columns, unit]:
            made = tuple(map(_column, columns))
            return Scan(Table(name, made, protects=_unit(unit)))
        case ["filter", source, condition]:
            below = rows_of(source, *named.sources)
            return Filter(below, expression_of(condition, below.columns))
        case ["project", source, listed]:
            below = rows_of(source, *named.sources)
            made_of = (expression_of(each, below.columns) for each in listed)
            return Project(below, tuple(zip(names, made_of, strict=True)))
        case ["per person", source, keys, totals]:
            below = rows_of(source, *named.sources)
            by = tuple(zip(names, (expression_of(e, below.columns) for e in keys), strict=False))
            rest = zip(names[len(by) :], totals, strict=True)
            return PerPerson(below, by, tuple(_total(n, each, below.columns) for n, each in rest))
        case ["within person", source, told]:
            below = rows_of(source, *named.sources)
            return WithinPerson(below, names[-1], _window(told, below.columns))
        case ["union", left, right]:
            return UnionAll(*map(rows_of, (left, right), named.sources))
        case [("PublicJoin" | "PersonJoin") as name, left, right, pairs, kind, at_most]:
            sides = list(map(rows_of, (left, right), named.sources))
            on = tuple(
                (expression_of(a, sides[0].columns), expression_of(b, sides[1].columns))
                for a, b in pairs
            )
            join = PublicJoin if name == "PublicJoin" else PersonJoin
            return join(sides[0], sides[1], on, kind, at_most)
    raise AssertionError(written)


def _total(name: str, written: list[Any], columns: tuple[Column, ...]) -> PersonTotal:
    quantity, of, least, most = written
    argument = None if of is None else expression_of(of, columns)
    return PersonTotal(name, PersonQuantity(quantity), argument, least, most)


def _window(written: list[Any], columns: tuple[Column, ...]) -> PersonWindow:
    word, of, by, order, so_far, steps, quantity, least, most = written
    return PersonWindow(
        WindowWord(word),
        None if of is None else expression_of(of, columns),
        tuple(expression_of(each, columns) for each in by),
        tuple(Sorting(expression_of(e, columns), down, first) for e, down, first in order),
        so_far,
        steps,
        quantity and PersonQuantity(quantity),
        least,
        most,
    )


def _column(written: list[Any]) -> Column:
    name, kind, nullable, span, choices, longest = written
    made = kind_of(kind)
    listed = None if choices is None else tuple(value_of(each, made) for each in choices)
    ends = Span(Fraction(span[0]), Fraction(span[1])) if span else None
    return Column(name, made, nullable, ends, listed, longest=longest)


def _unit(written: Any) -> Unit | None:
    if written is None:
        return None
    if written[0] == "row":
        return Row(Relation(written[1]))
    _, columns, groups, rows, nulls, relation = written
    return Person(columns, groups=groups, rows_per_group=rows, nulls=nulls, relation=relation)


def through_text(written: Any) -> Any:
    return json.loads(json.dumps(written, sort_keys=True, separators=(",", ":")))


@pytest.mark.slow
@settings(max_examples=400)
@given(st.sampled_from(TYPES).flatmap(expressions))
def test_an_expression_can_be_read_back_from_its_canonical_form(made: Expression) -> None:
    called = columns_called(SCAN)
    assert expression_of(through_text(canonical_expression(made, called)), SCAN.columns) == made


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_function_can_be_read_back_from_its_canonical_form(name: str) -> None:
    for made in applications()[name]:
        columns = tuple(_refs(made))
        called = {each.name: each.name for each in columns}
        assert expression_of(through_text(canonical_expression(made, called)), columns) == made


def _refs(made: Expression) -> list[Column]:
    if isinstance(made, Ref):
        return [made.column]
    return [c for a in made.arguments for c in _refs(a)] if isinstance(made, Call) else []


UNITS = (Person("u", groups=2, nulls="one"), Person("u2", rows_per_group=3))


@pytest.mark.slow
@settings(max_examples=200)
@given(st.one_of(relations(UNITS), relations((Row(), Row()))))
def test_a_relation_can_be_read_back_from_its_canonical_form(made: Rows) -> None:
    assert rows_of(through_text(canonical_rows(made)), made) == made


PEOPLE = Table(
    "people",
    (
        column("s", shoal.plan.TEXT),
        column("x", shoal.plan.REAL),
        column("n", shoal.plan.INTEGER),
        column("kind", shoal.plan.TEXT, shoal.Choices(["a", "b"])),
    ),
    protects=Row(),
)


def form(sql: str, table: Table = PEOPLE) -> str:
    return json.dumps(canonical_plan(normal_question(question(sql, {"people": table}))))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("s LIKE 'a!%'", "s LIKE 'a!%' ESCAPE '!'"),
        ("n * 0.1 = 0.3", "n * 1e-1 = 3e-1"),
        ("n * 1.0 = 3", "n * 1.00 = 3"),
        ("n * 1 = 100", "n * 1e0 = 100"),
        ("s = '1'", "s = '1 '"),
        ("CAST(x AS DECIMAL(18, 1)) > 1", "CAST(x AS DECIMAL(18, 2)) > 1"),
        ("s IN ('a', '{*}')", "s IN ('a', '{1*}')"),
        ("SUBSTRING(s, 1, 2) = 'a'", "LEFT(s, 2) = 'a'"),
        ("s = 'a'' OR s = ''b'", "s = 'a' OR s = 'b'"),
    ],
)
def test_two_questions_have_two_forms(one: str, other: str) -> None:
    asked = "SELECT COUNT(*) AS n FROM people WHERE {}"
    first, second = (question(asked.format(part), {"people": PEOPLE}) for part in (one, other))
    assert first.relation != second.relation
    assert form(asked.format(one)) != form(asked.format(other))


def test_other_facts_are_another_question() -> None:
    told = column("kind", shoal.plan.TEXT, shoal.Choices(["a", "c"]))
    others = Table("people", (*PEOPLE.columns[:3], told), protects=Row())
    sql = "SELECT kind, COUNT(*) AS n FROM people GROUP BY kind"
    assert form(sql) != form(sql, others)


def test_a_stored_answer_is_that_of_the_same_question(tmp_path: Path) -> None:
    """LIKE with and without its ESCAPE had one answer: 100 was returned where 200 is true."""
    path = tmp_path / "people.parquet"
    parquet.write_table(pa.table({"s": ["a!x"] * 100 + ["a%"] * 200}), path)
    with shoal.open(tmp_path / "office.shoal") as vault:
        vault.add("people", path, protects=shoal.Row(), budget=shoal.Pure(1000))
        found = [
            vault.sql(f"SELECT COUNT(*) AS n FROM people WHERE s LIKE 'a!%'{escape}").release(
                epsilon=200
            )
            for escape in ("", " ESCAPE '!'")
        ]
    assert [round(int(str(answer.rows[0][0])), -2) // 100 for answer in found] == [1, 2]


RESPELLED = [
    (
        "SELECT kind, x > 1 AS big, COUNT(*) AS n, AVG(x) AS mean FROM people "
        "WHERE x BETWEEN 0 AND 2 AND kind IN ('a', 'b') GROUP BY kind, x > 1"
    ),
    (
        "SELECT AVG(x) AS m, COUNT(*) AS rows, 1 < x AS b, kind AS k FROM people "
        "WHERE kind IN ('b', 'a', 'b') AND 2 >= x AND NOT x < 0 GROUP BY 1 < x, kind"
    ),
    (
        "WITH p AS (SELECT kind AS k, x AS y FROM people WHERE kind = 'b' OR kind = 'a') "
        "SELECT COUNT(*) AS n, k, AVG(y) AS y, y > 1 AS big FROM p AS q WHERE q.y >= 0 AND q.y <= 2 "
        "GROUP BY 2, 4"
    ),
]


def _held(tmp_path: Path) -> shoal.Vault:
    path = tmp_path / "people.parquet"
    kinds = ["a", "b", None, "a", "b"] * 40
    parquet.write_table(pa.table({"kind": kinds, "x": [0.5, 1.5, 2.5, 2.0, 0.0] * 40}), path)
    vault = shoal.open(tmp_path / "office.shoal")
    facts: dict[str, Any] = {"kind": shoal.Choices(["a", "b"]), "x": shoal.Range(0, 3)}
    vault.add("people", path, protects=shoal.Row(), columns=facts, budget=shoal.Pure(100))
    return vault


def test_the_same_question_in_other_words_is_answered_once_and_shown_as_it_is_asked(
    tmp_path: Path,
) -> None:
    """Else the mean of many answers would be an answer without noise."""
    with _held(tmp_path) as vault:
        first, second, third = (vault.sql(each).release(epsilon=1) for each in RESPELLED)
        assert vault.budget("people").spent == shoal.Pure(1)
    assert first.columns == ("kind", "big", "n", "mean")
    assert second.columns == ("m", "rows", "b", "k")
    assert third.columns == ("n", "k", "y", "big")
    by_kind = [(kind, big, n, mean) for kind, big, n, mean in first.rows]
    assert sorted(by_kind, key=repr) == sorted(
        ((k, b, n, m) for m, n, b, k in second.rows), key=repr
    )
    assert sorted(by_kind, key=repr) == sorted(
        ((k, b, n, m) for n, k, m, b in third.rows), key=repr
    )
    # rows are in the order of the keys as each question has them
    assert [row[:2] for row in first.rows] == [(k, b) for k in "ab" for b in (False, True)]
    assert [(b, k) for _, _, b, k in second.rows] == [(b, k) for b in (False, True) for k in "ab"]


def test_intervals_and_certificates_of_other_words_are_those_of_the_first(tmp_path: Path) -> None:
    with _held(tmp_path) as vault:
        first, second, _ = (vault.sql(each).release(epsilon=1) for each in RESPELLED)
    told = dict(zip([row[:2] for row in first.rows], first.interval("n"), strict=True))
    for (_, _, big, kind), ends in zip(second.rows, second.interval("rows"), strict=True):
        assert told[kind, big] == ends
    assert second.certificate == first.certificate


def test_columns_that_a_question_makes_have_places_and_not_names() -> None:
    """Names alone make no other question, and a name that moves to another column does."""
    scan = Scan(PEOPLE)
    x, n = (Ref(scan.columns[at]) for at in (1, 2))
    one, two = Project(scan, (("a", x), ("b", n))), Project(scan, (("c", x), ("d", n)))
    moved = Project(scan, (("b", x), ("a", n)))
    assert canonical_rows(one) == canonical_rows(two) == canonical_rows(moved)
    first, other = (Filter(rows, _known(rows, "a")) for rows in (one, moved))
    assert canonical_rows(first) != canonical_rows(other)


def _known(rows: Rows, name: str) -> Expression:
    held = {each.name: Ref(each) for each in rows.columns}
    return call("not", call("is_null", held[name]))
