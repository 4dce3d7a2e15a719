"""A lower end is claimed only where an instance attains it, and samples of samples are one
sample.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.accounting import account
from shoal.accounting.comparison import compare
from shoal.accounting.failure_probability import some_fails_down, some_fails_up
from shoal.events import (
    Composed,
    Gaussian,
    Laplace,
    PoissonSampled,
    Repeated,
    SampledWithoutReplacement,
    StatedApprox,
    StatedPure,
)


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["gaussian sigma=1", "laplace scale=1", "pure epsilon=1"])
def test_a_sample_of_a_sample_costs_what_one_sample_at_the_product_of_the_rates_costs(
    noise: str,
) -> None:
    nested = account(f"{noise} | sampled q=0.1 | sampled q=0.1 | sampled q=0.5 | x 200")
    single = account(f"{noise} | sampled q=0.005 | x 200")
    assert nested.epsilon(delta="1e-6") == single.epsilon(delta="1e-6")
    assert nested.epsilon(delta="1e-6").lower == single.epsilon(delta="1e-6").lower
    assert nested.delta(epsilon=1) == single.delta(epsilon=1)


@pytest.mark.slow
def test_a_sample_of_fixed_size_of_such_a_sample_is_one_sample() -> None:
    noise = Gaussian(sigma=2, sensitivity=1)
    inner = SampledWithoutReplacement(noise, sample=10, population=100)
    nested = SampledWithoutReplacement(inner, sample=100, population=1000)
    single = SampledWithoutReplacement(noise, sample=10, population=1000)
    assert account(nested).epsilon(delta="1e-6") == account(single).epsilon(delta="1e-6")
    other = SampledWithoutReplacement(inner, sample=200, population=1000)
    assert account(other).epsilon(delta="1e-6") > account(single).epsilon(delta="1e-6")


def test_samples_that_share_an_outer_sample_claim_no_lower_end() -> None:
    inner = PoissonSampled(Laplace(scale=1, sensitivity=1, steps=4), rate="0.5")
    shared = PoissonSampled(Composed([inner, inner]), rate="0.1")
    assert account(shared).epsilon(delta="1e-6").lower is None
    assert compare(account(shared), delta="1e-6").lower is None


def test_a_promise_for_a_group_claims_no_lower_end() -> None:
    assert account("pure epsilon=1 | group 2").epsilon(delta="0.01").lower is None
    assert account("pure epsilon=1").epsilon(delta="0.01").lower is not None


def optimal_delta(promises: list[tuple[float, float]], epsilon: float) -> float:
    """The delta at an epsilon, by listing all outcomes of releases that tell everything or answer
    by a coin.
    """
    total = 0.0
    for kept in product((True, False), repeat=len(promises)):
        chance, other, tells = 1.0, 1.0, False
        outcomes = [(1.0, 1.0)]
        for (size, delta), silent in zip(promises, kept, strict=True):
            if not silent:
                tells, chance = True, chance * delta
                continue
            chance *= 1 - delta
            truth = math.exp(size) / (1 + math.exp(size))
            outcomes = [
                (p * a, q * b)
                for p, q in outcomes
                for a, b in ((truth, 1 - truth), (1 - truth, truth))
            ]
        other = 0.0 if tells else chance
        total += sum(max(0.0, chance * p - math.exp(epsilon) * other * q) for p, q in outcomes)
    return total


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["0", "0.25", "0.5", "1"]), st.sampled_from(["0", "0.01", "0.1", "0.3"])
        ),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from(["0", "0.2", "0.7", "1.5"]),
)
def test_what_promises_with_deltas_need_is_the_optimal_composition(
    promises: list[tuple[str, str]], epsilon: str
) -> None:
    made = account(Composed([StatedApprox(e, delta) for e, delta in promises]))
    truth = optimal_delta([(float(e), float(delta)) for e, delta in promises], float(epsilon))
    found = compare(made, epsilon=epsilon)
    assert float(found.best.delta) == pytest.approx(truth, rel=1e-9, abs=1e-12)
    assert found.lower is not None
    assert float(found.lower) <= truth * (1 + 1e-12) + 1e-15
    lost = 1 - math.prod(1 - float(delta) for _, delta in promises)
    if lost < truth < 1:
        back = made.epsilon(delta=truth * (1 + 1e-9))
        assert back.lower is not None
        assert float(back.lower) <= float(epsilon) + 1e-9
        assert float(back.epsilon) <= float(epsilon) + 1e-6


def test_deltas_compose_as_the_chance_that_some_release_fails() -> None:
    five = account(Repeated(StatedApprox(0, "0.1"), 5))
    assert five.delta(epsilon=0).delta == 1 - Fraction(9, 10) ** 5
    assert five.epsilon(delta="0.42").epsilon == 0
    half = account(Repeated(StatedApprox("0.5", "0.1"), 5)).epsilon(delta="0.6")
    assert half.lower is not None
    assert float(half.epsilon) == pytest.approx(0.3537817063, abs=1e-9)
    assert half.lower <= Fraction("0.35378170631")


@given(
    st.dictionaries(
        st.fractions(min_value=0, max_value=1, max_denominator=10**6), st.integers(1, 3), max_size=3
    ),
    st.integers(1, 10**7),
)
def test_the_two_roundings_enclose_the_chance_that_some_release_fails(
    deltas: dict[Fraction, int], more: int
) -> None:
    exact = 1 - math.prod(((1 - delta) ** n for delta, n in deltas.items()), start=Fraction(1))
    assert some_fails_down(deltas) <= exact <= some_fails_up(deltas)
    many = {**deltas, Fraction(1, 10**9 + 7): more}
    assert exact <= some_fails_up(many)
    assert some_fails_down(many) <= some_fails_up(many)
    assert some_fails_up(many) - some_fails_down(many) <= Fraction(1, 1 << 60)


def test_no_number_is_above_the_sum_of_the_epsilons() -> None:
    assert account(StatedPure(1)).delta(epsilon=1).delta == 0
    assert account("laplace scale=0.2").epsilon(delta="1e-300").epsilon == 5
    running = account(StatedPure(1)).plus(StatedPure(2))
    assert running.delta(epsilon=3).delta == 0
    assert running.epsilon(delta="1e-300").epsilon == 3


def test_a_promise_that_is_left_out_for_its_size_leaves_nothing_known_from_below() -> None:
    found = account("profile epsilons=(600, 600.0001) deltas=(0.5, 0)").epsilon(delta="0.6")
    assert found.lower is None  # the second promise alone gives 600.0001 + ln 0.4
    assert account("profile epsilons=(0.5, 1) deltas=(0.01, 0)").epsilon(delta="0.001").lower
