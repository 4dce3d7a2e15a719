"""Samples of fixed size: closed forms, exact enumeration of all samples, and two roads to each
sum.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from shoal.accounting import account
from shoal.loss import (
    AtomicLoss,
    BoundedRangeLoss,
    DiscreteNormalLoss,
    FixedSizeLoss,
    LaplaceLoss,
    LossDistribution,
    NormalLoss,
    fixed_size_loss,
)
from shoal.loss.fixed_size import Symmetric
from shoal.loss.grid_sums import GridSum
from shoal.loss.smoothed_sum import SmoothedSum
from shoal.measures import gaussian_delta_down, gaussian_delta_up

Law = dict[object, Fraction]
COIN = AtomicLoss(((math.log(3), 0.75), (-math.log(3), 0.25)))
SOURCES: tuple[Symmetric, ...] = (
    NormalLoss(1.0),
    NormalLoss(0.01),
    LaplaceLoss(1.0),
    BoundedRangeLoss(0.7),
    DiscreteNormalLoss(1, 4.0),
    DiscreteNormalLoss(2, 4.0),
)


@pytest.mark.parametrize(("mu", "rate"), [(1.0, 0.25), (2.0, 0.5), (0.125, 0.0625)])
@pytest.mark.parametrize("epsilon", ["0", "0.01", "0.3", "1.5"])
def test_one_gaussian_release_needs_q_times_the_delta_at_the_larger_epsilon(
    mu: float, rate: float, epsilon: str
) -> None:
    found = LossDistribution.of(fixed_size_loss(NormalLoss(mu), rate)).delta(epsilon=epsilon)
    further = math.log1p(math.expm1(float(epsilon)) / rate)
    least, most = (
        rate * float(bound(Fraction(mu), Fraction(further)))
        for bound in (gaussian_delta_down, gaussian_delta_up)
    )
    assert found.low <= most * (1 + 1e-9)
    assert found.high >= least * (1 - 1e-9)
    assert found.width <= 1e-9


@pytest.mark.parametrize("source", SOURCES, ids=repr)
def test_the_pair_is_its_own_mirror_image_and_both_laws_add_up_to_1(source: Symmetric) -> None:
    found = fixed_size_loss(source, 0.3)
    assert isinstance(found, FixedSizeLoss)
    mass, other = found.masses(np.array([-np.inf, -0.2, 0.2, np.inf]))
    assert mass == pytest.approx(other[::-1], rel=1e-9)
    assert float(mass.sum()) == pytest.approx(1, rel=1e-12)
    assert float(other.sum()) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("source", SOURCES, ids=repr)
def test_above_0_delta_is_that_of_a_poisson_sample_with_the_person_in_it(source: Symmetric) -> None:
    found = fixed_size_loss(source, 0.3)
    assert isinstance(found, FixedSizeLoss)
    for epsilon in (0.0, 0.05, 0.2):
        mass, other = found.tails(epsilon)
        inside = math.log1p(math.expm1(epsilon) / 0.3)
        first, second = (float(each[0]) for each in source.between(np.array([inside, np.inf])))
        exact = 0.3 * (first - math.exp(inside) * second)
        assert mass - math.exp(epsilon) * other == pytest.approx(exact, rel=1e-9, abs=1e-15)


def test_atoms_and_pieces_of_the_same_law_agree() -> None:
    atoms = fixed_size_loss(COIN, 0.2)
    assert isinstance(atoms, AtomicLoss)
    assert sum(mass for _, mass in atoms.atoms) == pytest.approx(1, rel=1e-14)
    assert sum(mass * math.exp(-loss) for loss, mass in atoms.atoms) == pytest.approx(1, rel=1e-14)
    top = math.log(1 + 0.2 * 2)
    delta = LossDistribution.of(atoms).delta(epsilon=math.log(1.1))
    assert delta.high == pytest.approx(0.2 * (0.75 - 1.5 * 0.25), rel=1e-9)
    assert atoms.largest == pytest.approx(top)


def _sampled(rows: tuple[int, ...], size: int, choice: dict[tuple[int, ...], int]) -> Law:
    """The law of a coin that is right three times in four about a function of a sample."""
    law: Law = {0: Fraction(0), 1: Fraction(0)}
    samples = list(combinations(rows, size))
    for sample in samples:
        right = choice[tuple(sorted(sample))]
        law[right] += Fraction(3, 4) / len(samples)
        law[1 - right] += Fraction(1, 4) / len(samples)
    return law


def _delta(one: Law, other: Law, grown: Fraction) -> Fraction:
    return sum((max(Fraction(0), p - grown * other[o]) for o, p in one.items()), Fraction(0))


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize(
    "grown", [Fraction(1, 2), Fraction(9, 10), 1, Fraction(11, 10), Fraction(3, 2)]
)
def test_no_function_of_a_sample_needs_more_and_one_needs_as_much(
    size: int, grown: Fraction
) -> None:
    chance = random.Random(size)
    values = range(3)
    source = fixed_size_loss(COIN, size / 4)
    assert isinstance(source, AtomicLoss)
    bound = sum(
        max(0.0, mass * (1 - float(grown) * math.exp(-loss))) for loss, mass in source.atoms
    )
    worst = Fraction(0)
    for _ in range(200):
        keys = product(values, repeat=size)
        choice = {tuple(sorted(key)): chance.randrange(2) for key in keys}
        rows = chance.choice(((0, 0, 0), (0, 0, 1), (0, 1, 2)))
        laws = [_sampled((*rows, last), size, choice) for last in values]
        worst = max(worst, *(_delta(one, other, grown) for one, other in product(laws, laws)))
    assert float(worst) <= bound * (1 + 1e-12)
    if grown >= 1:  # attained
        assert float(worst) >= bound * (1 - 1e-12)


def test_two_samples_of_one_coin_need_at_most_the_sum_of_two_losses() -> None:
    choice: dict[tuple[int, ...], int] = {(0, 0): 0, (0, 1): 1, (1, 1): 1}
    one, other = (_sampled(rows, 2, choice) for rows in ((0, 0, 0, 0), (0, 0, 0, 1)))
    losses = LossDistribution.of(fixed_size_loss(COIN, 0.5)).times(2)
    for grown in (Fraction(1), Fraction(6, 5), Fraction(3, 2)):
        both = [
            {key: law[key[0]] * law[key[1]] for key in product((0, 1), repeat=2)}
            for law in (one, other)
        ]
        needed = max(_delta(both[0], both[1], grown), _delta(both[1], both[0], grown))  # type: ignore[arg-type]
        assert losses.delta(epsilon=math.log(grown)).high >= float(needed) * (1 - 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "rate", "times"),
    [
        (NormalLoss(1.0), 0.1, 50),
        (LaplaceLoss(1.0), 0.1, 50),
        (DiscreteNormalLoss(1, 4.0), 0.05, 20),
        (LaplaceLoss(1.0), 0.999999, 20),
        (BoundedRangeLoss(0.7), 0.5, 30),
    ],
    ids=repr,
)
def test_the_grid_and_the_smoothed_payoff_agree(source: Symmetric, rate: float, times: int) -> None:
    sources = ((fixed_size_loss(source, rate), times),)
    smooth, grid = SmoothedSum(sources).epsilon(1e-5), GridSum(sources).epsilon(1e-5)
    assert smooth is not None
    assert max(smooth.low, grid.low) <= min(smooth.high, grid.high)
    assert smooth.width < 1e-3
    assert grid.width < 1e-3


def test_many_samples_of_a_fine_lattice_approach_those_of_continuous_noise() -> None:
    lattice = account(
        "geometric scale=50 sensitivity=50 | sampled_without_replacement size=1 of=10 | x 30"
    )
    smooth = account("laplace scale=1 | sampled_without_replacement size=1 of=10 | x 30")
    found = [one.bracket(delta="1e-5").high for one in (lattice, smooth)]
    assert found[0] == pytest.approx(found[1], rel=2e-2)


def test_noise_without_a_fixed_size_loss_is_left_to_the_other_measures() -> None:
    skellam = account("skellam variance=20 | sampled_without_replacement size=1 of=10")
    assert skellam.losses is None
    assert skellam.epsilon(delta="1e-6").measure == "Renyi"


def test_an_account_of_samples_of_fixed_size_is_far_below_the_renyi_bound_and_claims_no_lower_end() -> (
    None
):
    whole = account("gaussian sigma=1 | sampled_without_replacement size=10 of=1000 | x 100")
    found = {bound.measure: bound for bound in whole.all(delta="1e-6")}
    assert found["LossDistribution"].epsilon < found["Renyi"].epsilon * Fraction(3, 4)
    assert whole.epsilon(delta="1e-6").lower is None
    one = account("gaussian sigma=1 | sampled_without_replacement size=10 of=1000")
    alone = one.epsilon(delta="1e-6")
    assert alone.lower is not None
    assert alone.lower == pytest.approx(float(alone.epsilon), rel=1e-6)
    assert one.plus(one.event).epsilon(delta="1e-6").lower is None
    several = account("(gaussian sigma=1 | x 2) | sampled_without_replacement size=10 of=1000")
    assert several.epsilon(delta="1e-6").lower is None
    everyone = account("gaussian sigma=1 | sampled_without_replacement size=10 of=10")
    assert everyone.epsilon(delta="1e-6").lower is not None
