"""Kinds of event of which nothing is known but a promise, or not even that."""

# ruff: noqa: RUF009 - a parameter is a descriptor, not a shared default value

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from shoal.errors import EventError
from shoal.events.event import Event
from shoal.events.parameter import Exact, Exacts, exact, exacts
from shoal.exact import Number, closed_unit, non_negative, out_of_range, rational


@dataclass(frozen=True)
class NonPrivate(Event, kind="non_private"):
    """A release about which nothing is promised.

    Meaning: any function of the data, for example the data themselves.
    Edges: no epsilon covers it at a delta below 1.
    Reference: none is needed.
    """


@dataclass(frozen=True)
class StatedRandom(Event, kind="stated_random"):
    """A release whose sensitivity was measured on a sample of neighbours, not proven for all.

    Meaning: with probability at least 1 - ``gamma`` over neighbours drawn from a law that the
        curator stated, and over the sample on which the sensitivity was measured, the output laws P
        and Q have P(S) <= e^``epsilon`` Q(S) + ``delta`` for every S, both ways.  About the other
        neighbours nothing is promised.
    Edges: it has no price in any measure of differential privacy, however small gamma is.
    Reference: Hall, Rinaldo and Wasserman 2012; Rubinstein and Aldà 2017.
    """

    epsilon: Exact = exact(non_negative)
    delta: Exact = exact(closed_unit)
    gamma: Exact = exact(closed_unit)


@dataclass(frozen=True)
class StatedPure(Event, kind="stated_pure"):
    """A release of which only its pure promise is known.

    Meaning: for any two neighbours the output laws P and Q have P(S) <= e^``epsilon`` Q(S) for
        every S.
    Edges: whoever states it answers for it; epsilon 0 says that the output does not depend on the
        data.
    Reference: Dwork, McSherry, Nissim and Smith 2006.
    """

    epsilon: Exact = exact(non_negative)


@dataclass(frozen=True)
class StatedApprox(Event, kind="stated_approx"):
    """A release of which only its approximate promise is known.

    Meaning: for any two neighbours the output laws P and Q have P(S) <= e^``epsilon`` Q(S) +
        ``delta`` for every S, both ways.
    Edges: delta 0 is a pure promise; delta 1 promises nothing.
    Reference: Dwork, Kenthapadi, McSherry, Mironov and Naor 2006.
    """

    epsilon: Exact = exact(non_negative)
    delta: Exact = exact(closed_unit)


@dataclass(frozen=True)
class StatedZeroConcentrated(Event, kind="stated_zero_concentrated"):
    """A release of which only its zero-concentrated promise is known.

    Meaning: for any two neighbours the Rényi divergence of every order a > 1 between the output
        laws is at most ``rho`` a.
    Edges: rho 0 says that the output does not depend on the data.
    Reference: Bun and Steinke 2016.
    """

    rho: Exact = exact(non_negative)


@dataclass(frozen=True)
class StatedGaussian(Event, kind="stated_gaussian"):
    """A release of which only its Gaussian trade-off promise is known.

    Meaning: for any two neighbours the output laws are at least as hard to tell apart as N(0, 1)
        and N(``mu``, 1).
    Edges: mu 0 says that the output does not depend on the data.
    Reference: Dong, Roth and Su 2022.
    """

    mu: Exact = exact(non_negative)


def _order(value: Number, name: str) -> Fraction:
    number = rational(value, name)
    if number <= 1:
        raise out_of_range(name, number, "above 1")
    return number


@dataclass(frozen=True)
class StatedRenyi(Event, kind="stated_renyi"):
    """A release of which only a Rényi curve at some orders is known.

    Meaning: for any two neighbours the Rényi divergence of each of ``orders`` between the output
        laws is at most the number at the same place of ``epsilons``, both ways.
    Fields: orders rise, and each is above 1; there are as many epsilons as orders.
    Edges: orders between those stated are bounded by convexity, above the last nothing is promised.
    Reference: Mironov 2017.
    """

    orders: Exacts = exacts(_order)
    epsilons: Exacts = exacts(non_negative)

    def __post_init__(self) -> None:
        check_rising("orders", self.orders)
        check_one_each("epsilons", self.epsilons, "orders", self.orders)


@dataclass(frozen=True)
class StatedProfile(Event, kind="stated_profile"):
    """A release of which several approximate promises are known, all at once.

    Meaning: for any two neighbours the output laws P and Q have P(S) <= e^epsilon Q(S) + delta for
        every S, both ways, for each of ``epsilons`` with the number at the same place of
        ``deltas``.
    Fields: epsilons rise; there are as many deltas as epsilons.
    Edges: promises that the others imply change nothing; one promise alone is `StatedApprox`.
    Reference: Balle, Barthe and Gaboardi 2018, for privacy profiles.
    """

    epsilons: Exacts = exacts(non_negative)
    deltas: Exacts = exacts(closed_unit)

    def __post_init__(self) -> None:
        check_rising("epsilons", self.epsilons)
        check_one_each("deltas", self.deltas, "epsilons", self.epsilons)


def check_rising(name: str, numbers: tuple[Fraction, ...]) -> None:
    """Refuse a list in which a number is not above the one before it."""
    if any(left >= right for left, right in pairwise(numbers)):
        raise EventError(
            f"{name} must rise: each number must be above the one before it.",
            remedy=f"Sort {name}, and give each once.",
        )


def check_one_each(
    name: str, numbers: tuple[Fraction, ...], beside: str, others: tuple[Fraction, ...]
) -> None:
    """Refuse two lists that are not equally long."""
    if len(numbers) != len(others):
        raise EventError(
            f"{name} must hold one number for each of {beside}; got {len(numbers)} for {len(others)}.",
            remedy=f"Give as many {name} as {beside}.",
        )
