"""The parts of the attacks that compute: they find what is there to be found, and nothing where
nothing is.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from shoal.auditing import reachable_doubles
from shoal.auditing.attacks import (
    belief_change,
    linkage,
    name_and_shame,
    published_tables,
    reconstruction,
)
from shoal.interpret import posterior_interval
from shoal.measures import Pure
from shoal.mechanisms import Gaussian, Laplace
from shoal.noise import uniform_below
from shoal.noise.seam import seeded

# reconstruction


@pytest.mark.parametrize("decoder", reconstruction.DECODERS)
def test_exact_counts_of_random_groups_give_every_bit(decoder: str) -> None:
    with seeded(1):
        bits = uniform_below(2, 30).astype(np.int64)
        asked = uniform_below(2, 90 * 30).reshape(90, 30).astype(np.int64)
    found = reconstruction.DECODERS[decoder](asked, (asked @ bits).astype(np.float64))
    assert (found == bits).all()


def test_the_linear_program_bears_some_answers_that_are_wildly_wrong() -> None:
    with seeded(2):
        bits = uniform_below(2, 30).astype(np.int64)
        asked = uniform_below(2, 120 * 30).reshape(120, 30).astype(np.int64)
    answers = (asked @ bits).astype(np.float64)
    answers[:12] += 1000
    assert (reconstruction.by_linear_program(asked, answers) == bits).all()
    assert (reconstruction.by_least_squares(asked, answers) != bits).any()


# tables


def test_the_integers_found_add_up_to_the_margins_published() -> None:
    with seeded(3):
        block = published_tables.made_up()
    shown = block.published(published_tables.LEAST)
    told = block.counts().astype(np.float64)
    found = published_tables.solved(block, told, shown)
    assert np.abs(found - np.rint(found)).max() < 1e-6
    assert np.abs((block.cells @ found - told)[shown]).max() < 1e-6
    assert not shown.all()


def test_every_person_stands_in_one_cell_of_each_table() -> None:
    with seeded(4):
        block = published_tables.made_up()
    assert int(block.sizes.sum()) == published_tables.PEOPLE * len(published_tables.PAIRS)
    assert int(block.counts().sum()) == int(block.ill.sum()) * len(published_tables.PAIRS)


# linkage


def test_a_person_of_whom_all_is_known_is_found_and_one_of_whom_nothing_is_true_is_not() -> None:
    with seeded(5):
        ratings = linkage.made_up(300)
        known = [linkage.remembered(ratings, each, 8, 0, 0) for each in range(40)]
        false = [linkage.remembered(ratings, each, 8, 8, None) for each in range(40)]
    assert [linkage.found(ratings, memory) for memory in known] == list(range(40))
    assert sum(linkage.found(ratings, memory) == who for who, memory in enumerate(false)) <= 4


def test_made_up_people_rate_no_title_twice_and_at_most_as_many_as_the_noise_is_for() -> None:
    with seeded(6):
        ratings = linkage.made_up(200)
    for person in range(200):
        titles = ratings.title[ratings.of(person)]
        assert 1 <= len(titles) == len(set(titles.tolist())) <= linkage.MOST
    assert sum(map(len, ratings.raters)) == len(ratings.title)


# floats


@pytest.mark.parametrize("count", [0.0, 1.0])
@pytest.mark.parametrize("scale", [10.0, 320.0])
def test_naive_laplace_answers_are_explained_by_the_truth_and_many_not_by_another_count(
    count: float, scale: float
) -> None:
    with seeded(7):
        answers = reachable_doubles.naive_laplace(np.full((1, 4000), count), scale)
    assert reachable_doubles.laplace_can(answers, count, scale).mean() > 0.999
    assert reachable_doubles.laplace_can(answers, 1 - count, scale).mean() < 0.8


@pytest.mark.parametrize("count", [0.0, 1.0])
def test_naive_gaussian_answers_are_explained_by_the_truth_and_many_not_by_another_count(
    count: float,
) -> None:
    with seeded(8):
        answers = reachable_doubles.naive_gaussian(np.full((1, 4000), count), 40.0)
    assert reachable_doubles.gaussian_can(answers, count, 40.0).mean() > 0.99
    assert reachable_doubles.gaussian_can(answers, 1 - count, 40.0).mean() < 0.8


def test_naive_noise_has_the_spread_it_says() -> None:
    with seeded(9):
        laplace = reachable_doubles.naive_laplace(np.zeros((1, 20_000)), 10.0)
        normal = reachable_doubles.naive_gaussian(np.zeros((1, 20_000)), 10.0)
    assert np.abs(laplace).mean() == pytest.approx(10, rel=0.04)
    assert normal.std() == pytest.approx(10, rel=0.03)


@pytest.mark.parametrize("law", ["Laplace", "Gaussian"])
def test_answers_of_shoal_are_explained_as_often_by_one_count_as_by_the_other(law: str) -> None:
    with seeded(10):
        if law == "Laplace":
            answers = Laplace(scale=320, sensitivity=1).release(np.ones((1, 4000)))
            found = [
                reachable_doubles.laplace_can(answers, count, 320.0).mean() for count in (0.0, 1.0)
            ]
        else:
            answers = Gaussian(sigma=320, sensitivity=1).release(np.ones((1, 4000)))
            found = [
                reachable_doubles.gaussian_can(answers, count, 320.0).mean() for count in (0.0, 1.0)
            ]
    assert abs(found[0] - found[1]) < 0.05


# name and shame


@pytest.mark.parametrize("expected", [Fraction(1, 2), Fraction(1), Fraction(2)])
def test_name_and_shame_publishes_somebody_as_often_as_its_delta_says(expected: Fraction) -> None:
    with seeded(11):
        score = name_and_shame.name_and_shame(expected / name_and_shame.PEOPLE, 1000)
    assert (
        abs(score.rate - float(1 - (1 - expected / name_and_shame.PEOPLE) ** name_and_shame.PEOPLE))
        < 0.06
    )


# belief


@pytest.mark.parametrize("prior", belief_change.PRIORS)
def test_no_belief_leaves_the_interval_and_both_of_its_ends_are_met(prior: str) -> None:
    answers = np.arange(-50, 52)
    after = belief_change.posteriors(float(prior), answers, 0.1)
    low, high = posterior_interval(Pure("0.1"), prior)
    assert after.min() == pytest.approx(float(low), rel=1e-12)
    assert after.max() == pytest.approx(float(high), rel=1e-12)


def test_beliefs_are_right_as_often_as_they_say() -> None:
    with seeded(12):
        truth, after = belief_change._beliefs(0.3, Fraction(1), 20_000)
    for belief in np.unique(after):
        said = after == belief
        assert abs(truth[said].mean() - belief) < 0.02
