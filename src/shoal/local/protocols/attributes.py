"""Several attributes of each person: all of them with a part of epsilon, one of them with all of
it, or one among fakes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ShapeError
from shoal.exact import Number, ball, positive, upper, whole
from shoal.local.indices import read_indices
from shoal.local.odds import odds_down
from shoal.local.protocols.oracles import Frequencies, KaryResponse, Oracle, oracles
from shoal.local.protocols.oracles.oracle import not_a_report
from shoal.measures import Pure
from shoal.mechanisms.values import array_of
from shoal.noise import uniform_below


def plain_oracle(epsilon: Number, size: int) -> Oracle:
    """The oracle of least variance whose report is a single number."""
    found = [made for made in oracles(epsilon, size=size) if made.report([0]).ndim == 1]
    return min(found, key=lambda made: made.variance(0))


@dataclass(frozen=True)
class SplitAttributes:
    """Every attribute is reported, each by an oracle with its part of epsilon.

    Guarantee: a report costs the sum of what its parts cost.
    Reference: sequential composition.  `SampledAttributes` has less error for more than one
        attribute.

    >>> SplitAttributes.for_epsilon(2, sizes=[4, 10]).report([[0, 9], [3, 3]]).shape
    (2, 2)
    """

    parts: tuple[Oracle, ...]

    @classmethod
    def for_epsilon(cls, epsilon: Number, *, sizes: Sequence[int]) -> Self:
        """Equal parts."""
        each = positive(epsilon, "epsilon") / len(_read_sizes(sizes))
        return cls(tuple(plain_oracle(each, size) for size in sizes))

    @property
    def cost(self) -> Pure:
        """What one report costs the person who sends it."""
        return Pure(upper(lambda: ball(math.prod(part.odds for part in self.parts)).log()))

    def report(self, rows: Any) -> NDArray[np.int64]:
        """A row of reports for each row of values."""
        values = _read_rows(rows, [part.size for part in self.parts])
        told = [part.report(values[:, place]) for place, part in enumerate(self.parts)]
        return np.stack(told, axis=1)

    def estimate(self, reports: Any) -> list[Frequencies]:
        """The shares of the values of each attribute."""
        told = read_tuples(reports, len(self.parts))
        return [part.estimate(told[:, place]) for place, part in enumerate(self.parts)]


@dataclass(frozen=True)
class SampledAttributes:
    """One attribute, chosen at random, is reported with all of epsilon; the report says which.

    Guarantee: a report costs what the dearest of its oracles costs; the choice depends on nothing.
    Edges: the share of each attribute is estimated from those who reported it.

    >>> SampledAttributes.for_epsilon(2, sizes=[4, 10]).report([[0, 9], [3, 3]]).shape
    (2, 2)
    """

    parts: tuple[Oracle, ...]

    @classmethod
    def for_epsilon(cls, epsilon: Number, *, sizes: Sequence[int]) -> Self:
        """All of epsilon for whichever attribute is chosen."""
        return cls(tuple(plain_oracle(epsilon, size) for size in _read_sizes(sizes)))

    @property
    def cost(self) -> Pure:
        """What one report costs the person who sends it."""
        return Pure(max(part.epsilon for part in self.parts))

    def report(self, rows: Any) -> NDArray[np.int64]:
        """Pairs: the attribute, and its report."""
        values = _read_rows(rows, [part.size for part in self.parts])
        chosen = uniform_below(len(self.parts), len(values)).astype(np.int64, copy=False)
        made = np.stack([chosen, np.zeros_like(chosen)], axis=1)
        for place, part in enumerate(self.parts):
            who = np.flatnonzero(chosen == place)
            if len(who):
                made[who, 1] = part.report(values[who, place])
        return made

    def estimate(self, reports: Any) -> list[Frequencies]:
        """The shares of the values of each attribute."""
        told = read_choices(reports, len(self.parts))
        return [
            part.estimate(told[told[:, 0] == place, 1]) for place, part in enumerate(self.parts)
        ]


@dataclass(frozen=True)
class FakedAttributes:
    """One attribute, chosen at random and not told, is reported by k-ary response; the others are
    uniform fakes.

    Guarantee: for a person all of whose attributes may change, a report costs ln ``odds``; for one
        attribute that changes, ln ``attribute_odds``, which is less.  Published accounts state the
        second as if it were the first.
    Needs: k-ary response with the same odds for every attribute.
    Edges: who guesses the attribute that was chosen learns more about it: the fakes are uniform,
        true answers are not.
    Reference: Arcolezi et al. 2021.  Proof: attributes.md.

    >>> made = FakedAttributes.for_epsilon(1, sizes=[5, 5, 5])
    >>> round(float(made.epsilon), 6), round(float(made.attribute_epsilon), 3)
    (1.0, 0.453)
    """

    sizes: tuple[int, ...]
    odds: Fraction

    @classmethod
    def for_epsilon(cls, epsilon: Number, *, sizes: Sequence[int]) -> Self:
        """For a cost of the whole record."""
        return cls(_read_sizes(sizes), odds_down(epsilon))

    @property
    def parts(self) -> tuple[KaryResponse, ...]:
        """The response of each attribute."""
        return tuple(KaryResponse(size, self.odds) for size in self.sizes)

    @property
    def attribute_odds(self) -> Fraction:
        """The largest ratio of the chances of a report when one attribute changes."""
        leasts = [size / (self.odds + size - 1) for size in self.sizes]
        total = sum(leasts, Fraction(0))
        return max(1 + (self.odds - 1) * least / total for least in leasts)

    @property
    def epsilon(self) -> Fraction:
        """What a report costs when all attributes may change, rounded up."""
        return upper(lambda: ball(self.odds).log())

    @property
    def attribute_epsilon(self) -> Fraction:
        """What it costs when one attribute may change, rounded up."""
        return upper(lambda: ball(self.attribute_odds).log())

    @property
    def cost(self) -> Pure:
        """What one report costs the person who sends it."""
        return Pure(self.epsilon)

    def chance(self, row: Sequence[int], report: Sequence[int]) -> Fraction:
        """The exact chance of a report under a row of values."""
        ratios = [
            size * part.chance(value, told)
            for size, part, value, told in zip(self.sizes, self.parts, row, report, strict=True)
        ]
        even = Fraction(1)
        for size in self.sizes:
            even /= size
        return even * sum(ratios, Fraction(0)) / len(self.sizes)

    def report(self, rows: Any) -> NDArray[np.int64]:
        """A row of as many values for each row of values; one of them is a report, the rest are
        fakes.
        """
        values = _read_rows(rows, self.sizes)
        chosen = uniform_below(len(self.sizes), len(values))
        made = np.stack([uniform_below(size, len(values)) for size in self.sizes], axis=1)
        for place, part in enumerate(self.parts):
            who = np.flatnonzero(chosen == place)
            if len(who):
                made[who, place] = part.report(values[who, place])
        return made.astype(np.int64, copy=False)

    def estimate(self, reports: Any) -> list[Frequencies]:
        """The shares of the values of each attribute, with the fakes taken off."""
        told, found = _read_rows(reports, self.sizes), list[Frequencies]()
        others = len(self.sizes) - 1
        for place, part in enumerate(self.parts):
            own, other = part.support
            floor = other + Fraction(others, part.size)
            counts = np.bincount(told[:, place], minlength=part.size)
            scores = (others + 1 - floor) / (own - other), -floor / (own - other)
            found.append(Frequencies(len(told), counts, len(told) - counts, scores))
        return found


def _read_sizes(sizes: Sequence[int]) -> tuple[int, ...]:
    if not sizes:
        raise ShapeError("at least one attribute is needed.", remedy="Give the size of each one.")
    return tuple(whole(size, "the size of an attribute", at_least=2) for size in sizes)


def _read_rows(rows: Any, sizes: Sequence[int]) -> NDArray[np.int64]:
    values = array_of(rows, what="values")
    if values.ndim != 2 or values.shape[1] != len(sizes) or not len(values):
        raise ShapeError(
            f"rows of {len(sizes)} whole numbers are needed.",
            remedy="Give one row for each person, one number for each attribute.",
        )
    columns = [
        read_indices(values[:, place], size, what="values") for place, size in enumerate(sizes)
    ]
    return np.stack(columns, axis=1).astype(np.int64, copy=False)


def read_tuples(reports: Any, width: int) -> NDArray[np.int64]:
    """Reports that are rows of so many whole numbers, as they came in."""
    told = array_of(reports, what="reports")
    if told.ndim != 2 or told.shape[1] != width or told.dtype.kind not in "iu" or not len(told):
        raise ShapeError(
            f"reports are rows of {width} whole numbers.",
            remedy="Give the reports as `report` made them, one row for each person.",
        )
    return told.astype(np.int64)


def read_choices(reports: Any, choices: int) -> NDArray[np.int64]:
    """Reports that are pairs: which of so many was chosen, and what was told of it."""
    told = read_tuples(reports, 2)
    if not ((told[:, 0] >= 0) & (told[:, 0] < choices)).all():
        raise not_a_report()
    return told
