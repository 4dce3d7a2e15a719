"""Which oracle: the simplest whose variance is about the least."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from shoal.errors import RangeError
from shoal.exact import Number, non_negative, whole
from shoal.local.odds import odds_down
from shoal.local.protocols.oracles.hadamard import HadamardResponse
from shoal.local.protocols.oracles.hashing import LocalHash
from shoal.local.protocols.oracles.kary import KaryResponse
from shoal.local.protocols.oracles.linear import LinearHash
from shoal.local.protocols.oracles.oracle import Oracle
from shoal.local.protocols.oracles.subset import LISTED, LineSelection, SubsetSelection
from shoal.local.protocols.oracles.unary import UnaryEncoding

_IN_ORDER: tuple[type[Oracle], ...] = (
    KaryResponse,
    SubsetSelection,
    LineSelection,
    LinearHash,
    HadamardResponse,
    LocalHash,
    UnaryEncoding,
)


def oracles(epsilon: Number, *, size: int) -> Iterator[Oracle]:
    """Every kind of oracle that serves so many values, with its best parameters; the simplest
    reports first.
    """
    odds = odds_down(epsilon)
    many = size > LISTED  # then sets of a line are drawn and counted faster than all sets
    for kind in sorted(_IN_ORDER, key=lambda each: many and each is SubsetSelection):
        try:
            yield kind.for_odds(odds, size=whole(size, "size", at_least=2))
        except RangeError:
            continue


def choose(epsilon: Number, *, size: int, frequency: Number = 0, within: Number = "1/20") -> Oracle:
    """The simplest oracle whose exact variance at a share is at most ``within`` above the least of
    all.

    >>> [type(choose(1, size=k)).__name__ for k in (2, 10, 500, 10_000)]
    ['KaryResponse', 'SubsetSelection', 'LineSelection', 'LinearHash']
    """
    found = list(oracles(epsilon, size=size))
    slack = 1 + non_negative(within, "within")
    least: Fraction = min(each.variance(frequency) for each in found)
    return next(each for each in found if each.variance(frequency) <= slack * least)
