"""Tables that are as fine as their counts allow."""

from __future__ import annotations

import csv
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cli.test_cli import good, run
from tests.cli.test_publish_command import folder
from tests.query.tables import without_noise
from tests.query.test_publication import ROW, UNITS, _neighbour, _people

import shoal
from shoal.accounting import account
from shoal.errors import BudgetExceeded, ExpressionError, RangeError, SchemaError
from shoal.measures import Measure
from shoal.plan import Person, Row
from shoal.query.certificate import wrong_with
from shoal.sensitivity import Relation
from shoal.workloads import TableDomain
from shoal.workloads.adaptive_detail import DetailPlan

assert folder  # the fixture

BANDS = shoal.Hierarchy(
    "age",
    band={"0-3": range(4), "4-6": range(4, 7), "7-9": range(7, 10)},
    half={"young": ["0-3"], "older": ["4-6", "7-9"]},
)
LEAST = 40


def _listed() -> list[tuple[int, str, str, int]]:
    """100 aged 0 or 1, 50 aged 4, 10 aged 7."""
    ages = [*[0] * 60, *[1] * 40, *[4] * 50, *[7] * 10]
    return [(n, "fm"[n % 2], "N", age) for n, age in enumerate(ages)]


def _detail(unit: Any = None, listed: Any = None, **options: Any) -> Any:
    held = _people(
        listed or _listed(), unit or Row(), budget=options.pop("budget", shoal.ZeroConcentrated(9))
    )
    return held.table().detail(
        BANDS, least=options.pop("least", LEAST), **{"by": ["sex"], **options}
    )


def test_without_noise_large_groups_are_told_in_detail_and_small_ones_as_one() -> None:
    with without_noise():
        found = _detail().release(rho="0.5")
    told = [(place.level, place.label) for place in found.places]
    assert told == [
        *[("age", n) for n in range(4)],
        *[("age", n) for n in (4, 5, 6)],
        ("band", "7-9"),
    ]
    counts = {(label, sex): n for _, label, sex, n, *_ in found.rows()}
    assert counts[0, "f"] + counts[0, "m"] == 60
    assert counts["7-9", "f"] == counts["7-9", "m"] == 5
    assert sum(counts.values()) == 160


@pytest.mark.parametrize(("unit", "ends"), [(1, (52, 48)), (Fraction(1, 8), (51, 49))])
def test_the_ends_of_a_preview_are_rounded_outward(unit: Any, ends: tuple[int, int]) -> None:
    """Shares of people are in eighths here: two steps of them are a quarter of a person."""
    plan = DetailPlan.of(
        _detail().preview(rho="0.5").domain, "age", ["sex"], shoal.ZeroConcentrated(8),
        Relation.ADD_REMOVE, reach=Fraction(1), least=Fraction(50), unit=Fraction(unit),
    )  # fmt: skip
    off = plan.within(plan.deciding[0], Fraction(95, 100))
    more, fewer = (math.ceil(50 + off), math.floor(50 - off))
    assert f"one of {more} or more is told in detail, one of {fewer} or fewer is not" in str(plan)
    assert (more, fewer) == ends


def test_a_closed_group_hides_what_is_below_it() -> None:
    with without_noise():
        coarse = _detail(least=110, by=[]).release(rho="0.5")
        fine = _detail(least=1, by=[]).release(rho="0.5")
    assert [(place.level, place.label) for place in coarse.places] == [
        ("half", "young"),
        ("half", "older"),
    ]
    assert [count for *_, count, _, _ in coarse.rows()] == [100, 60]
    assert [place.level for place in fine.places] == ["age"] * 10


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize(
    "measure", [shoal.ZeroConcentrated("0.3"), shoal.Pure("0.7"), shoal.Approx(1, "1e-6")]
)
def test_decision_and_table_cost_what_was_asked_for(measure: Measure, relation: Relation) -> None:
    domain = TableDomain.of({"age": 10, "sex": 2}).with_levels([BANDS])
    for share in ("0.1", "0.5"):
        plan = DetailPlan.of(domain, "age", ["sex"], measure, relation, reach=Fraction(3),
                             least=Fraction(5), share=Fraction(share))  # fmt: skip
        assert len(plan.event.events) == 3
        spent = account(plan.event, relation=str(relation))
        if isinstance(measure, shoal.Approx):
            found = spent.epsilon(delta=measure.delta).epsilon
            assert Fraction("0.99") < found <= measure.epsilon * (1 + Fraction(1, 10**6))
        else:
            cost: Any = spent.cost(type(measure))
            number = "rho" if isinstance(measure, shoal.ZeroConcentrated) else "epsilon"
            whole = getattr(measure, number)
            assert whole * Fraction("0.999") < getattr(cost, number) <= whole


@pytest.mark.parametrize("name", UNITS)
@settings(max_examples=10)
@given(data=st.data())
def test_no_neighbours_are_further_apart_than_the_noise_allows(
    name: str, data: st.DataObject
) -> None:
    unit = UNITS[name]
    before = data.draw(st.lists(ROW, min_size=2, max_size=9))
    after = _neighbour(before, unit, data)
    opened = data.draw(st.sampled_from([1, 1000]))  # decided alike for both, as composition has it
    given_to = []
    for listed in (before, after):
        detail = _detail(unit, listed)
        plan = detail.preview(rho="0.5")
        counts = detail._counted.counts().marginal(("age", "sex") if plan.by else ("age",))
        with without_noise() as inputs:
            levels = plan.noisy_levels(counts.sum(axis=1))
            fixed = [np.full(len(level), opened * LEAST - 1, dtype=object) for level in levels]
            plan.noisy_table(counts, plan.places(fixed))
        given_to.append(list(inputs))
    loss = Fraction(0)
    for (noise, one), (_, two) in zip(*given_to, strict=True):
        far = sum((a - b) ** 2 for a, b in zip(one, two, strict=True))
        assert far <= noise.sensitivity.value**2
        loss += Fraction(far) / (2 * noise.spread**2)
    assert loss <= Fraction(1, 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("budget", "price"),
    [(shoal.ZeroConcentrated(10**6), {"rho": "0.02"}), (shoal.Pure(10**6), {"epsilon": "0.3"})],
)
def test_intervals_hold_for_the_places_that_are_told(budget: Any, price: Any) -> None:
    detail = _detail(by=[], budget=budget)
    truth = {n: sum(age == n for *_, age in _listed()) for n in range(10)}
    inside = cells = opened = 0
    for _ in range(150):
        found = detail.release(**price)
        for place, (*_, low, high) in zip(found.places, found.rows(), strict=True):
            true = sum(truth[each] for each in place.members)
            inside += low <= true <= high
            cells += 1
        opened += any(place.level == "age" and place.label == 7 for place in found.places)
    assert 0.93 <= inside / cells <= 0.985
    assert opened < 150  # a band of 10 is told as one, most of the time


def test_the_same_again_is_free_and_the_same(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    who, sex, region, age = (list(each) for each in zip(*_listed(), strict=True))
    pq.write_table(pa.table({"who": who, "sex": sex, "region": region, "age": age}), path)
    vault = shoal.open(tmp_path / "office.shoal")
    facts: Any = {"sex": shoal.Choices(["f", "m"]), "age": shoal.Range(0, 9)}
    vault.add("people", path, protects=Person("who"), columns=facts, required=list(facts),
              budget=shoal.ZeroConcentrated(1))  # fmt: skip
    table = vault.table("people")
    first = table.detail(BANDS, least=LEAST, by=["sex"]).release(rho="0.1")
    again = table.detail(BANDS, least=LEAST, by=["sex"]).release(rho="0.1")
    assert list(first.rows()) == list(again.rows())
    assert len(vault.log()) == 1
    assert wrong_with(first.certificate) == []
    assert first.certificate["least"] == str(LEAST)
    assert first.certificate["share_for_deciding"] == "1/10"
    table.detail(BANDS, least=LEAST + 1, by=["sex"]).release(rho="0.1")
    assert len(vault.log()) == 2
    with pytest.raises(BudgetExceeded):
        table.detail(BANDS, least=LEAST).release(rho="0.9")
    vault.close()


def test_what_makes_no_sense_is_refused_before_anything_is_spent() -> None:
    held = _people(_listed(), Row(), budget=shoal.ZeroConcentrated(1))
    with pytest.raises(ExpressionError, match="detail needs a hierarchy"):
        held.table().group_by("sex").detail(BANDS, least=3)
    with pytest.raises(ExpressionError, match="detail needs a hierarchy"):
        held.table().detail("age", least=3)  # type: ignore[arg-type]
    with pytest.raises(RangeError):
        held.table().detail(BANDS, least=0)
    with pytest.raises(RangeError):
        held.table().detail(BANDS, least=5, share=1)
    with pytest.raises(SchemaError):
        held.table().detail(BANDS, least=5, by=["age"]).preview(rho="0.1")
    assert held.budget.spent == shoal.ZeroConcentrated(0)


FILE = """
dataset = "people"

[detail]
column = "age"
least = 50
by = ["sex"]

[hierarchies.age.half]
young = {from = 0, to = 4}
older = {from = 5, to = 8}
"""


@pytest.mark.usefixtures("folder")
def test_a_table_in_detail_is_published_from_a_file() -> None:
    Path("detail.toml").write_text(FILE)
    shown = good("publish", "detail.toml", "--rho", "0.1", "--preview")
    assert "is told in detail" in shown
    good("publish", "detail.toml", "--rho", "0.1", "--out", "made")
    with Path("made/detail.csv").open(newline="") as held:
        rows = list(csv.DictReader(held))
    assert {row["level"] for row in rows} <= {"half", "age"}
    assert abs(sum(float(row["count"]) for row in rows) - 120) < 60
    good("verify", "made/certificate.json")
    Path("wrong.toml").write_text(FILE.replace("least = 50", "most = 50"))
    code, _, said = run("publish", "wrong.toml", "--rho", "0.1", "--preview")
    assert code
    assert "[detail] needs a column" in said


def test_a_row_that_changes_moves_two_places() -> None:
    unit = Row(relation=Relation.CHANGE)
    given_to = []
    for listed in (_listed(), [(0, "f", "N", 9), *_listed()[1:]]):
        with without_noise() as inputs:
            _detail(unit, listed).release(rho="0.5")
        given_to.append(list(inputs))
    loss = Fraction(0)
    for (noise, one), (_, two) in zip(*given_to, strict=True):
        far = sum((a - b) ** 2 for a, b in zip(one, two, strict=True))
        assert far <= noise.sensitivity.value**2
        loss += Fraction(far) / (2 * noise.spread**2)
    assert loss <= Fraction(1, 2)
