"""Pairs of features: what one row adds, what is taken for their moments, and that they are found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import r2_score, roc_auc_score
from tests.learning.canaries import Attack
from tests.learning.models import MODELS, rows, targets
from tests.learning.recorded_sums import RecordedSums, exact_sums_seen, plan_of, planned_training

from shoal import Choices, Range
from shoal.errors import FactsError, RangeError, UnknownNameError
from shoal.learning import AdditiveClassifier, AdditiveRegression, additive_rounds, pair_selection
from shoal.learning.estimator import TARGET
from shoal.learning.feature_columns import stated_column
from shoal.learning.feature_pairs import CellGroups, FeaturePair, candidates, paired_moments
from shoal.learning.pair_selection import grid_sums
from shoal.learning.posterior_rounds import RESIDUAL, PooledRounds
from shoal.learning.row_designs import CoefficientBlock
from shoal.learning.whitened_rounds import LENGTH
from shoal.noise.seam import seeded

LAST: dict[str, Any] = {"delta": "1e-6", "columns": Range(0, 1)}


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs are looked for and taken, however few rows there are."""
    monkeypatch.setattr(additive_rounds, "ENOUGH", -1e300)
    monkeypatch.setattr(pair_selection, "SURE", -1e300)


@pytest.mark.slow
@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("name", ["additive", "additive numbers"])
def test_one_row_moves_rounds_with_pairs_by_no_more_than_their_bound(name: str) -> None:
    rng = np.random.default_rng(3)
    model = MODELS[name]()
    planned = planned_training(model)
    for seed, scale in enumerate([0.01, 1.0, 300.0]):
        arrays: dict[str, Any] = rows(model, 30, rng)
        arrays[TARGET] = targets(model, 30, rng)
        whole = exact_sums_seen(planned, arrays, seed, scale)
        assert len(model.pairs_) == 3  # all there are of three features
        for left_out in range(4):
            fewer = {n: np.delete(values, left_out) for n, values in arrays.items()}
            found = exact_sums_seen(planned, fewer, seed, scale)
            for one, two, limit in zip(whole, found, plan_of(planned).sums, strict=True):
                assert sum(int(each) ** 2 for each in (one - two).tolist()) <= limit.squared


@pytest.mark.parametrize("told", [0.0, 1e6])
def test_whether_pairs_are_looked_for_follows_from_released_counts(
    told: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the same answers, a training on other rows asks for the same kind of sums."""
    monkeypatch.setattr(pair_selection, "SURE", -1e300)
    rng = np.random.default_rng(6)
    model = MODELS["additive"]()
    planned = planned_training(model)

    class Told(RecordedSums):
        """The number of rows is released as ``told``."""

        def release(self, name: str, values: Any) -> tuple[Any, float]:
            noisy, sigma = super().release(name, values)
            if name == "counts":
                noisy[:-1] = told
            return noisy, sigma

    for count in (0, 3000):
        arrays: dict[str, Any] = rows(model, count, rng)
        arrays[TARGET] = targets(model, count, rng)
        model._train(planned.columns, arrays, Told(plan_of(planned), 1, 10.0))
        assert bool(model.pairs_) == (told > 0)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("name", ["additive", "additive numbers"])
def test_a_canary_in_pairs_spends_no_more_than_the_budget(name: str) -> None:
    with seeded("pairs"):
        found = [Attack(name).ratio(canary=canary)[1] for canary in (False, True)]
    assert 0.3 < max(found) <= 1 + 1e-9


def test_grids_of_residuals_are_those_of_python_and_within_their_bound() -> None:
    rng = np.random.default_rng(1)
    cells = np.array([rng.integers(0, 4, 50), rng.integers(4, 7, 50), rng.integers(7, 9, 50)])
    sides = [
        CellGroups.of(start, np.full(size, 1 / size), size, 4, ordered=ordered)
        for start, size, ordered in ((0, 4, True), (4, 3, False), (7, 2, False))
    ]
    pairs = [FeaturePair((a, b), sides[a], sides[b]) for a, b in ((0, 1), (0, 2), (1, 2))]
    residuals = rng.integers(-RESIDUAL, RESIDUAL + 1, 50)
    keep = rng.random(50) < 0.8
    found = grid_sums(pairs, cells, residuals, keep)
    mark = LENGTH // 2  # the root of three pairs, rounded up
    by_hand: list[int] = []
    for a, b in ((0, 1), (0, 2), (1, 2)):
        for x in range(sides[a].size):
            for y in range(sides[b].size):
                there = (cells[a] - sides[a].start == x) & (cells[b] - sides[b].start == y) & keep
                by_hand.append(int(residuals[there].sum()) * mark)
    assert found.tolist() == by_hand
    assert len(pairs) * mark**2 <= LENGTH**2


def test_moments_with_pairs_are_those_of_independent_features() -> None:
    shares = [np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.5, 0.3, 0.2]), np.array([0.6, 0.4])]
    starts = [0, 4, 7]
    sides = [
        CellGroups.of(start, part, len(part), 2, ordered=at == 0)
        for at, (start, part) in enumerate(zip(starts, shares, strict=True))
    ]
    pairs = [FeaturePair((a, b), sides[a], sides[b]) for a, b in ((0, 1), (1, 2), (0, 2))]
    lines, weights = [], []
    for a in range(4):
        for b in range(3):
            for c in range(2):
                cells = np.array([[a], [4 + b], [7 + c]])
                line = np.zeros(9 + sum(each.size for each in pairs) + 1)
                line[cells[:, 0]] = line[-1] = 1
                at = 9
                for each in pairs:
                    line[at + int(each.codes(cells)[0])] = 1
                    at += each.size
                lines.append(line)
                weights.append(shares[0][a] * shares[1][b] * shares[2][c])
    rows, weight = np.array(lines), np.array(weights)
    centre = weight @ rows
    centre[-1] = 0
    away = rows - centre
    truth = (away * weight[:, None]).T @ away
    made = paired_moments(truth[np.ix_(OLD, OLD)], np.concatenate([*shares, [1.0]]), pairs, 1.0)
    assert made == pytest.approx(truth, abs=2e-4)  # a little is added to the diagonal


OLD = [*range(9), -1]


def test_groups_have_about_equal_counts_and_missing_numbers_the_middle() -> None:
    shares = np.array([0.9, 0.01, 0.01, 0.01, 0.01, 0.01, 0.02, 0.03, 0.0])
    found = CellGroups.of(0, shares, 8, 4, ordered=True)
    assert found.group[0] == 0
    assert (np.diff(found.group[:8]) >= 0).all()
    assert found.group[8] == found.group[4]
    assert found.shares.sum() == pytest.approx(1)
    assert CellGroups.of(0, np.zeros(8), 8, 4, ordered=True).size == 1


def test_a_posterior_that_is_widened_finds_the_end_of_a_parabola() -> None:
    rng = np.random.default_rng(2)
    root = rng.normal(0, 1, (60, 7))
    second, truth = root.T @ root, rng.normal(0, 0.3, 7)
    old = np.array([0, 1, 2, 6])
    block = CoefficientBlock("a", 0, 3, ordered=True, linear=False)
    pair = CoefficientBlock("b", 3, 6, ordered=False, linear=False, grid=((3, True), (1, False)))
    posterior = PooledRounds(second[np.ix_(old, old)], 1.0, [block], np.zeros(4))
    wide = np.zeros(7)
    for _ in range(3):
        wide[old] = posterior.theta
        posterior.observe((second @ (wide - truth))[old], 1e-3)
    posterior.widen(second, [pair])
    for _ in range(3):
        posterior.observe(second @ (posterior.theta - truth), 1e-3)
    assert posterior.theta == pytest.approx(truth, abs=1e-2)


def test_which_features_can_be_in_a_pair() -> None:
    columns = [
        stated_column("a", (0, 1)),
        stated_column("b", Choices(["x", "y"])),
        stated_column("c", Choices(list("abcdefgh"))),
        stated_column("d", (0, 1)),
    ]
    assert candidates(columns, []) == [(0, 1), (0, 3), (1, 3)]
    assert candidates(columns, ["d"]) == [(0, 1)]
    assert candidates([stated_column(f"x{at}", (0, 1)) for at in range(41)], []) == []


def _xor(count: int, rng: np.random.Generator) -> tuple[Any, Any]:
    made = rng.random((count, 5))
    label = (made[:, 1] > 0.5) ^ (made[:, 3] > 0.5)
    return made, np.where(rng.random(count) < 0.1, ~label, label).astype(int)


@pytest.mark.slow
def test_two_features_that_say_nothing_alone_are_found_together() -> None:
    rng = np.random.default_rng(4)
    train, test = _xor(12_000, rng), _xor(4000, rng)
    with seeded("xor"):
        model = AdditiveClassifier(epsilon=1, classes=[0, 1], **LAST).fit(*train)
        few = AdditiveClassifier(epsilon="0.05", classes=[0, 1], **LAST).fit(*train)
        none = AdditiveClassifier(epsilon=1, classes=[0, 1], pairs=0, **LAST).fit(*train)
        kept_out = AdditiveClassifier(epsilon=1, classes=[0, 1], monotone={"x1": 1}, **LAST)
        kept_out.fit(*train)
    assert model.pairs_ == (("x1", "x3"),)
    assert roc_auc_score(test[1], model.decision_function(test[0])) > 0.87
    assert few.pairs_ == none.pairs_ == kept_out.pairs_ == ()
    assert (np.diff(kept_out.shape("x1").values) >= 0).all()
    shown = model.pair_shape("x1", "x3")
    assert shown.values.shape == (len(shown.places[0]), len(shown.places[1]))
    assert shown.values[0, 0] < -0.5 < 0.5 < shown.values[0, -1]
    assert abs(shown.values.mean()) < 0.1  # what a feature says alone is in its curve
    with pytest.raises(UnknownNameError, match="no pair"):
        model.pair_shape("x0", "x3")
    with pytest.raises(UnknownNameError, match="no feature"):
        model.pair_shape("x0", "x9")


@pytest.mark.slow
def test_a_number_is_learned_by_curves_and_a_pair() -> None:
    rng = np.random.default_rng(5)
    rows = rng.random((16_000, 6))
    number = 8 * np.sin(3 * rows[:, 0] * rows[:, 1]) + 5 * rows[:, 2] ** 2 - 4 * rows[:, 3]
    number += rng.normal(0, 1, 16_000)
    with seeded("number"):
        model = AdditiveRegression(epsilon=1, target_range=(-20, 30), **LAST)
        model.fit(rows[:12_000], number[:12_000])
    assert r2_score(number[12_000:], model.predict(rows[12_000:])) > 0.85
    assert ("x0", "x1") in model.pairs_
    rising = model.shape("x2").values
    assert rising[0] < rising[16] < rising[-1]


def test_what_pairs_and_rounds_can_be() -> None:
    rows = np.zeros((3, 2))
    with pytest.raises(RangeError):
        AdditiveClassifier(epsilon=1, classes=[0, 1], pairs=-1, **LAST).fit(rows, [0, 1, 0])
    with pytest.raises(RangeError):
        AdditiveClassifier(epsilon=1, classes=[0, 1], rounds=0, **LAST).fit(rows, [0, 1, 0])
    with pytest.raises(FactsError, match="not declared"):
        AdditiveRegression(epsilon=1, **LAST).fit(rows, [0, 1, 0])
    with pytest.raises(FactsError, match="number with a range"):
        AdditiveRegression(epsilon=1, target_range=Choices(["a"]), **LAST).fit(rows, [0, 1, 0])
