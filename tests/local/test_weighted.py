from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from shoal.errors import RangeError, ShapeError
from shoal.local import forced, stratified_interval, warner, weighted_share
from shoal.noise.seam import seeded


def test_equal_weights_give_the_plain_estimate() -> None:
    design = forced("2/3")
    replies = np.array([1] * 30 + [0] * 70)
    plain = design.estimate(replies)["yes"]
    found = weighted_share(design, replies, weights=np.full(100, 2.5))
    assert found.value == pytest.approx(float(plain.value))
    assert found.error == pytest.approx(plain.error)
    assert found.effective_people == pytest.approx(100)
    assert found.interval() == pytest.approx(plain.interval(method="wald"))


def test_weights_undo_a_sample_that_took_too_many_of_one_kind() -> None:
    """Half of the population has 0.4, half 0.1; the sample has four times as many of the second."""
    design, people, surveys = forced("2/3"), 500, 400
    often = np.arange(people) < people // 5
    found = []
    with seeded("weights"):
        for survey in range(surveys):
            draw = np.random.default_rng(survey)
            truth = draw.random(people) < np.where(often, 0.4, 0.1)
            replies = design.release(truth.astype(int))
            weights = np.where(often, 4.0, 1.0)
            found.append(weighted_share(design, replies, weights=weights, strata=often))
    values, errors = np.array([each.value for each in found]), [each.error for each in found]
    assert values.mean() == pytest.approx(0.25, abs=5 * values.std() / math.sqrt(surveys))
    assert values.std() == pytest.approx(np.mean(errors), rel=0.15)
    assert abs(0.16 - 0.25) > 10 * values.std() / math.sqrt(surveys)  # unweighted would be noticed


def test_people_of_one_cluster_count_as_one_unit() -> None:
    design = warner()
    replies = np.repeat([0, 1, 1, 0, 1, 0, 0, 1], 5)
    alone = weighted_share(design, replies[::5], weights=np.ones(8))
    copied = weighted_share(design, replies, weights=np.ones(40), clusters=np.arange(40) // 5)
    assert copied.value == pytest.approx(alone.value)
    assert copied.error == pytest.approx(alone.error)


def test_strata_take_out_what_differs_between_them() -> None:
    replies = np.array([1] * 50 + [0] * 50)
    together = weighted_share(warner(), replies, weights=np.ones(100))
    apart = weighted_share(warner(), replies, weights=np.ones(100), strata=[1] * 50 + [2] * 50)
    assert apart.error < 1e-12 < together.error


@pytest.mark.slow
def test_a_stratified_interval_covers_by_the_sum_over_all_outcomes() -> None:
    design, shares, sizes, people = forced("2/3"), (0.05, 0.4), {"a": 3, "b": 1}, 60
    truth = 0.75 * shares[0] + 0.25 * shares[1]
    told = [float(design.floor) + float(design.lean) * share for share in shares]
    covered = 0.0
    for i in range(people + 1):
        for j in range(people + 1):
            chance = binom.pmf(i, people, told[0]) * binom.pmf(j, people, told[1])
            if chance < 1e-7:
                continue
            counts = {"a": [people - i, i], "b": [people - j, j]}
            _, (low, high) = stratified_interval(design, counts, sizes)
            covered += chance if low <= truth <= high else 0.0
    assert covered >= 0.95


def test_a_stratified_estimate_weighs_strata_by_their_people() -> None:
    counts = {"a": [45, 15], "b": [30, 30]}
    value, (low, high) = stratified_interval(forced("2/3"), counts, {"a": 300, "b": 100})
    assert value == pytest.approx(0.75 * (1 / 4 - 1 / 6) * 1.5 + 0.25 * (1 / 2 - 1 / 6) * 1.5)
    assert low < value < high


def test_weights_and_strata_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ShapeError):
        weighted_share(warner(), [0, 1], weights=[1])
    with pytest.raises(RangeError):
        weighted_share(warner(), [0, 1], weights=[1, 0])
    with pytest.raises(ShapeError, match="single cluster"):
        weighted_share(warner(), [0, 1, 1], weights=[1, 1, 1], strata=[1, 1, 2])
    with pytest.raises(ShapeError):
        weighted_share(warner(), [0, 1, 1], weights=[1, 1, 1], strata=[1, 1])
    with pytest.raises(ShapeError):
        stratified_interval(warner(), {"a": [1, 2]}, {"b": 1})
