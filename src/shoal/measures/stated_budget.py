"""A budget as people state it: a measure, a number that means epsilon, or a short text."""

from __future__ import annotations

from shoal.errors import NumberError
from shoal.exact import Number, rational
from shoal.measures.approx import Approx
from shoal.measures.measure import Measure
from shoal.measures.one_parameter import Pure, ZeroConcentrated

StatedBudget = Measure | Number
"""What a budget may be given as, in Python and on the command line."""


def budget_of(given: StatedBudget) -> Measure:
    """The measure that is meant: a number is a pure epsilon, ``"3,1e-7"`` an epsilon and a delta,
    ``"rho=0.5"`` a zero-concentrated budget.

    >>> budget_of(1), budget_of("3,1e-7"), budget_of("rho=0.5")
    (Pure(epsilon=1), Approx(epsilon=3, delta='1e-7'), ZeroConcentrated(rho='0.5'))
    """
    if isinstance(given, Measure):
        return given
    text = given if isinstance(given, str) else ""
    if text.startswith("rho="):
        return ZeroConcentrated(rational(text.removeprefix("rho="), "rho"))
    epsilon, comma, delta = text.partition(",")
    if comma:
        return Approx(rational(epsilon, "epsilon"), rational(delta, "delta"))
    try:
        return Pure(rational(given, "epsilon"))
    except NumberError:
        if text:
            raise
    raise NumberError(
        f"a budget is a number or a measure; got {type(given).__name__}.",
        remedy="Give budget=1, budget='1,1e-6', shoal.Pure(1), shoal.Approx(1, '1e-6') or shoal.ZeroConcentrated('0.5').",
    )
