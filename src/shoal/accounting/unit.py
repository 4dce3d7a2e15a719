"""What a price is counted in: quantities that simply add up when releases are made one after
another.

Each measure has one such quantity, an exact number of at least 0:

* `Pure`: epsilon;
* `ZeroConcentrated`: rho;
* `GaussianDP`: the square of mu;
* `Renyi`, at one order: the divergence of this order;
* `Approx`: the failing mass delta.  With this probability a release may tell everything; all prices
  in the other units hold for what it does otherwise (see `shoal.accounting.optimal`).

So composition is one sum and repetition one product, whatever the measure; both stand in `pricing`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from shoal.errors import InternalError
from shoal.measures import Approx, GaussianDP, Measure, Pure, Renyi, ZeroConcentrated


@dataclass(frozen=True, slots=True)
class Unit:
    """A measure in which prices are asked for; with an order for `Renyi`.

    ``spare`` is the delta that each shuffled release inside may use up; 0 leaves them unamplified.
    """

    measure: type[Measure]
    order: Fraction | None = None
    spare: Fraction = Fraction(0)

    def with_spare(self, spare: Fraction) -> Unit:
        return replace(self, spare=spare)

    def at(self, measure: type[Measure], order: Fraction | None = None) -> Unit:
        """The unit of another measure, all else equal."""
        return replace(self, measure=measure, order=order)

    @property
    def at_order(self) -> Fraction:
        if self.order is None:
            raise InternalError("a Rényi price without an order.", remedy="Please report it.")
        return self.order


PURE = Unit(Pure)
CONCENTRATED = Unit(ZeroConcentrated)
SQUARED_MU = Unit(GaussianDP)
FAILING = Unit(Approx)


def told(failing: Fraction | None) -> Fraction:
    """The probability that something is told, from a sum of failing masses; 1 where there is no
    sum.
    """
    return Fraction(1) if failing is None else min(Fraction(1), failing)


def divergence(order: Fraction) -> Unit:
    """The Rényi divergence of one order."""
    return Unit(Renyi, order)
