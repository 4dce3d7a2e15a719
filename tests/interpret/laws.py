"""Finite laws to try things on, and the same quantities by other roads."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, combinations

from hypothesis import strategies as st

from shoal.interpret import Pair


def normal(weights: list[int]) -> list[Fraction]:
    return [Fraction(weight, sum(weights)) for weight in weights]


def law_of(size: int, least: int = 0) -> st.SearchStrategy[list[Fraction]]:
    weights = st.lists(st.integers(least, 12), min_size=size, max_size=size)
    return weights.filter(any).map(normal)


def pairs_of(size: int, least: int = 0) -> st.SearchStrategy[Pair]:
    return st.builds(Pair, law_of(size, least), law_of(size, least))


pairs = st.integers(1, 5).flatmap(pairs_of)
full_pairs = st.integers(2, 4).flatmap(lambda size: pairs_of(size, 1))


def channels_of(size: int) -> st.SearchStrategy[list[list[Fraction]]]:
    return st.integers(1, 4).flatmap(
        lambda width: st.lists(law_of(width), min_size=size, max_size=size)
    )


def events(pair: Pair) -> list[tuple[Fraction, Fraction]]:
    """The two probabilities of every event."""
    places = range(len(pair.p))
    every = chain.from_iterable(combinations(places, k) for k in range(len(pair.p) + 1))
    return [
        (
            sum((pair.p[i] for i in chosen), Fraction(0)),
            sum((pair.q[i] for i in chosen), Fraction(0)),
        )
        for chosen in every
    ]


def hockey_stick(pair: Pair, epsilon: float) -> float:
    """The largest p(S) - e^ε q(S), by trying every event."""
    return max(float(x) - math.exp(epsilon) * float(y) for x, y in events(pair))


RESPONSE = Pair(["3/4", "1/4"], ["1/4", "3/4"])
ALMOST_TOLD = Pair([0.5, 0.3, 0.2, 0], [0.1, 0.3, 0.4, 0.2])
