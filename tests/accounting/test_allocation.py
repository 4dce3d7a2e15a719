"""Random allocation: divergences by lists of all outcomes, by integrals, by small numbers and by
published bounds.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from flint import ctx

from shoal.accounting import account
from shoal.accounting.allocation import (
    added_divergence_up,
    allocated_divergence_up,
    removed_divergence_up,
)
from shoal.accounting.lognormal import laplace_transform
from shoal.accounting.sampling import sampled_gaussian_divergence_up
from shoal.errors import EventError
from shoal.events import (
    Event,
    Gaussian,
    Laplace,
    PoissonSampled,
    RandomlyAllocated,
    Repeated,
    StatedApprox,
    StatedPure,
    read_events,
    write_events,
)
from shoal.measures import Approx, GaussianDP, Measure, Pure, ZeroConcentrated


def by_grid(square: float, steps: int, power: float) -> float:
    """E[r^power] by the trapezoid rule in as many dimensions as there are steps."""
    z = np.linspace(-14, 14 + power * math.sqrt(square), 281 if steps == 3 else 2001)
    weights = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) * (z[1] - z[0])
    ratio = np.exp(math.sqrt(square) * z - square / 2)
    mean = sum(
        ratio.reshape([-1 if place == axis else 1 for place in range(steps)])
        for axis in range(steps)
    )
    values = (mean / steps) ** power
    for _ in range(steps):
        values = np.tensordot(weights, values, axes=(0, 0))
    return float(values)


@pytest.mark.slow
@pytest.mark.parametrize(("square", "steps"), [("1/4", 2), (1, 2), ("3/2", 2), (1, 3), ("1/10", 3)])
@pytest.mark.parametrize("order", [2, 3, 6])
def test_both_directions_are_those_of_the_integral_over_all_steps(
    square: str | int, steps: int, order: int
) -> None:
    s = Fraction(square)
    removed = math.log(by_grid(float(s), steps, order)) / (order - 1)
    added = math.log(by_grid(float(s), steps, 1 - order)) / (order - 1)
    assert float(removed_divergence_up(s, steps, order)) == pytest.approx(removed, rel=1e-9)
    assert added * (1 - 1e-9) <= float(added_divergence_up(s, steps, order)) <= added * 1.002
    assert allocated_divergence_up(s, steps=steps, order=order) >= max(removed, added) * (1 - 1e-9)


def test_removing_costs_what_the_list_of_all_products_adds_up_to() -> None:
    steps, order, s = 4, 5, 0.7
    total = 0.0
    for chosen in itertools.product(range(steps), repeat=order):
        counts = [chosen.count(step) for step in range(steps)]
        total += math.exp(sum(k * (k - 1) for k in counts) * s / 2) / steps**order
    found = removed_divergence_up(Fraction(7, 10), steps, order)
    assert float(found) == pytest.approx(math.log(total) / (order - 1), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("square", "steps", "order"), [(1, 50, 4), ("1/4", 200, 16), (2, 30, 3)])
def test_adding_costs_what_many_draws_say(square: str | int, steps: int, order: int) -> None:
    s, draws = float(Fraction(square)), np.random.default_rng(7)
    z = draws.normal(size=(200_000, steps))
    moments = np.exp(math.sqrt(s) * z - s / 2).mean(axis=1) ** (1.0 - order)
    truth, spread = moments.mean(), moments.std() / math.sqrt(len(moments))
    found = math.exp(float(added_divergence_up(Fraction(square), steps, order)) * (order - 1))
    assert truth - 6 * spread <= found <= truth + 6 * spread


def test_the_laplace_transform_is_enclosed() -> None:
    z = np.linspace(-15, 15, 20_001)
    weights = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) * (z[1] - z[0])
    for square, v in (
        (Fraction(1), Fraction(1, 3)),
        (Fraction(4), Fraction(7)),
        (Fraction(1, 9), Fraction(20)),
    ):
        ratio = np.exp(math.sqrt(square) * z - float(square) / 2)
        with ctx.workprec(128):
            found = laplace_transform(square, v, 128)
        assert float(found.rad()) < 1e-30
        truth = float((weights * np.exp(-float(v) * ratio)).sum())
        assert float(found.mid()) == pytest.approx(truth, rel=1e-11)


def test_adding_never_costs_more_than_the_geometric_mean_says() -> None:
    """Feldman and Shenfeld 2025: (alpha + T - 1) / (2 T sigma²)."""
    for steps, order in ((10, 2), (10, 30), (1000, 8), (3, 64)):
        found = added_divergence_up(Fraction(1), steps, order)
        assert found <= Fraction(steps + order - 1, 2 * steps)


def test_allocation_costs_hardly_more_than_a_poisson_sample_for_noisy_steps() -> None:
    for square, steps, order in (("1/4", 10_000, 16), ("1/100", 100, 64), (1, 1000, 4)):
        allocated = allocated_divergence_up(square, steps=steps, order=order)
        poisson = sampled_gaussian_divergence_up(square, rate=Fraction(1, steps), order=order)
        assert poisson is not None
        assert float(allocated) == pytest.approx(steps * float(poisson), rel=0.02)


@pytest.mark.slow
def test_more_steps_and_more_noise_cost_less() -> None:
    for order in (2, 7, Fraction(9, 2)):
        by_steps = [allocated_divergence_up(1, steps=n, order=order) for n in (1, 2, 5, 30, 200)]
        by_noise = [allocated_divergence_up(s, steps=9, order=order) for s in ("3", 1, "1/5", 0)]
        assert by_steps == sorted(by_steps, reverse=True)
        assert by_noise == sorted(by_noise, reverse=True)
        assert by_steps[0] == Fraction(order) / 2
        assert by_noise[-1] == 0


def test_beyond_what_is_computed_one_step_is_the_price() -> None:
    assert allocated_divergence_up(1, steps=100, order=2000) == 1000
    assert added_divergence_up(Fraction(100), 7, 3) == Fraction(100 * 9, 14)


def test_one_step_of_an_allocation_bounds_it_in_every_measure() -> None:
    cases: list[tuple[Event, list[type[Measure]]]] = [
        (Gaussian(2, 1), [ZeroConcentrated, GaussianDP]),
        (Laplace(3, 1), [Pure, Approx, ZeroConcentrated, GaussianDP]),
        (StatedPure(1), [Pure, Approx, ZeroConcentrated, GaussianDP]),
        (StatedApprox(1, "1e-6"), [Approx]),
    ]
    for inside, measures in cases:
        for measure in measures:
            whole = account(RandomlyAllocated(inside, 50)).cost(measure)
            assert whole == account(inside).cost(measure)


def test_a_failing_mass_is_not_hidden_by_allocation() -> None:
    event = RandomlyAllocated(StatedApprox(1, "1e-6"), 50)
    assert account(event).epsilon(delta="1e-6").epsilon == 1
    assert account(event).delta(epsilon=1).delta == Fraction(1, 10**6)


@pytest.mark.slow
def test_an_epoch_of_allocation_is_cheaper_than_its_steps_known() -> None:
    event = Repeated(RandomlyAllocated(Gaussian(1, 1), 1000), 10)
    found = account(event).epsilon(delta="1e-6")
    known = account(Repeated(Gaussian(1, 1), 10)).epsilon(delta="1e-6")
    sampled = account(Repeated(PoissonSampled(Gaussian(1, 1), "0.001"), 10_000))
    rate = next(bound for bound in sampled.all(delta="1e-6") if bound.measure == "Renyi")
    assert found.lower is None
    assert 0.9 * rate.epsilon < found.epsilon < known.epsilon / 5


def test_allocation_is_written_and_is_about_rows_that_come_and_go() -> None:
    text = "gaussian sigma=1 | allocated steps=1000 | x 10"
    event = read_events(text)
    assert event == Repeated(RandomlyAllocated(Gaussian(1, 1), 1000), 10)
    assert write_events(event) == text
    with pytest.raises(EventError, match="the parts hide a row that comes or goes"):
        RandomlyAllocated(Gaussian(1, 1), 3, relation="change")
