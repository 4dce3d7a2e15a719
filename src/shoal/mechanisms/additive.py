"""What all mechanisms that add noise to numbers share: value and noise meet as exact integers.

Integers get noise on the integers.  Real values are first rounded to a grid of a power of two, get
noise on that grid, and become floats at the very end: one rounding of a value that is already
private.  Rounding to the grid can widen the sensitivity by a step per number, so the noise is
widened in the same proportion and the cost stays exactly what was promised; `additive.md` has the
proof.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self, overload

import numpy as np
from flint import arb
from numpy.typing import NDArray

from shoal.errors import CalibrationError, RangeError, ShapeError
from shoal.exact import (
    Grid,
    IntegerArray,
    Number,
    Real,
    ball,
    exponent_of,
    float_up,
    is_below,
    not_finite,
    open_unit,
    positive,
    truth_value,
    turning_point,
    upper,
    whole,
)
from shoal.measures import Measure
from shoal.mechanisms.mechanism import Mechanism
from shoal.mechanisms.values import (
    as_integers,
    exact_real,
    exact_sum,
    is_integer,
    is_real,
    plain,
    read_grid,
)
from shoal.mechanisms.witness import NoiseWitness, meet
from shoal.noise import IntegerNoise, put_in_place
from shoal.sensitivity import Sensitivity
from shoal.sensitivity.claims import Moves

_PIECE = 1 << 14


class Additive(Mechanism, ABC):
    """A mechanism whose release is the value plus independent noise for each of its numbers."""

    reals: ClassVar[bool] = True
    """Whether real values can be released, or integers only."""

    sensitivity: Sensitivity
    grid: Grid | None

    @classmethod
    @abstractmethod
    def _with(cls, spread: Fraction, sensitivity: Number | Sensitivity, grid: Grid | None) -> Self:
        """The mechanism with this scale parameter."""

    @classmethod
    @abstractmethod
    def _spread_for(cls, budget: Measure, sensitivity: Number | Sensitivity) -> Fraction:
        """The smallest scale parameter that a budget allows."""

    @property
    @abstractmethod
    def spread(self) -> Fraction:
        """The scale parameter of the noise, in the units of the value."""

    @abstractmethod
    def _noise(self, spread: Fraction) -> IntegerNoise:
        """The noise on the integers with this scale parameter, in steps."""

    @abstractmethod
    def _coverage(self, spread: Fraction, steps: int) -> Real:
        """The probability, or a lower bound of it, that one noise is at most ``steps`` steps."""

    @abstractmethod
    def _quantile(self, spread: Fraction, beyond: Real) -> Real:
        """About how many steps one noise exceeds with probability ``beyond``: only a place to
        start.
        """

    @abstractmethod
    def _steps_apart(self, distance: Fraction, size: int) -> Fraction:
        """How many steps apart ``size`` numbers can land on the grid that were ``distance`` steps
        apart.
        """

    @overload
    def release(self, value: int) -> int: ...
    @overload
    def release(self, value: float | Fraction | Decimal) -> float: ...
    @overload
    def release(self, value: NDArray[np.integer[Any]]) -> IntegerArray: ...
    @overload
    def release(self, value: NDArray[np.floating[Any]]) -> NDArray[np.float64]: ...

    def release(self, value: Any) -> Any:
        """The value plus noise: a scalar or a whole array, integers as integers, reals as floats.

        Guarantee: what `cost` says, for a value whose sensitivity is at most the declared one.
        Needs: whether the value is an integer or a real, and the shape of an array, do not depend
            on the data: they show in the answer.
        Edges: NaN and infinities are refused without being quoted; integers of any size are exact,
            and an array of them comes back as Python's integers where 64 bits would not hold the
            answer.
        """
        if type(value) is int:
            if put_in_place() is None:  # the usual case, and the fastest
                return self._integer_noise.added_to(value)
            return self._release_integer(value)
        if type(value) is float and self.reals:
            return self._release_real(value)
        if isinstance(value, np.ndarray):
            return self._release_array(plain(value))
        if is_integer(value):
            return self._release_integer(int(value))
        if self.reals and is_real(value):
            return self._release_real(exact_real(value))
        raise self._unusable(type(value).__name__)

    def error(self, confidence: Number, *, size: int = 1, integers: bool | None = None) -> float:
        """How far a release can be off: with at least this probability, all ``size`` numbers are
        within.

        An exact quantile of the noise: for reals on the grid (their rounding to it included), or
        with ``integers`` for integer values, which is the default where only those can be released.
        The last rounding of a real answer to a float, at most half of its last digit, is not
        counted.
        """
        wanted = open_unit(confidence, "confidence")
        count = whole(size, "size", at_least=1)
        grid, spread = self._lattice(count, integers=self._whole_steps(integers=integers))

        def each() -> arb:
            return (ball(wanted).log() / count).exp()

        def beyond() -> arb:
            return -(ball(wanted).log() / count).expm1()

        near = _nearly(self._quantile(spread, beyond))
        steps = _smallest_steps(lambda k: not is_below(self._coverage(spread, k), each), near=near)
        if grid is None:
            return steps
        return float_up((steps + Fraction(1, 2)) * grid.spacing)

    @classmethod
    def for_budget(
        cls, budget: Measure, *, sensitivity: Number | Sensitivity, grid: Grid | None = None
    ) -> Self:
        """The mechanism with the least noise that a budget allows, in any measure it can meet."""
        return cls._with(cls._spread_for(budget, sensitivity), sensitivity, grid)

    @classmethod
    def for_error(
        cls,
        error: Number,
        *,
        confidence: Number,
        sensitivity: Number | Sensitivity,
        size: int = 1,
        integers: bool | None = None,
        grid: Grid | None = None,
    ) -> Self:
        """The most private mechanism whose `error` at this confidence is within the target."""
        target = positive(error, "error")
        wanted = open_unit(confidence, "confidence")
        whole_steps = cls._whole_steps(integers=integers)
        if whole_steps and target < 1:
            raise CalibrationError(
                "integer noise within an error below 1 would be no noise at all.",
                remedy="Ask for an error of 1 or more, or release real values.",
            )
        grid = read_grid(grid)
        if grid is not None and not whole_steps and target < grid.spacing / 2:
            raise CalibrationError(
                "rounding to the grid alone can be off by more than this error.",
                remedy="Choose a finer grid, or leave it out.",
            )

        def holds(spread: Fraction) -> bool:
            mechanism = cls._with(spread, sensitivity, grid)
            return mechanism.error(wanted, size=size, integers=whole_steps) <= target

        spread, _ = turning_point(holds, start=target, bits=30)
        found = cls._with(spread, sensitivity, grid)
        found._noise(found._lattice(size, integers=whole_steps)[1])  # noqa: SLF001 - refused here if it cannot be drawn
        return found

    @classmethod
    def _whole_steps(cls, *, integers: bool | None) -> bool:
        """Whether integers are meant, where a caller may say so."""
        if integers is None:
            return not cls.reals
        if not truth_value(integers, "integers") and not cls.reals:
            raise RangeError(
                f"integers must be True: {cls.__name__} releases nothing else.",
                remedy="Leave integers out, or use Laplace for real values.",
            )
        return integers

    @cached_property
    def _integer_noise(self) -> IntegerNoise:
        return self._noise(self.spread)

    def _release_integer(self, value: int) -> int:
        noise = self._integer_noise
        return meet(lambda: noise.added_to(value), lambda: self._meeting(noise, value))

    def _release_real(self, value: Any) -> float:
        grid, noise = self._grid_noise
        steps = grid.to_steps(value)
        if put_in_place() is None:
            return grid.to_float(noise.added_to(steps))
        return meet(
            lambda: grid.to_float(noise.added_to(steps)), lambda: self._meeting(noise, steps, grid)
        )

    def _meeting(
        self, noise: IntegerNoise, steps: int | IntegerArray, grid: Grid | None = None
    ) -> NoiseWitness:
        """What a witness is told: the value in steps, and how many of them neighbours may be
        apart.
        """
        distance, size = self.sensitivity.value, max(1, getattr(steps, "size", 1))
        claim = Moves.of(self.sensitivity)
        if grid is not None:
            apart = self._steps_apart(distance / grid.spacing, size) if distance else Fraction(0)
            claim = Moves(self.sensitivity, apart, grid.spacing)
        return NoiseWitness(self, noise.law, steps, claim)

    def _release_array(self, values: NDArray[Any]) -> NDArray[Any]:
        self._check_size(values.size)
        if self.reals and (values.dtype.kind == "f" or _are_fractions(values)):
            return self._release_reals(values)
        integers = as_integers(values)
        if integers is None:
            raise self._unusable(f"an array of {values.dtype}")
        noise = self._integer_noise
        return meet(
            lambda: exact_sum(integers, noise.many(values.size).reshape(values.shape)),
            lambda: self._meeting(noise, integers),
        )

    def _release_reals(self, values: NDArray[Any]) -> NDArray[np.float64]:
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise not_finite()
        grid, spread = self._on_grid(max(1, values.size))
        flat, noise = values.reshape(-1), self._noise(spread)
        released = meet(
            lambda: _noisy_reals(flat, grid, noise.many(flat.size)),
            lambda: self._meeting(noise, grid.array_to_steps(flat), grid),
        )
        return released.reshape(values.shape)

    def _check_size(self, size: int) -> None:
        """Refuse more numbers than the sensitivity was worked out for."""
        known = self.sensitivity.dimension
        if known is not None and size > known:
            raise ShapeError(
                f"the sensitivity is that of {known} numbers; {size} were given.",
                remedy="Work the sensitivity out for all the numbers together.",
            )

    def _unusable(self, kind: str) -> ShapeError:
        allowed = "a number or a numpy array of integers or floats"
        if not self.reals:
            allowed = "a whole number or a numpy array of integers"
        return ShapeError(
            f"what is released must be {allowed}; got {kind}.", remedy=f"Give {allowed}."
        )

    @cached_property
    def _grid_noise(self) -> tuple[Grid, IntegerNoise]:
        grid, spread = self._on_grid(1)
        return grid, self._noise(spread)

    def _lattice(self, size: int, *, integers: bool) -> tuple[Grid | None, Fraction]:
        """The grid, None for integers, and the noise's scale in its steps."""
        return (None, self.spread) if integers else self._on_grid(size)

    def _on_grid(self, size: int) -> tuple[Grid, Fraction]:
        """The grid for ``size`` reals, and the noise's scale in its steps."""
        distance = self.sensitivity.value
        grid = self.grid or default_grid(distance, self.spread)
        if distance == 0:
            return grid, self.spread / grid.spacing
        return grid, self.spread / distance * self._steps_apart(distance / grid.spacing, size)


def _are_fractions(values: NDArray[Any]) -> bool:
    """Whether an array holds exact numbers of Python that are not integers by kind."""
    objects = values.dtype.kind == "O" and values.size > 0
    return objects and all(type(value) is Fraction for value in values.flat)


def _noisy_reals(flat: NDArray[Any], grid: Grid, noise: IntegerArray) -> NDArray[np.float64]:
    """Reals on a grid plus noise: piece by piece, so that the arrays in between stay in the
    processor's cache.
    """
    released = np.empty(flat.size)
    for start in range(0, flat.size, _PIECE):
        piece = slice(start, start + _PIECE)
        sums = exact_sum(grid.array_to_steps(flat[piece]), noise[piece])
        released[piece] = grid.array_to_float(sums)
    return released


def default_grid(sensitivity: Fraction, spread: Fraction) -> Grid:
    """2^-40 of the sensitivity or finer, within reach of the noise.

    The spacing lies between 2^-20 and 2^-50 of the noise, so it is never seen in an answer.
    Rounding to it widens the noise of one number by less than one part in 10^12 while the noise is
    at most 2^10 times the sensitivity; beyond, by at most 2^-50 of that ratio.
    """
    noise = exponent_of(spread)
    fine = min(exponent_of(sensitivity or spread) - 40, noise - 20)
    return Grid(max(fine, noise - 50))


def apart(sensitivity: Sensitivity) -> Fraction:
    """A sensitivity that noise can be calibrated to."""
    if sensitivity.value == 0:
        raise RangeError(
            "a sensitivity of 0 needs no noise, so none can be calibrated to it.",
            remedy="Release the value as it is, or state the scale of the noise yourself.",
        )
    return sensitivity.value


def _nearly(real: Real) -> int:
    """A whole number next to a real one, however large."""
    return int(upper(real, bits=64 + int(upper(real)).bit_length()))


def _smallest_steps(enough: Callable[[int], bool], *, near: int) -> int:
    """The smallest whole number, 0 or more, that is enough; ``near`` is a guess, on which nothing
    rests.
    """
    low, high, stride = -1, max(0, near), 1
    while not enough(high):
        low, high, stride = high, high + stride, 2 * stride
    below, stride = high - 1, 1
    while below > low and enough(below):
        high, stride = below, 2 * stride
        below = high - stride
    low = max(low, below)
    while high - low > 1:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle
    return high
