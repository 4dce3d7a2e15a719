"""Searching settings: the price, the secret number of runs, the two parts, and what is refused."""

from __future__ import annotations

from collections import Counter
from math import exp, factorial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.learning.recorded_sums import plan_of

import shoal
from shoal import Approx, Choices, Range, Relation, Row
from shoal.accounting import account
from shoal.errors import BudgetExceeded, FactsError, RangeError, ShapeError
from shoal.learning import (
    AdditiveClassifier,
    AdditiveRegression,
    KMeans,
    LinearRegression,
    LogisticRegression,
    NaiveBayes,
    PrivateSearchCV,
    search_runs,
)
from shoal.learning.estimator import TARGET
from shoal.learning.feature_columns import stated_column
from shoal.learning.held_out_scores import row_scores
from shoal.learning.posterior_rounds import RESIDUAL
from shoal.learning.search_runs import PlannedSearch
from shoal.noise.poisson_runs import drawn_runs, work_of
from shoal.noise.seam import seeded

PRICE: dict[str, Any] = {"epsilon": 1, "delta": "1e-6"}
COLUMNS = tuple(stated_column(f"x{at}", (0, 1)) for at in range(2))


def _two(**how: Any) -> LogisticRegression:
    return LogisticRegression(columns=Range(0, 1), classes=[0, 1], **how)


def _rows(count: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    rows = rng.random((count, 2))
    return rows, (rng.random(count) < 1 / (1 + np.exp(-8 * (rows[:, 0] - 0.5)))).astype(int)


def _planned(relation: Relation = Relation.ADD_REMOVE, reach: int = 1) -> PlannedSearch:
    return PlannedSearch.of(
        _two(), [{"rounds": 1}, {"rounds": 3}], COLUMNS, _two()._target(), Approx(1, "1e-6"),
        mean=4, reach=reach, relation=relation,
    )  # fmt: skip


@pytest.mark.slow
def test_the_event_of_a_search_costs_what_was_asked_for() -> None:
    for relation in Relation:
        search = _planned(relation, reach=2)
        spent = account(search.event, relation=str(relation)).epsilon(delta="1e-6").epsilon
        assert 0.98 < spent <= 1
        mu = float(search.mu)
        for plan in (search.scores, *map(plan_of, search.trainings)):
            ratios = [float(m.sensitivity.value) / float(m.sigma) for m in plan.mechanisms]
            assert 0.99 * mu < sum(each**2 for each in ratios) ** 0.5 <= mu * (1 + 1e-9)


@pytest.mark.slow
def test_the_number_of_runs_is_poisson() -> None:
    with seeded("poisson"):
        drawn = Counter(drawn_runs(3) for _ in range(4000))
    chances = [exp(-3) * 3**k / factorial(k) for k in range(9)]
    squares = [(drawn[k] - 4000 * p) ** 2 / (4000 * p) for k, p in enumerate(chances)]
    assert sum(squares) < 30  # of chi-squared with about 8 degrees, one in 5,000


def test_the_work_of_a_search_does_not_tell_the_number_of_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert work_of(4) >= 20
    assert work_of(1) < work_of(8) < work_of(30) < 100
    done = []
    monkeypatch.setattr(search_runs, "work_of", lambda mean: 9)
    once = PlannedSearch._run

    def counted(self: PlannedSearch, place: int, train: Any, test: Any) -> Any:
        done.append(len(train[TARGET]))
        return once(self, place, train, test)

    monkeypatch.setattr(PlannedSearch, "_run", counted)
    search = _planned()
    rows, target = _rows(40)
    arrays = {"x0": rows[:, 0], "x1": rows[:, 1], TARGET: target}
    for number in (0, 1, 9):
        done.clear()
        monkeypatch.setattr(search_runs, "drawn_runs", lambda mean, n=number: n)
        search.fitted(search.parted(arrays, None))
        assert len(done) == 9 + (number == 0)
    done.clear()
    monkeypatch.setattr(search_runs, "drawn_runs", lambda mean: 0)
    search.fitted(search.parted(arrays, None))
    assert done[-1] == 0  # the model that is kept has seen no row


def test_only_runs_that_were_drawn_can_win(monkeypatch: pytest.MonkeyPatch) -> None:
    totals = iter([5.0, 7.0, 6.0, 9.0, 8.0])
    search = _planned()

    def run(self: PlannedSearch, place: int, train: Any, test: Any) -> Any:
        return search_runs.SearchRun(place, search.trainings[place].model, next(totals), 0.0)

    monkeypatch.setattr(PlannedSearch, "_run", run)
    monkeypatch.setattr(search_runs, "drawn_runs", lambda mean: 3)
    monkeypatch.setattr(search_runs, "work_of", lambda mean: 5)
    search.fitted({TARGET: np.zeros(0), " held out": np.zeros(0, dtype=bool)})
    assert search.found is not None
    assert search.found.total == 7.0


def test_a_unit_is_in_one_part_of_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    owners = rng.integers(0, 40, 300)
    arrays = {"x0": owners.astype(float), "x1": rng.random(300), TARGET: np.zeros(300, dtype=int)}
    seen: list[tuple[set[float], set[float]]] = []

    def run(self: PlannedSearch, place: int, train: Any, test: Any) -> Any:
        seen.append((set(train["x0"]), set(test["x0"])))
        assert Counter(train["x0"]).most_common(1)[0][1] <= 2
        return search_runs.SearchRun(place, self.trainings[place].model, 0.0, 0.0)

    monkeypatch.setattr(PlannedSearch, "_run", run)
    search = _planned(reach=2)
    search.fitted(search.parted(arrays, owners))
    assert all(not (train & test) and len(train | test) == 40 for train, test in seen)
    shares = [len(test) for _ in range(20) for test in [search.parted(arrays, None)[" held out"]]]
    assert shares == [300] * 20
    held = np.mean([search.parted(arrays, None)[" held out"].mean() for _ in range(50)])
    assert 0.2 < held < 0.3


def test_one_row_moves_a_score_by_no_more_than_its_bound_and_better_models_have_more() -> None:
    rows, target = _rows(400)
    number = 3 * rows[:, 0] - 1
    numbers: dict[str, Any] = {"columns": Range(0, 1), "target_range": (-2, 2), "rho": 10**4}
    with seeded("scores"):
        models = [
            (_two(rho=10**4).fit(rows, target), target),
            (
                NaiveBayes(rho=10**4, columns=Range(0, 1), classes=[0, 1, 2]).fit(rows, target),
                target,
            ),
            (LinearRegression(**numbers).fit(rows, number), number),
            (AdditiveRegression(**numbers).fit(rows, number), number),
        ]
    for model, truth in models:
        arrays = {"x0": rows[:, 0], "x1": rows[:, 1], TARGET: truth}
        found = row_scores(model, arrays)
        assert found.dtype == np.int64
        assert np.abs(found).max() <= RESIDUAL
        turned = row_scores(model, {**arrays, TARGET: truth[::-1]})
        assert found.sum() > turned.sum()
        for at in range(3):  # each row by itself
            alone = row_scores(model, {n: v[at : at + 1] for n, v in arrays.items()})
            assert alone.tolist() == found[at : at + 1].tolist()
        none = row_scores(model, {**arrays, TARGET: np.full(400, np.nan)})
        assert not none.any()


@pytest.mark.slow
def test_the_better_setting_is_found_and_a_table_pays_for_it() -> None:
    rows, target = _rows(6000)
    table = pa.table({"x0": rows[:, 0], "x1": rows[:, 1], "y": target})
    facts: dict[str, Any] = {"x0": Range(0, 1), "x1": Range(0, 1), "y": Choices([0, 1])}
    people = shoal.private(table, protects=Row(), columns=facts, budget=Approx("1.2", "1e-6"))
    search = PrivateSearchCV(AdditiveClassifier(rounds=4), {"bins": [1, 16]}, runs=6)
    with seeded("search"):
        model = people.learn(search, target="y", features=["x0", "x1"], epsilon=1)
        again = PrivateSearchCV(_two(), {"rounds": [1, 4]}, **PRICE, runs=2).fit(rows, target)
    assert model.best_params_ == {"bins": 16}  # one bin tells nothing
    assert model.best_score_ > 0.3
    assert model.score(table, target) > 0.75
    assert model.certificate_["events"][0]["kind"] == "repeat_and_select"
    assert str(model.cost).startswith("epsilon 1")
    assert again.score(rows, target) > 0.75
    assert again.best_params_ == again.best_estimator_.best_params_
    with pytest.raises(BudgetExceeded):
        people.learn(search, target="y", features=["x0"], epsilon=1)


@pytest.mark.slow
def test_a_vault_gives_the_same_search_again_for_nothing(tmp_path: Path) -> None:
    import pyarrow.parquet as pq  # noqa: PLC0415 - only here

    rows, target = _rows(500)
    pq.write_table(pa.table({"x0": rows[:, 0], "y": target}), tmp_path / "rows.parquet")
    vault = shoal.open(tmp_path / "office.shoal")
    facts: dict[str, Any] = {"x0": Range(0, 1), "y": Choices([0, 1])}
    vault.add(
        "t", tmp_path / "rows.parquet", protects=Row(), columns=facts, budget=Approx(3, "1e-6")
    )
    search = PrivateSearchCV(LogisticRegression(), {"rounds": [1, 2]}, runs=2)
    first, again = (
        vault.table("t").learn(search, target="y", features=["x0"], epsilon=1) for _ in range(2)
    )
    assert (first.coef_ == again.coef_).all()
    assert (first.best_params_, first.best_score_) == (again.best_params_, again.best_score_)
    assert len(vault.log()) == 1
    assert "drawn" not in str(vault.show(vault.log()[-1].number).certificate)


def test_what_cannot_be_searched_is_refused() -> None:
    rows, target = _rows(20)
    good: dict[str, Any] = {**PRICE, "runs": 2}
    with pytest.raises(RangeError, match="price"):
        PrivateSearchCV(_two(), {"rounds": [1]}).fit(rows, target)
    with pytest.raises(FactsError, match="no score of single rows"):
        PrivateSearchCV(KMeans(columns=Range(0, 1)), {"n_clusters": [2]}, **good).fit(rows, target)
    with pytest.raises(FactsError, match="no setting to try"):
        PrivateSearchCV(_two(), {}, **good).fit(rows, target)
    for name in ("epsilon", "columns", "depth"):
        with pytest.raises(FactsError, match="no setting that can be searched"):
            PrivateSearchCV(_two(), {name: [1]}, **good).fit(rows, target)
    with pytest.raises(RangeError):
        PrivateSearchCV(_two(), {"rounds": [1]}, **PRICE, runs=1).fit(rows, target)
    with pytest.raises(RangeError, match="too many"):
        PrivateSearchCV(_two(), {"rounds": [1]}, **PRICE, runs=101).fit(rows, target)
    with pytest.raises(ShapeError):
        PrivateSearchCV(_two(), {"rounds": [1]}, **good).fit(rows, target[:3])
    with pytest.raises(FactsError, match="requires y"):
        PrivateSearchCV(_two(), {"rounds": [1]}, **good).fit(rows, None)
    with pytest.raises(FactsError, match="nothing was searched"):
        PrivateSearchCV(_two(), {"rounds": [1]}).predict(rows)
    table = shoal.private(
        pa.table({"x0": rows[:, 0], "y": target}), protects=Row(),
        columns={"x0": Range(0, 1), "y": Choices([0, 1])}, budget=shoal.ZeroConcentrated(1),
    )  # fmt: skip
    with pytest.raises(RangeError, match="epsilon and delta"):
        table.learn(PrivateSearchCV(LogisticRegression(), {"rounds": [1]}), target="y", rho="0.1")
