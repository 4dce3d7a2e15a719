"""The loss above all shuffles of answers to one bit, against what every instance of few people
needs.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from tests.accounting.test_shuffled_count import count_law, needed

from shoal.accounting import account, shuffled_binary_delta_up, shuffled_binary_epsilon_up
from shoal.accounting.shuffled_loss import shuffled_binary_loss
from shoal.events import Composed, Gaussian, Group, RandomizedResponse, Repeated, Shuffled
from shoal.loss import LossDistribution

THREE = Fraction(3)
LOCAL = math.log(3)


@pytest.mark.parametrize("people", [2, 3, 5, 9])
def test_the_loss_needs_at_least_what_every_instance_needs_at_every_epsilon(people: int) -> None:
    loss = shuffled_binary_loss(LOCAL, people=people)
    assert loss is not None
    for epsilon in np.linspace(0, LOCAL, 50)[:-1]:
        gain = Fraction(math.exp(epsilon))
        worst = max(max(needed(THREE, m, people - 1 - m, gain)) for m in range(people))
        found = loss.delta_alone(Fraction(epsilon), Fraction(epsilon))
        assert float(worst) * (1 - 1e-12) <= found.high
        assert found.high <= float(worst) * 1.02 + 1e-3


@pytest.mark.slow
@pytest.mark.parametrize(("local", "people"), [(1, 2), (1, 7), (2, 1000), (1, 10**4), (6, 10**7)])
def test_the_loss_is_a_law_and_its_own_mirror_image(local: int, people: int) -> None:
    loss = shuffled_binary_loss(local, people=people)
    assert loss is not None
    masses = dict(loss.atoms)
    assert math.isclose(sum(masses.values()) + loss.infinite, 1)
    assert all(mass >= 0 for mass in masses.values())
    assert loss.infinite <= 1e-30
    for place, mass in loss.atoms:
        assert math.isclose(masses[-place], mass * math.exp(-place), rel_tol=1e-12)


@pytest.mark.parametrize("local", [1, 2])
def test_one_shuffle_costs_by_its_loss_hardly_more_than_counted(local: int) -> None:
    loss = shuffled_binary_loss(local, people=1000)
    assert loss is not None
    by_loss = loss.epsilon_alone(Fraction(1, 10**6)).high
    counted = float(shuffled_binary_epsilon_up(local, people=1000, delta="1e-6"))
    assert counted <= by_loss <= counted * 1.002


def test_no_two_instances_together_need_more_than_two_losses() -> None:
    """Each shuffle with its own others, and the person's values changing each their own way."""
    people = 3
    loss = shuffled_binary_loss(LOCAL, people=people)
    assert loss is not None
    both = LossDistribution.of(loss).times(2)
    pairs = []
    for m in range(people):
        p = np.array(count_law(THREE, m + 1, people - 1 - m), dtype=float)
        q = np.array(count_law(THREE, m, people - m), dtype=float)
        pairs += [(p, q), (q, p)]
    for epsilon in (0.0, 0.3, 1.0, 1.9):
        worst = max(
            float(np.clip(np.outer(p, s) - math.exp(epsilon) * np.outer(q, t), 0, None).sum())
            for (p, q), (s, t) in product(pairs, repeat=2)
        )
        found = both.delta(epsilon=epsilon).high
        # of three people no single instance is the worst at all epsilons, so two losses need more
        # than two instances
        assert worst * (1 - 1e-12) <= found <= worst * 1.2 + 1e-3


@pytest.mark.slow
def test_many_shuffles_cost_less_by_their_losses_than_by_their_divergences() -> None:
    shuffle = Shuffled(RandomizedResponse(2, epsilon=1), 10_000)
    many = account(Repeated(shuffle, 100))
    found = {bound.measure: float(bound.epsilon) for bound in many.all(delta="1e-6")}
    assert abs(found["LossDistribution"] - 0.41669) < 1e-4
    assert abs(found["Renyi"] - 0.5505) < 1e-3
    best = many.epsilon(delta="1e-6")
    assert best.lower is None
    assert float(many.delta(epsilon=best.epsilon).delta) <= 1.001e-6


def test_a_hundred_shuffles_cost_at_least_what_one_instance_of_them_does() -> None:
    """All others hold a one in every shuffle: the sum of a hundred such losses, by a normal law
    with its third moment.
    """
    odds, people, times = math.e, 10_000, 100
    held = odds / (1 + odds)
    count = np.arange(people + 1)
    logs = np.cumsum(np.log((people - count[:-1]) / (count[:-1] + 1) * odds))
    others = np.exp(np.concatenate([[0.0], logs]) - people * math.log1p(odds))
    # compared with all n holding a one, the other law has the weight (x / E + (n - x) E) / n
    loss = -np.log((count / odds + (people - count) * odds) / people)
    mean = float(others @ loss)
    deviation = math.sqrt(float(others @ (loss - mean) ** 2))
    assert math.isclose(float(others @ count) / people, held, rel_tol=1e-9)
    mu = deviation * math.sqrt(times)
    lowest = account(Gaussian(1 / mu, 1)).epsilon(delta="1e-6").epsilon
    found = account(Repeated(Shuffled(RandomizedResponse(2, epsilon=1), people), times))
    assert (
        float(lowest) * 0.99 <= float(found.epsilon(delta="1e-6").epsilon) <= float(lowest) * 1.02
    )


def test_a_shuffle_is_added_to_other_releases_by_its_loss_and_in_groups_as_before() -> None:
    shuffle = Shuffled(RandomizedResponse(2, epsilon=1), 1000)
    noise = Gaussian(8, 1, relation="change")
    found = account(Composed([shuffle, noise])).epsilon(delta="1e-6")
    assert found.measure == "LossDistribution"
    alone = account(shuffle).epsilon(delta="5e-7").epsilon
    assert alone < found.epsilon < alone + account(noise).epsilon(delta="5e-7").epsilon
    assert account(Group(shuffle, 2)).epsilon(delta="1e-6").measure != "LossDistribution"


def test_a_loss_is_left_out_where_it_says_nothing() -> None:
    assert shuffled_binary_loss(0, people=10) is None
    assert shuffled_binary_loss(61, people=10) is None
    one = account(Shuffled(RandomizedResponse(2, epsilon=1), 1000))
    assert one.delta(epsilon="0.1").delta == shuffled_binary_delta_up(1, people=1000, epsilon="0.1")
