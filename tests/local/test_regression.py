from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from tests.local.designs import CASES

from shoal.errors import CalibrationError, DataError, ShapeError
from shoal.local import Design, TransitionMatrix, forced, kary, kuk, regress, warner
from shoal.noise.seam import seeded

Floats = NDArray[np.float64]
TRUTH = np.array([-0.8, 0.6, -0.4])


def people(count: int, seed: int = 1) -> Floats:
    draw = np.random.default_rng(seed)
    return np.column_stack([draw.normal(size=count), draw.random(count) < 0.5]).astype(np.float64)


def replies(design: Design, rows: Floats, truth: Floats = TRUTH) -> NDArray[np.int64]:
    logits = truth[0] + rows @ truth[1:]
    draw = np.random.default_rng(len(rows))
    hidden = draw.random(len(rows)) < 1 / (1 + np.exp(-logits))
    with seeded(f"regression {design.name}"):
        told: NDArray[np.int64] = design.release(hidden.astype(np.int64))
    return told


def brute_force(design: Design, told: NDArray[np.int64], rows: Floats) -> Floats:
    """The lowest place of the likelihood as one would write it down, found without derivatives."""
    chances = np.array(
        [
            [float(design.matrix.chance(x, y)) for y in range(design.matrix.odds.reports)]
            for x in range(design.matrix.odds.answers)
        ]
    )
    wide = np.column_stack([np.ones(len(rows)), rows])

    def loss(flat: Floats) -> float:
        logits = np.column_stack([np.zeros(len(rows)), wide @ flat.reshape(len(chances) - 1, -1).T])
        shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        return -float(np.log((shares * chances[:, told].T).sum(axis=1)).sum())

    size = (len(chances) - 1) * wide.shape[1]
    exact = {"xatol": 1e-9, "fatol": 1e-11, "maxiter": 20_000, "maxfev": 20_000, "adaptive": True}
    found = minimize(loss, np.zeros(size), method="Nelder-Mead", options=exact)
    found = minimize(loss, found.x, method="Nelder-Mead", options=exact)
    return np.asarray(found.x, dtype=np.float64).reshape(len(chances) - 1, -1)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_coefficients_are_those_of_a_search_without_derivatives(name: str) -> None:
    design, rows = CASES[name].design, people(1500)
    told = replies(design, rows)
    found = regress(design, told, rows)
    assert found.coefficients == pytest.approx(brute_force(design, told, rows), abs=2e-5)


def test_the_coefficients_of_three_answers_are_those_of_a_search_without_derivatives() -> None:
    design, rows = kary(["never", "once", "often"], truth="7/10"), people(1200)[:, :1]
    with seeded("three answers"):
        told = design.release(np.random.default_rng(2).integers(0, 3, len(rows)))
    found = regress(design, told, rows)
    assert found.coefficients == pytest.approx(brute_force(design, told, rows), abs=5e-5)


def test_replies_of_more_kinds_than_answers_can_be_regressed() -> None:
    design, rows = kuk("4/5", "1/5", draws=2), people(1500)
    told = replies(design, rows)
    found = regress(design, told, rows)
    assert found.coefficients == pytest.approx(brute_force(design, told, rows), abs=2e-5)


@pytest.mark.parametrize("size", [2, 3])
def test_the_covariance_is_the_inverse_of_the_measured_curvature(size: int) -> None:
    design, rows = kary([str(i) for i in range(size)], truth="4/5"), people(800)
    with seeded("curvature"):
        told = design.release(np.random.default_rng(3).integers(0, size, len(rows)))
    found = regress(design, told, rows)
    step, flat = 1e-3, found.coefficients.reshape(-1)
    chances = np.array(
        [[float(design.matrix.chance(x, y)) for y in range(size)] for x in range(size)]
    )
    wide = np.column_stack([np.ones(len(rows)), rows])

    def value(place: Floats) -> float:
        logits = np.column_stack([np.zeros(len(rows)), wide @ place.reshape(size - 1, -1).T])
        shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        return float(np.log((shares * chances[:, told].T).sum(axis=1)).sum())

    curved = np.empty((len(flat), len(flat)))
    unit = step * np.eye(len(flat))
    for i in range(len(flat)):
        for j in range(len(flat)):
            corners = [value(flat + a * unit[i] + b * unit[j]) for a in (1, -1) for b in (1, -1)]
            curved[i, j] = -(corners[0] - corners[1] - corners[2] + corners[3]) / (4 * step**2)
    assert np.linalg.inv(found.covariance) == pytest.approx(curved, rel=1e-3, abs=0.02)
    assert found.log_likelihood == pytest.approx(value(flat))


def test_over_many_surveys_the_coefficients_scatter_as_the_errors_say() -> None:
    design, rows, surveys = forced("3/4"), people(1500), 200
    draw = np.random.default_rng(4)
    chance = 1 / (1 + np.exp(-(TRUTH[0] + rows @ TRUTH[1:])))
    found = []
    with seeded("scatter"):
        for _ in range(surveys):
            told = design.release((draw.random(len(rows)) < chance).astype(np.int64))
            found.append(regress(design, told, rows))
    values = np.array([each.coefficients[0] for each in found])
    stated = np.mean([each.errors[0] for each in found], axis=0)
    scores = (values.mean(axis=0) - TRUTH) / (stated / math.sqrt(surveys))
    assert np.abs(scores).max() < 4.5
    assert values.std(axis=0) == pytest.approx(stated, rel=0.2)


def test_ignoring_the_design_would_be_noticed() -> None:
    design, rows = forced("2/3"), people(20_000)
    told = replies(design, rows)
    honest = TransitionMatrix([[1, 0], [0, 1]])
    naive, found = regress(honest, told, rows), regress(design, told, rows)
    assert abs(found.coefficients[0][1] - 0.6) < 4 * found.errors[0][1]
    assert abs(naive.coefficients[0][1] - 0.6) > 8 * naive.errors[0][1]


def test_weights_that_are_equal_change_nothing_and_doubled_people_count_twice() -> None:
    design, rows = warner("4/5"), people(600)
    told = replies(design, rows)
    plain = regress(design, told, rows)
    even = regress(design, told, rows, weights=np.full(600, 3.0))
    assert even.coefficients == pytest.approx(plain.coefficients)
    assert even.covariance == pytest.approx(plain.covariance)
    heavy = np.where(np.arange(600) < 100, 2.0, 1.0)
    twice = np.concatenate([np.arange(600), np.arange(100)])
    weighed = regress(design, told, rows, weights=heavy)
    assert weighed.coefficients == pytest.approx(
        regress(design, told[twice], rows[twice]).coefficients
    )


def test_predictions_average_to_the_share_that_was_estimated() -> None:
    """With an intercept the score of the first coefficient says so, for two kinds of reply and one
    group.
    """
    design = forced("3/4")
    told = np.array([0] * 300 + [1] * 100)
    found = regress(design, told, {"x": np.tile([0.0, 1.0], 200)})
    shares = found.predict({"x": np.tile([0.0, 1.0], 200)})[:, 1]
    assert shares.mean() == pytest.approx(float(design.estimate(told)["yes"].value), abs=1e-6)
    assert found.predict({"x": [0.0, 1.0]}).sum(axis=1) == pytest.approx([1, 1])


def test_a_table_shows_every_coefficient_by_its_name() -> None:
    design, rows = kary(["never", "once", "often"], truth="4/5"), people(900)
    with seeded("table"):
        told = design.release(np.random.default_rng(3).integers(0, 3, len(rows)))
    shown = str(regress(design, told, {"age": rows[:, 0], "man": rows[:, 1]}))
    for line in ("once: intercept", "once: age", "often: man"):
        assert line in shown


@pytest.mark.parametrize(
    ("covariates", "kind"),
    [
        ([[1.0], [2.0]], ShapeError),
        ([1.0, 2.0, 3.0], ShapeError),
        ({"a": [1, 2, 3], "b": [1, 2]}, ShapeError),
        ({}, ShapeError),
        ({"a": [1, 2, math.nan]}, DataError),
        ({"a": [1, 1, 1]}, CalibrationError),
        ({"a": [0, 1, 1]}, CalibrationError),
    ],
)
def test_covariates_that_do_not_serve_are_refused(covariates: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        regress(warner(), [0, 1, 1], covariates)


def test_a_group_without_any_yes_to_spare_has_no_most_likely_coefficient() -> None:
    told = np.array([0] * 500 + [0, 1] * 250)
    with pytest.raises(CalibrationError, match="do not fix the coefficients"):
        regress(forced("2/3"), told, {"second": [0] * 500 + [1] * 500})
