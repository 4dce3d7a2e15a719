"""How far taking part can change what a person may expect."""

from __future__ import annotations

from fractions import Fraction

from shoal.exact import Number, out_of_range, rational
from shoal.interpret.profiles import Promise
from shoal.interpret.trade_off_curves import trade_off


def expected_utility_interval(
    promise: Promise, expectation: Number, *, largest: Number, lowest: Number = 0
) -> tuple[Fraction, Fraction]:
    """Where an expected utility can lie if one person's data change.

    Guarantee: if u takes values from ``lowest`` to ``largest`` and has this expectation on one
        dataset, on every neighbour its expectation lies between the two returned, rounded outward,
        and no tighter bounds are implied.  Scaled to values from 0 to 1, u is the probability that
        a randomised test rejects; with expectation a it becomes at least f(1 - a) and at most 1 -
        f(a), f the trade-off curve.  Of an (ε, δ) promise these imply the textbook e^-ε (a - δ) and
        e^ε a + δ, which need u >= 0.
    Needs: lowest <= expectation <= largest, lowest < largest.
    Edges: a utility that may be negative is measured from its lowest value, never from 0.
    Reference: Dwork and Roth 2014, section 2.3.1; the argument above is complete.

    >>> from shoal.measures import Pure
    >>> low, high = expected_utility_interval(Pure(0.1), 20, largest=100)
    >>> round(float(low), 3), round(float(high), 3)
    (18.097, 22.103)
    """
    least, most = rational(lowest, "lowest"), rational(largest, "largest")
    mean = rational(expectation, "expectation")
    if least >= most:
        raise out_of_range("lowest", least, "below largest")
    if not least <= mean <= most:
        raise out_of_range("expectation", mean, "from lowest to largest")
    curve, share = trade_off(promise), (mean - least) / (most - least)
    low, high = curve.type_two_down(1 - share), curve.power_up(share)
    return least + (most - least) * low, least + (most - least) * high
