"""Measures to try things on, and how to say that a bound lies just above the truth."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.measures import Approx, GaussianDP, Measure, Pure, Renyi, ZeroConcentrated

DIGITS = 80

epsilons = st.floats(1e-9, 60)
deltas = st.floats(1e-40, 0.9)
rhos = st.floats(1e-9, 40)
mus = st.floats(1e-9, 12)
orders = st.floats(1.001, 500)
decimals = st.one_of(
    st.just(0), st.integers(0, 50), st.floats(0, 100), st.fractions(0, 10, max_denominator=50)
)
points = st.dictionaries(st.sampled_from([1.5, 2, 3, 5, 8]), st.integers(0, 12), min_size=1)

pures = st.builds(Pure, decimals)
approxes = st.builds(Approx, decimals, st.sampled_from([0, 1e-9, 1e-6, "1/3", 1]))
renyis = st.builds(Renyi, points)
concentrated = st.builds(ZeroConcentrated, decimals)
gaussians = st.builds(GaussianDP, decimals)
KINDS: list[st.SearchStrategy[Measure]] = [pures, approxes, renyis, concentrated, gaussians]

EACH: list[Measure] = [
    Pure(0.5),
    Approx(0.5, 1e-6),
    Renyi({2: 0.5, 8: 2}),
    ZeroConcentrated(0.5),
    GaussianDP(0.5),
]

# Two laws on three outcomes, from unnormalised weights.
weights = st.lists(st.floats(0.01, 1), min_size=3, max_size=3)


def law(numbers: list[float]) -> NDArray[np.float64]:
    return np.array(numbers) / sum(numbers)


def decimal(number: float | Fraction | str) -> Decimal:
    """The decimal its writer meant, or a fraction to 80 digits."""
    if isinstance(number, Fraction):
        with localcontext(prec=DIGITS):
            return Decimal(number.numerator) / Decimal(number.denominator)
    return Decimal(str(number))


def is_just_above(bound: Fraction, truth: Decimal, *, within: float = 2.0**-62) -> bool:
    """Whether bound lies at or above truth, and at most a factor 1 + within above it."""
    with localcontext(prec=DIGITS):
        found = decimal(bound)
        noise = abs(truth) * Decimal(10) ** (20 - DIGITS)
        return truth - noise <= found <= truth * (1 + Decimal(within)) + noise
