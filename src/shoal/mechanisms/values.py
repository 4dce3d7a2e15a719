"""Values as they come to a release: what counts as a number, and what is refused by its kind.

Whether a value is an integer or a real, and the shape of an array, are public; its numbers are not,
and no message here says anything about them.
"""

from __future__ import annotations

import contextlib
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, RangeError, ShapeError
from shoal.exact import Grid, IntegerArray, not_finite

_FITS = 1 << 62
_LARGEST_EXPONENT = 5000


def is_integer(value: object) -> bool:
    """Whether a value is one integer; truth values and spans of time only look like it."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


def is_real(value: object) -> bool:
    """Whether a value is one real number that is not an integer by kind."""
    return isinstance(value, float | np.floating | Fraction | Decimal)


def exact_real(value: Any) -> Any:
    """A real as something with an exact ratio: a `Decimal` as a `Fraction`, all others as they
    are.
    """
    if not isinstance(value, Decimal):
        return value
    if not value.is_finite() or abs(value.adjusted()) > _LARGEST_EXPONENT:
        raise not_finite()
    return Fraction(value)


def plain(values: NDArray[Any]) -> NDArray[Any]:
    """An array without the manners of its subclass; a masked one hides which entries are its
    own.
    """
    if type(values) is np.ndarray:
        return values
    if isinstance(values, np.ma.MaskedArray):
        raise ShapeError(
            "a masked array was given; which entries count is not said by its numbers.",
            remedy="Fill the masked entries by a public rule, such as filled(0), before the release.",
        )
    return np.asarray(values)


def array_of(value: Any, *, what: str) -> NDArray[Any]:
    """A number, a list, a tuple or an array as a plain array; anything else is refused by its type,
    and nothing of it is quoted.

    What numpy raises on the way could hold a value of the list, so it is not passed on.
    """
    found = None
    if isinstance(value, np.ndarray):
        found = plain(value)
    elif isinstance(value, int | float | complex | np.generic | list | tuple) or hasattr(
        type(value), "__array__"
    ):
        held = value if isinstance(value, list | tuple) else ()
        if any(isinstance(each, np.ma.MaskedArray) for each in held):
            plain(np.ma.array(0))
        with contextlib.suppress(Exception):
            found = np.asarray(value)
    if found is None:
        raise ShapeError(
            f"{what} must be numbers, a list of them or a numpy array; got {type(value).__name__}"
            " that is none.",
            remedy="Give one number, a list of numbers or a numpy array.",
        )
    return found


def real_array(value: Any, *, what: str, truths: bool = False) -> NDArray[np.float64]:
    """Real numbers of any kind as floats, of the shape given; NaN is refused without a word about
    where it stands.

    Edges: infinities are numbers here; who cannot use them checks for them.  Texts and complex
        numbers are none, and truth values only with ``truths``.
    """
    found = array_of(value, what=what)
    if found.dtype.kind not in ("biuf" if truths else "iuf"):
        raise ShapeError(
            f"{what} must be real numbers; got an array of {found.dtype}.",
            remedy="Give integers or floats.",
        )
    with np.errstate(over="ignore"):
        floats = found.astype(np.float64)
    if np.isnan(floats).any():
        raise DataError(
            f"one of the {what} is not a number.", remedy="Leave out missing values first."
        )
    return floats


def as_integers(values: NDArray[Any]) -> IntegerArray | None:
    """An array of integers as int64 or as Python's integers, and None for any other array."""
    if values.dtype.kind == "i":
        return values.astype(np.int64, copy=False)
    if values.dtype.kind == "u":
        return values.astype(object) if values.dtype.itemsize == 8 else values.astype(np.int64)
    if values.dtype.kind == "O" and all(type(value) is int for value in values.flat):
        return values
    return None


def exact_sum(values: IntegerArray, noise: IntegerArray) -> IntegerArray:
    """Values plus noise without wrapping; noise in int64 is at most 2^62 in size, as it is
    drawn.
    """
    small = values.dtype == np.int64 and noise.dtype == np.int64
    if small and values.min(initial=0) > -_FITS and values.max(initial=0) < _FITS:
        return np.asarray(values + noise, dtype=np.int64)
    return narrowed(np.asarray(values.astype(object) + noise.astype(object), dtype=object))


def narrowed(values: IntegerArray) -> IntegerArray:
    """As int64 wherever all of them fit, so that the kind of an answer depends on the answer
    alone.
    """
    fits = all(-(1 << 63) <= int(each) < 1 << 63 for each in values.flat)
    return values.astype(np.int64) if fits else values


def read_grid(grid: Grid | None) -> Grid | None:
    """The grid a caller chose; anything else is refused by name."""
    if grid is None:
        return None
    if not isinstance(grid, Grid) or type(grid.exponent) is not int:
        raise ShapeError(
            f"grid must be a shoal.Grid; got {type(grid).__name__}.",
            remedy="Give Grid(exponent) or Grid.of_spacing(spacing), such as Grid(-10) for steps of 1/1024.",
        )
    if abs(grid.exponent) > _LARGEST_EXPONENT:
        raise RangeError(
            f"grid must have a spacing from 2^-{_LARGEST_EXPONENT} to 2^{_LARGEST_EXPONENT}.",
            remedy="Choose a spacing of the size of the noise or finer.",
        )
    return grid
