"""Texts are cut to a public length as they are read, alike on every engine and path; persons never
are.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal.engines.duckdb import DuckDB
from shoal.engines.reference import Reference
from shoal.plan import (
    INTEGER,
    TEXT,
    Bounded,
    Column,
    Filter,
    Literal,
    Person,
    Project,
    Quantity,
    Ref,
    Row,
    Rows,
    Scan,
    Table,
    Term,
    call,
    column,
    count_of,
)
from shoal.plan.sizes import LONGEST_READ
from shoal.sensitivity import Norm

LONG = "x" * LONGEST_READ
ACCENT = "\u00e9" * LONGEST_READ
TEXTS = [None, "", "a", LONG, f"{LONG}1", f"{LONG}2", ACCENT, f"{ACCENT}\U0001f41f", LONG[:-1]]
SHORT = 3


def scan(unit: Any, longest: int | None = None) -> Scan:
    columns = (column("who", TEXT), Column("s", TEXT, longest=longest), column("n", INTEGER))
    return Scan(Table("t", columns, protects=unit))


def engines(rows: list[dict[str, Any]]) -> dict[str, Any]:
    schema = pa.schema({"who": pa.string(), "s": pa.string(), "n": pa.int64()})
    table = pa.Table.from_pylist(rows, schema)
    return {
        "reference": Reference({"t": rows}),
        "sorting": DuckDB({"t": table}, threads=1),
        "sql": DuckDB({"t": table}, threads=1, most_rows=0),
    }


def rows_of(values: list[Any]) -> list[dict[str, Any]]:
    return [{"who": value, "s": value, "n": at} for at, value in enumerate(values)]


@pytest.mark.parametrize("longest", [None, SHORT, 0])
def test_every_engine_cuts_texts_to_the_same_letters(longest: int | None) -> None:
    source = scan(Row(), longest)
    s = Ref(source.columns[1])
    project = Project(source, (("n", Ref(source.columns[2])), ("s", s), ("l", call("length", s))))
    found = {
        name: sorted(engine.rows(project), key=lambda row: row[0])
        for name, engine in engines(rows_of(TEXTS)).items()
    }
    assert found["sorting"] == found["reference"] == found["sql"]
    kept = LONGEST_READ if longest is None else longest
    assert [row[1] for row in found["sql"]] == [t if t is None else t[:kept] for t in TEXTS]


_text = st.one_of(st.none(), st.text(alphabet="ab\u00e9", max_size=6))


@pytest.mark.slow
@settings(max_examples=150)
@given(
    st.lists(_text, max_size=8),
    st.text(alphabet="ab\u00e9", max_size=4),
    st.sampled_from(["eq", "in"]),
)
@example(["aabb", "aab", "aa"], "aab", "eq")
@example(["aabb", "aab", "aa"], "aab", "in")
def test_a_condition_means_the_text_that_was_cut(
    values: list[str | None], wanted: str, name: str
) -> None:
    source = scan(Row(), SHORT)
    condition = call(name, Ref(source.columns[1]), Literal(wanted, TEXT))
    kept = Filter(source, condition)
    found = {
        name: sorted(row[2] for row in engine.rows(kept))
        for name, engine in engines(rows_of(values)).items()
    }
    meant = [at for at, v in enumerate(values) if v is not None and v[:SHORT] == wanted]
    assert found["sorting"] == found["sql"] == found["reference"] == meant


def test_keys_that_are_cut_to_one_text_are_one_group() -> None:
    rows: Rows = scan(Person("who", groups=2, rows_per_group=1), SHORT)
    bounded = Bounded(rows, (Ref(rows.columns[1]),), (count_of(),), Norm.L1)
    data = [{"who": str(at), "s": s, "n": at} for at, s in enumerate(["abcd", "abce", "ab"])]
    found = {name: engine.totals(bounded) for name, engine in engines(data).items()}
    assert found["sorting"] == found["reference"] == found["sql"]
    assert set(found["sql"]) == {("abc",), ("ab",)}


@pytest.mark.parametrize("longest", [None, 0])
def test_persons_whose_texts_are_cut_alike_stay_different_persons(longest: int | None) -> None:
    """Two persons that became one would share one bound: the guarantee would hold for neither."""
    columns = (Column("who", TEXT, longest=longest), column("s", TEXT), column("n", INTEGER))
    rows = Scan(Table("t", columns, protects=Person("who", groups=1, rows_per_group=1)))
    data = rows_of([f"{LONG}{at}" for at in range(5)])
    bounded = Bounded(rows, (), (count_of(), Term(Quantity.PERSONS)), Norm.L1)
    for name, engine in engines(data).items():
        counts, persons = engine.totals(bounded)[()]
        assert counts == 5 * bounded.fraction(bounded.terms[0]), name
        assert persons == 5 * bounded.fraction(bounded.terms[1]), name
