"""Calibration: the parameter of an event that a target leaves room for, found on the safe side."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Literal

from shoal.accounting.account import account
from shoal.errors import CalibrationError, PriceError
from shoal.events import Event
from shoal.exact import Number, exponent_of, positive
from shoal.measures import Approx, Measure

_FARTHEST = 80
"""A parameter is looked for within a factor 2^80 of where the search starts."""

Make = Callable[[Fraction], Event | Iterable[Event]]
"""What the event, or the events, would be for a value of the parameter."""


def fits(events: Event | Iterable[Event], target: Measure, *, relation: str | None = None) -> bool:
    """Whether events together keep a promise.

    Guarantee: True only if they do.  An `Approx` target is met in whatever measure meets it; any
        other in its own measure.  Events without a price there do not fit.
    """
    try:
        together = account(events, relation=relation)
        if isinstance(target, Approx):
            return together.epsilon(delta=target.delta).epsilon <= target.epsilon
        return together.cost(type(target)) <= target
    except PriceError:
        return False


def calibrate(
    make_event: Make,
    target: Measure,
    *,
    safer: Literal["larger", "smaller"],
    start: Number = 1,
    at_most: Number | None = None,
    whole: bool = False,
    bits: int = 30,
    relation: str | None = None,
) -> Fraction:
    """The most useful value of a parameter that keeps a promise.

    ``safer`` says in which direction the cost falls: "larger" for noise, of which the least that
    fits is found; "smaller" for a number of repetitions, a sampling rate or an epsilon, of which
    the most that fits.

    Guarantee: the events for the value returned were priced and fit the target, in exact
        arithmetic; a value closer to the useful side by a factor 1 + 2^-bits, or by one where
        ``whole``, was priced and does not, unless ``at_most`` is returned.
    Needs: a cost that falls towards the safer side; a positive parameter.
    Edges: where nothing within a factor 2^80 of ``start`` fits, or nothing fails, there is no such
        value and `CalibrationError` says so.
    Reference: bisection; only the values asked for count, not how they were found.

    >>> from shoal.events import Gaussian, Repeated
    >>> sigma = calibrate(lambda s: Gaussian(s, 1), Approx(1, "1e-5"), safer="larger")
    >>> round(float(sigma), 4)
    3.7306
    >>> calibrate(lambda n: Repeated(Gaussian(100, 1), n), Approx(1, "1e-6"), safer="smaller", whole=True)
    Fraction(560, 1)
    """
    limit = None if at_most is None else positive(at_most, "at_most")

    def holds(value: Fraction) -> bool:
        return fits(make_event(value), target, relation=relation)

    first = positive(start, "start") if limit is None else min(positive(start, "start"), limit)
    if whole:
        first = Fraction(max(1, round(first)))
    good, bad = _bracket(holds, first, larger=safer == "larger", limit=limit, whole=whole)
    if good is None:
        raise _never(target, safer)
    if bad is None:
        if (limit is not None and safer == "smaller") or (whole and good == 1):
            return good
        raise _always(target, safer)
    return _narrowed(holds, good, bad, whole=whole, bits=bits)


def _bracket(
    holds: Callable[[Fraction], bool],
    first: Fraction,
    *,
    larger: bool,
    limit: Fraction | None,
    whole: bool,
) -> tuple[Fraction | None, Fraction | None]:
    """A value that fits and one that does not; None for what was not met on the way."""
    good = bad = None
    value = first
    for step in range(1, _FARTHEST + 1):
        if holds(value):
            good = value
        else:
            bad = value
        if good is not None and bad is not None:
            break
        up = larger == (good is None)  # towards the safer side while nothing fits
        moved = value * 2**step if up else value / 2**step
        if whole:
            moved = Fraction(max(1, round(moved)))
        if limit is not None:
            moved = min(moved, limit)
        if moved == value:
            break
        value = moved
        if abs(exponent_of(value) - exponent_of(first)) > _FARTHEST:
            break
    return good, bad


def _narrowed(
    holds: Callable[[Fraction], bool], good: Fraction, bad: Fraction, *, whole: bool, bits: int
) -> Fraction:
    while True:
        low, high = min(good, bad), max(good, bad)
        if (high - low <= 1) if whole else ((high - low) * (1 << bits) <= low):
            return good
        if high > 4 * low:
            middle = Fraction(2) ** ((exponent_of(low) + exponent_of(high)) // 2)
            middle = middle if low < middle < high else (low + high) / 2
        else:
            middle = (low + high) / 2
        middle = Fraction(middle.numerator // middle.denominator) if whole else middle
        if holds(middle):
            good = middle
        else:
            bad = middle


def _never(target: Measure, safer: str) -> CalibrationError:
    return CalibrationError(
        f"no value of the parameter was found that keeps {target}.",
        remedy=f"Check that costs fall as the parameter gets {safer}, start elsewhere, or allow more.",
    )


def _always(target: Measure, safer: str) -> CalibrationError:
    return CalibrationError(
        f"every value of the parameter that was tried keeps {target}.",
        remedy=f"Check that costs fall as the parameter gets {safer}; there is no last value that does.",
    )
