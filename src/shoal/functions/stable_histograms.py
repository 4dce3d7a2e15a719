"""Histograms and modes over categories that nobody listed: what is far from changing may be told as
it is.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from shoal.events import Composed, Event, Geometric, StatedApprox
from shoal.exact import Number, out_of_range, positive
from shoal.functions.thresholds import rarely_reached
from shoal.measures import Approx
from shoal.mechanisms.mechanism import Mechanism
from shoal.mechanisms.total_functions import each_row, unwrapped
from shoal.mechanisms.witness import NoiseWitness, meet
from shoal.noise import discrete_laplace, secret
from shoal.sensitivity import Norm, Relation, Sensitivity
from shoal.sensitivity.claims import Stands, Tells

Category = tuple[type, Any]
_PLAIN = frozenset({bytes, bool, date, type(None)})
"""Types of which equal values are alike in everything; so are texts and whole numbers, within
limits.
"""
_DEEPEST, _MOST_BITS = 8, 1024
"""Beyond these a value has no text of its own: tuples nested without end, numbers of thousands of
digits.
"""


@dataclass(frozen=True, init=False, repr=False)
class _Stable(Mechanism, ABC):
    """What both share: a price with a delta, and which rows are neighbours."""

    epsilon: Fraction
    delta: Fraction
    relation: Relation

    def __init__(
        self, *, epsilon: Number, delta: Number, relation: Relation | str = Relation.ADD_REMOVE
    ) -> None:
        put = object.__setattr__
        put(self, "epsilon", positive(epsilon, "epsilon"))
        risk = positive(delta, "delta")
        if risk > Fraction(1, 2):
            raise out_of_range("delta", risk, "above 0 and at most 1/2")
        put(self, "delta", risk)
        put(self, "relation", Relation.read(relation, "relation"))

    def _shown(self) -> Iterator[tuple[str, Any]]:
        yield from (
            ("epsilon", self.epsilon),
            ("delta", self.delta),
            ("relation", str(self.relation)),
        )

    @property
    def cost(self) -> Approx:
        """What one release costs."""
        return Approx(self.epsilon, self.delta)

    @property
    @abstractmethod
    def _moved(self) -> int:
        """How far one change moves what the noise is added to."""

    @property
    def event(self) -> Event:
        """The description of one release: geometric noise, and delta that may fail."""
        own: dict[str, Any] = {"relation": self.relation, "private": secret()}
        noise = Geometric(scale=self._moved / self.epsilon, sensitivity=self._moved, **own)
        return Composed((noise, StatedApprox(epsilon=0, delta=self.delta, **own)))


@dataclass(frozen=True, init=False, repr=False)
class StableHistogram(_Stable):
    """Count rows by category, tell only categories whose noisy count is high, and list none
    beforehand.

    Guarantee: (epsilon, delta)-DP; in other measures geometric noise and a failing mass of delta.
    Needs: epsilon > 0, 0 < delta <= 1/2.  A row lies in one category; a person with several rows is
        several.  Categories are texts, numbers, dates, truth values, None, and tuples of them;
        other rows are in none.
    Edges: a category with one row is told with probability at most delta, one without rows never.
        Told categories come in the order of their noisy counts.
    Reference: Korolova, Kenthapadi, Mishra and Ntoulas 2009; Bun, Nissim and Stemmer 2016.
    Proof: stability.md.

    >>> table = StableHistogram(epsilon=1, delta="1e-6").release(["tea"] * 90 + ["rum"])
    >>> list(table)
    ['tea']
    """

    @property
    def _moved(self) -> int:
        return 2 if self.relation is Relation.CHANGE else 1

    @cached_property
    def threshold(self) -> int:
        """The least noisy count that is told."""
        return 1 + rarely_reached(self._moved / self.epsilon, self.delta)

    def release(self, rows: Iterable[Hashable]) -> dict[Hashable, int]:
        """The noisy counts that reach the threshold."""
        tally = _tally(rows)
        told = meet(lambda: self._told(tally), lambda: self._meeting(tally))
        ranked = sorted(told, key=lambda each: (-each[0], repr(each[1])))
        table: dict[Hashable, int] = {}
        for count, category in ranked:  # of 1, 1.0 and True, which are one key, the first stays
            table.setdefault(_value(category), count)
        return table

    def _told(self, tally: Counter[Category]) -> list[tuple[int, Category]]:
        noise = discrete_laplace(self._moved / self.epsilon).many(len(tally))
        noisy = np.array(list(tally.values()), dtype=object) + noise
        return [(int(n), key) for key, n in zip(tally, noisy, strict=True) if n >= self.threshold]

    def _meeting(self, tally: Counter[Category]) -> NoiseWitness:
        """What a witness is told: the counts, and that one row brings at most one category of its
        own.
        """
        moved = Sensitivity(Fraction(self._moved), Norm.L1, self.relation)
        return NoiseWitness(
            self, ("threshold", self.threshold), dict(tally), Tells(moved, ((1, 1),))
        )


@dataclass(frozen=True, init=False, repr=False)
class StableMode(_Stable):
    """The most frequent category, exactly, where it leads by enough; nothing otherwise.

    Guarantee: (epsilon, delta)-DP; in other measures geometric noise and a failing mass of delta.
    Needs: as `StableHistogram`.
    Edges: None says that the lead was too small; it costs as much as an answer.
    Reference: Smith and Thakurta 2013, distance to instability.  Proof: stability.md.

    >>> StableMode(epsilon=1, delta="1e-6").release(["tea"] * 90 + ["rum"])
    'tea'
    """

    @property
    def _moved(self) -> int:
        return 1

    @cached_property
    def threshold(self) -> int:
        """What the noisy number of changes that leave the mode alone must reach."""
        return rarely_reached(1 / self.epsilon, self.delta)

    def release(self, rows: Iterable[Hashable]) -> Hashable | None:
        """The mode, or None."""
        leading = sorted(_tally(rows).items(), key=lambda each: (-each[1], repr(each[0])))[:2]
        lead = leading[0][1] - (leading[1][1] if len(leading) > 1 else 0) if leading else 0
        safe = self.safe_changes(lead)
        mode = _value(leading[0][0]) if leading else None
        noise = discrete_laplace(1 / self.epsilon)
        return meet(
            lambda: None if noise.added_to(safe) < self.threshold else mode,
            lambda: NoiseWitness(self, noise.law, safe, Stands(mode, relation=self.relation)),
        )

    def safe_changes(self, lead: int) -> int:
        """How many changes surely leave a mode that leads by so many rows."""
        return max(0, (lead - 1) // 2 if self.relation is Relation.CHANGE else lead - 1)


def _tally(rows: Iterable[Hashable]) -> Counter[Category]:
    """How often each category occurs; a row that cannot be one is in none.

    Rows of one category must be alike in everything that is told, or the one that came first would
    show.  So categories are told apart by type and value, and only plain values are categories; 1,
    1.0 and True are three.
    """
    return Counter(
        found
        for row in each_row(rows, of="category", flat=True)
        if (found := _category(row)) is not None
    )


def _category(row: Any, depth: int = _DEEPEST) -> Category | None:
    """The type and the value of a row, both without anything of its own; None where it is no plain
    value.

    It has an answer for every object there is, and runs none of the object's own code.
    """
    if type(row) is str:  # the usual case, and the fastest
        return (str, row) if row.isascii() or _has_bytes(row) else None
    plain = unwrapped(row)
    kind = type(plain)
    if kind is tuple:
        inner = tuple(_category(each, depth - 1) for each in plain) if depth else (None,)
        return None if None in inner else (tuple, inner)
    if kind is float:
        return None if math.isnan(plain) else (float, plain + 0.0)  # -0.0 becomes 0.0
    told = kind in _PLAIN or (kind is str and _has_bytes(plain))
    told = told or (kind is int and plain.bit_length() <= _MOST_BITS)
    return (kind, plain) if told else None


def _has_bytes(text: str) -> bool:
    """Whether a text can be written down; half of a pair of surrogates cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _value(category: Category) -> Hashable:
    kind, value = category
    found: Hashable = value
    return tuple(map(_value, value)) if kind is tuple else found
