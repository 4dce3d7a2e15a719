"""Tries to prove us wrong, from outside: tests of privacy claims, ours and anybody's, and
`attacks`, which stages the classic ones.
"""

import warnings
from typing import Any

from shoal.auditing.judge import EpsilonVerdict, audit, audit_samples
from shoal.auditing.verdict import Verdict
from shoal.interpret import Polygon, trade_off
from shoal.measures import Measure

__all__ = ["EpsilonVerdict", "Verdict", "audit", "audit_samples"]


def __getattr__(name: str) -> Any:
    """`TradeOff`, as earlier versions called a claimed polygon: it still works, and warns."""
    if name != "TradeOff":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(
        "shoal.auditing.TradeOff is now shoal.interpret.Polygon; TradeOff.of(measure) is now "
        "shoal.interpret.trade_off(measure).polygon_down().",
        DeprecationWarning,
        stacklevel=2,
    )
    return _OldPolygon


class _OldPolygon(Polygon):
    """A polygon with the one method that it had under its old name only."""

    __slots__ = ()

    @classmethod
    def of(cls, measure: Measure) -> Polygon:
        return trade_off(measure).polygon_down()
