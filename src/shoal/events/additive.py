"""Kinds of event in which noise was added to numbers."""

# ruff: noqa: RUF009 - a parameter is a descriptor, not a shared default value

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import EventError, RangeError
from shoal.events.event import Event
from shoal.events.parameter import (
    Count,
    Exact,
    Exacts,
    OptionalCount,
    OptionalExact,
    count,
    exact,
    exacts,
    integer,
    optional_count,
    optional_exact,
)
from shoal.exact import closed_unit, non_negative, positive


@dataclass(frozen=True)
class Laplace(Event, kind="laplace"):
    """Laplace noise on a lattice.

    Meaning: the release is v + X.  v has ``size`` numbers, all of them multiples of one spacing g,
        and differs by at most ``sensitivity`` in L1 between neighbours; the ``size`` entries of X
        are independent, with P(x) proportional to exp(-|x| / ``scale``) on the multiples of g.
        Anything done to v + X afterwards, such as one rounding to floats, is not part of the event.
    Fields: with ``steps`` stated, g is sensitivity / steps: the sensitivity is the one after v was
        rounded to the lattice.  With ``steps`` None the lattice is not stated, and only bounds that
        hold on every lattice, and for the continuous law that is their limit, may be used.
    Edges: sensitivity 0 is allowed and costs nothing; then steps is 0 or None.
    Reference: Dwork, McSherry, Nissim and Smith 2006.
    """

    scale: Exact = exact(positive)
    sensitivity: Exact = exact(non_negative)
    size: Count = count(at_least=1, default=1)
    steps: OptionalCount = optional_count(at_least=0)

    def __post_init__(self) -> None:
        if self.steps is not None and (self.steps == 0) != (self.sensitivity == 0):
            raise EventError(
                "steps must be 0 exactly when sensitivity is 0.",
                remedy="Count how many lattice steps the sensitivity spans, or leave steps out.",
            )


@dataclass(frozen=True)
class Geometric(Event, kind="geometric"):
    """Two-sided geometric noise: the Laplace law on the integers.

    Meaning: the release is v + X.  v has ``size`` integers and differs by at most ``sensitivity``
        in L1 between neighbours; the ``size`` entries of X are independent integers, with P(x)
        proportional to exp(-|x| / ``scale``).
    Edges: sensitivity is a whole number; 0 is allowed and costs nothing.
    Reference: Ghosh, Roughgarden and Sundararajan 2009; their alpha is exp(-1 / scale).
    """

    scale: Exact = exact(positive)
    sensitivity: Count = count(at_least=0)
    size: Count = count(at_least=1, default=1)


@dataclass(frozen=True)
class TruncatedGeometric(Event, kind="truncated_geometric"):
    """Two-sided geometric noise on one integer, the answer clamped to a public range.

    Meaning: the release is min(``high``, max(``low``, v + X)).  v is an integer that differs by at
        most ``sensitivity`` between neighbours, whether or not it lies in the range; X is an
        integer with P(x) proportional to exp(-|x| / ``scale``).
    Edges: low and high are public whole numbers, low <= high; sensitivity 0 costs nothing.
    Reference: Ghosh, Roughgarden and Sundararajan 2009, the truncated alpha-geometric mechanism.
    """

    scale: Exact = exact(positive)
    sensitivity: Count = count(at_least=0)
    low: Count = integer()
    high: Count = integer()

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise RangeError(
                "low must not be above high.",
                remedy="Give the public range as low <= high.",
            )


@dataclass(frozen=True)
class TruncatedLaplace(Event, kind="truncated_laplace"):
    """Laplace noise on one integer that is never larger than a bound.

    Meaning: the release is v + X.  v is an integer that differs by at most ``sensitivity`` between
        neighbours; X is an integer from -``bound`` to bound, with P(x) proportional to exp(-|x| /
        ``scale``).
    Edges: answers that only one of two neighbours can give are part of the law and cost a delta;
        with a bound of less than half the sensitivity nothing is hidden.  Sensitivity 0 costs
        nothing.  This is not `TruncatedGeometric`, where the answer is clamped.
    Reference: Geng, Ding, Guo and Kumar 2020, for the continuous law.
    """

    scale: Exact = exact(positive)
    sensitivity: Count = count(at_least=0)
    bound: Count = count(at_least=0)


@dataclass(frozen=True)
class Gaussian(Event, kind="gaussian"):
    """Continuous Gaussian noise, the sum rounded afterwards.

    Meaning: the release is a fixed public function, such as rounding to a grid, of v + X.  v has
        ``size`` real numbers and differs by at most ``sensitivity`` in L2 between neighbours; the
        ``size`` entries of X are independent and normal with mean 0 and standard deviation
        ``sigma``.
    Edges: sensitivity 0 is allowed and costs nothing.  Noise drawn in floating point before the sum
        is not this event.
    Reference: Balle and Wang 2018; Dong, Roth and Su 2022.
    """

    sigma: Exact = exact(positive)
    sensitivity: Exact = exact(non_negative)
    size: Count = count(at_least=1, default=1)


@dataclass(frozen=True)
class MixtureOfGaussians(Event, kind="mixture_of_gaussians"):
    """Gaussian noise around a centre that was itself drawn at random.

    Meaning: let Q be the normal law of mean 0 and standard deviation ``sigma``, and P the mixture
        of the laws of mean ``shifts[i]`` and the same deviation, with weights ``weights[i]``.
        Neighbours have one row more or less.  At every factor e^epsilon the output law of the
        dataset with the row needs against that of the one without it at most the delta that P needs
        against Q, and the other way round at most the delta that Q needs against P.
    Fields: ``relation`` is never "change".
    Edges: there are as many shifts as weights, and the weights add up to 1 exactly; shifts of 0
        only cost nothing.
    Reference: Choquette-Choo, Ganesh, Steinke and Thakurta 2023, the mixture of Gaussians
        mechanism.
    """

    sigma: Exact = exact(positive)
    shifts: Exacts = exacts(non_negative)
    weights: Exacts = exacts(closed_unit)

    def __post_init__(self) -> None:
        if len(self.shifts) != len(self.weights):
            raise EventError(
                f"shifts has {len(self.shifts)} numbers and weights has {len(self.weights)}.",
                remedy="Give one weight for each shift, such as shifts [0, 1] and weights [0.99, 0.01].",
            )
        if sum(self.weights) != 1:
            raise RangeError(
                "weights must add up to 1 exactly.",
                remedy="Write the weights as decimals or fractions that add up to 1, such as [0.99, 0.01].",
            )
        if self.relation == "change":
            raise EventError(
                "relation must not be 'change': the mixture is the law with one row more.",
                remedy="Use relation 'add_remove', or leave it out.",
            )


@dataclass(frozen=True)
class DiscreteGaussian(Event, kind="discrete_gaussian"):
    """Discrete Gaussian noise on the integers.

    Meaning: the release is v + X.  v has ``size`` integers, and the squares of their differences
        between neighbours add up to at most ``sensitivity_squared``; the ``size`` entries of X are
        independent integers, with P(x) proportional to exp(-x^2 / (2 ``sigma_squared``)).
    Fields: both are squares, so that a sensitivity such as the square root of 2 is exact.  On a
        lattice of spacing g they are in units of g^2.
    Edges: sigma_squared is the parameter of the law, slightly above its variance.
    Reference: Canonne, Kamath and Steinke 2020, Definition 1.
    """

    sigma_squared: Exact = exact(positive)
    sensitivity_squared: Exact = exact(non_negative)
    size: Count = count(at_least=1, default=1)


@dataclass(frozen=True)
class Skellam(Event, kind="skellam"):
    """Skellam noise on the integers: the difference of two Poisson numbers.

    Meaning: the release is v + X.  v has ``size`` integers and differs by at most ``sensitivity``
        in L1 between neighbours, and the squares of the differences add up to at most
        ``sensitivity_squared``; the ``size`` entries of X are independent differences of two
        Poisson numbers with mean ``variance`` / 2 each.
    Fields: sensitivity_squared None says nothing beyond the square of sensitivity, which always
        holds.
    Edges: sums of independent Skellam noises are Skellam noise of the sum of their variances, so
        many people can add it together; the event is about the sum.  Sensitivity 0 costs nothing.
    Reference: Agarwal, Kairouz and Liu 2021.
    """

    variance: Exact = exact(positive)
    sensitivity: Count = count(at_least=0)
    size: Count = count(at_least=1, default=1)
    sensitivity_squared: OptionalExact = optional_exact(non_negative)


@dataclass(frozen=True)
class Staircase(Event, kind="staircase"):
    """Staircase noise on one number.

    Meaning: the release is v + X, or a fixed public function of it.  v is one number that differs
        by at most ``sensitivity`` D between neighbours.  X lives on the real line, or on the
        multiples of a spacing of which v is always one; its weight is proportional to exp(-k
        ``epsilon``) where |x| is in [k D, (k + gamma) D) and to exp(-(k + 1) epsilon) where |x| is
        in [(k + gamma) D, (k + 1) D), for k = 0, 1, 2, ...  The lattice is not stated, so only
        bounds that hold on all may be used.
    Fields: ``gamma`` is the rational from 0 to 1 that was used, not the optimal one it
        approximates.
    Edges: the law needs sensitivity > 0 and epsilon > 0.
    Reference: Geng, Kairouz, Oh and Viswanath 2015.
    """

    epsilon: Exact = exact(positive)
    sensitivity: Exact = exact(positive)
    gamma: Exact = exact(closed_unit)
