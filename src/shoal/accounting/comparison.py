"""Every measure side by side, and how far the tightest of them is from the truth."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from fractions import Fraction

from shoal.accounting.account import Account, Bound
from shoal.accounting.converters import ways
from shoal.accounting.failure_probability import deltas_of, some_fails_down, some_fails_up
from shoal.errors import ConversionError, PriceError, RangeError
from shoal.exact import Number, non_negative
from shoal.loss import LossDistribution

LOSSES = LossDistribution.__name__
"""The name under which loss distributions stand among the measures."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What an account costs in each measure, tightest first, at one delta or at one epsilon.

    ``asked`` is "epsilon" or "delta", the number that was looked for.  ``lower`` is a number below
    which it cannot be, for releases that are no better than their events say; None where none is
    known.
    """

    asked: str
    bounds: tuple[Bound, ...]
    lower: Fraction | None

    @property
    def best(self) -> Bound:
        """The tightest of the bounds, the one to quote."""
        return self.bounds[0]


def compare(
    account: Account, *, delta: Number | None = None, epsilon: Number | None = None
) -> Comparison:
    """The epsilon at a delta, or the delta at an epsilon, in every measure in which the events have
    a price.

    Guarantee: each of the bounds is an upper bound by itself, so the least of them is one, too.
        ``lower`` comes from the loss distribution, and only where it holds the law of every
        release.
    Needs: exactly one of delta and epsilon.
    Edges: events that promise nothing at a delta are refused; at an epsilon their delta is 1.

    >>> from shoal.accounting import account
    >>> both = compare(account("gaussian sigma=30 | x 1000"), delta="1e-6")
    >>> print(both.best)
    epsilon 5.18904, delta 1e-6 (...)
    >>> both.lower <= both.best.epsilon
    True
    """
    if (delta is None) == (epsilon is None):
        raise RangeError(
            "exactly one of delta and epsilon must be given.",
            remedy="Give delta to learn epsilon, or epsilon to learn delta.",
        )
    if delta is not None:
        return _epsilons(account, delta)
    assert epsilon is not None
    return _deltas(account, non_negative(epsilon, "epsilon"))


def _epsilons(account: Account, delta: Number) -> Comparison:
    found = account.all(delta=delta) or (account.epsilon(delta=delta),)
    lower = None
    if account.laws_are_known:
        with contextlib.suppress(PriceError):
            lower = min(found[0].epsilon, Fraction(account.bracket(delta=delta).low))
    return Comparison("epsilon", found, lower)


def _deltas(account: Account, epsilon: Fraction) -> Comparison:
    deltas = deltas_of(account.lines)
    lost, surely_lost = some_fails_up(deltas), some_fails_down(deltas)
    known = {}
    for way in ways():
        with contextlib.suppress(ConversionError):
            smallest = way.delta(account.lines, epsilon, Fraction(0))
            if smallest is not None:
                known[way.measure.__name__] = lost + (1 - lost) * smallest
    tightest = account.delta(epsilon=epsilon)
    known[tightest.measure] = min(tightest.delta, known.get(tightest.measure, Fraction(1)))
    low = None
    if account.losses is not None and lost < 1:
        bracket = account.losses.delta(epsilon=epsilon)
        low = surely_lost + (1 - surely_lost) * Fraction(bracket.low)
        known[LOSSES] = min(Fraction(1), lost + (1 - lost) * Fraction(bracket.high))
    bounds = [Bound(epsilon, value, name) for name, value in known.items()]
    best = sorted(bounds, key=lambda bound: bound.delta)
    lower = min(low, best[0].delta) if low is not None and account.laws_are_known else None
    return Comparison("delta", tuple(best), lower)
