"""Amplification by sampling, against laws worked out point by point."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import acb, arb
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.accounting.samples import (
    ORDERS,
    Floats,
    above,
    composed,
    discrete_laplace_pair,
    divergence,
    hockey_stick,
    normal_pair,
    two_point,
)

from shoal.accounting import (
    account,
    sampled_epsilon_up,
    sampled_gaussian_divergence_up,
    sampled_pure_divergence_up,
)
from shoal.accounting.mixture_moments import is_quick
from shoal.accounting.pricing import total
from shoal.accounting.quantities import divergence as at
from shoal.accounting.sampling import (
    HIGHEST_ORDER,
    between_orders,
    fixed_size_divergence_up,
    sampled_divergence_up,
)
from shoal.errors import RangeError
from shoal.events import (
    Composed,
    DiscreteGaussian,
    Gaussian,
    Geometric,
    Laplace,
    NonPrivate,
    PoissonSampled,
    Repeated,
    SampledWithoutReplacement,
    StatedApprox,
    StatedPure,
)
from shoal.exact import at_precision, ball
from shoal.measures import Approx, Pure

some = settings(derandomize=True, deadline=None, max_examples=60)
weights = st.lists(st.floats(0.02, 1), min_size=4, max_size=4)
rates = st.sampled_from([0.01, 0.1, 0.5, 0.9])


def law(numbers: list[float]) -> Floats:
    return np.array(numbers) / sum(numbers)


@some
@given(epsilon=st.floats(0.01, 6), rate=rates)
def test_the_sampled_epsilon_is_the_one_of_randomized_response(epsilon: float, rate: float) -> None:
    p, q = two_point(epsilon)
    mixed = (1 - rate) * q + rate * p
    truth = float(np.max(np.abs(np.log(mixed / q))))
    assert above(sampled_epsilon_up(epsilon, rate=rate), truth)


@some
@given(epsilon=st.floats(0.01, 4), delta=st.floats(1e-9, 0.3), rate=rates)
def test_an_approximate_promise_is_sampled_with_its_delta(
    epsilon: float, delta: float, rate: float
) -> None:
    truth = math.exp(epsilon) / (1 + math.exp(epsilon))
    p = np.array([delta, (1 - delta) * truth, (1 - delta) * (1 - truth), 0])
    q = p[::-1]
    bound = float(sampled_epsilon_up(epsilon, rate=rate))
    found = hockey_stick((1 - rate) * q + rate * p, q, bound)
    assert found <= rate * delta * (1 + 1e-9) + 1e-12
    cost = account(PoissonSampled(StatedApprox(epsilon, delta), rate)).cost(Approx)
    assert isinstance(cost, Approx)
    assert math.isclose(float(cost.delta), rate * delta, rel_tol=1e-12)
    assert math.isclose(float(cost.epsilon), bound)


@pytest.mark.parametrize("order", ORDERS)
@some
@given(epsilon=st.floats(0.01, 4), rate=rates)
def test_the_sampled_divergence_of_pure_releases_is_attained(
    order: Fraction, epsilon: float, rate: float
) -> None:
    p, q = two_point(epsilon)
    truth = divergence((1 - rate) * q + rate * p, q, float(order))
    # The worst law for the mixture puts its ratio on both ends of the range, as randomized response
    # does.
    bound = sampled_pure_divergence_up(epsilon, rate=rate, order=order)
    assert above(bound, truth, within=1e-6)


@some
@given(first=weights, second=weights, rate=rates, order=st.sampled_from(ORDERS))
def test_no_pure_release_from_a_sample_costs_more(
    first: list[float], second: list[float], rate: float, order: Fraction
) -> None:
    p, q = law(first), law(second)
    epsilon = float(np.max(np.abs(np.log(p / q))))
    bound = float(sampled_pure_divergence_up(epsilon, rate=rate, order=order))
    assert divergence((1 - rate) * q + rate * p, q, float(order)) <= bound * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("order", [2, 3, 8, 16])
@pytest.mark.parametrize("rate", ["0.01", "0.3"])
@pytest.mark.parametrize("mu", ["0.5", "1.25"])
def test_sampled_gaussian_noise_has_its_own_divergence_at_whole_orders(
    order: int, rate: str, mu: str
) -> None:
    # 1.25 is a noise multiplier of 0.8; other accountants agree on these sums to 1e-10.
    truth = divergence(*normal_pair(float(mu), float(rate)), order)
    bound = sampled_gaussian_divergence_up(Fraction(mu) ** 2, rate=rate, order=order)
    assert above(bound, truth, within=1e-8)


@pytest.mark.parametrize("order", ["1.01", "1.2", "1.9", "2.5", "7.75"])
@pytest.mark.parametrize(("mu", "rate"), [("1.25", "0.05"), ("0.5", "0.3"), ("4", "0.1")])
def test_sampled_gaussian_noise_has_its_own_divergence_between_whole_orders(
    order: str, mu: str, rate: str
) -> None:
    def truth() -> acb:
        m, q, alpha = ball(Fraction(mu)), ball(Fraction(rate)), ball(Fraction(order))

        def integrand(z: acb, analytic: bool) -> acb:
            ratio = 1 - q + q * (m * z - m * m / 2).exp()
            return (alpha * ratio.log(analytic=analytic) - z * z / 2).exp()

        return acb.integral(integrand, -20, 20 + 9 * m) / (2 * arb.pi()).sqrt()

    moment = at_precision(200, lambda: float(truth().real.log() / ball(Fraction(order) - 1)))
    bound = sampled_gaussian_divergence_up(Fraction(mu) ** 2, rate=rate, order=order)
    assert above(bound, moment, within=1e-12)


@pytest.mark.parametrize("order", ["1.2", "1.9", "2.5", "7.75"])
def test_between_whole_orders_the_chord_is_above_the_truth_and_near(order: str) -> None:
    found = sampled_gaussian_divergence_up(Fraction(25, 16), rate="0.05", order=order)
    chord = between_orders(
        lambda at: sampled_gaussian_divergence_up(Fraction(25, 16), rate="0.05", order=at),
        Fraction(order),
    )
    assert found is not None
    assert chord is not None
    assert found < chord <= found * (3 if float(order) < 2 else Fraction(7, 5))


def test_noise_too_small_for_the_integral_is_bounded_by_the_chord() -> None:
    assert not is_quick(Fraction(10**4), Fraction(5, 2))
    bound = sampled_gaussian_divergence_up(10**4, rate="0.05", order="2.5")
    whole = sampled_gaussian_divergence_up(10**4, rate="0.05", order=3)
    assert bound is not None
    assert whole is not None
    assert 0 < bound < whole


@pytest.mark.parametrize("order", [2, 3, 9])
@pytest.mark.parametrize("rate", ["0.01", "0.4"])
@pytest.mark.parametrize(("scale", "shift"), [(1, 1), (2.5, 2), (40, 10)])
def test_sampled_lattice_noise_has_its_own_divergence_at_whole_orders(
    order: int, rate: str, scale: float, shift: int
) -> None:
    p, q = discrete_laplace_pair(scale, shift)
    truth = divergence((1 - float(rate)) * q + float(rate) * p, q, order)
    event = PoissonSampled(Geometric(scale, shift), rate)
    assert above(total(event, "add_remove", at(Fraction(order))), truth, within=1e-8)


@pytest.mark.parametrize("order", [2, 3, 9])
@pytest.mark.parametrize("shift", [1, 2])
def test_sampled_discrete_gaussian_noise_has_its_own_divergence_at_whole_orders(
    order: int, shift: int
) -> None:
    x = np.arange(-40, 41 + shift)
    p, q = np.exp(-(x**2) / 4), np.exp(-((x - shift) ** 2) / 4)
    p, q = p / p.sum(), q / q.sum()
    truth = divergence(0.9 * q + 0.1 * p, q, order)
    event = PoissonSampled(DiscreteGaussian(2, shift**2), "0.1")
    assert above(total(event, "add_remove", at(Fraction(order))), truth, within=1e-8)


@some
@given(
    halves=st.tuples(weights, weights),
    rate=st.floats(0.01, 0.99),
    order=st.floats(1.001, 20),
)
def test_of_a_symmetric_pair_the_mixture_is_the_worse_side(
    halves: tuple[list[float], list[float]], rate: float, order: float
) -> None:
    p = law([*halves[0], *halves[1]])
    q = np.concatenate([p[4:], p[:4]])
    mixed = (1 - rate) * q + rate * p
    forth = np.sum(mixed**order * q ** (1 - order))
    back = np.sum(q**order * mixed ** (1 - order))
    assert back <= forth * (1 + 1e-12)


def test_releases_of_several_kinds_from_one_sample_are_taken_point_by_point() -> None:
    p, q = discrete_laplace_pair(2, 1)
    left, right = normal_pair(0.5)
    left, right = left[::10] * 10, right[::10] * 10
    both_p, both_q = composed([(p, q), (left, right)])
    truth = divergence(0.9 * both_q + 0.1 * both_p, both_q, 3)
    inside = Composed([Geometric(2, 1), Gaussian(2, 1)])
    found = total(PoissonSampled(inside, "0.1"), "add_remove", at(Fraction(3)))
    assert above(found, truth, within=1e-6)


def test_several_discrete_gaussian_vectors_from_one_sample_are_left_to_the_general_theorem() -> (
    None
):
    vector = DiscreteGaussian(4, 2, size=3)
    one = total(PoissonSampled(vector, "0.1"), "add_remove", at(Fraction(3)))
    line = sampled_gaussian_divergence_up("1/2", rate="0.1", order=3)
    assert one is not None
    assert line is not None
    assert line <= one <= line * (1 + Fraction(1, 2**50))
    two = total(PoissonSampled(Repeated(vector, 2), "0.1"), "add_remove", at(Fraction(3)))
    general = sampled_divergence_up(lambda order: Fraction(order, 2), rate="0.1", order=3)
    assert two == general


@some
@given(first=weights, second=weights, rate=rates, order=st.integers(2, 12))
def test_no_release_from_a_poisson_sample_costs_more_than_its_curve_allows(
    first: list[float], second: list[float], rate: float, order: int
) -> None:
    p, q = law(first), law(second)
    bound = sampled_divergence_up(lambda at: Fraction(divergence(p, q, at)), rate=rate, order=order)
    assert bound is not None
    assert divergence((1 - rate) * q + rate * p, q, order) <= float(bound) * (1 + 1e-9) + 1e-12


@some
@given(
    three=st.tuples(weights, weights, weights),
    rate=rates,
    order=st.integers(2, 12),
    pure=st.booleans(),
)
def test_no_release_from_a_sample_of_fixed_size_costs_more_than_its_curve_allows(
    three: tuple[list[float], ...], rate: float, order: int, pure: bool
) -> None:
    laws = [law(numbers) for numbers in three]
    pairs = [(a, b) for a in laws for b in laws if a is not b]

    def curve(order: int) -> Fraction:
        return Fraction(max(divergence(a, b, order) for a, b in pairs))

    epsilon = max(float(np.max(np.abs(np.log(a / b)))) for a, b in pairs)
    bound = fixed_size_divergence_up(
        curve, epsilon=Fraction(epsilon) if pure else None, rate=rate, order=order
    )
    without, left, right = laws
    p, q = (1 - rate) * without + rate * left, (1 - rate) * without + rate * right
    assert bound is not None
    assert divergence(p, q, order) <= float(bound) * (1 + 1e-9) + 1e-12


def test_the_theorems_for_samples_are_the_printed_ones() -> None:
    q, order, curve = 0.1, 5, {2: 0.3, 3: 0.5, 4: 0.6, 5: 0.9}
    poisson = (1 - q) ** 4 * (5 * q - q + 1)
    poisson += math.comb(5, 2) * q**2 * (1 - q) ** 3 * math.exp(curve[2])
    fixed = 1 + q**2 * math.comb(5, 2) * min(4 * math.expm1(curve[2]), 2 * math.exp(curve[2]))
    for place in (3, 4, 5):
        raised = math.comb(5, place) * q**place * math.exp((place - 1) * curve[place])
        poisson += 3 * raised * (1 - q) ** (5 - place)
        fixed += 2 * raised
    exact = {place: Fraction(str(value)) for place, value in curve.items()}
    found = sampled_divergence_up(exact.__getitem__, rate="0.1", order=order)
    assert above(found, math.log(poisson) / 4)
    found = fixed_size_divergence_up(exact.__getitem__, epsilon=None, rate="0.1", order=order)
    assert above(found, math.log(fixed) / 4)


def test_the_theorems_for_samples_gain_something() -> None:
    whole = total(DiscreteGaussian(4, 1), None, at(Fraction(4)))
    poisson = total(PoissonSampled(DiscreteGaussian(4, 1), "0.01"), "add_remove", at(Fraction(4)))
    fixed = total(SampledWithoutReplacement(Gaussian(2, 1), 1, 100), "change", at(Fraction(4)))
    assert whole is not None
    assert poisson is not None
    assert fixed is not None
    assert 100 * poisson < whole
    assert 100 * fixed < whole


def test_thousands_of_sampled_steps_meet_known_figures() -> None:
    # With whole orders only, and the same conversion, these are 4.3009, 12.0867 and 50.1294.
    step = PoissonSampled(Gaussian("0.8", 1), "0.01")
    for count, expected in ((1000, 4.2934), (10_000, 12.0441), (100_000, 49.1820)):
        found = {b.measure: b.epsilon for b in account(Repeated(step, count)).all(delta="1e-6")}
        assert abs(float(found["Renyi"]) - expected) < 2e-4


def test_releases_from_one_sample_share_it() -> None:
    inside = Composed([Gaussian(2, 1), Gaussian(2, 1)])
    both = total(PoissonSampled(inside, "0.1"), "add_remove", at(Fraction(6)))
    assert both == sampled_gaussian_divergence_up(Fraction(1, 2), rate="0.1", order=6)


def test_a_release_that_tells_everything_fails_as_often_as_the_row_is_sampled() -> None:
    assert account(PoissonSampled(NonPrivate(), "0.01")).delta(epsilon=0).delta == Fraction(1, 100)
    assert account(PoissonSampled(NonPrivate(), 0)).epsilon(delta=0).epsilon == 0
    assert account(PoissonSampled(NonPrivate(), 1)).delta(epsilon=9).delta == 1
    fixed = SampledWithoutReplacement(NonPrivate(), 1, 100)
    assert account(fixed).delta(epsilon=0).delta == Fraction(1, 100)


def test_the_edges_of_sampling() -> None:
    assert sampled_epsilon_up(3, rate=0) == 0
    assert sampled_epsilon_up(3, rate=1) == 3
    assert sampled_pure_divergence_up(0, rate="0.5", order=2) == 0
    assert sampled_gaussian_divergence_up(4, rate=1, order=3) == 6
    assert sampled_gaussian_divergence_up(4, rate="0.5", order=HIGHEST_ORDER + 1) is None
    assert account(PoissonSampled(StatedPure(2), 1)).cost(Pure) == Pure(2)
    assert account(PoissonSampled(Laplace(1, 1), 0)).cost(Pure) == Pure(0)
    assert between_orders(lambda order: None, Fraction(5, 2)) is None
    with pytest.raises(RangeError, match="rate must be from 0 to 1"):
        sampled_epsilon_up(1, rate=2)
    huge = sampled_epsilon_up(10**6, rate="1e-9")
    assert 10**6 - 21 < huge < 10**6 - 20


@pytest.mark.parametrize("order", ["1.5", 2, 40])
def test_tiny_rates_and_tiny_noise_do_not_lose_their_digits(order: str | int) -> None:
    small = sampled_gaussian_divergence_up("1e-20", rate="1e-10", order=order)
    assert small is not None
    assert small > 0
    assert float(small) < 1e-36
    assert sampled_pure_divergence_up("1e-20", rate="1e-10", order=order) > 0
