"""Each bound lies on the side its name says, against enclosures of 400 bits of the plain
formula.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.interpret.laws import full_pairs, law_of

from shoal.interpret import (
    KULLBACK_LEIBLER,
    Pair,
    approximate_max_divergence_up,
    conditional_advantage_up,
    f_divergence_down,
    f_divergence_up,
    guess_up,
    hockey_stick_down,
    hockey_stick_up,
    loss_up,
    posterior_interval,
    probability_down,
    probability_up,
    profile,
    renyi_divergence_down,
    renyi_divergence_up,
    squared_hellinger_down,
    squared_hellinger_up,
    textbook_conditional_advantage_up,
    trade_off,
)
from shoal.measures import Approx, Pure

small = st.fractions(Fraction(1, 50), 4, max_denominator=50)
shares = st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50)


def enclosed(number: Fraction | float) -> arb:
    exact = Fraction(number)
    return arb(fmpq(exact.numerator, exact.denominator))


def is_between(low: Fraction | float | None, truth: arb, high: Fraction | float | None) -> bool:
    """Whether low <= truth <= high, both within 2^-50 of it, decided with room to spare."""
    room = (abs(truth) + 1) * arb(2) ** -50
    under = low is None or (
        truth - enclosed(low) > -(arb(2) ** -300) and truth - enclosed(low) < room
    )
    over = high is None or (
        enclosed(high) - truth > -(arb(2) ** -300) and enclosed(high) - truth < room
    )
    return bool(under and over)


@pytest.mark.slow
@given(full_pairs, small)
def test_the_hockey_stick(pair: Pair, epsilon: Fraction) -> None:
    with ctx.workprec(400):
        e = enclosed(epsilon).exp()
        terms = [enclosed(x) - e * enclosed(y) for x, y in pair.atoms]
        truth = sum((term for term in terms if term > 0), arb(0))
        assert is_between(hockey_stick_down(pair, epsilon), truth, hockey_stick_up(pair, epsilon))


@given(full_pairs, st.sampled_from([Fraction(1, 2), Fraction(3, 2), Fraction(2), Fraction(7)]))
def test_the_renyi_divergence(pair: Pair, order: Fraction) -> None:
    with ctx.workprec(400):
        a = enclosed(order)
        powers = [enclosed(x) ** a * enclosed(y) ** (1 - a) for x, y in pair.atoms]
        truth = sum(powers, arb(0)).log() / (a - 1)
        up = renyi_divergence_up(pair, order=order)
        assert is_between(renyi_divergence_down(pair, order=order), truth, up)


@given(full_pairs)
def test_the_sums_of_f(pair: Pair) -> None:
    with ctx.workprec(400):
        mean = sum((enclosed(x) * enclosed(x / y).log() for x, y in pair.atoms), arb(0))
        shared = sum((enclosed(x * y).sqrt() for x, y in pair.atoms), arb(0))
        low, high = (f(pair, KULLBACK_LEIBLER) for f in (f_divergence_down, f_divergence_up))
        assert is_between(low, mean, high)
        assert is_between(squared_hellinger_down(pair), 1 - shared, squared_hellinger_up(pair))


@pytest.mark.slow
@given(full_pairs)
def test_the_largest_loss(pair: Pair) -> None:
    with ctx.workprec(400):
        truth = enclosed(max(x / y for x, y in pair.atoms)).log()
        assert is_between(None, truth, approximate_max_divergence_up(pair, delta=0))
        widest = max(truth, enclosed(max(y / x for x, y in pair.atoms)).log())
        assert is_between(None, widest, profile(pair).epsilon_up(0))


@pytest.mark.slow
@given(small, shares, shares)
def test_the_lines_of_an_approximate_promise(
    epsilon: Fraction, delta: Fraction, alpha: Fraction
) -> None:
    with ctx.workprec(400):
        e, rest, a = enclosed(epsilon), enclosed(1 - delta), enclosed(alpha)
        truth = (rest - e.exp() * a).max((-e).exp() * (rest - a)).max(arb(0))
        curve = trade_off(Approx(epsilon, delta))
        assert is_between(curve.type_two_down(alpha), truth, None)
        assert is_between(None, 1 - truth, curve.power_up(alpha))


@given(small, shares)
def test_beliefs_and_conditions(epsilon: Fraction, prior: Fraction) -> None:
    with ctx.workprec(400):
        e, p = enclosed(epsilon).exp(), enclosed(prior)
        low, high = posterior_interval(Pure(epsilon), prior)
        assert is_between(low, p / (p + (1 - p) * e), None)
        assert is_between(None, p * e / (p * e + 1 - p), high)
        assert is_between(None, (e - 1) / (e + 1), conditional_advantage_up(Pure(epsilon)))
        assert is_between(None, 1 - 1 / (e * e), textbook_conditional_advantage_up(epsilon))
        truth = p.max(1 - p).max(e / (1 + e))
        assert is_between(None, truth, guess_up(Pure(epsilon), prior))


@pytest.mark.slow
@given(small, shares)
def test_losses_but_for_a_probability(epsilon: Fraction, part: Fraction) -> None:
    assume(part < 1)
    with ctx.workprec(400):
        allowed = Fraction(1, 1000)
        bound = enclosed(epsilon) - (1 - enclosed(part)).log()
        found = loss_up(Approx(epsilon, part * allowed), except_with=allowed)
        assert (
            enclosed(found) - bound < arb(2) ** -50
        )  # never looser than the bound at its own epsilon


@given(law_of(3, 1), small, st.sampled_from([Fraction(3, 2), Fraction(2), Fraction(9)]))
def test_probability_preservation(
    law: list[Fraction], divergence: Fraction, order: Fraction
) -> None:
    with ctx.workprec(400):
        q, d, a = enclosed(law[0]), enclosed(divergence), enclosed(order)
        truth = ((d.exp() * q) ** ((a - 1) / a)).min(arb(1))
        assert is_between(None, truth, probability_up(law[0], divergence=divergence, order=order))
        least = (-d).exp() * q ** (a / (a - 1))
        assert is_between(probability_down(law[0], divergence=divergence, order=order), least, None)
