"""What the rows of one person come to: whole numbers between public ends, the same in every order of
rows and in every engine.
"""

from __future__ import annotations

from itertools import permutations

import pyarrow as pa
import pytest

from shoal.engines.duckdb import DuckDB
from shoal.engines.reference import Reference
from shoal.errors import ExpressionError, RelationError
from shoal.plan import (
    INTEGER,
    REAL,
    TEXT,
    Bounded,
    Choices,
    Filter,
    Literal,
    PerPerson,
    Person,
    PersonQuantity,
    PersonTotal,
    PersonWindow,
    Project,
    Range,
    Ref,
    Row,
    Scan,
    Sorting,
    Table,
    UnionAll,
    WindowWord,
    WithinPerson,
    call,
    column,
    count_of,
    explain,
    rows_per_key,
)
from shoal.plan.id_spaces import IdSpace
from shoal.sensitivity import Norm

COLUMNS = (
    column("u", INTEGER),
    column("k", TEXT, Choices(["a", "b"])),
    column("x", INTEGER),
    column("y", REAL),
)
SCHEMA = pa.schema({"u": pa.int64(), "k": pa.string(), "x": pa.int64(), "y": pa.float64()})
UNIT = Person("u", groups=5, rows_per_group=3)
SCAN = Scan(Table("t", COLUMNS, protects=UNIT))
U, K, X, Y = (Ref(each) for each in SCAN.columns)
BIG = 2**63 - 1
ROWS = [
    {"u": 1, "k": "a", "x": BIG, "y": -0.0},
    {"u": 1, "k": "b", "x": BIG, "y": 0.0},
    {"u": 1, "k": "a", "x": None, "y": None},
    {"u": 2, "k": "z", "x": -5, "y": float("nan")},
]
TOTALS = (
    PersonTotal("rows", PersonQuantity.ROWS, None, 0, 2),
    PersonTotal("known", PersonQuantity.COUNT, X),
    PersonTotal("sum", PersonQuantity.SUM, X),
    PersonTotal("held", PersonQuantity.SUM, X, -3, 7),
    PersonTotal("values", PersonQuantity.DISTINCT, Y),
    PersonTotal("low", PersonQuantity.LEAST, Y),
    PersonTotal("last", PersonQuantity.GREATEST, K),
)


def test_totals_are_held_between_their_ends_in_every_order_and_engine() -> None:
    per = PerPerson(SCAN, (("u", U),), TOTALS)
    meant = [(1, 2, 2, BIG, 7, 1, 0.0, "b"), (2, 1, 1, -5, -3, 0, None, None)]
    for rows in permutations(ROWS):
        assert sorted(Reference({"t": rows}).rows(per)) == meant
    table = pa.Table.from_pylist(ROWS, schema=SCHEMA)
    found = sorted(DuckDB({"t": table}).rows(per))
    assert list(map(repr, found)) == list(map(repr, meant))


def test_a_person_has_one_row_for_each_value_of_the_other_keys() -> None:
    per = PerPerson(SCAN, (("u", U), ("k", K)), TOTALS[:1])
    meant = [(1, "a", 2), (1, "b", 1), (2, None, 1)]
    assert sorted(Reference({"t": ROWS}).rows(per), key=str) == meant
    assert per.most_rows == 3  # two choices, and NULL
    assert str(per.protects) == "each person by u (3 groups, 1 row per group)"
    assert rows_per_key(per, frozenset({"u", "k"})) == 1
    assert rows_per_key(per, frozenset({"u"})) is None


def test_the_share_fits_the_groups_of_the_question() -> None:
    alone = PerPerson(SCAN, (("u", U),), TOTALS)
    keyed = PerPerson(SCAN, (("u", U), ("k", K)), TOTALS)
    kept = Project(keyed, (("z", Ref(keyed.columns[1])), ("n", Ref(keyed.columns[2]))))
    lost = Project(keyed, (("n", Ref(keyed.columns[2])),))
    for rows, by, reach in (
        (alone, (), 1),
        (keyed, (), 3),
        (keyed, (Ref(keyed.columns[1]),), 3),
        (keyed, (Ref(keyed.columns[2]),), 3),
        (kept, (Ref(kept.columns[0]),), 3),
        (lost, (Ref(lost.columns[0]),), 3),
    ):
        bounded = Bounded(rows, by, (count_of(),), Norm.L1)
        assert bounded.reach(count_of()) == reach * bounded.fraction(count_of()), explain(rows)
    by_key = Bounded(keyed, (Ref(keyed.columns[1]),), (count_of(),), Norm.L2)
    assert str(by_key.unit) == "each person by u (3 groups, 1 row per group)"


def test_a_person_of_two_facts_has_one_row_and_one_of_two_spaces_has_two() -> None:
    narrow = (column("u", INTEGER, Range(0, 1)), *COLUMNS[1:])
    apart = [IdSpace(frozenset({name}), frozenset({name})) for name in "st"]
    for ids, count in (([IdSpace(frozenset({""}), frozenset({""}))] * 2, 1), (apart, 2)):
        left = Scan(Table("s", narrow, protects=UNIT, ids=ids[0]))
        right = Scan(Table("t", COLUMNS, protects=UNIT, ids=ids[1]))
        both = UnionAll(left, right)
        per = PerPerson(both, (("u", Ref(both.columns[0])),), TOTALS[:1])
        data = {"s": [{**ROWS[0], "u": 9}], "t": [{**ROWS[1], "u": 9}]}
        tables = {name: pa.Table.from_pylist(rows, schema=SCHEMA) for name, rows in data.items()}
        for engine in (Reference(data), DuckDB(tables)):
            assert len(engine.rows(per)) == count


def test_rows_are_aggregated_only_for_persons_and_with_names_of_their_own() -> None:
    rows = Scan(Table("r", COLUMNS, protects=Row()))
    with pytest.raises(RelationError, match="no persons"):
        PerPerson(rows, (("u", Ref(rows.columns[0])),), ())
    with pytest.raises(ExpressionError, match="different names"):
        PerPerson(SCAN, (("rows", U),), TOTALS[:1])
    for quantity, argument, ends in (
        (PersonQuantity.SUM, Y, ()),
        (PersonQuantity.SUM, K, ()),
        (PersonQuantity.ROWS, X, ()),
        (PersonQuantity.COUNT, None, ()),
        (PersonQuantity.COUNT, X, (0, 0)),
        (PersonQuantity.SUM, X, (3, 2)),
    ):
        with pytest.raises(ExpressionError):
            PersonTotal("n", quantity, argument, *ends)


def test_what_a_row_is_told_is_the_same_in_every_order_of_equal_rows() -> None:
    same = [
        {"u": 1, "k": "a", "x": x, "y": y} for x, y in ((1, 2.0), (1, 1.0), (1, 1.0), (None, 3.0))
    ]
    number = WithinPerson(SCAN, "n", PersonWindow(WindowWord.NUMBER, order=(Sorting(X),)))
    before = PersonWindow(WindowWord.BEFORE, Y, order=(Sorting(X, descending=True),))
    told = WithinPerson(number, "b", before)
    meant = {(1, "a", 1, 1.0, 1, None), (1, "a", 1, 1.0, 2, 1.0), (1, "a", 1, 2.0, 3, 1.0), (1, "a", None, 3.0, 4, 2.0)}  # fmt: skip
    for rows in permutations(same):
        assert set(Reference({"t": rows}).rows(told)) == meant
        assert set(DuckDB({"t": pa.Table.from_pylist(rows, schema=SCHEMA)}).rows(told)) == meant
    assert told.stability == {"t": None}


def test_the_first_row_of_a_person_has_the_share_of_one() -> None:
    number = PersonWindow(WindowWord.NUMBER, partition=(K,), order=(Sorting(X),))
    for window, most, share in (
        (PersonWindow(WindowWord.NUMBER), 1, "1 group, 1 row"),
        (PersonWindow(WindowWord.NUMBER), 2, "2 groups, 2 rows"),
        (number, 1, "1 group, 5 rows"),
    ):
        told = WithinPerson(SCAN, "n", window)
        named = Project(told, (("z", Ref(told.columns[1])), ("m", Ref(told.columns[-1]))))
        kept = Filter(named, call("le", Ref(named.columns[1]), Literal(most, INTEGER)))
        bounded = Bounded(kept, (Ref(kept.columns[1]),), (count_of(),), Norm.L1)
        assert str(bounded.unit) == f"each person by u ({share} per group)"
    by_key = Bounded(kept, (Ref(kept.columns[0]),), (count_of(),), Norm.L1)
    assert str(by_key.unit) == "each person by u (5 groups, 1 row per group)"


def test_few_declared_rows_of_a_person_are_a_smaller_share() -> None:
    for most, share in ((1, "1 group, 1 row"), (4, "4 groups, 3 rows"), (9, "5 groups, 3 rows")):
        table = Table("t", COLUMNS, protects=UNIT, keys={("u",): most, ("u", "k"): 1})
        assert str(table.protects) == f"each person by u ({share} per group)"
