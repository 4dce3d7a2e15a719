"""Shoal: differential privacy whose guarantees are exact.

Learn about a population and nothing much about any one person in it, and prove how little.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal.errors import ShoalError

if TYPE_CHECKING:
    from shoal import (
        accounting,
        audit,
        engines,
        errors,
        events,
        exact,
        ledger,
        local,
        measures,
        mechanisms,
        noise,
        plan,
        plots,
        query,
        sensitivity,
        sql,
        vault,
    )
    from shoal.accounting import account
    from shoal.events import Event
    from shoal.exact import Grid
    from shoal.measures import Approx, GaussianDP, Measure, Pure, Renyi, ZeroConcentrated
    from shoal.mechanisms import (
        AboveThreshold,
        DiscreteGaussian,
        Estimate,
        Exponential,
        Gaussian,
        Geometric,
        Histogram,
        Laplace,
        NoisyMax,
        PermuteAndFlip,
        RandomizedResponse,
        SparseVector,
        SparseVectorRun,
        Staircase,
        TopK,
        TruncatedGeometric,
        counting,
    )
    from shoal.plan import Choices, Person, Range, Row
    from shoal.query import Answer, plan_budget, private
    from shoal.sensitivity import Norm, Relation, Sensitivity
    from shoal.vault import Vault, open  # noqa: A004 - the word for it

__all__ = [
    "AboveThreshold",
    "Answer",
    "Approx",
    "Choices",
    "DiscreteGaussian",
    "Estimate",
    "Event",
    "Exponential",
    "Gaussian",
    "GaussianDP",
    "Geometric",
    "Grid",
    "Histogram",
    "Laplace",
    "Measure",
    "NoisyMax",
    "Norm",
    "PermuteAndFlip",
    "Person",
    "Pure",
    "RandomizedResponse",
    "Range",
    "Relation",
    "Renyi",
    "Row",
    "Sensitivity",
    "ShoalError",
    "SparseVector",
    "SparseVectorRun",
    "Staircase",
    "TopK",
    "TruncatedGeometric",
    "Vault",
    "ZeroConcentrated",
    "account",
    "accounting",
    "audit",
    "counting",
    "engines",
    "errors",
    "events",
    "exact",
    "ledger",
    "local",
    "measures",
    "mechanisms",
    "noise",
    "open",
    "plan",
    "plan_budget",
    "plots",
    "private",
    "query",
    "sensitivity",
    "sql",
    "vault",
]


_FLOORS = (
    "accounting",
    "audit",
    "engines",
    "errors",
    "events",
    "exact",
    "ledger",
    "local",
    "measures",
    "mechanisms",
    "noise",
    "plan",
    "plots",
    "query",
    "sensitivity",
    "sql",
    "vault",
)


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for, so that importing Shoal costs next to nothing."""
    if name == "__version__":
        return import_module("importlib.metadata").version("shoal")
    if name in _FLOORS:
        return import_module(f"shoal.{name}")
    if name in __all__:
        floors = ("mechanisms", "measures", "sensitivity", "events", "exact", "plan", "query")
        own = {"account": ("accounting",), "Vault": ("vault",), "open": ("vault",)}
        for floor in own.get(name, floors):
            home = import_module(f"shoal.{floor}")
            if name in home.__all__:
                value = globals()[name] = getattr(home, name)
                return value
    raise AttributeError(f"module 'shoal' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
