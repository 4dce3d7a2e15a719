"""Tables that are published only if they keep stated criteria."""

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
from tests.query.tables import without_noise
from tests.query.test_publication import ROW, UNITS, _neighbour, _people

import shoal
from shoal import CellsWithin, Marginals, MeanWithin, PrefixSums
from shoal.accounting import account
from shoal.cli.publication_folder import write_folder
from shoal.errors import CalibrationError, RangeError, SchemaError
from shoal.noise.seam import seeded
from shoal.plan import Row
from shoal.query.certificate import wrong_with
from shoal.sensitivity import Relation
from shoal.workloads import acceptance_plan

BANDS = shoal.Hierarchy("age", band={"0-4": range(5), "5-9": range(5, 10)})
FINE, COARSE = [Marginals(["region", "age"])], [Marginals(["region", "band"])]
APPROX = shoal.Approx(100, "1e-5")


def _listed(people: int = 3000) -> list[tuple[int, str, str, int]]:
    chance = np.random.default_rng(1)
    ages = chance.integers(0, 10, people).tolist()
    return [(n, "fm"[n % 2], "NSE"[n % 3], age) for n, age in enumerate(ages)]


def _search(within: Any = 60, listed: Any = None, unit: Any = None, **options: Any) -> Any:
    held = _people(listed or _listed(), unit or Row(), budget=options.pop("budget", APPROX))
    criteria = options.pop("criteria", [CellsWithin(None, within, share="0.5")])
    options.setdefault("configurations", {"bands": COARSE})
    return held.workload(FINE, hierarchies=[BANDS]).accept(criteria, **options)


def test_tables_that_keep_the_criteria_are_published() -> None:
    with seeded("accepted"):
        found = _search().release(epsilon=4)
    assert found.accepted
    assert found.configuration == "as asked"
    truth = np.zeros((3, 10))
    for _, _, region, age in _listed():
        truth["NSE".index(region), age] += 1
    assert (np.abs(found.tables["region", "age"].values - truth) < 60).mean() >= 0.5
    assert found.criteria[0].startswith("region,age: at least 50 % of the cells within 60: met")
    assert found.tables.certificate == found.certificate
    assert wrong_with(found.certificate) == []


def test_tables_that_fail_are_not_told_and_cost_the_same() -> None:
    held = _people(_listed(), Row(), budget=shoal.Approx(5, "1e-5"))
    search = held.workload(FINE).accept([MeanWithin("region,age", 2)], runs=3)
    plan = search.preview(epsilon=2)
    with seeded("refused"):
        found = search.release(epsilon=2)
    assert plan.configurations[0].plan.overall_rmse > 3  # 2.5 on average
    assert not found.accepted
    assert found.tables is None
    assert ": not met" in found.criteria[0]
    assert account(plan.event).epsilon(delta="1e-5").epsilon <= 2
    assert held.budget.spent != shoal.Approx(0, 0)


def test_accepted_tables_say_the_cost_of_the_whole_search(tmp_path: Path) -> None:
    with seeded("cost"):
        found = _search(budget=shoal.Pure(100), within=100).release(epsilon=16)
    assert found.accepted
    assert found.tables.plan.price == shoal.Pure(16)
    assert found.tables.plan.measure.epsilon < 8  # the tables of one run
    write_folder(found.released, list(found.tables), tmp_path, "Tables")
    page = (tmp_path / "index.html").read_text()
    plan = found.tables.plan
    for told in (page, repr(plan), plan.preview(), plan._repr_html_(), repr(found.tables)):
        assert "epsilon 16 for the whole search" in told
        assert str(plan.measure) not in told
    for event in (found.tables.event, found.released.event):
        spent: Any = account(event).cost(shoal.Pure)
        assert 15.9 < spent.epsilon <= 16


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("budget", [shoal.Approx(1, "1e-6"), shoal.Pure(4)])
def test_a_search_costs_what_was_asked_for(budget: Any, relation: Relation) -> None:
    unit = Row(relation=relation)
    search = _search(10**4, unit=unit, budget=budget, runs=4)
    plan = search.preview(epsilon=budget.epsilon)
    added: Any = account(plan.event, relation=str(relation))
    delta = getattr(budget, "delta", 0)
    spent = added.epsilon(delta=delta).epsilon if delta else added.cost(shoal.Pure).epsilon
    assert 0.96 * budget.epsilon < spent <= budget.epsilon
    for each in plan.configurations:
        noises = [*each.plan.mechanisms, *(one.noise for one in each.judged)]
        ratios = [Fraction(noise.sensitivity.value) / noise.spread for noise in noises]
        power = 2 if delta else 1
        cost = sum(ratio**power for ratio in ratios)
        assert 0.99 * plan.run_cost**power < cost <= plan.run_cost**power


@pytest.mark.parametrize("name", UNITS)
@settings(max_examples=10)
@given(data=st.data())
def test_no_neighbours_are_further_apart_than_the_noise_of_a_run_allows(
    name: str, data: st.DataObject
) -> None:
    """With the same released tables, as adaptive composition has it."""
    unit = UNITS[name]
    before = data.draw(st.lists(ROW, min_size=2, max_size=9))
    after = _neighbour(before, unit, data)
    fixed = None
    given_to = []
    for listed in (before, after):
        search = _search(listed=listed, unit=unit, criteria=[
            CellsWithin(None, 3, share="0.01", relative="0.3"), MeanWithin(None, 4),
        ], budget=shoal.Pure(10**4))  # fmt: skip
        held = search.preview(epsilon=8000).configurations[0]
        counts = search._first.counts()
        with without_noise() as inputs:
            answers = held.plan.measure_counts(counts)
            fixed = answers if fixed is None else fixed
            del inputs[:]
            for one in held.judged:
                values = held.tables(fixed)[tuple(one.table.name.split(","))].values
                exact = one.criterion.total(values, held._exact(one.table, counts), held.plan.unit)
                one.noise.release(np.array([exact], dtype=object))
        given_to.append(list(inputs))
    assert len(given_to[0]) == 2
    for (noise, one), (_, two) in zip(*given_to, strict=True):
        assert abs(int(np.ravel(one)[0]) - int(np.ravel(two)[0])) <= noise.sensitivity.value


@settings(max_examples=60)
@given(
    released=st.lists(st.floats(-20, 400), min_size=3, max_size=3),
    counts=st.lists(st.integers(0, 400), min_size=3, max_size=3),
    moved=st.lists(st.integers(0, 5), min_size=3, max_size=3),
    criterion=st.sampled_from([
        CellsWithin(None, 3), CellsWithin(None, "7.5", relative="0.1"), MeanWithin(None, 2),
    ]),
    unit=st.sampled_from([Fraction(1), Fraction(1, 6)]),
)  # fmt: skip
def test_totals_move_no_more_than_counts_do(
    released: Any, counts: Any, moved: Any, criterion: Any, unit: Fraction
) -> None:
    one = np.array(counts, dtype=object)
    two = one + np.array(moved, dtype=object)
    values = np.array(released)
    far = criterion.total(values, two, unit) - criterion.total(values, one, unit)
    assert abs(far) <= sum(moved)


@settings(max_examples=60)
@given(
    released=st.lists(st.floats(-20, 90), min_size=8, max_size=8),
    counts=st.lists(st.integers(0, 80), min_size=8, max_size=8),
)
def test_a_total_within_its_limit_means_that_the_criterion_is_kept(
    released: Any, counts: Any
) -> None:
    off = np.abs(np.array(released) - np.array(counts))
    held = np.array(counts, dtype=object)
    cells = CellsWithin(None, 30, share="0.7")
    if cells.total(np.array(released), held, Fraction(1)) <= cells.limit(8, Fraction(1)):
        assert (off < 30).sum() >= 0.7 * 8
    mean = MeanWithin(None, 20)
    if mean.total(np.array(released), held, Fraction(1)) <= mean.limit(8, Fraction(1)):
        assert off.mean() <= 20


def test_a_cell_that_is_far_off_counts_in_full_and_a_near_one_not_at_all() -> None:
    cells, unit = CellsWithin(None, 21), Fraction(1)
    assert cells.total(np.array([5.0]), np.array([15]), unit) == 0
    assert cells.total(np.array([5.0]), np.array([26]), unit) == 10
    assert cells.limit(100, unit) == 10 * 5
    wide = CellsWithin(None, 21, relative="0.5")
    assert wide.total(np.array([100.0]), np.array([124]), unit) == 0
    assert wide.total(np.array([100.0]), np.array([150]), unit) == 10


def test_the_time_of_a_search_does_not_tell_the_number_of_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = _search().preview(epsilon=4)
    done: list[int] = []

    def run(self: Any, place: int, counts: Any) -> Any:
        done.append(place)
        return acceptance_plan.AcceptanceRun(place, (), (len(done),))

    monkeypatch.setattr(acceptance_plan.AcceptanceConfiguration, "run", run)
    monkeypatch.setattr(acceptance_plan, "work_of", lambda mean: 9)
    for number in (0, 3, 9):
        monkeypatch.setattr(acceptance_plan, "drawn_runs", lambda mean, n=number: n)
        done.clear()
        best = plan.search([None, None])
        assert len(done) == 9
        assert (best is None) == (number == 0)
        assert best is None or best.totals[0] <= number  # only runs that were drawn can win


def test_a_run_that_fails_is_the_worst_and_is_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = _search().preview(epsilon=4)
    done: list[int] = []

    def run(self: Any, place: int, counts: Any) -> Any:
        done.append(place)
        if len(done) % 3 or counts == "bad":
            raise ZeroDivisionError("a row says so")
        return acceptance_plan.AcceptanceRun(place, (), (10**6 + len(done),))

    monkeypatch.setattr(acceptance_plan.AcceptanceConfiguration, "run", run)
    monkeypatch.setattr(acceptance_plan, "work_of", lambda mean: 9)
    monkeypatch.setattr(acceptance_plan, "drawn_runs", lambda mean: 4)
    best = plan.search(["good", "good"])
    assert best is not None  # it is not accepted, and better than those that failed
    assert best.totals == (10**6 + 3,)
    assert len(done) == 9
    assert plan.search(["bad", "bad"]) is None


def test_a_preview_says_whether_the_search_fits_the_budget() -> None:
    search = _search(budget=shoal.Pure(20), within=100)
    assert search.preview(epsilon=16).fits
    with seeded("fits"):
        search.release(epsilon=16)
    again = search.preview(epsilon=16)
    assert not again.fits
    assert str(again).startswith("costs epsilon 16 (more than is left of the budget); 8 runs")


def test_accepted_runs_come_first_then_earlier_configurations() -> None:
    plan = _search().preview(epsilon=4)
    runs = [
        acceptance_plan.AcceptanceRun(place, (), (total,))
        for place, total in ((0, 10**6), (1, 0), (0, 5), (0, 0), (1, 10**5))
    ]
    order = sorted(runs, key=plan._order, reverse=True)
    assert [(each.place, each.totals[0]) for each in order[:3]] == [(0, 0), (0, 5), (1, 0)]


def test_bad_tables_are_accepted_no_more_often_than_was_said() -> None:
    search = _search(60, runs=5, confidence="0.5")  # so that it can be seen
    each = search.preview(epsilon=2).configurations[0].judged[0]
    with seeded("noise"):
        wrong = np.mean([each.met(int(each.noise.release(each.limit + 1))) for _ in range(3000)])
    assert wrong <= 0.1 + 0.02  # one in ten runs: one search in two, with five runs on average
    assert wrong > 0.07


def test_the_same_search_again_is_free_and_the_same(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    who, sex, region, age = (list(each) for each in zip(*_listed(), strict=True))
    pq.write_table(pa.table({"who": who, "sex": sex, "region": region, "age": age}), path)
    vault = shoal.open(tmp_path / "office.shoal")
    facts: Any = {"region": shoal.Choices(["N", "S", "E"]), "age": shoal.Range(0, 9)}
    vault.add("people", path, protects=Row(), columns=facts, required=list(facts),
              budget=shoal.Approx(10, "1e-5"))  # fmt: skip
    asked = vault.table("people").workload(FINE, hierarchies=[BANDS])

    def search(within: int) -> Any:
        return asked.accept(
            CellsWithin(None, within, share="0.5"), configurations={"bands": COARSE}
        ).release(epsilon=3)

    first, again = search(80), search(80)
    assert len(vault.log()) == 1
    assert (first.accepted, first.criteria) == (again.accepted, again.criteria)
    assert first.certificate == again.certificate
    if first.accepted:
        for one, two in zip(first.tables, again.tables, strict=True):
            assert (one.values == two.values).all()
    told = first.certificate["acceptance"]
    assert [each["name"] for each in told["configurations"]] == ["as asked", "bands"]
    assert told["runs"]["mean"] == 8
    wanted = "at least 50 % of the cells within 80"
    assert told["configurations"][0]["criteria"][0]["wanted"] == wanted
    search(90)
    assert len(vault.log()) == 2
    vault.close()


def test_whole_numbers_are_judged_where_they_are_printed() -> None:
    counted = {"N": 1000, "S": 1000, "E": 1000}
    held = _people(_listed(), Row(), budget=APPROX)
    asked = held.workload([Marginals(["region"])], known={"region": counted})
    criterion = MeanWithin("region", 100)
    search = asked.accept(criterion, whole_numbers=True, share="0.9")
    with seeded("whole"), without_noise():
        run = search.preview(epsilon=2).configurations[0].run(0, asked.counts())
    assert run.totals == (0,)  # known totals are the counts
    assert search.preview(epsilon=2).configurations[0].known is not None


def test_the_tables_of_a_search_are_those_that_were_judged() -> None:
    """Known totals make whole numbers exact, and the estimates are off by far more than allowed."""
    counted = {"N": 1000, "S": 1000, "E": 1000}
    held = _people(_listed(), Row(), budget=shoal.Pure(100))
    asked = held.workload([Marginals(["region"])], known={"region": counted})
    search = asked.accept(MeanWithin("region", 5), whole_numbers=True, share="0.95")
    with seeded("judged"):
        found: Any = search.release(epsilon=4)
    assert found.accepted
    assert np.abs(found.released["region"].values - 1000).mean() > 5
    assert found.tables["region"].values.tolist() == [1000, 1000, 1000]


def test_a_form_of_tables_that_was_not_judged_is_refused() -> None:
    with seeded("as they are"):
        found = _search().release(epsilon=4)
    assert found.accepted
    with pytest.raises(SchemaError, match="as whole numbers they were not judged"):
        found.tables.whole_numbers()
    assert (found.released["region", "age"].values == found.tables["region", "age"].values).all()
    assert found.released.whole_numbers().cells.shape == (3, 10)


def _vault(folder: Path) -> Any:
    pq.write_table(pa.table({"age": [n % 4 for n in range(400)]}), folder / "people.parquet")
    vault = shoal.open(folder / "office.shoal")
    vault.add("people", folder / "people.parquet", protects=Row(), required=["age"],
              columns={"age": shoal.Range(0, 3)}, budget=shoal.Pure(100))  # fmt: skip
    return vault


def test_a_search_with_other_groups_of_the_same_names_is_another_search(tmp_path: Path) -> None:
    vault = _vault(tmp_path)
    told = []
    for members in ([[0, 1], [2, 3]], [[0, 2], [1, 3]]):
        bands = shoal.Hierarchy("age", band=dict(zip("ab", members, strict=True)))
        asked = vault.table("people").workload(
            [Marginals(["age"]), Marginals(["band"])], hierarchies=[bands]
        )
        search = asked.accept(MeanWithin("band", 60))
        assert search.preview(epsilon=8).configurations[0].plan.measured == (("age",),)
        told.append(search.release(epsilon=8).certificate["acceptance"]["configurations"][0])
    assert len(vault.log()) == 2
    assert [each["levels"][0]["members"] for each in told] == [[0, 0, 1, 1], [0, 1, 0, 1]]
    vault.close()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            CellsWithin(None, "60.0000001", share="0.5"),
            CellsWithin(None, "60.0000002", share="0.5"),
        ),
        (CellsWithin(None, 60, share="0.5"), CellsWithin(None, 60, share="0.500000001")),
        (
            CellsWithin(None, 60, share="0.5", relative="0.12345678"),
            CellsWithin(None, 60, share="0.5", relative="0.12345679"),
        ),
        (MeanWithin(None, "60.0000001"), MeanWithin(None, "60.0000002")),
    ],
)
def test_a_search_by_almost_the_same_criterion_is_another_search(
    one: Any, other: Any, tmp_path: Path
) -> None:
    assert one.words() == other.words()
    vault = _vault(tmp_path)
    for criterion in (one, other, one):
        asked = vault.table("people").workload([Marginals(["age"])])
        found = asked.accept(criterion).release(epsilon=20)
        told = found.certificate["acceptance"]["configurations"][0]["criteria"][0]
        assert told["within"] == str(criterion.within)
        assert told["criterion"] == type(criterion).__name__
    assert len(vault.log()) == 2
    vault.close()


def test_what_makes_no_sense_is_refused_before_anything_is_spent() -> None:
    held = _people(_listed(), Row(), budget=shoal.Pure(100))
    asked = held.workload([*FINE, PrefixSums("age")])
    wrong: list[Any] = [[], ["region"]]
    for criteria in wrong:
        with pytest.raises(SchemaError, match="criteria must be"):
            asked.accept(criteria)
    with pytest.raises(SchemaError, match="which no configuration publishes"):
        asked.accept(CellsWithin("sex", 20)).preview(epsilon=1)
    with pytest.raises(SchemaError, match="prefix sums and ranges cannot be judged"):
        asked.accept(CellsWithin("prefix(age)", 20)).preview(epsilon=1)
    with pytest.raises(SchemaError, match="no criterion judges a table"):
        search = asked.accept(
            CellsWithin("region,age", 20), configurations={"other": [Marginals(["sex"])]}
        )
        search.preview(epsilon=20)
    with pytest.raises(SchemaError, match="the workload itself"):
        asked.accept(CellsWithin(None, 20), configurations={"as asked": COARSE})
    with pytest.raises(CalibrationError, match="nothing can be accepted"):
        asked.accept(CellsWithin(None, 20, share="0.95")).preview(epsilon="0.1")
    with pytest.raises(RangeError, match="too small to be judged"):
        asked.accept(CellsWithin(None, 2)).preview(epsilon=1)
    with pytest.raises(RangeError, match="runs on average"):
        asked.accept(CellsWithin(None, 20), runs=500)
    rho = _people(_listed(), Row(), budget=shoal.ZeroConcentrated(1)).workload(FINE)
    with pytest.raises(RangeError):
        rho.accept(CellsWithin(None, 20)).preview(epsilon=1)
    assert held.budget.spent == shoal.Pure(0)
