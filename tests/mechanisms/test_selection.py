"""Selection: the exact law of every choice for all small scores, held against the claim."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import comb

import pytest
from flint import arb
from tests.mechanisms import laws
from tests.mechanisms.record import recorded_choices

from shoal import Exponential, NoisyMax, PermuteAndFlip, TopK
from shoal.exact import ball
from shoal.mechanisms.selection import Selection

Scores = tuple[int, ...]
Law = Callable[[Sequence[Fraction]], dict[tuple[int, ...], arb]]
"""The probability of each choice, by scores in units of the noise."""


def softmax(scores: Sequence[Fraction]) -> dict[tuple[int, ...], arb]:
    weights = [ball(score).exp() for score in scores]
    total = sum(weights, arb(0))
    return {(place,): weight / total for place, weight in enumerate(weights)}


def lottery(scores: Sequence[Fraction]) -> dict[tuple[int, ...], arb]:
    """Permute-and-flip: all enter with e^(score - best); the winner is drawn from those who
    entered.
    """
    best = max(scores)
    enter = [ball(score - best).exp() for score in scores]
    chances: dict[tuple[int, ...], arb] = {(place,): arb(0) for place in range(len(scores))}
    for present in itertools.product((False, True), repeat=len(scores)):
        chance = arb(1)
        for inside, each in zip(present, enter, strict=True):
            chance *= each if inside else 1 - each
        if any(present) and not chance.is_zero():
            for place in itertools.compress(range(len(scores)), present):
                chances[place,] += chance / sum(present)
    return chances


Terms = dict[int, arb]
"""A sum of coefficient * e^(exponent x)."""


def times(left: Terms, right: Terms) -> Terms:
    product: Terms = {}
    for (a, one), (b, other) in itertools.product(left.items(), right.items()):
        product[a + b] = product.get(a + b, arb(0)) + one * other
    return product


def laplace_max(scores: Sequence[Fraction]) -> dict[tuple[int, ...], arb]:
    """Who has the largest score + unit Laplace noise, integrated piece by piece in closed form."""
    return {(place,): _wins(tuple(scores), place) for place in range(len(scores))}


def _wins(scores: tuple[Fraction, ...], place: int) -> arb:
    own = scores[place]
    others = [score for other, score in enumerate(scores) if other != place]
    cuts = sorted({*scores})
    ends = [None, *cuts, None]
    total = arb(0)
    for left, right in itertools.pairwise(ends):
        inside = _inside(left, right)
        piece = _density(own, inside)
        for score in others:
            piece = times(piece, _at_most(score, inside))
        total += _integral(piece, left, right)
    return total


def _inside(left: Fraction | None, right: Fraction | None) -> Fraction:
    if left is None:
        assert right is not None
        return right - 1
    return left + 1 if right is None else (left + right) / 2


def _density(score: Fraction, near: Fraction) -> Terms:
    """The density of score + noise around a place."""
    if near < score:
        return {1: ball(-score).exp() / 2}
    return {-1: ball(score).exp() / 2}


def _at_most(score: Fraction, near: Fraction) -> Terms:
    """P(score + noise <= x) around a place."""
    if near < score:
        return {1: ball(-score).exp() / 2}
    return {0: arb(1), -1: -ball(score).exp() / 2}


def _integral(terms: Terms, left: Fraction | None, right: Fraction | None) -> arb:
    total = arb(0)
    for exponent, coefficient in terms.items():
        if exponent == 0:
            assert left is not None
            assert right is not None
            total += coefficient * ball(right - left)
        else:
            top = arb(0) if right is None else ball(exponent * right).exp()
            bottom = arb(0) if left is None else ball(exponent * left).exp()
            total += coefficient * (top - bottom) / exponent
    return total


def peeled(k: int) -> Law:
    """k softmax choices one after the other."""

    def law(scores: Sequence[Fraction]) -> dict[tuple[int, ...], arb]:
        chances = {}
        for chosen in itertools.permutations(range(len(scores)), k):
            chance, left = arb(1), list(range(len(scores)))
            for place in chosen:
                chance *= softmax([scores[other] for other in left])[left.index(place),]
                left.remove(place)
            chances[chosen] = chance
        return chances

    return law


LAWS: dict[str, Law] = {"gumbel": softmax, "exponential": lottery, "laplace": laplace_max}


def asked(mechanism: Selection, scores: Scores) -> tuple[str, Fraction]:
    """The race a mechanism runs, and how much a score counts in it."""
    with recorded_choices() as choices:
        mechanism.release(scores)
    (choice,) = choices
    assert choice.scores == [Fraction(score) for score in scores]
    assert choice.places == getattr(mechanism, "k", 1)
    return choice.race, choice.rate


def neighbours(candidates: int, *, monotone: bool, high: int) -> Iterator[tuple[Scores, Scores]]:
    """All pairs of small scores that differ by at most 1 each, once for each shift of all
    together.
    """
    moves = list(itertools.product((0, 1) if monotone else (-1, 0, 1), repeat=candidates))
    for scores in itertools.product(range(high + 1), repeat=candidates):
        if min(scores) == 0:
            for move in moves:
                yield scores, tuple(a + b for a, b in zip(scores, move, strict=True))


def worst_loss(
    law: Law, rate: Fraction, pairs: Iterator[tuple[Scores, Scores]], *, both: bool
) -> laws.Bounds:
    @cache
    def chances(scores: Scores) -> dict[tuple[int, ...], arb]:
        return law([rate * score for score in scores])

    def losses() -> Iterator[arb]:
        for here, there in pairs:
            one, other = chances(here), chances(there)
            for choice in one:
                yield laws.loss(one[choice], other[choice])
                if both:
                    yield laws.loss(other[choice], one[choice])

    return laws.bounds(lambda: laws.largest(losses()))


EPSILON = Fraction(3, 2)


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize(
    "kind",
    [
        Exponential,
        PermuteAndFlip,
        NoisyMax,
        lambda **given: NoisyMax(noise="gumbel", **given),
        lambda **given: NoisyMax(noise="exponential", **given),
    ],
    ids=["exponential", "permute and flip", "laplace", "gumbel max", "exponential max"],
)
def test_a_choice_among_three_loses_at_most_epsilon(
    kind: Callable[..., Selection], *, monotone: bool
) -> None:
    mechanism = kind(epsilon=EPSILON, sensitivity=1, monotone=monotone)
    race, rate = asked(mechanism, (1, 2, 3))
    pairs = neighbours(3, monotone=monotone, high=5)
    low, high = worst_loss(LAWS[race], rate, pairs, both=monotone)
    assert high <= EPSILON * (1 + Fraction(1, 10**50))
    assert low >= EPSILON * Fraction(8, 10)


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip, NoisyMax])
def test_the_claim_of_a_choice_is_reached_in_the_limit(
    kind: type[Selection], *, monotone: bool
) -> None:
    """One candidate far behind the others: all the budget shows."""
    mechanism = kind(epsilon=EPSILON, sensitivity=1, monotone=monotone)
    race, rate = asked(mechanism, (1, 2, 3))
    here, there = (0, 40, 40), (1, 40, 40) if monotone else (1, 39, 39)
    low, high = worst_loss(LAWS[race], rate, iter([(here, there)]), both=True)
    assert EPSILON * Fraction(999, 1000) <= low
    assert high <= EPSILON * (1 + Fraction(1, 10**50))


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip])
def test_a_promise_of_monotone_scores_that_is_broken_costs_more_than_epsilon(
    kind: type[Selection],
) -> None:
    mechanism = kind(epsilon=EPSILON, sensitivity=1, monotone=True)
    race, rate = asked(mechanism, (1, 2, 3))
    low, _ = worst_loss(LAWS[race], rate, iter([((0, 9, 9), (1, 8, 8))]), both=True)
    assert low > EPSILON * Fraction(3, 2)


def test_a_sensitivity_other_than_one_scales_the_rate() -> None:
    for kind in (Exponential, PermuteAndFlip, NoisyMax):
        one, half = kind(epsilon=1, sensitivity=1), kind(epsilon=1, sensitivity="1/2")
        assert asked(half, (1, 2))[1] == 2 * asked(one, (1, 2))[1] == 2 * one.rate == 1


# several at once


@pytest.mark.slow
@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_top_k_together_lose_at_most_epsilon(k: int, *, monotone: bool) -> None:
    mechanism = TopK(k=k, epsilon=EPSILON, sensitivity=1, monotone=monotone)
    race, rate = asked(mechanism, (1, 2, 3, 4))
    assert race == "gumbel"
    pairs = neighbours(4, monotone=monotone, high=2)
    low, high = worst_loss(peeled(k), rate, pairs, both=monotone)
    assert EPSILON / 2 < low <= high <= EPSILON


# report noisy max with noise too narrow (ERRATA 32)


def effective_epsilon(candidates: int, scale: Fraction) -> laws.Bounds:
    """ln p/q of the first candidate for scores (1, -1, ..., -1) and (0, ..., 0), Laplace noise."""
    others, gap = candidates - 1, 2 / scale

    def wins() -> arb:
        """Over x, the first one's noise: each of the others stays below x + gap."""
        half = ball(-gap).exp() / 2
        below = [comb(others, j) * (-half) ** j / 2 for j in range(others + 1)]
        rising = {1 - j: coefficient for j, coefficient in enumerate(below)}
        falling = {-1 - j: coefficient for j, coefficient in enumerate(below)}
        far = {candidates: ball(gap * others).exp() / arb(2) ** candidates}
        return (
            _integral(far, None, -gap)
            + _integral(rising, -gap, Fraction(0))
            + _integral(falling, Fraction(0), None)
        )

    return laws.bounds(lambda: laws.loss(wins(), arb(1) / candidates))


@pytest.mark.parametrize(
    ("candidates", "nominal", "effective"),
    [(3, 1, 0.86), (10, 1, 1.61), (100, 1, 1.9998), (3, "0.1", 0.143), (10, "0.1", 0.199)],
)
def test_narrow_laplace_noise_on_scores_that_move_both_ways_costs_up_to_twice_the_nominal(
    candidates: int, nominal: int | str, effective: float
) -> None:
    low, high = effective_epsilon(candidates, 1 / Fraction(nominal))
    digits = len(str(effective).split(".")[1])
    assert abs(float(low) - effective) <= 0.6 * 10**-digits
    assert high - low < Fraction(1, 10**9)


@pytest.mark.parametrize("candidates", [3, 10, 100])
def test_the_noise_of_noisy_max_is_wide_enough_for_scores_that_move_both_ways(
    candidates: int,
) -> None:
    mechanism = NoisyMax(epsilon=1, sensitivity=1)
    _, high = effective_epsilon(candidates, 1 / mechanism.rate)
    assert high <= 1
    narrow = NoisyMax(epsilon=1, sensitivity=1, monotone=True)
    if candidates > 3:
        assert effective_epsilon(candidates, 1 / narrow.rate)[0] > 1
