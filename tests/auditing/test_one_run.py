from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.auditing.one_run import audit_learner, one_run
from shoal.errors import DataError, RangeError
from shoal.measures import Approx
from shoal.mechanisms import Gaussian
from shoal.noise import uniform_below
from shoal.noise.seam import seeded

CANARIES = 400
DELTA = "1e-5"
Vector = NDArray[np.float64]
Learner = Callable[[NDArray[np.bool_]], Vector]


def coins(m: int, seed: int) -> NDArray[np.bool_]:
    with seeded(seed):
        return np.asarray(uniform_below(2, m) == 1)


def clipped(gradients: Vector, norm: float) -> Vector:
    lengths = np.linalg.norm(gradients, axis=1, keepdims=True)
    return np.asarray(gradients / np.maximum(1, lengths / norm))


def noisy_mean(*, clip: bool) -> Learner:
    """The sum of the rows, clipped to length 1, with noise for epsilon 1; canaries are long and
    orthogonal.
    """
    noise = Gaussian.for_budget(Approx(1, DELTA), sensitivity=1)

    def learn(included: NDArray[np.bool_]) -> Vector:
        rows = 20.0 * np.eye(CANARIES)[included]
        return np.asarray(noise.release((clipped(rows, 1.0) if clip else rows).sum(axis=0)))

    return learn


def noisy_sgd(*, clip: bool, steps: int = 5) -> Learner:
    """Logistic regression by noisy gradients, all rows in each step; the noise is for epsilon 1
    over all steps.
    """
    once = Gaussian.for_budget(Approx(1, DELTA), sensitivity=1)
    noise = Gaussian(sigma=float(once.sigma) * steps**0.5, sensitivity=1)

    def learn(included: NDArray[np.bool_]) -> Vector:
        rows, weights = 30.0 * np.eye(CANARIES)[included], np.zeros(CANARIES)
        for _ in range(steps):
            slopes = -rows / (1 + np.exp(rows @ weights))[:, None]
            total = (clipped(slopes, 1.0) if clip else slopes).sum(axis=0)
            weights = weights - 0.1 * np.asarray(noise.release(total))
        return weights

    return learn


def score(released: Vector) -> Vector:
    return released


LEARNERS = pytest.mark.parametrize("learner", [noisy_mean, noisy_sgd])


@LEARNERS
def test_a_learner_that_forgets_to_clip_is_refuted(learner: Callable[..., Learner]) -> None:
    with seeded(7):  # the bound is a chance: from 1.1 to 2 for noisy gradients
        found = audit_learner(
            learner(clip=False), score, CANARIES, epsilon=1, delta=DELTA, confidence="0.99"
        )
    assert found.refuted
    assert float(dict(found.figures)["epsilon, at least"]) > 1


@LEARNERS
def test_a_learner_that_clips_is_let_pass(learner: Callable[..., Learner]) -> None:
    found = audit_learner(
        learner(clip=True), score, CANARIES, epsilon=1, delta=DELTA, confidence="0.999"
    )
    assert not found.refuted
    assert float(dict(found.figures)["epsilon, at least"]) < 1


def responses(included: NDArray[np.bool_], epsilon: float) -> Vector:
    """Each coin is told by randomized response: the learner that is guessed best."""
    lies = uniform_below(1 << 53, included.size) < (1 << 53) / (1 + np.exp(epsilon))
    return np.asarray(np.where(lies, ~included, included), dtype=np.float64)


def test_randomized_response_is_certified_to_nearly_its_epsilon() -> None:
    thrown = coins(20_000, 1)
    with seeded(2):
        told = responses(thrown, 1.0)
    found = one_run(thrown, told, epsilon="0.9")
    assert found.refuted
    assert 0.95 < float(dict(found.figures)["epsilon, at least"]) < 1


@pytest.mark.audit
def test_a_private_learner_is_refuted_no_more_often_than_the_confidence_allows() -> None:
    alarms = 0
    for seed in range(400):
        thrown = coins(200, seed)
        with seeded(f"{seed}/told"):
            told = responses(thrown, 1.0)
        alarms += one_run(thrown, told, epsilon=1, seed=seed).refuted
    assert alarms <= 33  # at most 5 % of 400, and three standard deviations


def test_the_order_of_the_rows_has_no_say_where_scores_are_equal() -> None:
    sorted_rows = np.arange(1000) < 500
    found = one_run(sorted_rows, np.zeros(1000), epsilon=0)
    assert not found.refuted


def test_canaries_that_are_left_open_do_not_count_as_wrong() -> None:
    thrown = coins(1000, 3)
    told = np.where(np.arange(1000) < 40, np.where(thrown, 5.0, -5.0), 0.0)
    few, every = (one_run(thrown, told, epsilon=1, guesses=each) for each in (30, 1000))
    assert few.refuted
    assert not every.refuted


def test_the_number_of_guesses_is_chosen_by_the_audit_if_it_is_not_given() -> None:
    thrown = coins(1000, 3)
    told = np.where(np.arange(1000) < 150, np.where(thrown, 5.0, -5.0), 0.0)
    assert one_run(thrown, told, epsilon=1).refuted


def test_without_a_claim_there_is_a_bound_and_no_verdict() -> None:
    thrown = coins(100, 4)
    found = one_run(thrown, thrown.astype(float), delta="1e-5")
    assert not found.refuted
    assert found.p_value is None
    assert float(dict(found.figures)["epsilon, at least"]) > 2.5


def test_the_guesses_that_are_right_are_counted_at_both_ends() -> None:
    thrown = np.array([1, 0] * 20, dtype=bool)
    found = one_run(thrown, thrown.astype(float), guesses=40)
    assert dict(found.figures)["right"] == 40


def test_canaries_that_were_all_in_are_refused() -> None:
    with pytest.raises(DataError, match="fair coins"):
        one_run(np.ones(100), np.zeros(100))


@pytest.mark.parametrize(
    ("included", "scores"),
    [([1, 0], [0.5]), ([], []), ([1, 2], [0.1, 0.2]), ([1, 0], [float("nan"), 0.1])],
)
def test_what_is_no_list_of_coins_and_scores_is_refused(included: Any, scores: Any) -> None:
    with pytest.raises(DataError):
        one_run(included, scores)


def test_more_guesses_than_canaries_are_refused() -> None:
    with pytest.raises(RangeError, match="at most the number of canaries"):
        one_run([1, 0], [0.1, 0.2], guesses=3)
