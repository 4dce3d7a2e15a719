"""Counts by several sets of keys, measured together: levels of one question, and batches."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.query.tables import made, rows, without_noise
from tests.query.test_publication import ROW, UNITS, _neighbour, _people

import shoal
from shoal.accounting import account
from shoal.errors import BudgetExceeded, FactsError, RefusedError, SchemaError
from shoal.plan import Choices, Person, Range, Row, Unit
from shoal.query.certificate import wrong_with
from shoal.query.joint_counts import spread_cells
from shoal.query.joint_noise import JointNoised

ROLLUP = "SELECT region, sex, COUNT(*) AS n FROM people GROUP BY ROLLUP (region, sex)"
CUBE = "SELECT region, age, COUNT(*) AS n FROM people GROUP BY CUBE (region, age)"
SETS = "SELECT sex, age, COUNT(*) AS n FROM people GROUP BY GROUPING SETS ((sex), (age), ())"
QUESTIONS = [
    "SELECT sex, COUNT(*) AS n FROM people GROUP BY sex ORDER BY n DESC",
    "SELECT age, region AS place, COUNT(*) AS people FROM people GROUP BY age, region",
    ROLLUP,
    "SELECT COUNT(*) AS n FROM people",
]


def _listed(count: int = 400) -> list[tuple[int, str, str, int]]:
    return [(n, "fm"[n % 2], "NSE"[n * n % 3], n * 7 % 10) for n in range(count)]


def _held(unit: Unit | None = None, **options: Any) -> Any:
    return _people(_listed(), unit or Row(), **options)


def _widths(answer: Any, column: str) -> list[Any]:
    return [high - low for low, high in answer.ends(column)]


def _truth(keys: list[str]) -> dict[tuple[Any, ...], int]:
    found: dict[tuple[Any, ...], int] = {}
    for _, sex, region, age in _listed():
        row = {"sex": sex, "region": region, "age": age}
        cell = tuple(row[key] for key in keys)
        found[cell] = found.get(cell, 0) + 1
    return found


@pytest.mark.parametrize("sql", [ROLLUP, CUBE, SETS])
def test_levels_are_measured_together_and_the_preview_says_so(sql: str) -> None:
    asked = _held().sql(sql)
    preview = asked.preview(rho="0.1")
    (note,) = [each for each in preview.notes if "measured together" in each]
    assert "the total within" in note
    assert "times as large" in note
    made = asked._priced(asked._request(None, None, "0.1"), None)
    assert isinstance(made.noised, JointNoised)
    found = asked.release(rho="0.1")
    assert wrong_with(found.certificate) == []
    cost: Any = account(made.event()).cost(shoal.ZeroConcentrated)
    assert Fraction("0.0999") < cost.rho <= Fraction("0.1")
    assert found.certificate["published"]
    assert len(found.certificate["events"]) == len(made.noised.plan.mechanisms)


@examples(10, many=60)
@given(st.data())
def test_the_way_that_is_taken_has_the_least_squared_errors(data: st.DataObject) -> None:
    groups = data.draw(st.integers(1, 6))
    units: list[Unit] = [Row(), Person("who", groups=groups, rows_per_group=2)]
    unit = data.draw(st.sampled_from(units))
    budget, price = data.draw(
        st.sampled_from(
            [
                (shoal.ZeroConcentrated(1), {"rho": "0.5"}),
                (shoal.Approx(1, "1e-6"), {"epsilon": "0.5"}),
                (shoal.Pure(1), {"epsilon": "0.5"}),
            ]
        )
    )
    asked = _held(unit, budget=budget).sql(data.draw(st.sampled_from([ROLLUP, CUBE, SETS])))
    request = asked._request(price.get("epsilon"), None, price.get("rho"))
    chosen, alone = asked._priced(request, None), asked.priced_alone(request)
    counts: Any = asked._levels
    cells = np.prod(counts.shape)
    added_up = len(counts.sets) * cells * alone.noised.deviation(alone.noised.bounded.terms[0]) ** 2
    plan = counts.plan(request)
    together = sum(float((plan._standard_errors(t) ** 2).sum()) for t in plan.workload.tables)
    taken = together if isinstance(chosen.noised, JointNoised) else added_up
    # Both are sums of floats: where the two ways tie, rounding decides.
    assert taken <= min(together, added_up) * (1 + 1e-9)


def test_with_gaussian_noise_people_in_many_groups_are_added_up_from_the_finest_groups() -> None:
    unit = Person("who", groups=8, rows_per_group=1)
    preview = _held(unit).sql(ROLLUP).preview(rho="0.1")
    assert not any("together" in note for note in preview.notes)
    batch = _held(unit).batch(QUESTIONS[:3]).preview(rho="0.1")
    assert not batch.together
    assert "own part of the budget" in str(batch)


def test_a_law_of_noise_that_was_asked_for_is_kept() -> None:
    asked = _held(budget=shoal.ZeroConcentrated(1)).sql(CUBE)
    for law in ("laplace", "gaussian"):
        assert asked.release(rho="0.1", noise=law).priced.law == law


@pytest.mark.parametrize("unit", [Row(), Person("who", groups=3, rows_per_group=2)])
@pytest.mark.parametrize("budget", [shoal.Pure(9), shoal.ZeroConcentrated(9)])
def test_without_noise_a_batch_counts_the_rows(unit: Unit, budget: Any) -> None:
    with without_noise():
        price = {"epsilon": 1} if isinstance(budget, shoal.Pure) else {"rho": "0.5"}
        sexes, places, levels, total = _held(unit, budget=budget).batch(QUESTIONS).release(**price)
    assert dict(sexes.rows) == {sex: n for (sex,), n in _truth(["sex"]).items()}
    counted = {(age, place): n for age, place, n in places.rows}
    wanted = _truth(["age", "region"])
    assert counted == {cell: wanted.get(cell, 0) for cell in product(range(10), "NSE")}
    assert places.columns == ("age", "place", "people")
    assert (None, None, 400) in levels.rows
    assert total.value == 400


@pytest.mark.parametrize("price", [{"rho": "0.05"}, {"rho": "5"}])
def test_answers_of_a_batch_agree_in_whole_numbers(price: dict[str, Any]) -> None:
    batch = _held(budget=shoal.ZeroConcentrated(100)).batch([*QUESTIONS, CUBE, SETS])
    assert batch.preview(**price).together
    sexes, places, levels, total, cube, sets = batch.release(**price)
    assert all(isinstance(n, int) for *_, n in places.rows)
    whole = total.value
    assert sum(n for _, n in sexes.rows) == whole == sum(n for *_, n in places.rows)
    assert (None, None, whole) in levels.rows
    assert (None, None, whole) in cube.rows
    by_age = {age: n for sex, age, n in sets.rows if age is not None}
    for age, n in by_age.items():
        assert n == sum(m for a, _, m in places.rows if a == age)
    for answer in (sexes, places, levels, total, cube, sets):
        names = [name for name in answer.columns if answer.has_interval(name)]
        for value, (low, high) in zip(answer[names[0]], answer.ends(names[0]), strict=True):
            assert low is not None
            assert high is not None
            assert max(0, low - 1) <= max(0, value) <= high + 1


@pytest.mark.parametrize("name", UNITS)
@settings(max_examples=8)
@given(data=st.data())
def test_no_neighbours_are_further_apart_than_the_noise_of_a_batch_allows(
    name: str, data: st.DataObject
) -> None:
    unit = UNITS[name]
    before = data.draw(st.lists(ROW, min_size=2, max_size=9))
    after = _neighbour(before, unit, data)
    given_to = []
    for listed in (before, after):
        with without_noise() as inputs:
            _people(listed, unit).batch(QUESTIONS[:3]).release(rho="0.5")
        given_to.append(list(inputs))
    loss = Fraction(0)
    for (noise, one), (_, two) in zip(*given_to, strict=True):
        far = sum((a - b) ** 2 for a, b in zip(one, two, strict=True))
        if str(noise.sensitivity.norm) == "l2":
            assert far <= noise.sensitivity.value**2
            loss += Fraction(far) / (2 * noise.spread**2)
        else:
            away = sum(abs(a - b) for a, b in zip(one, two, strict=True))
            assert away <= noise.sensitivity.value
            loss += Fraction(away) ** 2 / (2 * noise.spread**2)
    assert loss <= Fraction(1, 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("budget", "price"),
    [(shoal.ZeroConcentrated(10**6), {"rho": "0.1"}), (shoal.Pure(10**6), {"epsilon": "0.5"})],
)
def test_errors_are_those_of_the_preview_and_intervals_hold(budget: Any, price: Any) -> None:
    held = _held(budget=budget)
    asked = held.sql(CUBE)
    made = asked._priced(asked._request(price.get("epsilon"), None, price.get("rho")), None)
    noised: Any = made.noised
    truth = {**_truth(["region", "age"])}
    for name in (["region"], ["age"], []):
        for cell, n in _truth(name).items():
            row = dict(zip(name, cell, strict=True))
            truth[row.get("region"), row.get("age")] = n
    squares: dict[int, list[float]] = {}
    inside = cells = 0
    for _ in range(60):
        answer = asked.release(**price)
        ends = answer.ends("n")
        for (region, age, n), (low, high) in zip(answer.rows, ends, strict=True):
            true = truth.get((region, age), 0)
            squares.setdefault((region is None) + 2 * (age is None), []).append((n - true) ** 2)
            inside += low <= true <= high
            cells += 1
    assert 0.93 <= inside / cells <= 0.99  # ends are rounded outward to whole numbers
    expected = sorted(noised.standard_error(each) ** 2 for each in noised.sets)
    measured = sorted(float(np.mean(each)) for each in squares.values())
    for one, other in zip(measured, expected, strict=True):
        assert 0.6 < one / other < 1.6


def test_sums_that_no_table_has_get_the_interval_of_their_parts() -> None:
    sql = (
        "SELECT region, age, n, SUM(n) OVER (PARTITION BY region ORDER BY age) AS so_far "
        "FROM (SELECT region, age, COUNT(*) AS n FROM people GROUP BY region, age) ORDER BY 1, 2"
    )
    (answer,) = _held().batch([sql]).release(rho="0.5")
    (places,) = _held().batch([QUESTIONS[1]]).release(rho="0.5")
    width = {name: _widths(answer, name) for name in ("n", "so_far")}
    assert width["so_far"][15] > width["n"][15]
    assert len(places) == len(answer) == 30


def test_the_same_again_is_free_and_other_levels_are_another_question(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    names = ["who", "sex", "region", "age"]
    columns = dict(zip(names, map(list, zip(*_listed(), strict=True)), strict=True))
    pq.write_table(pa.table(columns), path)
    vault = shoal.open(tmp_path / "office.shoal")
    facts: Any = {
        "sex": Choices(["f", "m"]),
        "region": Choices(["N", "S", "E"]),
        "age": Range(0, 9),
    }
    vault.add("people", path, protects=Person("who"), columns=facts, required=list(facts),
              budget=shoal.ZeroConcentrated(1))  # fmt: skip
    first = vault.batch(QUESTIONS).release(rho="0.1")
    again = vault.batch(QUESTIONS).release(rho="0.1")
    assert [each.rows for each in first] == [each.rows for each in again]
    assert [each.ends("n") for each in (first[0], first[2])] == [
        each.ends("n") for each in (again[0], again[2])
    ]
    assert len(vault.log()) == 1
    assert all(each.certificate == first[0].certificate for each in first)
    assert vault.show(1).certificate == first[0].certificate
    assert wrong_with(first[0].certificate) == []
    cube = vault.sql(CUBE).release(rho="0.1")
    renamed = CUBE.replace("AS n", "AS people").replace("SELECT region, age", "SELECT age, region")
    assert sorted(vault.sql(renamed).release(rho="0.1")["people"]) == sorted(cube["n"])
    assert len(vault.log()) == 2
    vault.sql(CUBE.replace("CUBE", "ROLLUP")).release(rho="0.1")
    assert len(vault.log()) == 3
    with pytest.raises(BudgetExceeded):
        vault.batch(QUESTIONS).release(rho="0.9")
    assert len(vault.log()) == 3
    vault.close()


def test_what_cannot_be_in_a_batch_is_refused_before_anything_is_spent() -> None:
    held = _held()
    with pytest.raises(SchemaError, match="needs questions"):
        held.batch([])
    with pytest.raises(SchemaError, match="question 2 of the batch counts other rows"):
        held.batch([QUESTIONS[0], QUESTIONS[0].replace(" GROUP", " WHERE age > 3 GROUP")])
    with pytest.raises(SchemaError, match="question 1 of the batch shows more than one COUNT"):
        held.batch(["SELECT sex, SUM(age) AS s FROM people GROUP BY sex"])
    with pytest.raises(FactsError, match="question 1 of the batch groups by values"):
        held.batch(["SELECT who, COUNT(*) AS n FROM people GROUP BY who"])
    with pytest.raises(RefusedError):
        held.batch(["SELECT sex FROM people"])
    with pytest.raises(BudgetExceeded):
        held.batch(QUESTIONS).release(rho=2)
    assert held.budget.spent == shoal.ZeroConcentrated(0)


@pytest.mark.parametrize("order", [0, 1])
def test_a_question_to_other_data_of_the_same_name_is_refused(order: int) -> None:
    """Same columns, same text: only the holder tells them apart."""
    one, other = _held(), _people(_listed(4000), Row())
    asked = [QUESTIONS[0], other.sql(QUESTIONS[1])]
    with pytest.raises(SchemaError, match="question 2 of the batch was asked of other data"):
        one.batch(asked if order == 0 else asked[::-1])
    assert one.budget.spent == other.budget.spent == shoal.ZeroConcentrated(0)
    same = one.stating({}).sql(QUESTIONS[1])  # the same rows and the same budget
    assert len(one.batch([QUESTIONS[0], same]).release(rho="0.1")) == 2


def test_questions_to_one_vault_can_be_in_a_batch_unless_others_ask_or_rows_changed(
    tmp_path: Path,
) -> None:
    vaults = []
    for name in ("one", "other"):
        vault = shoal.open(tmp_path / f"{name}.shoal")
        path = tmp_path / f"{name}.parquet"
        listed = _listed()
        sexes, regions = [sex for _, sex, _, _ in listed], [region for _, _, region, _ in listed]
        pq.write_table(pa.table({"sex": sexes, "region": regions}), path)
        facts = {"sex": Choices(["f", "m"]), "region": Choices(["N", "S", "E"])}
        vault.add("people", path, protects=Row(), columns=facts, required=list(facts),
                  budget=shoal.ZeroConcentrated(1))  # fmt: skip
        vaults.append(vault)
    one, other = vaults
    one.grant("ann", "people", shoal.ZeroConcentrated("0.5"))
    built = one.table("people").group_by("region").agg(n="count(*)")
    one._payers.close()  # as if many other datasets were asked of meanwhile
    assert len(one.batch([QUESTIONS[0], built]).release(rho="0.1")) == 2
    before = one.sql(QUESTIONS[0])
    for foreign in (other, one.as_("ann")):
        with pytest.raises(SchemaError, match="asked of other data, or by someone else"):
            one.batch([QUESTIONS[0], foreign.sql(QUESTIONS[0])])
    assert len(one.as_("ann").batch([QUESTIONS[0], QUESTIONS[3]]).release(rho="0.1")) == 2
    assert len(one.rehearse().batch([QUESTIONS[0], QUESTIONS[3]]).release(rho="0.1")) == 2
    pq.write_table(
        pa.table({"sex": sexes[:90], "region": regions[:90]}), tmp_path / "later.parquet"
    )
    one.update("people", relation="same people", path=tmp_path / "later.parquet")
    with pytest.raises(SchemaError, match="asked of other data"):
        one.batch([QUESTIONS[0], before])
    assert len(one.log()) == 2
    for vault in vaults:
        vault.close()


def test_questions_that_were_built_can_be_in_a_batch() -> None:
    held = _held()
    built = held.table().group_by("sex").agg(n="count(*)")
    one, two = held.batch([built, QUESTIONS[0]]).release(rho="0.5")
    assert dict(one.rows) == dict(two.rows)


def test_conditions_of_all_questions_are_kept() -> None:
    some = [each.replace(" GROUP", " WHERE age < 5 GROUP") for each in QUESTIONS[:3]]
    with without_noise():
        sexes, *_ = _held().batch(some).release(rho="0.5")
    assert sum(n for _, n in sexes.rows) == sum(age < 5 for *_, age in _listed())


@examples(20, many=200)
@given(st.data())
def test_cells_have_the_tables_that_they_were_made_of_as_sums(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    every = [tuple(at for at in range(len(shape)) if chosen >> at & 1) for chosen in range(16)]
    sets = data.draw(st.lists(st.sampled_from(every[: 1 << len(shape)]), min_size=1, unique=True))
    cells = np.random.default_rng(data.draw(st.integers(0, 99))).normal(size=shape) * 50
    tables = {
        each: cells.sum(axis=tuple(at for at in range(len(shape)) if at not in each))
        for each in sets
    }
    found = spread_cells(shape, tables)
    for each, table in tables.items():
        away = tuple(at for at in range(len(shape)) if at not in each)
        assert np.allclose(found.sum(axis=away), table)


@pytest.mark.parametrize(
    ("budget", "price"),
    [(shoal.ZeroConcentrated(1), {"rho": "0.1"}), (shoal.Approx(1, "1e-6"), {"epsilon": "0.5"})],
)
def test_parts_of_the_budget_sum_to_the_whole(budget: Any, price: Any) -> None:
    held = _held(Person("who", groups=8, rows_per_group=1), budget=budget)
    batch = held.batch(QUESTIONS)
    plan = batch.preview(**price)
    assert plan.fits
    answers = batch.release(**price)
    assert wrong_with(answers[0].certificate) == []
    if isinstance(budget, shoal.ZeroConcentrated):
        assert not plan.together
        cost: Any = account(plan.event).cost(shoal.ZeroConcentrated)
        assert Fraction("0.0999") < cost.rho <= Fraction("0.1")
        assert len(plan.event.events) == len(QUESTIONS)
    else:
        found = account(plan.event).epsilon(delta="5e-7").epsilon
        assert Fraction("0.49") < found <= Fraction("0.5") * (1 + Fraction(1, 10**6))


def test_a_part_of_a_cell_has_no_interval_of_the_whole_cell() -> None:
    window = (
        "SELECT region, age, SUM(n) OVER (PARTITION BY region ORDER BY age) AS so_far "
        "FROM (SELECT region, age, COUNT(*) AS n FROM people GROUP BY region, age) ORDER BY 1, 2"
    )
    levels = "SELECT region, age, COUNT(*) AS n FROM people GROUP BY ROLLUP (region, age)"
    parts, whole = _held().batch([window, levels]).release(rho="0.01")
    total = _widths(whole, "n")[[row[:2] for row in whole.rows].index(("N", None))]
    places = [at for at, row in enumerate(parts.rows) if row[0] == "N"]
    so_far = [_widths(parts, "so_far")[at] for at in places]
    assert so_far[8] > total
    assert so_far[9] <= total + 2  # all ages: the cell itself


def test_keys_that_a_public_table_ties_are_added_up() -> None:
    held = made(rows(90), budget=shoal.ZeroConcentrated(9))
    sql = (
        "SELECT t.region, t.town, COUNT(*) AS n FROM data d JOIN towns t ON d.town = t.town "
        "GROUP BY ROLLUP (t.region, t.town)"
    )
    asked = held.sql(sql)
    assert asked.has_tied_keys
    assert not any("together" in note for note in asked.preview(rho="0.5").notes)
    assert not held.batch([sql]).preview(rho="0.5").together
    (found,) = held.batch([sql]).release(rho="0.5")
    levels: dict[Any, Any] = {(region, town): n for region, town, n in found.rows}
    assert levels[None, None] == sum(n for (_, town), n in levels.items() if town is not None)


def test_a_person_in_many_groups_moves_no_level_further_than_its_noise_allows() -> None:
    unit = Person("who", groups=4, rows_per_group=1)
    others = [(2, "f", "S", 3), (3, "m", "E", 9)]
    one = [(1, "f", "N", 0), (1, "m", "N", 1), (1, "f", "S", 2), (1, "m", "E", 3)]
    given_to = []
    for listed in ([*others, *one], others):
        held = _people(listed, unit, budget=shoal.Pure(9))
        with without_noise() as inputs:
            assert held.batch([CUBE, ROLLUP]).preview(epsilon=1).together
            held.batch([CUBE, ROLLUP]).release(epsilon=1)
        given_to.append(list(inputs))
    loss = Fraction(0)
    for (noise, with_them), (_, without) in zip(*given_to, strict=True):
        away = sum(abs(a - b) for a, b in zip(with_them, without, strict=True))
        assert away <= noise.sensitivity.value
        loss += Fraction(away) / noise.spread
    assert loss <= 1
