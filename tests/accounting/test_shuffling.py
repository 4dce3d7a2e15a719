"""Amplification by shuffling, against the law of the clones summed in full."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from tests.accounting.samples import hockey_stick, two_point

from shoal.accounting import (
    account,
    shuffled_closed_epsilon_up,
    shuffled_delta_up,
    shuffled_epsilon_up,
    shuffling,
)
from shoal.errors import PriceError
from shoal.events import (
    Gaussian,
    RandomizedResponse,
    Repeated,
    Shuffled,
    StatedApprox,
    StatedPure,
)
from shoal.measures import Pure


def clones(local: float, people: int, epsilon: float, *, binary: bool) -> float:
    w = math.exp(local) / (1 + math.exp(local))
    share = 2 / (1 + math.exp(local)) if binary else math.exp(-local)
    whole = 0.0
    for c in range(people):
        chance = comb(people - 1, c) * share**c * (1 - share) ** (people - 1 - c)
        b = [0.0, *(comb(c, a) / 2**c for a in range(c + 1)), 0.0]
        p = np.array([w * b[a] + (1 - w) * b[a + 1] for a in range(c + 2)])
        whole += chance * hockey_stick(p, p[::-1], epsilon)
    return whole


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("people", [1, 2, 5, 30])
@pytest.mark.parametrize(("local", "epsilon"), [(1.0, 0.3), (0.2, 0.0), (3.0, 1.0)])
def test_few_people_are_counted_one_by_one(
    people: int, local: float, epsilon: float, binary: bool
) -> None:
    found = float(shuffled_delta_up(local, people=people, epsilon=epsilon, binary=binary))
    truth = clones(local, people, epsilon, binary=binary)
    assert truth * (1 - 1e-12) <= found <= truth * (1 + 1e-5)


@pytest.mark.parametrize("binary", [False, True])
def test_many_people_are_counted_in_blocks_on_the_safe_side(binary: bool) -> None:
    found = float(shuffled_delta_up(1, people=400, epsilon="0.2", binary=binary))
    truth = clones(1, 400, 0.2, binary=binary)
    assert truth <= found <= 1.3 * truth


@pytest.mark.parametrize("edges", [(-1, 0, 1), (0,), (2,), (-3, 3)])
def test_any_blocks_are_on_the_safe_side(
    edges: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shuffling, "_EDGES", edges)
    for epsilon in (0.0, 0.2, 0.5):
        found = float(shuffled_delta_up(1, people=100, epsilon=epsilon))
        assert clones(1, 100, epsilon, binary=False) * (1 - 1e-9) <= found


@pytest.mark.parametrize("people", [2, 3, 5])
@pytest.mark.parametrize("local", [0.5, 1.5])
def test_no_inputs_of_the_others_beat_the_bound_for_randomized_response(
    people: int, local: float
) -> None:
    # The released thing is the number of ones; all inputs of the others, and both of the first.
    p, _ = two_point(local)
    for others in product((0, 1), repeat=people - 1):
        laws = []
        for first in (0, 1):
            law = np.ones(1)
            for bit in (first, *others):
                one = p[0] if bit else p[1]
                law = np.convolve(law, [1 - one, one])
            laws.append(law)
        for epsilon in (0.0, 0.2, 0.4):
            for binary in (False, True):
                bound = shuffled_delta_up(local, people=people, epsilon=epsilon, binary=binary)
                assert hockey_stick(laws[0], laws[1], epsilon) <= float(bound) * (1 + 1e-9)


@pytest.mark.parametrize("people", [1000, 100_000])
@pytest.mark.parametrize("local", ["0.5", "1", "2"])
def test_counting_is_tighter_than_the_closed_form_and_both_than_nothing(
    people: int, local: str
) -> None:
    counted = shuffled_epsilon_up(local, people=people, delta="1e-6")
    closed = shuffled_closed_epsilon_up(local, people=people, delta="1e-6")
    assert 0 < counted < Fraction(local)
    assert closed is None or counted < closed
    assert shuffled_delta_up(local, people=people, epsilon=counted) <= Fraction(1, 10**6)
    assert shuffled_delta_up(local, people=people, epsilon=counted * Fraction(97, 100)) > (
        Fraction(1, 10**6)
    )


def test_the_closed_form_is_refused_outside_its_range() -> None:
    edge = math.log(10_000 / (16 * math.log(2e6)))
    assert shuffled_closed_epsilon_up(edge * 0.999, people=10_000, delta="1e-6") is not None
    assert shuffled_closed_epsilon_up(edge * 1.001, people=10_000, delta="1e-6") is None
    found = shuffled_closed_epsilon_up(1, people=10_000, delta="1e-6")
    e = math.e
    truth = math.log(1 + (e - 1) / (e + 1) * (8 * math.sqrt(e * math.log(4e6) / 1e4) + 8 * e / 1e4))
    assert found is not None
    assert math.isclose(float(found), truth)


def test_more_people_hide_each_other_better() -> None:
    found = [shuffled_epsilon_up(1, people=n, delta="1e-4") for n in (10, 100, 1000, 10_000)]
    assert found == sorted(found, reverse=True)


def test_nobody_hides_alone() -> None:
    assert shuffled_epsilon_up(1, people=1, delta="1e-6") == 1
    assert shuffled_delta_up(1, people=1, epsilon=1) == 0
    assert shuffled_epsilon_up(0, people=10, delta="1e-6") == 0


# accounts


def test_a_shuffle_is_priced_with_and_without_a_delta() -> None:
    shuffle = account(Shuffled(RandomizedResponse(2, epsilon=1), 10_000))
    assert shuffle.cost(Pure) == Pure(1)
    assert shuffle.relation == "change"
    bound = shuffle.epsilon(delta="1e-6")
    assert bound.epsilon == shuffled_epsilon_up(1, people=10_000, delta="1e-6", binary=True)
    assert shuffle.delta(epsilon=bound.epsilon).delta <= Fraction(1, 10**6)
    assert shuffle.epsilon(delta=0).epsilon == 1


def test_randomizers_other_than_one_bit_are_cloned_less_often() -> None:
    one_bit = account(Shuffled(RandomizedResponse(2, epsilon=1), 1000)).epsilon(delta="1e-4")
    other = account(Shuffled(StatedPure(1), 1000)).epsilon(delta="1e-4")
    assert one_bit.epsilon < other.epsilon < 1


def test_several_shuffles_share_delta() -> None:
    shuffle = Shuffled(RandomizedResponse(2, epsilon=1), 10_000)
    ten = account(Repeated(shuffle, 10)).epsilon(delta="1e-6")
    one = account(shuffle).epsilon(delta="1e-6")
    assert one.epsilon < ten.epsilon < 13 * one.epsilon


def test_a_randomizer_that_is_not_pure_is_not_amplified() -> None:
    gaussian = Gaussian(1, 1)
    assert account(Shuffled(gaussian, 10_000)).epsilon(delta="1e-6") == account(gaussian).epsilon(
        delta="1e-6"
    )
    approximate = StatedApprox(1, "1e-9")
    assert account(Shuffled(approximate, 10_000)).epsilon(delta="1e-9").epsilon == 1
    with pytest.raises(PriceError):
        account(Shuffled(approximate, 10_000)).epsilon(delta="1e-10")
