"""Poisson samples that are cut to a largest size, and the chance that this happens.

Let n bound the number of rows, B be the largest batch and q the rate, and compare a dataset with
the one that lacks a person.  Toss the coins of all other rows first: there are at most n - 1, and
they are the same in both datasets.

* At most B - 1 of them are heads.  Then at most B rows are in either sample, nothing is cut, and
  given these coins the release is M(C) without the person, and M(C) with probability 1 - q or M(C
  with the person) with probability q otherwise.  Those are the pairs of laws for which the prices
  of a Poisson sample are proved, both ways, and each unit of price survives mixing over C.
* B or more are heads, with probability at most τ = P(Bin(n - 1, q) >= B), the same in both
  datasets.  Whatever is released then, and by whatever rule rows are left out, counts as telling
  everything.

So the release is one that fails with probability τ and otherwise costs what a Poisson sample costs.
T releases fail with probability 1 - (1 - τ)^T, which is less than the (1 + e^ε) τ T that Chua and
others 2024 add to delta.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from shoal.exact import Number, ball, closed_unit, holdable_up, upper, whole

_MOST_TERMS = 100_000
_ENOUGH = 2.0**-90


def binomial_tail_up(count: int, rate: Number, least: int) -> Fraction:
    """P(Bin(count, rate) >= least), rounded up.

    Guarantee: above the mean, terms are added up from ``least`` on; each is at most r times the one
        before it, with r falling, so what is left out is at most the last term times r / (1 - r),
        which is added.  Below the mean, terms below ``least`` are added up downwards and the rest
        is left out, which errs upwards once it is taken from 1.
    Needs: count >= 0, 0 <= rate <= 1.
    Edges: 1 where least is 0 or less, 0 where it is above count.

    >>> round(float(binomial_tail_up(9999, "0.01", 120)), 6)
    0.027531
    """
    tries, share = whole(count, "count", at_least=0), closed_unit(rate, "rate")
    if least <= 0 or (share == 1 and least <= tries):
        return Fraction(1)
    if least > tries or share == 0:
        return Fraction(0)
    if least >= (tries + 1) * share:
        return min(Fraction(1), holdable_up(upper(lambda: _above(tries, share, least))))
    return min(Fraction(1), upper(lambda: 1 - _below(tries, share, least - 1)))


def _above(tries: int, share: Fraction, first: int) -> arb:
    """Terms from ``first`` up, and a bound on those left out."""
    term, odds = _term(tries, share, first), ball(share / (1 - share))
    total = term
    last = min(tries, first + _MOST_TERMS)
    for place in range(first, last):
        ratio = odds * (tries - place) / (place + 1)
        following = term * ratio
        if following < total * _ENOUGH:
            return total + following / (1 - ratio)
        total, term = total + following, following
    if last == tries:
        return total
    ratio = odds * (tries - last) / (last + 1)
    return total + term * ratio / (1 - ratio)


def _below(tries: int, share: Fraction, first: int) -> arb:
    """Terms from ``first`` down; those left out only make it smaller."""
    term, odds = _term(tries, share, first), ball((1 - share) / share)
    total = term
    for place in range(first, max(0, first - _MOST_TERMS), -1):
        term = term * odds * place / (tries - place + 1)
        total += term
        if term < total * _ENOUGH:
            break
    return total


def _term(tries: int, share: Fraction, place: int) -> arb:
    ways = arb(tries + 1).lgamma() - arb(place + 1).lgamma() - arb(tries - place + 1).lgamma()
    return (ways + place * ball(share).log() + (tries - place) * ball(1 - share).log()).exp()
