"""Limits for all cells of a table together, by Assouad's method: many two-point questions at
once.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from flint import arb

from shoal.exact import Real, ball, lower, upper, whole
from shoal.limits.limit import Limit
from shoal.limits.promises import Central, Local, Promise, central, group_overlap, read
from shoal.limits.two_points import largest_product, overlap
from shoal.measures import Measure
from shoal.sensitivity import Relation

_FARTHEST = 1 << 16
"""Rows further apart than this are not looked at; any number of rows gives a limit."""

SUMMED = "sum of the mean squared errors of all cells"


def histogram(promise: Promise | Measure, *, people: int, categories: int) -> Limit:
    """Of the shares of so many categories in a population, all together, for one person changed.

    Guarantee: the sum over categories of the mean squared errors, for some population.
    Theorem: Assouad: categories in pairs, each leaning one way or the other.

    >>> from shoal.measures import Pure
    >>> histogram(Pure(1), people=1000, categories=20).of
    'sum of the mean squared errors of all cells'
    """
    size = whole(people, "people", at_least=1)
    cells = whole(categories, "categories", at_least=2)
    pairs = cells // 2

    def private(one: Central | Local, lean: Fraction) -> Real:
        return _lean_risk(one, size, pairs, lean)

    found = [largest_product(partial(private, each)) for each in read(promise)]
    found.append(largest_product(lambda lean: _sampling_risk(size, pairs, lean)))
    value, _ = max(found)
    share = 1 - Fraction(1, cells)
    public = upper(lambda: ball(share) / (1 + ball(Fraction(size)).sqrt()) ** 2)
    return Limit(value, SUMMED, f"{pairs} pairs of categories (Assouad)", public)


def table(
    promise: Promise | Measure, *, cells: int, relation: Relation | str = Relation.ADD_REMOVE
) -> Limit:
    """Of the counts of disjoint cells in the dataset at hand, all together.

    Guarantee: the sum over cells of the mean squared errors, for some dataset with enough rows.
    Theorem: Assouad: each cell (a row comes or goes) or each pair of cells (a row changes) has h
    rows more or less.

    >>> from shoal.measures import Pure
    >>> print(table(Pure(1), cells=10))
    at least 2.384, sum of the mean squared errors of all cells (cells that differ by 2 rows (Assouad))
    """
    number = whole(cells, "cells", at_least=1)
    measure = central(promise).measure
    moving = Relation.read(relation, "relation") is Relation.CHANGE
    factor = Fraction(number // 2, 2) if moving else Fraction(number, 4)
    best, where, worse, rows = Fraction(0), 1, 0, 1
    while worse < 4 and rows < _FARTHEST:
        at = rows
        found = factor * lower(lambda: at * at * group_overlap(measure, at))  # noqa: B023 - asked at once
        if found > best:
            best, where, worse = found, rows, 0
        else:
            worse += 1
        rows += max(1, rows // 16)
    word = "row" if where == 1 else "rows"
    return Limit(best, SUMMED, f"cells that differ by {where} {word} (Assouad)")


def _lean_risk(promise: Central | Local, people: int, pairs: int, lean: Fraction) -> Real:
    """lean^2 / k times the mean overlap of a pair, k = 2 pairs."""
    cells = 2 * pairs
    if isinstance(promise, Central):
        one = overlap(promise, people, 2 * lean / cells)
        return lambda: ball(lean**2 / cells) * one()
    epsilon = promise.epsilon
    return lambda: ball(lean**2 / cells) * _local_overlap(epsilon, people, cells, lean)


def _local_overlap(epsilon: Fraction, people: int, cells: int, lean: Fraction) -> arb:
    """1 - sqrt(4 n lean^2 (e^eps - 1) g / (k^2 (1 - lean))), g = 1/4, or (e^eps - 1) e^(-2 eps)
    where e^eps < 2.
    """
    grown = ball(epsilon).expm1()
    share = grown * ball(-2 * epsilon).exp() if grown < 1 else arb(0.25)
    known = ball(4 * people * lean**2 / (cells**2 * (1 - lean))) * grown * share
    return (1 - known.sqrt()).max(arb(0))


def _sampling_risk(people: int, pairs: int, lean: Fraction) -> Real:
    """The same where rows are seen: KL = (2 lean / k) ln((1 + lean) / (1 - lean)) for each
    person.
    """
    cells = 2 * pairs

    def risk() -> arb:
        known = people * ball(2 * lean / cells) * ball((1 + lean) / (1 - lean)).log()
        return ball(lean**2 / cells) * (1 - (known / 2).sqrt()).max(arb(0))

    return risk
