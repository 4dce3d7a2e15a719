"""The probability that some release of a bill tells everything: 1 - Π(1 - δ).

A release with failing mass δ is a function of one that tells everything with probability δ and
otherwise keeps its price (`optimal_composition`).  Whatever is chosen in view of earlier answers, the next
release stays silent with probability at least 1 - δ, so all of them stay silent with probability at
least Π(1 - δ_i).  An instance attains it: releases that fail independently.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

from flint import arb

from shoal.accounting.pricing import Bill, line_price
from shoal.accounting.quantities import FAILING
from shoal.exact import lower, upper
from shoal.exact.real import ball

Deltas = Mapping[Fraction, int]
"""Failing masses, and how many releases have each."""

_MOST_BITS = 4096
"""Products with larger denominators than this are rounded."""


def deltas_of(lines: Bill, spare: Fraction = Fraction(0)) -> Counter[Fraction] | None:
    """The failing masses of a bill; None where a line promises nothing."""
    found: Counter[Fraction] = Counter()
    for line, times in lines.items():
        delta = line_price(line, FAILING.with_spare(spare))
        if delta is None:
            return None
        if delta:
            found[delta] += times
    return found


def some_fails_up(deltas: Deltas | None) -> Fraction:
    """1 - Π(1 - δ)^n: exactly where it is a short fraction, else rounded up; 1 where nothing is
    promised.
    """
    return _some_fails(deltas, up=True)


def some_fails_down(deltas: Deltas | None) -> Fraction:
    """As `some_fails_up`, rounded down."""
    return _some_fails(deltas, up=False)


def _some_fails(deltas: Deltas | None, *, up: bool) -> Fraction:
    if deltas is None or 1 in deltas:
        return Fraction(1)
    bits = sum(n * delta.denominator.bit_length() for delta, n in deltas.items())
    if bits <= _MOST_BITS:
        return 1 - math.prod(((1 - delta) ** n for delta, n in deltas.items()), start=Fraction(1))

    def some() -> arb:
        logs = (n * (-ball(delta)).log1p() for delta, n in deltas.items())
        return -sum(logs, arb(0)).expm1()

    return min(Fraction(1), upper(some)) if up else max(Fraction(0), lower(some))
