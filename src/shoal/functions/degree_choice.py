"""Which degree and order to release a function with, from public facts alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from shoal.errors import RangeError
from shoal.exact import Number
from shoal.functions.bernstein import Bernstein, Function, looked_at
from shoal.functions.operator import Operator, lattice_values
from shoal.functions.smoothness import Smoothness
from shoal.measures import Measure
from shoal.sensitivity import Sensitivity

DEGREES = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 32, 40, 50, 64, 80, 100)
ORDERS = (1, 2, 3, 4, 5, 6, 8, 12)
_MOST_LOOKED_AT = 1 << 14


def choose_operator(
    budget: Measure,
    *,
    sensitivity: Callable[[int], Number | Sensitivity],
    curves: Function | Sequence[Function] | None = None,
    smoothness: Smoothness | None = None,
    dims: int = 1,
    degrees: Iterable[int] = DEGREES,
    orders: Iterable[int] = ORDERS,
) -> Operator:
    """The degree and order with the least expected squared error.

    ``sensitivity`` gives that of all lattice values for a degree.  With ``curves``, functions on
    the unit cube one could imagine, the error is the mean over them and over the cube; with
    `Smoothness` it is the bound of the bias, squared, plus the mean square of the noise.
    Needs: all of it public; nothing is read off data, nothing is spent.

    >>> from shoal.measures import Pure
    >>> wave = lambda x: x * np.sin(10 * x)
    >>> for rows in (100, 10_000):
    ...     found = choose_operator(Pure(1), sensitivity=lambda degree: f"{degree}/{rows}", curves=wave)
    ...     print(found.degree, found.order)
    8 12
    25 12
    """
    if (curves is None) == (smoothness is None):
        raise RangeError(
            "exactly one of curves and smoothness must be given.",
            remedy="Give curves one could imagine, or bounds on derivatives: both are public facts.",
        )
    imagined = [curves] if callable(curves) else list(curves or [])
    tried = [
        (_squared_error(operator, deviation, imagined, smoothness), operator)
        for degree in degrees
        for deviation in [_deviation(budget, sensitivity, degree, dims)]
        for order in orders
        for operator in [Operator(degree, dims=dims, order=order)]
        if operator.size <= _MOST_LOOKED_AT
    ]
    if not tried:
        raise RangeError(
            "no degree is small enough to be looked at in so many dimensions.",
            remedy="Give degrees= with smaller ones, or release fewer dimensions.",
        )
    return min(tried, key=lambda pair: pair[0])[1]


def _deviation(
    budget: Measure, sensitivity: Callable[[int], Number | Sensitivity], degree: int, dims: int
) -> float:
    mechanism = Bernstein.for_budget(
        budget, sensitivity=sensitivity(degree), degree=degree, dims=dims
    )
    return mechanism.deviation


def _squared_error(
    operator: Operator, deviation: float, curves: Sequence[Function], smoothness: Smoothness | None
) -> float:
    noise = deviation**2 * operator.mean_square
    if smoothness is not None:
        return noise + smoothness.bias_up(operator) ** 2
    points = looked_at(operator.dims)
    asked = points[:, 0] if operator.dims == 1 else points
    far = [
        operator.evaluate(lattice_values(operator, curve), points) - np.asarray(curve(asked))
        for curve in curves
    ]
    return noise + float(np.mean(np.square(far)))
