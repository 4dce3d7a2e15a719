"""Amplification by shuffling, against the law of the clones summed in full."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, product
from math import comb

import numpy as np
import pytest
from flint import arb
from tests.accounting.samples import hockey_stick, two_point

from shoal.accounting import (
    account,
    shuffled_binary_epsilon_up,
    shuffled_closed_epsilon_up,
    shuffled_delta_up,
    shuffled_divergence_up,
    shuffled_epsilon_up,
    shuffled_response_delta_up,
    shuffled_response_epsilon_up,
    shuffling_clones,
)
from shoal.accounting.shuffled_divergence import _excess, _summed
from shoal.errors import PriceError, RangeError
from shoal.events import (
    Gaussian,
    RandomizedResponse,
    Repeated,
    Shuffled,
    StatedApprox,
    StatedPure,
)
from shoal.exact import at_precision
from shoal.measures import Pure, pure_divergence_up


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


@pytest.mark.slow
@pytest.mark.parametrize("binary", [False, True])
def test_many_people_are_counted_in_blocks_on_the_safe_side(binary: bool) -> None:
    found = float(shuffled_delta_up(1, people=400, epsilon="0.2", binary=binary))
    truth = clones(1, 400, 0.2, binary=binary)
    assert truth <= found <= 1.3 * truth


@pytest.mark.parametrize("edges", [(-1, 0, 1), (0,), (2,), (-3, 3)])
def test_any_blocks_are_on_the_safe_side(
    edges: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shuffling_clones, "_EDGES", edges)
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


@pytest.mark.slow
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


@pytest.mark.slow
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
    assert bound.epsilon == shuffled_binary_epsilon_up(1, people=10_000, delta="1e-6")
    assert shuffle.delta(epsilon=bound.epsilon).delta <= Fraction(1, 10**6)
    assert shuffle.epsilon(delta=0).epsilon == 1


@pytest.mark.slow
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


# divergences


def moment(local: float, people: int, order: float, *, binary: bool) -> float:
    """The divergence of the clones' pair, summed in full."""
    w = math.exp(local) / (1 + math.exp(local))
    share = 2 / (1 + math.exp(local)) if binary else math.exp(-local)
    whole = 0.0
    for c in range(people):
        chance = comb(people - 1, c) * share**c * (1 - share) ** (people - 1 - c)
        b = [0.0, *(comb(c, a) / 2**c for a in range(c + 1)), 0.0]
        p = np.array([w * b[a] + (1 - w) * b[a + 1] for a in range(c + 2)])
        logs = order * np.log(p) + (1 - order) * np.log(p[::-1])
        whole += chance * float(np.exp(logs).sum())
    return math.log(whole) / (order - 1)


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("order", [1.25, 2.0, 7.0, 30.0])
@pytest.mark.parametrize(("local", "people"), [(1.0, 2), (0.3, 20), (3.0, 40)])
def test_the_divergence_of_few_people_is_that_of_their_clones(
    local: float, people: int, order: float, binary: bool
) -> None:
    found = float(shuffled_divergence_up(local, people=people, order=order, binary=binary))
    truth = moment(local, people, order, binary=binary)
    assert truth * (1 - 1e-9) <= found <= truth * (1 + 1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("order", [1.25, 2.0, 7.0, 30.0])
@pytest.mark.parametrize(("local", "people"), [(1.0, 600), (0.3, 400)])
def test_the_divergence_of_many_people_is_on_the_safe_side_and_near(
    local: float, people: int, order: float
) -> None:
    found = float(shuffled_divergence_up(local, people=people, order=order))
    truth = moment(local, people, order, binary=False)
    assert truth <= found <= 1.05 * truth


@pytest.mark.parametrize("order", [1.5, 3.0, 12.0, 100.0])
def test_the_series_of_a_moment_is_above_the_sum_and_near(order: float) -> None:
    exact = Fraction(order)

    def both(local: Fraction) -> tuple[arb, arb]:
        return _summed(900, local, exact), _excess(900, local, exact)

    for local in (Fraction(1, 5), Fraction(1), Fraction(3)):
        summed, series = at_precision(200, partial(both, local))
        assert summed < series
        assert order * local > 30 or series < summed * arb(1.01)


@pytest.mark.slow
def test_many_shuffles_of_any_reports_cost_least_by_their_divergences() -> None:
    # By a share of delta for each shuffle the same cost 11.9.
    best = account(Repeated(Shuffled(StatedPure(2), 100_000), 1000)).epsilon(delta="1e-6")
    assert best.measure == "Renyi"
    assert abs(float(best.epsilon) - 1.972) < 1e-3


def test_a_shuffle_never_raises_a_divergence() -> None:
    for people in (1, 2, 50, 5000):
        for order in ("1.1", 3, 60, 10**6):
            alone = pure_divergence_up(2, order=order)
            assert shuffled_divergence_up(2, people=people, order=order) <= alone
    assert shuffled_divergence_up(2, people=1, order=3) == pure_divergence_up(2, order=3)
    assert shuffled_divergence_up(0, people=10, order=3) == 0


# several categories


def blanket(local: float, k: int, people: int, epsilon: float) -> float:
    """The worst delta over all values that the others can have, by the law of all counts."""
    truth = math.exp(local) / (math.exp(local) + k - 1)
    lie = (1 - truth) / (k - 1)
    worst = 0.0
    for others in combinations_with_replacement(range(k), people - 1):
        laws: list[dict[tuple[int, ...], float]] = []
        for first in (0, 1):
            law = {(0,) * k: 1.0}
            for value in (first, *others):
                after: dict[tuple[int, ...], float] = {}
                for counts, mass in law.items():
                    for answer in range(k):
                        more = tuple(n + (i == answer) for i, n in enumerate(counts))
                        chance = truth if answer == value else lie
                        after[more] = after.get(more, 0.0) + mass * chance
                law = after
            laws.append(law)
        p, q = (np.array([law[counts] for counts in sorted(law)]) for law in laws)
        worst = max(worst, hockey_stick(p, q, epsilon))
    return worst


@pytest.mark.parametrize(("k", "people"), [(3, 1), (3, 5), (4, 4), (5, 3)])
@pytest.mark.parametrize("local", [0.5, 1.5])
def test_no_answers_of_the_others_beat_the_bound_for_several_categories(
    k: int, people: int, local: float
) -> None:
    for epsilon in (0.0, 0.1, 0.4):
        bound = shuffled_response_delta_up(local, categories=k, people=people, epsilon=epsilon)
        assert blanket(local, k, people, epsilon) <= float(bound) * (1 + 1e-9)


@pytest.mark.parametrize(("local", "k", "people"), [(1.0, 3, 6), (2.0, 4, 20), (0.5, 10, 12)])
def test_answers_are_counted_as_the_blanket_says(local: float, k: int, people: int) -> None:
    odds = math.exp(local)
    for epsilon in (0.0, 0.2):
        gain, whole = math.exp(epsilon), 0.0
        for m in range(people):
            share, n = k / (odds + k - 1), m + 1
            chance = comb(people - 1, m) * share**m * (1 - share) ** (people - 1 - m)
            for a, b in ((x, y) for x in range(n + 1) for y in range(n + 1 - x)):
                ways = comb(n, a) * comb(n - a, b) * (k - 2) ** (n - a - b) / k**n
                payoff = (odds - 1) * (a - gain * b) - (gain - 1) * n
                whole += chance * ways * share / n * max(0.0, payoff)
        found = float(
            shuffled_response_delta_up(local, categories=k, people=people, epsilon=epsilon)
        )
        assert whole * (1 - 1e-9) <= found <= whole * (1 + 1e-5)


@pytest.mark.slow
def test_more_categories_hide_more_and_clones_alone_less() -> None:
    found = [
        shuffled_response_epsilon_up(1, categories=k, people=1000, delta="1e-6")
        for k in (3, 10, 100)
    ]
    assert [round(float(epsilon), 3) for epsilon in found] == [0.131, 0.08, 0.026]
    assert found[0] < shuffled_epsilon_up(1, people=1000, delta="1e-6")
    assert shuffled_response_delta_up(1, categories=10, people=1000, epsilon=found[1]) <= Fraction(
        1, 10**6
    )
    assert shuffled_response_delta_up(
        1, categories=10, people=1000, epsilon=found[1] * Fraction(98, 100)
    ) > Fraction(1, 10**6)


@pytest.mark.slow
def test_an_account_takes_the_smaller_of_both_bounds() -> None:
    answers = account(Shuffled(RandomizedResponse(10, epsilon=1), 1000))
    direct = shuffled_response_epsilon_up(1, categories=10, people=1000, delta="1e-6")
    assert answers.epsilon(delta="1e-6").epsilon == direct
    assert answers.delta(epsilon="0.1").delta == shuffled_response_delta_up(
        1, categories=10, people=1000, epsilon="0.1"
    )
    liars = Shuffled(RandomizedResponse(3, "0.2"), 1000)  # lies are likelier: no uniform blanket
    local = account(RandomizedResponse(3, "0.2")).cost(Pure)
    assert isinstance(local, Pure)
    clones_alone = shuffled_epsilon_up(local.epsilon, people=1000, delta="1e-6")
    assert account(liars).epsilon(delta="1e-6").epsilon == clones_alone


def test_the_edges_of_several_categories() -> None:
    assert shuffled_response_delta_up(1, categories=5, people=10, epsilon=1) == 0
    assert shuffled_response_epsilon_up(0, categories=5, people=10, delta="0.1") == 0
    assert shuffled_response_epsilon_up(1, categories=5, people=1, delta="1e-9") == 1
    assert shuffled_response_epsilon_up(1, categories=5, people=500, delta="0.9") < Fraction(1, 100)
    with pytest.raises(RangeError, match="categories"):
        shuffled_response_delta_up(1, categories=2, people=10, epsilon=0)
