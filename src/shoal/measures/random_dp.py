"""Random differential privacy: a promise for most neighbours, never for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from shoal.errors import ConversionError
from shoal.exact import Number, closed_unit, exactly, non_negative, short_up
from shoal.measures.measure import Measure


@dataclass(frozen=True, slots=True, init=False, repr=False)
class RandomDP(Measure):
    """(epsilon, delta, gamma)-random differential privacy.

    With probability at least 1 - gamma over neighbours drawn from a stated law of datasets (and
    over the sampler that measured the sensitivity on others), P(S) <= e^epsilon Q(S) + delta for
    every event S.  For the other neighbours nothing is promised: an unusual person, or data that do
    not follow the law, may be laid open.  So it is no promise of differential privacy at any
    epsilon, no conversion leads out of it, and no plain budget pays for it.

    Reference: Hall, Rinaldo and Wasserman 2012; Rubinstein and Aldà 2017.

    >>> print(RandomDP(1, 0, 0.05))
    epsilon 1 for all but a share 0.05 of neighbours (random DP)
    >>> RandomDP(1, 0, 0.05) <= RandomDP(2, 0, 0.05)
    True
    """

    epsilon: Fraction
    delta: Fraction
    gamma: Fraction

    def __init__(self, epsilon: Number, delta: Number, gamma: Number) -> None:
        object.__setattr__(self, "epsilon", non_negative(epsilon, "epsilon"))
        object.__setattr__(self, "delta", closed_unit(delta, "delta"))
        object.__setattr__(self, "gamma", closed_unit(gamma, "gamma"))

    @classmethod
    def together(cls, promises: Iterable[RandomDP]) -> RandomDP:
        """What several releases from the same data promise together.

        Guarantee: the sums of epsilon, delta and gamma, delta and gamma at most 1.
        Needs: all were measured for the same law and the same number of rows.
        Proof: a pair of neighbours is bad for some release with at most the sum of the chances; for
            any other pair basic composition adds epsilon and delta.

        >>> RandomDP.together([RandomDP(1, 0, "0.1"), RandomDP(2, "1e-6", "0.2")])
        RandomDP(epsilon=3, delta='1e-6', gamma='0.3')
        """
        several = list(promises)
        one = Fraction(1)
        return cls(
            sum((each.epsilon for each in several), Fraction(0)),
            min(one, sum((each.delta for each in several), Fraction(0))),
            min(one, sum((each.gamma for each in several), Fraction(0))),
        )

    def __str__(self) -> str:
        failing = f", delta {short_up(self.delta)}" if self.delta else ""
        return (
            f"epsilon {short_up(self.epsilon)}{failing} for all but a share {short_up(self.gamma)}"
            " of neighbours (random DP)"
        )

    def __repr__(self) -> str:
        numbers = (
            f"{name}={exactly(getattr(self, name))}" for name in ("epsilon", "delta", "gamma")
        )
        return f"RandomDP({', '.join(numbers)})"

    def _spends_at_most(self, other: RandomDP) -> bool:
        return (
            self.epsilon <= other.epsilon
            and self.delta <= other.delta
            and self.gamma <= other.gamma
        )

    def to_approx(self, *, delta: Number) -> NoReturn:  # noqa: ARG002
        raise _stays(self)

    def to_delta(self, *, epsilon: Number) -> NoReturn:  # noqa: ARG002
        raise _stays(self)

    def to_zero_concentrated(self) -> NoReturn:
        raise _stays(self)

    def to_renyi(self, orders: Iterable[Number]) -> NoReturn:  # noqa: ARG002
        raise _stays(self)

    def to_gaussian(self) -> NoReturn:
        raise _stays(self)


def _stays(promise: RandomDP) -> ConversionError:
    return ConversionError(
        f"{promise} says nothing about the other neighbours, so it is no promise of differential privacy.",
        remedy="Release with a sensitivity that is proven for all neighbours, such as those of shoal.functions.",
    )
