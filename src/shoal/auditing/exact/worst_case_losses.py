"""Worst-case losses of finite laws over all given pairs of neighbours.

Write P and Q for the laws of a pair, each chance known from ``low`` to ``high``, and r for the rest
of a law, of which nothing is known.  For t = e^epsilon the least delta is the sum of max(0, P - t
Q) over all outputs.  It never falls when mass is added to P, by at most that mass, and never rises
when mass is added to Q, by at most t times that mass.  So

* delta <= sum max(0, P.high - t Q.low) + r of P, and delta >= sum max(0, P.low - t Q.high) - t (r
  of Q);
* the largest ratio P / Q is at least the largest P.low / (Q.high + r of Q), and, where nothing is
  left over, at most the largest P.high / Q.low;
* the sum of P^a Q^(1-a), whose logarithm over a - 1 is the Rényi divergence, rises with P and falls
  with Q, output by output, so the same ends serve; a sum over some of the outputs is a lower bound.

All of it is rational but the logarithms and powers, which are rounded to the named side.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from flint import arb

from shoal.auditing.exact.law import Bounds, Law
from shoal.errors import RangeError
from shoal.exact import (
    Number,
    at_precision,
    ball,
    dyadic,
    lower,
    non_negative,
    positive,
    rational,
    upper,
)

Pair = tuple[Any, Any]
ZERO = Fraction(0)
_BITS = 192


@dataclass(frozen=True)
class Exact:
    """The laws of a mechanism under some datasets, and which of these are neighbours.

    >>> from shoal.auditing.exact import Law
    >>> coins = verify({"yes": Law({1: "3/4", 0: "1/4"}), "no": Law({1: "1/4", 0: "3/4"})})
    >>> coins.ratio.exact, str(coins.epsilon), coins.delta_at(2).exact, coins.variation.exact
    (Fraction(3, 1), '1.09861 to 1.09862', Fraction(1, 4), Fraction(1, 2))
    """

    laws: Mapping[Any, Law]
    pairs: tuple[Pair, ...]

    @property
    def outputs(self) -> int:
        """How many outputs are listed."""
        return len({output for law in self.laws.values() for output in law.low})

    @property
    def rest(self) -> Fraction:
        """The largest mass that was not followed to its end."""
        return max((law.rest for law in self.laws.values()), default=ZERO)

    @property
    def ratio(self) -> Bounds:
        """The largest ratio of two chances of one output: e to the worst-case epsilon."""
        return _largest(_ratio(one, two) for one, two in self._both_ways())

    @property
    def epsilon(self) -> Bounds:
        """The worst-case epsilon, each side rounded outward."""
        return _through(self.ratio, _log)

    @property
    def worst(self) -> tuple[Pair, Hashable] | None:
        """A pair and an output with the largest ratio, as far as it is certain; None without pairs
        or outputs.
        """
        found: tuple[Fraction | None, Pair, Hashable] | None = None
        for pair in self._directed():
            one, two = (self.laws[each] for each in pair)
            for output, low in one.low.items():
                bound = two.chance(output).high or ZERO
                ratio = None if low and not bound else (low / bound if bound else ZERO)
                if found is None or (found[0] is not None and (ratio is None or ratio > found[0])):
                    found = (ratio, pair, output)
        return None if found is None else (found[1], found[2])

    def delta_at(self, odds: Number) -> Bounds:
        """The least delta at e^epsilon = odds, 1 or more, exactly where the laws are."""
        t = positive(odds, "odds")
        if t < 1:
            raise RangeError(
                "odds must be 1 or more: they are e to an epsilon of 0 or more.",
                remedy="Give 1 for epsilon 0.",
            )
        return self._delta(t, t)

    def delta(self, epsilon: Number) -> Bounds:
        """The least delta at an epsilon, each side rounded outward."""
        wanted = non_negative(epsilon, "epsilon")
        if wanted == 0:
            return self._delta(Fraction(1), Fraction(1))
        return self._delta(lower(lambda: ball(wanted).exp()), upper(lambda: ball(wanted).exp()))

    @property
    def variation(self) -> Bounds:
        """The largest total variation between the laws of neighbours."""
        return self.delta_at(1)

    def renyi(self, order: Number) -> Bounds:
        """The worst Rényi divergence of an order above 1, each side rounded outward."""
        wanted = rational(order, "order")
        if wanted <= 1:
            raise RangeError("the order must be above 1.", remedy="Give an order such as 2.")
        return _largest(_renyi(one, two, wanted) for one, two in self._both_ways())

    def _delta(self, least: Fraction, most: Fraction) -> Bounds:
        return _largest(_delta(one, two, least, most) for one, two in self._both_ways())

    def _directed(self) -> Iterator[Pair]:
        for one, two in self.pairs:
            yield from ((one, two), (two, one))

    def _both_ways(self) -> Iterator[tuple[Law, Law]]:
        return ((self.laws[one], self.laws[two]) for one, two in self._directed())


def verify(laws: Mapping[Any, Law], pairs: Iterable[Pair] | None = None) -> Exact:
    """The laws of a mechanism by dataset, with the pairs that are neighbours; by default all
    are.
    """
    chosen = tuple(combinations(laws, 2)) if pairs is None else tuple((a, b) for a, b in pairs)
    unknown = [name for pair in chosen for name in pair if name not in laws]
    if unknown or not chosen:
        raise RangeError(
            "every pair must name two datasets that have a law, and there must be at least one pair.",
            remedy=f"The datasets are: {', '.join(str(name)[:40] for name in list(laws)[:10])}.",
        )
    return Exact(dict(laws), chosen)


def _outputs(one: Law, two: Law) -> Iterator[Hashable]:
    return iter({**one.low, **two.low})


def _ratio(one: Law, two: Law) -> Bounds:
    low: Fraction | None = Fraction(1)
    high: Fraction | None = Fraction(1)
    if one.rest or two.rest:
        high = None
    for output in _outputs(one, two):
        mine, theirs = one.chance(output), two.chance(output)
        assert mine.low is not None
        assert mine.high is not None
        if mine.low and low is not None:
            low = max(low, mine.low / theirs.high) if theirs.high else None
        if mine.high and high is not None:
            high = max(high, mine.high / theirs.low) if theirs.low else None
    return Bounds(low, None if low is None else high)


def _delta(one: Law, two: Law, least: Fraction, most: Fraction) -> Bounds:
    """For t between ``least`` and ``most``; delta falls with t."""
    up, down = one.rest, -most * two.rest
    for output in _outputs(one, two):
        up += max(ZERO, one.high.get(output, ZERO) - least * two.low.get(output, ZERO))
        down += max(ZERO, one.low.get(output, ZERO) - most * two.high.get(output, ZERO))
    return Bounds(max(ZERO, down), min(Fraction(1), up))


def _renyi(one: Law, two: Law, order: Fraction) -> Bounds:
    outputs = list(_outputs(one, two))
    sure = [(one.low.get(o, ZERO), two.chance(o).high or ZERO) for o in outputs]
    if any(p and not q for p, q in sure):
        return Bounds(None, None)
    low = max(ZERO, _divergence(sure, order)[0]) if any(p for p, _ in sure) else ZERO
    most = [(one.high.get(o, ZERO), two.low.get(o, ZERO)) for o in outputs]
    if one.rest or two.rest or any(p and not q for p, q in most):
        return Bounds(low, None)
    if all(p == q for p, q in most) and one.exact and two.exact:
        return Bounds(ZERO, ZERO)
    return Bounds(low, max(low, _divergence(most, order)[1]))


def _divergence(
    chances: list[tuple[Fraction, Fraction]], order: Fraction
) -> tuple[Fraction, Fraction]:
    """Bounds of ln(sum of P^a Q^(1-a)) / (a - 1), some 2^-160 apart; it may be 0, which no relative
    precision settles.
    """

    def ends() -> tuple[Fraction, Fraction]:
        total = arb(0)
        for p, q in chances:
            if p:
                total += (ball(p / q).log() * ball(order - 1)).exp() * ball(p)
        found = total.log() / ball(order - 1)
        return dyadic(found.lower()), dyadic(found.upper())

    return at_precision(_BITS, ends)


def _largest(found: Iterable[Bounds]) -> Bounds:
    low: Fraction | None = ZERO
    high: Fraction | None = ZERO
    for each in found:
        low = None if low is None or each.low is None else max(low, each.low)
        high = None if high is None or each.high is None else max(high, each.high)
    return Bounds(low, None if low is None else high)


def _log(ratio: Fraction, *, up: bool) -> Fraction:
    if ratio == 1:
        return ZERO
    return (upper if up else lower)(lambda: ball(ratio).log())


def _through(bounds: Bounds, function: Callable[..., Fraction]) -> Bounds:
    low = None if bounds.low is None else function(bounds.low, up=False)
    high = None if bounds.high is None else function(bounds.high, up=True)
    return Bounds(low, high)
