"""Replies of people who stand for different numbers of others: survey weights, strata and
clusters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError, ShapeError
from shoal.exact import Number, open_unit, positive
from shoal.local.design import Design
from shoal.local.indices import read_counts, read_indices
from shoal.local.intervals import Interval, binomial_ends, bounded, normal_point
from shoal.mechanisms.values import array_of, real_array


@dataclass(frozen=True)
class WeightedShare:
    """An estimated share with its standard error, from people who stand for different numbers of
    others.
    """

    value: float
    error: float
    people: int
    effective_people: float
    """With how many equally weighted people the weights alone would leave the same variance (Kish).
    """

    def interval(self, confidence: Number = "0.95", *, cut: bool = True) -> Interval:
        """The normal interval: an approximation, better the more people and clusters there are."""
        reach = normal_point(1 - open_unit(confidence, "confidence")) * self.error
        ends = self.value - reach, self.value + reach
        return bounded((Fraction(ends[0]), Fraction(ends[1]))) if cut else ends


def weighted_share(
    design: Design,
    replies: Any,
    *,
    weights: Any,
    strata: Any = None,
    clusters: Any = None,
    answer: int = 1,
) -> WeightedShare:
    """The weighted mean of what each reply counts, with the linearised variance over clusters
    within strata.

    Each person is a cluster unless told otherwise, and all are one stratum.  A stratum with a
    single cluster has no variance of its own, and is refused.

    >>> from shoal.local import forced
    >>> found = weighted_share(forced(), [0, 1, 0, 0, 1, 0], weights=[1, 1, 1, 2, 2, 2])
    >>> round(found.value, 4), round(found.effective_people, 2)
    (0.25, 5.4)
    """
    matrix = design.matrix
    told = read_indices(replies, matrix.odds.reports, what="replies").reshape(-1)
    mass = _read_weights(weights, len(told))
    worths = np.array([float(row[answer]) for row in matrix.estimator])[told]
    value = float(mass @ worths / mass.sum())
    scores = mass * (worths - value) / mass.sum()
    error = math.sqrt(_variance(scores, _labels(strata, len(told)), clusters))
    return WeightedShare(value, error, len(told), float(mass.sum() ** 2 / (mass @ mass)))


def stratified_interval(
    design: Design,
    counts: Mapping[str, Any],
    population: Mapping[str, Number],
    *,
    confidence: Number = "0.95",
) -> tuple[float, Interval]:
    """The share in a population of strata of known sizes, from a simple sample of each: the
    estimate and an exact interval.

    ``counts`` has how many replies there were of each kind in each stratum, ``population`` how many
    people a stratum has.  The interval joins those of Clopper and Pearson, each at an equal part of
    the risk, so it covers at least as often as it says.
    """
    if set(counts) != set(population) or not counts:
        raise ShapeError(
            "counts and population must name the same strata.",
            remedy="Give both for each stratum, and at least one stratum.",
        )
    risk = (1 - open_unit(confidence, "confidence")) / len(counts)
    sizes = {name: positive(size, "population") for name, size in population.items()}
    everyone = sum(sizes.values())
    value = low = high = Fraction(0)
    for name, tally in counts.items():
        no, yes = read_counts(tally, 2)
        part = sizes[name] / everyone / design.lean
        ends = sorted(part * (end - design.floor) for end in binomial_ends(yes, no + yes, risk))
        low, high = low + ends[0], high + ends[1]
        value += part * (Fraction(yes, no + yes) - design.floor)
    return float(value), bounded((low, high))


def _read_weights(weights: Any, people: int) -> NDArray[np.float64]:
    mass = real_array(weights, what="weights")
    if mass.shape != (people,) or not people:
        raise ShapeError(
            f"{people} weights are needed, one for each reply.",
            remedy="Give one weight for each reply, and at least one reply.",
        )
    if not np.isfinite(mass).all() or (mass <= 0).any():
        raise RangeError(
            "a weight is not a finite number above 0.",
            remedy="Leave out people who stand for nobody.",
        )
    return mass


def _labels(given: Any, people: int) -> NDArray[np.int64]:
    if given is None:
        return np.zeros(people, dtype=np.int64)
    named = array_of(given, what="labels")
    if named.shape != (people,):
        raise ShapeError(
            f"{people} labels are needed, one for each reply.",
            remedy="Give one stratum or cluster for each reply.",
        )
    numbers: NDArray[np.int64] = np.unique(named, return_inverse=True)[1].astype(np.int64)
    return numbers


def _variance(scores: NDArray[np.float64], strata: NDArray[np.int64], clusters: Any) -> float:
    """The variance of a sum of scores over clusters drawn within strata."""
    people = len(scores)
    units = np.arange(people) if clusters is None else _labels(clusters, people)
    pairs, place = np.unique(np.stack([strata, units]), axis=1, return_inverse=True)
    sums = np.bincount(place.reshape(-1), weights=scores)
    total = 0.0
    for stratum in np.unique(strata):
        inside = sums[pairs[0] == stratum]
        if len(inside) < 2:
            raise ShapeError(
                "a stratum with a single cluster has no variance of its own.",
                remedy="Join it with a stratum that is like it.",
            )
        total += len(inside) * float(inside.var(ddof=1))
    return total
