"""Laws in doubles, beside enclosures at 200 bits."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from shoal.exact import at_precision, ball
from shoal.floats import at_least_near, binomial_mass, chance_of, normal_below, quick_length

TRIALS = (1, 2, 5, 30, 1000, 10**6)
CHANCES = (1e-6, 0.01, 0.3, 0.5, 0.9, 0.999)


def places(trials: int, chance: float) -> list[int]:
    """Numbers of hits from six deviations below the mean to twelve above it, and both ends."""
    spread = np.sqrt(trials * chance * (1 - chance)) * np.linspace(-6, 12, 7)
    found = np.clip(np.round(trials * chance + spread), 1, trials).astype(int)
    return sorted({1, trials, *found.tolist()})


def tail(hits: int, trials: int, chance: float) -> float:
    """P(X >= hits), by the incomplete beta function."""

    def question() -> float:
        found = ball(Fraction(chance)).beta_lower(hits, trials - hits + 1, regularized=1)
        return float(found)

    return at_precision(400, question)


def mass(hits: int, trials: int, chance: float) -> float:
    def question() -> float:
        p = ball(Fraction(chance))
        logs = arb(trials + 1).lgamma() - arb(hits + 1).lgamma()
        logs -= arb(trials - hits + 1).lgamma()
        return float((logs + hits * p.log() + (trials - hits) * (1 - p).log()).exp())

    return at_precision(200, question)


@pytest.mark.slow
@pytest.mark.parametrize("chance", CHANCES)
@pytest.mark.parametrize("trials", TRIALS)
def test_binomial_tails_are_right_within_one_in_ten_to_the_eleven(
    trials: int, chance: float
) -> None:
    hits = places(trials, chance)
    meant = np.array([tail(k, trials, chance) for k in hits])
    assert at_least_near(hits, trials, chance) == pytest.approx(meant, rel=1e-11, abs=1e-290)


@pytest.mark.parametrize("chance", CHANCES)
@pytest.mark.parametrize("trials", TRIALS)
def test_binomial_masses_are_right_within_one_in_ten_to_the_eleven(
    trials: int, chance: float
) -> None:
    hits = places(trials, chance)
    meant = np.array([mass(k, trials, chance) for k in hits])
    assert binomial_mass(hits, trials, chance) == pytest.approx(meant, rel=1e-11, abs=1e-290)


def test_impossible_and_certain_numbers_of_hits_have_their_chances() -> None:
    assert at_least_near([-1, 0, 4, 5], 3, 0.25).tolist() == [1.0, 1.0, 0.0, 0.0]
    assert at_least_near([0, 1, 2], 2, [0.0, 0.0, 1.0]).tolist() == [1.0, 0.0, 1.0]
    assert binomial_mass([-1, 0, 2, 3], 2, 0.0).tolist() == [0.0, 1.0, 0.0, 0.0]
    assert binomial_mass([0, 2], 2, 1.0).tolist() == [0.0, 1.0]


@pytest.mark.slow
@pytest.mark.parametrize("risk", [0.5, 0.0125, 1e-9])
@pytest.mark.parametrize("trials", [1, 10, 10**5])
def test_the_chance_of_a_tail_has_that_tail(trials: int, risk: float) -> None:
    hits = sorted({1, trials // 3 + 1, trials})
    found = chance_of(hits, trials, risk)
    back = [tail(k, trials, p) for k, p in zip(hits, found.tolist(), strict=True)]
    assert back == pytest.approx([risk] * len(hits), rel=1e-9)


def test_the_normal_law_is_right_within_what_a_cell_may_be_off() -> None:
    """A cell's mass may be off by 2^-40 of itself; the losses of one release have 2^-42 and less
    from here.
    """
    at = np.linspace(-37, 9, 47)

    def question() -> list[float]:
        return [float((ball(Fraction(x)) / -arb(2).sqrt()).erfc() / 2) for x in at.tolist()]

    meant = np.array(at_precision(200, question))
    assert normal_below(at) == pytest.approx(meant, rel=2.0**-41)
    near = np.abs(at) <= 8
    assert normal_below(at[near]) == pytest.approx(meant[near], rel=2.0**-46)


def test_a_quick_length_is_the_least_one_without_large_prime_factors() -> None:
    def smooth(n: int) -> bool:
        for prime in (2, 3, 5):
            while n % prime == 0:
                n //= prime
        return n == 1

    for asked in [*range(1, 200), 4097, 65_537]:
        found = quick_length(asked)
        assert smooth(found)
        assert not any(map(smooth, range(asked, found)))
