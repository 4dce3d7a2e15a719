"""A grid turns real values into integers and integers back into floats.

Data are floats with an exact binary value; a grid point is an integer times a power of two.  Going
to the grid is one exact rounding, ``floor(x / spacing + 1/2)``, which moves with its argument:
shifting x by whole steps shifts the result by as many.  Hence values at most t steps apart land at
most ceil(t) steps apart, which is what `steps_up` returns.  (Rounding half to even does not have
this property: 0.5 and 1.5 are one step apart and would land on 0 and 2.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, RangeError
from shoal.exact.rational import Number, out_of_range, rational, short
from shoal.exact.real import exponent_of

IntegerArray = NDArray[np.int64] | NDArray[np.object_]
LARGEST_GRID_EXPONENT = 5000
# Below this a float with its rounding fits int64, with a bit to spare for the step up.
_EXACT_IN_INT64 = 2.0**62


@dataclass(frozen=True, slots=True)
class Grid:
    """Multiples of ``2**exponent``.

    >>> Grid(-2).to_steps(0.8), Grid(-2).to_float(3)
    (3, 0.75)
    """

    exponent: int

    def __post_init__(self) -> None:
        if type(self.exponent) is not int or abs(self.exponent) > LARGEST_GRID_EXPONENT:
            whole = type(self.exponent) is int
            shown = short(Fraction(self.exponent)) if whole else type(self.exponent).__name__
            raise RangeError(
                f"exponent must be a whole number from -{LARGEST_GRID_EXPONENT} to {LARGEST_GRID_EXPONENT}; got {shown}.",
                remedy="Give Grid(-10) for steps of 1/1024, or use Grid.of_spacing.",
            )

    @classmethod
    def of_spacing(cls, spacing: Number) -> Grid:
        """The grid whose points are ``spacing`` apart, a power of two."""
        step = rational(spacing, "spacing")
        if isinstance(spacing, float | np.floating):
            step = Fraction(*_ratio(spacing))  # 2.0**-40 is itself, not its shortest decimal
        if step <= 0 or step != Fraction(2) ** exponent_of(step):
            raise out_of_range("spacing", step, "a power of two, such as 1, 1/4 or 1024")
        return cls(exponent_of(step))

    @property
    def spacing(self) -> Fraction:
        return Fraction(2) ** self.exponent

    def steps_up(self, distance: Fraction) -> int:
        """How many steps apart two values can land that are at most ``distance`` apart."""
        return math.ceil(distance / self.spacing)

    def to_steps(self, value: float | Fraction | np.integer | np.floating) -> int:
        """One value to the nearest grid point, as a whole number of steps; halves go up."""
        above, below = _ratio(value)
        if self.exponent < 0:
            above <<= -self.exponent
        else:
            below <<= self.exponent
        # floor(x + 1/2) in integers; Python's round goes half to even, which the head of this
        # file rules out.
        return (2 * above + below) // (2 * below)

    def to_float(self, steps: int) -> float:
        """The float nearest to a grid point: the one rounding of a release, after the noise."""
        return float_of(steps, self.exponent)

    def array_to_steps(self, values: NDArray[np.floating]) -> IntegerArray:
        """A whole array of floats to steps, each as `to_steps` would; int64 where all of them
        fit.
        """
        if values.dtype.kind != "f":  # a cast to float would round large integers
            return self._each_to_steps(values)
        if not np.isfinite(values).all():
            raise not_finite()
        if values.dtype.itemsize <= 8:  # wider floats would be rounded by the cast
            values = values.astype(np.float64, copy=False)
        with np.errstate(over="ignore", under="ignore"):
            scaled = _times_power(values, -self.exponent)  # exact, or so small that it lands on 0
        if bool((np.abs(scaled) < _EXACT_IN_INT64).all()):
            below = np.floor(scaled)
            steps = np.asarray(below, dtype=np.int64)
            # Not floor(scaled + 0.5): that sum rounds up for the float just below a half.
            steps += scaled - below >= 0.5
            return steps
        return self._each_to_steps(values)

    def _each_to_steps(self, values: NDArray[np.generic]) -> NDArray[np.object_]:
        exact = np.empty(values.shape, dtype=object)
        exact[...] = np.frompyfunc(self.to_steps, 1, 1)(values)
        return exact

    def array_to_float(self, steps: IntegerArray) -> NDArray[np.float64]:
        """A whole array of steps to floats, each rounded once."""
        if steps.dtype == np.int64 and -900 < self.exponent < 900:
            return _times_power(steps.astype(np.float64), self.exponent)
        floats = np.empty(steps.shape, dtype=np.float64)
        floats[...] = np.frompyfunc(lambda step: self.to_float(int(step)), 1, 1)(steps)
        return floats


def _times_power(values: NDArray[Any], exponent: int) -> NDArray[Any]:
    """``values * 2**exponent`` as `numpy.ldexp` would, by one multiplication where the power is a
    float.
    """
    if -1000 < exponent < 1000:
        return np.asarray(values * 2.0**exponent)
    return np.asarray(np.ldexp(values, exponent))


def float_of(steps: int, exponent: int) -> float:
    """``steps * 2**exponent`` as the nearest float, saturating at the largest finite one."""
    whole = int(steps)
    try:
        return whole / (1 << -exponent) if exponent < 0 else float(whole << exponent)
    except OverflowError:
        return math.nextafter(math.inf if steps > 0 else -math.inf, 0)


def _ratio(value: float | Fraction | np.integer | np.floating) -> tuple[int, int]:
    """The exact value of a number in the data, whatever its width; anything else is refused."""
    if isinstance(value, float) and math.isfinite(value):
        return value.as_integer_ratio()
    if isinstance(value, int | np.integer):
        return int(value), 1
    if isinstance(value, Fraction):  # its parts may be numpy's, which overflow in silence
        return int(value.numerator), int(value.denominator)
    if isinstance(value, np.floating) and np.isfinite(value):
        return value.as_integer_ratio()
    raise not_finite()


def not_finite() -> DataError:
    """The one wording for a value that cannot be released; it never says which value or what."""
    return DataError(
        "the value to release holds something that is not a finite number.",
        remedy="Replace missing and infinite entries by a public rule before the release.",
    )
