"""Every measure side by side, and how far the tightest of them is from the truth."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass
from fractions import Fraction

from shoal.accounting.account import Account, Bound
from shoal.accounting.distributions import losses_of
from shoal.accounting.pricing import total_of
from shoal.accounting.unit import FAILING, told
from shoal.accounting.ways import ways
from shoal.errors import ConversionError, PriceError, RangeError
from shoal.events import (
    Composed,
    Event,
    Gaussian,
    Geometric,
    Group,
    Laplace,
    PoissonSampled,
    RandomizedResponse,
    Repeated,
    StatedApprox,
    StatedGaussian,
    StatedPure,
)
from shoal.exact import Number, non_negative
from shoal.measures.loss import LossDistribution

LOSSES = LossDistribution.__name__
"""The name under which loss distributions stand among the measures."""

_WHOLE_LAWS = (
    Gaussian,
    Geometric,
    Laplace,
    RandomizedResponse,
    StatedApprox,
    StatedGaussian,
    StatedPure,
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What an account costs in each measure, tightest first, at one delta or at one epsilon.

    ``asked`` is "epsilon" or "delta", the number that was looked for.  ``lower`` is a number below which
    it cannot be, for releases that are no better than their events say; None where none is known.
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
    """The epsilon at a delta, or the delta at an epsilon, in every measure in which the events have a price.

    Guarantee: each of the bounds is an upper bound by itself, so the least of them is one, too.
        ``lower`` comes from the loss distribution, and only where it holds the law of every release.
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
    found = list(account.all(delta=delta)) or [account.epsilon(delta=delta)]
    low = None
    with contextlib.suppress(PriceError):
        bracket = account.bracket(delta=delta)
        if math.isfinite(bracket.high):
            low = Fraction(bracket.low)
            found.append(Bound(Fraction(bracket.high), found[0].delta, LOSSES))
    best = sorted(found, key=lambda bound: bound.epsilon)
    return Comparison("epsilon", tuple(best), _lower(account, low, best[0].epsilon))


def _deltas(account: Account, epsilon: Fraction) -> Comparison:
    lost = told(total_of(account.lines, FAILING))
    known = {}
    for way in ways():
        with contextlib.suppress(ConversionError):
            smallest = way.delta(account.lines, epsilon, Fraction(0))
            if smallest is not None:
                known[way.measure.__name__] = lost + (1 - lost) * smallest
    tightest = account.delta(epsilon=epsilon)
    known[tightest.measure] = min(tightest.delta, known.get(tightest.measure, Fraction(1)))
    losses = losses_of(account.lines, Fraction(0))
    low = None
    if losses is not None and lost < 1:
        bracket = losses.delta(epsilon=epsilon)
        low, known[LOSSES] = (
            min(Fraction(1), lost + (1 - lost) * Fraction(end))
            for end in (bracket.low, bracket.high)
        )
    bounds = [Bound(epsilon, value, name) for name, value in known.items()]
    best = sorted(bounds, key=lambda bound: bound.delta)
    return Comparison("delta", tuple(best), _lower(account, low, best[0].delta))


def _lower(account: Account, low: Fraction | None, upper: Fraction) -> Fraction | None:
    """The lower end, where it speaks of the events themselves."""
    return None if low is None or not _law_is_known(account.event) else min(upper, low)


def _law_is_known(event: Event) -> bool:
    """Whether the loss distribution of an event is that of a release the event allows."""
    match event:
        case Composed():
            return all(_law_is_known(part) for part in event.events)
        case Repeated():
            return _law_is_known(event.event)
        case Group():
            return isinstance(event.event, _WHOLE_LAWS) and not isinstance(
                event.event, RandomizedResponse | StatedApprox
            )
        case PoissonSampled(event=Gaussian()):
            return True
    return isinstance(event, _WHOLE_LAWS)
