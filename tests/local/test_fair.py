"""Fair's survey of extramarital affairs (1978): 6366 women, as it comes with statsmodels."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.local import Design, TransitionMatrix, forced, kary, regress
from shoal.noise.seam import seeded

COVARIATES = ["rate_marriage", "age", "yrs_married", "children", "religious"]

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    statsmodels = pytest.importorskip(
        "statsmodels.api", reason="statsmodels, which brings Fair's data, is not installed"
    )


@pytest.fixture(scope="module")
def fair() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return statsmodels.datasets.fair.load_pandas().data


def covariates(fair: Any) -> dict[str, NDArray[np.float64]]:
    return {name: fair[name].to_numpy(dtype=np.float64) for name in COVARIATES}


def direct(size: int) -> TransitionMatrix:
    return TransitionMatrix(np.eye(size, dtype=int).tolist())


def rows(fair: Any) -> Any:
    return np.column_stack([np.ones(len(fair)), *covariates(fair).values()])


def test_true_answers_give_the_logistic_regression_of_statsmodels(fair: Any) -> None:
    had = (fair["affairs"] > 0).to_numpy(dtype=np.int64)
    theirs = statsmodels.Logit(had, rows(fair)).fit(disp=0)
    ours = regress(direct(2), had, covariates(fair))
    assert ours.coefficients[0] == pytest.approx(theirs.params, rel=1e-6)
    assert ours.errors[0] == pytest.approx(theirs.bse, rel=1e-6)
    assert ours.log_likelihood == pytest.approx(theirs.llf)


def test_true_answers_give_the_multinomial_regression_of_statsmodels(fair: Any) -> None:
    kinds = np.digitize(fair["affairs"].to_numpy(), [1e-9, 2.0])
    theirs = statsmodels.MNLogit(kinds, rows(fair)).fit(disp=0)
    ours = regress(direct(3), kinds, covariates(fair))
    assert pytest.approx(theirs.params, rel=1e-5, abs=1e-7) == ours.coefficients.T
    assert pytest.approx(theirs.bse, rel=1e-5) == ours.errors.T


@pytest.mark.parametrize(
    "design", [forced("2/3"), kary(["no", "yes"], epsilon=2)], ids=["forced", "epsilon 2"]
)
def test_replies_lead_back_to_the_regression_of_the_true_answers(fair: Any, design: Design) -> None:
    had = (fair["affairs"] > 0).to_numpy(dtype=np.int64)
    truth = regress(direct(2), had, covariates(fair))
    with seeded(f"fair {design.name}"):
        told = design.release(had)
    found = regress(design, told, covariates(fair))
    away = (found.coefficients - truth.coefficients) / found.errors
    assert np.abs(away).max() < 4
    assert (found.errors > truth.errors).all()
    naive = regress(direct(2), told, covariates(fair))
    assert np.abs((naive.coefficients - truth.coefficients) / naive.errors).max() > 6


def test_the_share_of_the_survey_is_covered_by_the_interval_of_the_replies(fair: Any) -> None:
    had = (fair["affairs"] > 0).to_numpy(dtype=np.int64)
    with seeded("fair share"):
        found = forced("2/3").estimate(forced("2/3").release(had))["yes"]
    low, high = found.interval()
    assert low < had.mean() < high
    assert high - low < 0.045
