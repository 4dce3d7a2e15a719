"""What every measure answers: an order among its own kind, and five conversions, or why not."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

from shoal.errors import ComparisonError, ConversionError
from shoal.exact import Number

if TYPE_CHECKING:
    from shoal.measures.approx import Approx
    from shoal.measures.one_parameter import GaussianDP, ZeroConcentrated
    from shoal.measures.renyi import Renyi


class Measure(ABC):
    """A promise about privacy loss, as a frozen value.

    ``a <= b`` says that a spends no more than b: whatever keeps the promise a keeps the promise b.
    It is a partial order among values of one kind (both ``a <= b`` and ``b <= a`` may be false);
    between kinds there is none, and asking raises `ComparisonError`.  A conversion returns a
    promise that the value implies, never a smaller one, or raises `ConversionError` with the
    reason.  As text its numbers have six digits, rounded up: what is printed is never less than
    what is spent.
    """

    __slots__ = ()

    @abstractmethod
    def _spends_at_most(self, other: Self) -> bool:
        """Whether ``self <= other``, for two values of the same kind."""

    @abstractmethod
    def to_approx(self, *, delta: Number) -> Approx:
        """The (epsilon, delta) promise at this delta: finds epsilon, rounded up."""

    @abstractmethod
    def to_delta(self, *, epsilon: Number) -> Approx:
        """The (epsilon, delta) promise at this epsilon: finds delta, rounded up."""

    @abstractmethod
    def to_zero_concentrated(self) -> ZeroConcentrated:
        """The zero-concentrated promise, rho rounded up."""

    @abstractmethod
    def to_renyi(self, orders: Iterable[Number]) -> Renyi:
        """The Rényi promise at these orders, each epsilon rounded up."""

    @abstractmethod
    def to_gaussian(self) -> GaussianDP:
        """The Gaussian trade-off promise, mu rounded up."""

    def __le__(self, other: object) -> bool:
        if not isinstance(other, Measure):
            return NotImplemented
        if not isinstance(other, type(self)):
            raise _no_order(self, other)
        return self._spends_at_most(other)

    def __ge__(self, other: object) -> bool:
        return other <= self if isinstance(other, Measure) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self <= other and self != other if isinstance(other, Measure) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return other <= self and self != other if isinstance(other, Measure) else NotImplemented


def _no_order(left: Measure, right: Measure) -> ComparisonError:
    names = f"{type(left).__name__} and {type(right).__name__}"
    return ComparisonError(
        f"{names} are promises of different kinds and have no common order.",
        remedy="Convert to one kind first, for example both with to_approx(delta=...).",
    )


def no_epsilon_at_zero(kind: str) -> ConversionError:
    """The one wording for asking delta 0 of a promise that only bounds moments of the loss."""
    return ConversionError(
        f"{kind} gives no finite epsilon at delta 0: large losses stay possible, however unlikely.",
        remedy="Ask with a delta above 0, such as 1e-9.",
    )
