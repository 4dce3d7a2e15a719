"""The surface of a convex loss: how well every parameter of a linear model fits the data, all at
once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError, ShapeError
from shoal.exact import Number, positive, read_float_ends
from shoal.functions.kernel_sums import Integers, read_points, read_steps
from shoal.functions.operator import Operator, Reals
from shoal.functions.released import Domain, ReleasedFunction, read_domain
from shoal.functions.summed_release import Summed
from shoal.measures import Measure
from shoal.sensitivity import Norm, Relation

LOSSES: dict[str, Callable[[Reals], Reals]] = {
    "logistic": lambda margin: np.logaddexp(0.0, -margin),
    "hinge": lambda margin: np.maximum(0.0, 1 - margin),
    "squared": lambda residual: residual**2,
}
_STEPS = 1 << 10
"""Parameters, features and labels are rounded to their box cut into so many steps."""
_ENTRIES = 1 << 14
_FINEST = 20
"""Losses are counted in steps of 2^-20, or so coarse that the largest takes 2^40 of them."""
_LARGEST = 40
_PIECE = 1 << 21
_MOST_ROWS = 1 << 21
"""So many losses of at most 2^40 steps add up below 2^62."""
_SMALLEST, _GREATEST = 2.0**-8, 2.0**34
"""Beyond, a label and theta . x have no common step that 64 bits hold."""


@dataclass(frozen=True, init=False, repr=False)
class LossSurface(Summed):
    """The mean loss of a linear model at every parameter in a box: its least point is a private
    fit.

    ``logistic`` and ``hinge`` take labels from -1 to 1 and the margin y (theta . x); ``squared``
    takes y in its public range and the residual y - theta . x.  x lies in [-radius, radius] along
    each axis.
    Guarantee: the budget's, for rows clamped to their public ranges, of which there is a public
        number.  At each parameter the loss lies between two public ends, so all lattice values
        together move by at most the sum of these widths over the rows (L1; the root of the sum of
        squares for L2).
    Needs: relation "change", at most three parameters.
    Edges: losses are looked up in a public table of integers, so no float is computed from data but
        its rounding to a grid.  What is no number counts as the low end of its range.
    Reference: Aldà and Rubinstein 2017, Section 5.  Proof: kernel_sums.md.

    >>> import numpy as np
    >>> x = np.linspace(-1, 1, 3000)
    >>> surface = LossSurface.for_epsilon(1, relation="change", loss="squared", domain=[(-2, 2)], degree=6, order=3, label=2)
    >>> (theta,), _ = surface.release(x[:, None], 0.8 * x).minimum()
    >>> abs(theta - 0.8) < 0.5
    True
    """

    loss: str
    degree: int
    order: int
    domain: Domain
    radius: Fraction
    label: Fraction

    def __init__(
        self,
        *,
        budget: Measure,
        relation: Relation | str,
        loss: str,
        domain: Sequence[Sequence[float]],
        degree: int,
        order: int = 1,
        radius: Number = 1,
        label: Number = 1,
    ) -> None:
        if loss not in LOSSES:
            raise RangeError(
                f"loss must be one of {', '.join(LOSSES)}; got {str(loss)[:40]!r}.",
                remedy="Choose 'logistic' or 'hinge' for labels -1 and 1, 'squared' for numbers.",
            )
        if Relation.read(relation, "relation") is not Relation.CHANGE:
            raise RangeError(
                "relation must be 'change' for a mean over a public number of rows; got 'add_remove'.",
                remedy="Use relation='change': one row takes another value, and their number is public.",
            )
        if not 1 <= len(domain) <= 3:
            raise RangeError(
                f"a surface has 1 to 3 parameters; got {len(domain)}.",
                remedy="Release fewer parameters at a time.",
            )
        for name, end in (
            ("radius", positive(radius, "radius")),
            ("label", positive(label, "label")),
        ):
            read_float_ends(-end, end, names=(f"-{name}", name))
        operator = Operator(degree, dims=len(domain), order=order)
        self._keep(
            budget,
            relation,
            loss=loss,
            degree=operator.degree,
            order=operator.order,
            domain=read_domain(domain, operator.dims),
            radius=positive(radius, "radius"),
            label=positive(label, "label"),
        )
        self._check()

    def _check(self) -> None:
        """Refuse what the whole numbers of the table cannot hold; only public numbers are looked
        at.
        """
        if self.loss != "squared" and self.label != 1:
            raise ShapeError(
                "labels of a classification lie from -1 to 1.", remedy="Leave label out."
            )
        if self.loss == "squared" and not _SMALLEST <= self._labels_to_inner <= _GREATEST:
            raise RangeError(
                "label and the largest theta . x are too far apart to be told by one grid.",
                remedy="Scale x, y or the domain so that label is about as large as radius times the largest parameter.",
            )
        if not math.isfinite(self._worst):
            raise RangeError(
                "the largest loss is too large for a number.",
                remedy="Give a smaller domain, radius or label.",
            )

    @property
    def operator(self) -> Operator:
        return Operator(self.degree, dims=len(self.domain), order=self.order)

    @property
    def size(self) -> int:
        return self.operator.size

    def _moved_up(self, norm: Norm) -> Fraction:
        least, most = self._ends
        widths = [Fraction(int(width)) for width in most - least]
        return norm.length_up(widths)

    def release(self, x: NDArray[Any], y: NDArray[Any]) -> ReleasedFunction:
        """The surface; x has a row per person and a column per parameter, y a number."""
        rows = max(1, len(y))
        one = self._unit * rows
        noisy = np.asarray(self._noisy(self.sums(x, y)), dtype=np.float64) / one
        return ReleasedFunction(
            operator=self.operator,
            coefficients=tuple(noisy.tolist()),
            domain=self.domain,
            deviation=self._deviation(1 / one),
            event=self.event,
        )

    def sums(self, x: Any, y: Any) -> NDArray[Any]:
        """The losses added up over rows, in whole steps, before their noise; they are private."""
        box = ((-float(self.radius), float(self.radius)),) * len(self.domain)
        features = np.floor(read_points(x, box) * 2 * _STEPS + 0.5).astype(np.int64) - _STEPS
        ends = -float(self.label), float(self.label)
        labels = read_steps(y, ends, 2 * _STEPS, rows=len(features)) - _STEPS
        total = np.zeros(
            self.size, dtype=object
        )  # sums of pieces fit 64 bits, and theirs any number
        least, most = self._ends
        for at in range(0, len(features), max(1, _PIECE // self.size)):
            piece = slice(at, at + max(1, _PIECE // self.size))
            found = self._looked_up(features[piece], labels[piece])
            total += np.clip(found, least, most).sum(axis=0)
        return total.astype(np.int64) if len(features) <= _MOST_ROWS else total

    def _looked_up(self, features: Integers, labels: Integers) -> Integers:
        """The loss of each row at each parameter: an index from exact integers, then the table."""
        inner = features @ self._parameters.T
        if self.loss == "squared":
            label, slope = self._factors
            argument = labels[:, None] * label - inner * slope
        else:
            argument = labels[:, None] * inner
        return np.asarray(self._table[_place(argument, self._reach)], dtype=np.int64)

    @cached_property
    def _parameters(self) -> Integers:
        """The parameters of the lattice in whole steps, one row each."""
        low, high = np.array(self.domain).T
        places = low + self.operator.lattice() * (high - low)
        return np.asarray(np.rint(places / self._largest * _STEPS), dtype=np.int64)

    @property
    def _largest(self) -> float:
        return float(np.abs(np.array(self.domain)).max())

    @property
    def _labels_to_inner(self) -> float:
        """A step of the label, in steps of theta . x."""
        return float(self.label / self.radius) / self._largest * _STEPS

    @property
    def _factors(self) -> tuple[int, int]:
        """Whole numbers in that proportion, to 1 in 1000: what a label and what theta . x is
        multiplied by.
        """
        slope = max(1, math.ceil(512 / self._labels_to_inner))
        return round(self._labels_to_inner * slope), slope

    @property
    def _reach(self) -> int:
        """No argument of the loss is larger than this, in whole steps."""
        inner = _STEPS * int(np.abs(self._parameters).sum(axis=1).max())
        if self.loss == "squared":
            label, slope = self._factors
            return inner * slope + _STEPS * label
        return inner * _STEPS

    @property
    def _step(self) -> float:
        """What one whole step of the argument stands for."""
        one = self._largest / _STEPS * float(self.radius) / _STEPS
        return one / (self._factors[1] if self.loss == "squared" else _STEPS)

    @cached_property
    def _worst(self) -> float:
        """The largest loss of the table."""
        ends = np.array([-1.0, 1.0]) * self._reach * self._step
        with np.errstate(over="ignore"):
            return float(np.abs(LOSSES[self.loss](ends)).max())

    @cached_property
    def _unit(self) -> float:
        """How many whole steps a loss of 1 has: a power of two."""
        return 2.0 ** min(_FINEST, _LARGEST - max(0, math.frexp(self._worst)[1]))

    @cached_property
    def _table(self) -> Integers:
        """The loss, in whole steps, for arguments spread evenly from -reach to reach."""
        arguments = np.linspace(-1, 1, 2 * _ENTRIES + 1) * self._reach * self._step
        return np.rint(LOSSES[self.loss](arguments) * self._unit).astype(np.int64)

    @cached_property
    def _ends(self) -> tuple[Integers, Integers]:
        """The least and the largest loss that any row can have at each parameter, from the
        table.
        """
        furthest = _STEPS * np.abs(self._parameters).sum(axis=1)
        if self.loss == "squared":
            label, slope = self._factors
            furthest = furthest * slope + _STEPS * label
        else:
            furthest = furthest * _STEPS
        low, high = _place(-furthest, self._reach), _place(furthest, self._reach)
        within = [self._table[a : b + 1] for a, b in zip(low, high, strict=True)]
        return np.array([each.min() for each in within]), np.array([each.max() for each in within])


def _place(argument: Integers, reach: int) -> Integers:
    """The nearest entry of the table, by whole-number arithmetic alone."""
    scaled = (argument + reach) * _ENTRIES
    return np.asarray(np.clip((scaled + reach // 2) // max(1, reach), 0, 2 * _ENTRIES))
