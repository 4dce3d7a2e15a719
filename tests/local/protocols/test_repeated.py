from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.laws_of_noise.goodness import ACCEPTED, fit_counts

from shoal.errors import RangeError, ShapeError
from shoal.local import EvenOdds, TransitionMatrix
from shoal.local.protocols.oracles import KaryResponse
from shoal.local.protocols.repeated import RepeatedHash, RepeatedResponse
from shoal.noise.seam import seeded


def matrix(oracle: KaryResponse) -> TransitionMatrix:
    odds = oracle.odds
    return TransitionMatrix.of_odds(EvenOdds(oracle.size, odds.numerator, odds.denominator))


@pytest.mark.parametrize("size", [2, 3, 10, 100])
@pytest.mark.parametrize(("lifetime", "single"), [(2, 1), (4, "0.5"), ("1.5", "1.4")])
def test_two_rounds_are_exactly_one_response_with_the_odds_asked_for(
    size: int, lifetime: str, single: str
) -> None:
    made = RepeatedResponse.for_epsilons(lifetime, single=single, size=size)
    both = matrix(made.first).then(matrix(made.fresh))
    assert both.ratio == made.odds == made.together.odds
    assert both.chance(0, 0) == made.together.support[0]
    assert float(made.lifetime_epsilon) <= float(lifetime)
    assert math.log(made.odds) <= float(single)


@pytest.mark.parametrize(
    ("size", "lifetime", "single", "published", "exact"),
    [
        (5, 2, 1, 2.89, 1.94),
        (10, 2, 1, 9.77, 3.63),
        (100, 2, 1, 3057, 34.1),
        (100, 4, 2, 16.2, 2.58),
    ],
)
def test_the_exact_second_round_has_less_variance_than_the_published_one(
    size: int, lifetime: int, single: int, published: float, exact: float
) -> None:
    made = RepeatedResponse.for_epsilons(lifetime, single=single, size=size)
    a, b = made.lifetime_odds, made.odds
    second = matrix(KaryResponse(size, (a * b - 1) / (a - b)))
    told = matrix(made.first).then(second).ratio
    assert told is not None
    assert float(KaryResponse(size, told).variance(0)) == pytest.approx(published, rel=5e-3)
    assert float(made.together.variance(0)) == pytest.approx(exact, rel=5e-3)


def test_reports_of_two_rounds_have_the_law_of_one() -> None:
    made = RepeatedResponse.for_epsilons(2, single=1, size=4)
    with seeded("rounds"):
        told = made.report_again(made.permanent(np.full(60_000, 2)))
    counts = np.bincount(told, minlength=4)
    assert fit_counts(counts, [float(made.together.chance(2, y)) for y in range(4)]) > ACCEPTED
    assert fit_counts(counts, [float(made.first.chance(2, y)) for y in range(4)]) < ACCEPTED


def test_a_tally_of_repeated_reports_is_unbiased() -> None:
    made = RepeatedResponse.for_epsilons(3, single=1, size=5)
    values = np.arange(50_000) % 2
    with seeded("tally"):
        found = made.tally().add(made.report_again(made.permanent(values))).estimate()
    truth = [0.5, 0.5, 0, 0, 0]
    assert np.abs(found.frequencies - truth).max() < 5 * found.standard_errors.max()


def test_hashed_people_report_with_the_support_of_local_hashing() -> None:
    made = RepeatedHash.for_epsilons(2, single=1, size=300)
    with seeded("hashed"):
        people = made.start(60_000)
        told = made.report(people, np.full(60_000, 123))
    speaking = made.together.speaking_for(told, [123, 124, 0])
    own, other = (float(chance) for chance in made.together.support)
    for count, chance in zip(speaking, (own, other, other), strict=True):
        assert fit_counts(np.array([count, 60_000 - count]), [chance, 1 - chance]) > ACCEPTED
    assert made.lifetime_epsilon <= 2
    assert float(made.together.variance(0)) == pytest.approx(3.69, abs=0.01)


def test_a_person_shows_the_same_kept_answers_whatever_value_of_a_bucket_they_have() -> None:
    """Two values in one bucket lead to reports with one law given what the person keeps; here the
    kept answer is told very often.
    """
    made = RepeatedHash(100, 4, Fraction(2), Fraction(19, 10))
    with seeded("same"):
        people = made.start(1)
        buckets = made.together.buckets_of(np.repeat(people.hashes, 100, axis=0), np.arange(100))
        one, two = np.flatnonzero(buckets == buckets[0])[:2]
        many = type(people)(
            np.repeat(people.hashes, 40_000, axis=0), np.repeat(people.answers, 40_000, axis=0)
        )
        told = [made.report(many, np.full(40_000, value))[:, 1] for value in (one, two)]
    shares = [np.unique(each, return_counts=True)[1] / 40_000 for each in told]
    assert np.abs(shares[0] - shares[1]).max() < 0.015


def test_a_single_report_that_costs_more_than_a_lifetime_is_refused() -> None:
    with pytest.raises(RangeError, match="lifetime"):
        RepeatedResponse.for_epsilons(1, single=2, size=3)
    with pytest.raises(ShapeError):
        made = RepeatedHash.for_epsilons(2, single=1, size=10)
        made.report(made.start(3), [1, 2])
