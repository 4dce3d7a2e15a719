"""Tables of private rows, published together."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.query.tables import made, rows, without_noise

import shoal
from shoal.accounting import account
from shoal.errors import (
    BudgetExceeded,
    CalibrationError,
    ExpressionError,
    FactsError,
    UnansweredError,
    UnknownNameError,
)
from shoal.plan import Choices, Person, Range, Row, Unit
from shoal.query import Private
from shoal.query.certificate import wrong_with
from shoal.sensitivity import Relation
from shoal.workloads import AllRanges, Marginals, PrefixSums, Total

FACTS: dict[str, Any] = {
    "sex": Choices(["f", "m"]),
    "region": Choices(["N", "S", "E"]),
    "age": Range(0, 9),
}
LINES = [Marginals(["sex", "region"], up_to=2), PrefixSums("age", by=["sex"])]


def _people(
    listed: list[tuple[int, str, str, int]], protects: Unit | None = None, **options: Any
) -> Private:
    who, sex, region, age = (list(each) for each in zip(*listed, strict=True))
    schema = {"who": pa.int64(), "sex": pa.string(), "region": pa.string(), "age": pa.int64()}
    return shoal.private(
        pa.table({"who": who, "sex": sex, "region": region, "age": age}, schema=pa.schema(schema)),
        name="people",
        protects=protects or Row(),
        columns=FACTS,
        budget=options.pop("budget", shoal.ZeroConcentrated(1)),
        required=options.pop("required", ["sex", "region", "age"]),
    )


SOME = [(1, "f", "N", 3), (2, "m", "S", 9), (3, "f", "S", 0), (4, "f", "N", 4)]


def test_without_noise_the_tables_are_the_counts_of_the_rows() -> None:
    with without_noise():
        tables = _people(SOME).workload(LINES).release(rho="0.5")
    assert np.allclose(tables["sex", "region"].values, [[2, 1, 0], [0, 1, 0]])
    assert tables["total"].values == pytest.approx(4)
    assert np.allclose(tables["sex", "prefix(age)"].values[0], [1, 1, 1, 2, 3, 3, 3, 3, 3, 3])
    assert tables["region"]["S"] == pytest.approx(2)


def test_a_person_with_more_rows_than_their_share_counts_for_less_in_every_table_alike() -> None:
    many = [(1, "f", "N", age) for age in range(8)] + [(2, "m", "S", 1)]
    people = _people(many, Person("who", groups=2, rows_per_group=1))
    lines = [Marginals(["sex", "region"], up_to=2), Marginals(["age"])]
    with without_noise():
        tables = people.workload(lines).release(rho="0.5")
    assert tables["total"].values == pytest.approx(3, abs=1e-4)
    assert tables["sex"]["f"] == pytest.approx(2, abs=1e-4)
    assert tables["age"].values.sum() == pytest.approx(float(tables["total"].values), abs=1e-9)


def test_all_tables_are_one_charge_that_is_taken_before_rows_are_read() -> None:
    people = _people(SOME)
    asked = people.workload(LINES)
    tables = asked.release(rho="0.75")
    assert people.budget.spent.rho <= Fraction(3, 4)  # type: ignore[attr-defined]
    assert people.budget.spent.rho > Fraction(749, 1000)  # type: ignore[attr-defined]
    with pytest.raises(BudgetExceeded):
        asked.release(rho="0.75")
    due = account(tables.event).cost(shoal.ZeroConcentrated)
    assert due.rho <= people.budget.spent.rho <= due.rho * (1 + Fraction(1, 10**12))  # type: ignore[attr-defined]


def test_what_is_previewed_is_what_is_released() -> None:
    asked = _people(SOME).workload(LINES)
    plan = asked.preview(rho="0.5")
    tables = asked.release(rho="0.5")
    assert np.array_equal(
        plan.standard_errors("sex", "region"), tables["sex", "region"].standard_errors
    )
    assert "sex,region: 2 x 3 cells, each within" in str(plan)


def test_an_approximate_budget_pays_for_tables_too() -> None:
    people = _people(SOME, budget=shoal.Approx(1, "1e-6"))
    tables = people.workload(LINES).release(epsilon="0.9")
    assert tables["sex"].values.shape == (2,)
    assert people.budget.would_fit(tables.event) is False
    found = account(tables.event).epsilon(delta="5e-7")
    assert found.epsilon <= Fraction(9, 10) * (1 + Fraction(1, 10**9))
    assert tables.certificate is not None
    assert wrong_with(tables.certificate) == []


def test_a_missing_value_is_one_more_value_where_columns_are_not_required() -> None:
    people = _people([*SOME, (5, None, "N", 2)], required=["region", "age"])  # type: ignore[list-item]
    with without_noise():
        tables = people.workload(Marginals(["sex"])).release(rho="0.5")
    assert tables["sex"].labels == (["f", "m", None],)
    assert np.allclose(tables["sex"].values, [3, 1, 1])


def test_conditions_come_before_tables() -> None:
    with without_noise():
        found = _people(SOME).table().where("age >= 4").workload([Marginals(["sex"])])
        assert np.allclose(found.release(rho="0.5")["sex"].values, [1, 1])


def test_a_certificate_lists_every_measurement_and_its_prices_hold() -> None:
    tables = _people(SOME).workload(LINES).release(rho="0.5")
    certificate = tables.certificate
    assert certificate is not None
    assert wrong_with(certificate) == []
    assert certificate["published"] == [table.name for table in tables]
    assert len(certificate["terms"]) == len(certificate["events"]) == len(tables.plan.measured)


REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "a column that is not there": ([Marginals(["town"])], UnknownNameError, "no column 'town'"),
    "a column without declared values": ([Marginals(["who"])], FactsError, "not declared"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_tables_that_cannot_be_published_are_refused_before_anything_is_spent(name: str) -> None:
    lines, error, words = REFUSED[name]
    people = _people(SOME)
    with pytest.raises(error, match=words):
        people.workload(lines).release(rho="0.5")
    assert people.budget.spent == shoal.ZeroConcentrated(0)


def test_a_pure_budget_buys_laplace_noise_and_the_same_again_is_free(tmp_path: Path) -> None:
    pq.write_table(
        pa.table({"sex": ["f", "m"] * 40, "region": ["N", "S"] * 40}), tmp_path / "p.parquet"
    )
    with shoal.open(tmp_path / "office.shoal") as vault:
        facts = {name: FACTS[name] for name in ("sex", "region")}
        vault.add(
            "people", tmp_path / "p.parquet", protects=Row(), columns=facts,
            required=list(facts), budget=shoal.Pure(1),
        )  # fmt: skip
        asked = vault.table("people").workload(LINES[:1])
        first = asked.release(epsilon="0.5")
        again = asked.release(epsilon="0.5")
        assert [a.tolist() for a in first.arrays] == [a.tolist() for a in again.arrays]
        assert {event.to_dict()["kind"] for event in first.event.events} == {"laplace"}
        with pytest.raises(BudgetExceeded):
            asked.release(epsilon="0.6")


def test_groups_and_workloads_do_not_mix() -> None:
    with pytest.raises(ExpressionError, match="group_by"):
        _people(SOME).table().group_by("sex").workload(LINES)


def test_a_failing_engine_says_the_same_whatever_the_data() -> None:
    people = _people(SOME)
    asked = people.workload(LINES)

    def broken(*_: object, **__: object) -> Any:
        raise ValueError("row 17 is odd")

    asked.source.engine.parts = broken  # type: ignore[method-assign]
    with pytest.raises(UnansweredError) as caught:
        asked.release(rho="0.5")
    assert "17" not in str(caught.value)
    assert people.budget.spent != shoal.ZeroConcentrated(0)


ROW = st.tuples(st.integers(1, 4), st.sampled_from("fm"), st.sampled_from("NSE"), st.integers(0, 9))
UNITS: dict[str, Unit] = {
    "rows": Row(),
    "persons": Person("who", groups=2, rows_per_group=2),
    "rows that change": Row(relation=Relation.CHANGE),
    "persons that change": Person("who", groups=1, rows_per_group=2, relation=Relation.CHANGE),
}


@pytest.mark.parametrize("name", UNITS)
@settings(max_examples=15)
@given(data=st.data())
def test_no_neighbours_are_further_apart_than_the_noise_allows(
    name: str, data: st.DataObject
) -> None:
    unit = UNITS[name]
    before = data.draw(st.lists(ROW, min_size=2, max_size=9))
    after = _neighbour(before, unit, data)
    lines = [Marginals(["sex", "region"], up_to=2), AllRanges("age", by=["sex"]), Total()]
    given_to = []
    for listed in (before, after):
        with without_noise() as inputs:
            _people(listed, unit).workload(lines).release(rho="0.5")
        given_to.append(list(inputs))
    loss = Fraction(0)
    for (noise, one), (_, two) in zip(*given_to, strict=True):
        far = sum((a - b) ** 2 for a, b in zip(one, two, strict=True))
        assert far <= noise.sensitivity.value**2
        loss += Fraction(far) / (2 * noise.spread**2)
    assert loss <= Fraction(1, 2)


def _neighbour(before: list[Any], unit: Unit, data: st.DataObject) -> list[Any]:
    if isinstance(unit, Row):
        other = data.draw(ROW)
        return [other, *before[1:]] if unit.relation is Relation.CHANGE else before[1:]
    who = before[0][0]
    others = [row for row in before if row[0] != who]
    if unit.relation is Relation.CHANGE:
        return [*others, *((who, *row[1:]) for row in data.draw(st.lists(ROW, max_size=4)))] or [
            (5, "f", "N", 0)
        ]
    return others or before


def test_the_same_tables_asked_again_of_a_vault_are_the_same_and_free(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    pq.write_table(pa.Table.from_pylist(rows(60)), path)
    vault = shoal.open(tmp_path / "office.shoal")
    vault.add(
        "people",
        path,
        protects=Person("who"),
        columns={"kind": Choices(["a", "b"]), "age": Range(0, 99)},
        budget=shoal.ZeroConcentrated(1),
    )
    lines = [Marginals(["kind", "age"], up_to=2)]
    first = vault.table("people").workload(lines).release(rho="0.5")
    again = vault.table("people").workload(lines).release(rho="0.5")
    for one, two in zip(first, again, strict=True):
        assert np.array_equal(one.values, two.values)
    assert first.certificate == again.certificate
    assert len(vault.log()) == 1
    assert vault.wrong_with(vault.show(vault.log()[-1].number).certificate) == []


def test_persons_of_the_usual_tables_are_published_by_their_declared_kind() -> None:
    people = made(rows(40), budget=shoal.ZeroConcentrated(1))
    tables = people.workload([Marginals(["kind"])]).release(rho="0.5")
    assert tables["kind"].labels == (["a", "b", "c", None],)


def test_a_person_in_many_cells_moves_no_measurement_by_more_than_its_sensitivity() -> None:
    alone = [(9, "f", "N", 1)]
    many = [*alone, *((1, "f", region, age) for region in "NSE" for age in range(9))]
    unit = Person("who", groups=4, rows_per_group=1)
    given_to = []
    for listed in (many, alone):
        with without_noise() as inputs:
            _people(listed, unit).workload(
                [Marginals(["sex"]), Marginals(["age", "region"])]
            ).release(rho=1)
        given_to.append(list(inputs))
    for (noise, one), (_, two) in zip(*given_to, strict=True):
        far = sum((a - b) ** 2 for a, b in zip(one, two, strict=True))
        assert far <= noise.sensitivity.value**2


@pytest.mark.parametrize(
    ("budget", "word"), [(shoal.ZeroConcentrated(9), "rho"), (shoal.Approx(9, "1e-6"), "epsilon")]
)
@pytest.mark.parametrize("table", [None, "sex,region"])
def test_a_wanted_error_is_met_at_the_price_named_and_not_below_it(
    budget: Any, word: str, table: str | None
) -> None:
    asked = _people(SOME, budget=budget).workload(LINES)
    columns = [] if table is None else [table]
    price = asked.for_error(4, table=table, confidence="0.9")
    assert asked.preview(**{word: price}).widest(*columns, confidence="0.9") <= 4
    less = asked.preview(**{word: 0.999 * price})
    assert less.widest(*columns, confidence="0.9") > 4


def test_a_table_is_an_arrow_table_and_a_file(tmp_path: Path) -> None:
    with without_noise():
        tables = _people(SOME).workload(LINES).release(rho="0.5")
    arrow = tables["sex", "prefix(age)"].to_arrow()
    assert arrow.column_names == [
        "sex", "age_from", "age_to", "count", "count_low", "count_high", "standard_error",
    ]  # fmt: skip
    found = {(row["sex"], row["age_to"]): row["count"] for row in arrow.to_pylist()}
    assert found["f", 3] == pytest.approx(2)
    assert found["m", 9] == pytest.approx(1)
    assert len(arrow) == 20
    tables["total"].to_csv(tmp_path / "total.csv")
    assert (tmp_path / "total.csv").read_text().startswith("count,count_low,")
    frame = tables["sex", "region"].to_pandas()
    assert list(frame.columns[:3]) == ["sex", "region", "count"]
    assert frame["count"].round().tolist() == [2, 1, 0, 0, 1, 0]


def test_an_error_below_the_rounding_to_whole_numbers_is_refused() -> None:
    asked = _people(SOME, budget=shoal.Approx(9, "1e-6")).workload([Total()])
    with pytest.raises(CalibrationError, match="larger error"):
        asked.for_error("0.01")
