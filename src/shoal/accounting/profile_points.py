"""The profile of an account, point by point, and the promise that the points make together."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from fractions import Fraction

from shoal.accounting.account import Account
from shoal.accounting.comparison import Comparison, compare
from shoal.accounting.registry import kind_of
from shoal.errors import PriceError
from shoal.exact import Number, closed_unit
from shoal.interpret import Profile, profile
from shoal.measures import Approx, GaussianDP, Measure, Pure, ZeroConcentrated


def profile_points(
    account: Account, *, least_delta: Number, count: int = 33
) -> tuple[Comparison, ...]:
    """So many points of the profile, from epsilon 0 to the epsilon at the least delta, which is the
    last.

    Guarantee: every bound of every point holds, and so does every lower end; between points nothing
        is said.
    Edges: where a release is shuffled, at most nine points are taken, at deltas from 1/2 down, for
        there epsilon at a delta is sooner found than delta at an epsilon.
    """
    least = closed_unit(least_delta, "least_delta")
    last = compare(account, delta=least)
    if _shuffles(account):
        count = min(count, 9)
        ratio = float(2 * least) ** (1 / max(1, count - 1)) if least else 0.0
        deltas = [Fraction(ratio) ** step / 2 for step in range(count - 1)]
        return (*(compare(account, delta=delta) for delta in deltas), last)
    reach = last.best.epsilon
    gaps = max(1, count - 2)
    steps = [reach * step / gaps for step in range(gaps + 1)] if reach else []
    return (*(compare(account, epsilon=_few_digits(step)) for step in steps), last)


def promise_of(
    account: Account, *, delta: Number, count: int = 9, also: Iterable[Comparison] = ()
) -> Profile:
    """A promise that sums up an account near a delta: all that a few points and the plain measures
    say.

    Guarantee: every part of it holds for the account.  At the delta given it is as tight as
        `compare`.  Points known ``also`` are counted in.
    Edges: of shuffled releases, which take longer, only three points are taken.
    """
    few = min(count, 3) if _shuffles(account) else count
    points = profile_points(account, least_delta=delta, count=few)
    return promise_from(account, (*points, *also))


def promise_from(account: Account, points: Iterable[Comparison]) -> Profile:
    """The promise that points of an account and the plain measures make together."""
    parts: list[Measure] = [Approx(point.best.epsilon, point.best.delta) for point in points]
    for measure in (GaussianDP, ZeroConcentrated, Pure):
        with contextlib.suppress(PriceError):
            parts.append(account.cost(measure))
    return profile(*parts)


def _shuffles(account: Account) -> bool:
    return any(kind_of(line.event).uses_spare_delta for line in account.lines)


def _few_digits(number: Fraction) -> Fraction:
    """A number nearby that is written in few digits: which points are taken does not matter."""
    return Fraction(f"{float(number):.6g}")
