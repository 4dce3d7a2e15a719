"""Shoal publishes statistics about people without exposing anyone: differential privacy in Python.

It adds calibrated random noise, keeps account of the total privacy cost, and proves its guarantees.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal.errors import ShoalError

if TYPE_CHECKING:
    from shoal import (
        accounting,
        auditing,
        engines,
        errors,
        events,
        exact,
        functions,
        interpret,
        learning,
        ledger,
        limits,
        local,
        loss,
        measures,
        mechanisms,
        noise,
        plan,
        plots,
        polls,
        query,
        sensitivity,
        sql,
        vault,
        workloads,
    )
    from shoal.accounting import account
    from shoal.auditing import audit
    from shoal.client import connect, sign_in
    from shoal.engines import CsvFile, EngineLimits, listed_choices
    from shoal.events import Event
    from shoal.exact import Grid
    from shoal.functions import privatize
    from shoal.measures import (
        Approx,
        GaussianDP,
        Measure,
        Pure,
        RandomDP,
        Renyi,
        ZeroConcentrated,
    )
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
    from shoal.polls import Arm, Poll, PollQuestion, by_device, by_own, directly
    from shoal.query import Answer, plan_budget, private
    from shoal.query.guide import guide
    from shoal.sensitivity import Norm, Relation, Sensitivity
    from shoal.short_traceback import full_traceback
    from shoal.vault import Vault, open  # noqa: A004 - the word for it
    from shoal.workloads import (
        AllRanges,
        CellsWithin,
        Hierarchy,
        Marginals,
        MeanWithin,
        PrefixSums,
        Total,
        Workload,
    )

__all__ = [
    "AboveThreshold",
    "AllRanges",
    "Answer",
    "Approx",
    "Arm",
    "CellsWithin",
    "Choices",
    "CsvFile",
    "DiscreteGaussian",
    "EngineLimits",
    "Estimate",
    "Event",
    "Exponential",
    "Gaussian",
    "GaussianDP",
    "Geometric",
    "Grid",
    "Hierarchy",
    "Histogram",
    "Laplace",
    "Marginals",
    "MeanWithin",
    "Measure",
    "NoisyMax",
    "Norm",
    "PermuteAndFlip",
    "Person",
    "Poll",
    "PollQuestion",
    "PrefixSums",
    "Pure",
    "RandomDP",
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
    "Total",
    "TruncatedGeometric",
    "Vault",
    "Workload",
    "ZeroConcentrated",
    "account",
    "accounting",
    "audit",
    "auditing",
    "by_device",
    "by_own",
    "connect",
    "counting",
    "directly",
    "engines",
    "errors",
    "events",
    "exact",
    "full_traceback",
    "functions",
    "guide",
    "interpret",
    "learning",
    "ledger",
    "limits",
    "listed_choices",
    "local",
    "loss",
    "measures",
    "mechanisms",
    "noise",
    "open",
    "plan",
    "plan_budget",
    "plots",
    "polls",
    "private",
    "privatize",
    "query",
    "sensitivity",
    "sign_in",
    "sql",
    "vault",
    "workloads",
]


_FLOORS = (
    "accounting",
    "auditing",
    "engines",
    "errors",
    "events",
    "exact",
    "functions",
    "interpret",
    "learning",
    "ledger",
    "limits",
    "local",
    "loss",
    "measures",
    "mechanisms",
    "noise",
    "plan",
    "plots",
    "polls",
    "query",
    "sensitivity",
    "sql",
    "vault",
    "workloads",
)


_RENAMED = {"Question": "PollQuestion"}
"""Public names of earlier versions, which still work and say what they are called now."""


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for, so that importing Shoal costs next to
    nothing.
    """
    if name == "__version__":
        return import_module("importlib.metadata").version("shoal")
    if name in _RENAMED:
        import_module("warnings").warn(
            f"shoal.{name} is now called shoal.{_RENAMED[name]}.", DeprecationWarning, stacklevel=2
        )
        return __getattr__(_RENAMED[name])
    if name in _FLOORS:
        return import_module(f"shoal.{name}")
    if name in __all__:
        floors = (
            "mechanisms",
            "measures",
            "sensitivity",
            "events",
            "exact",
            "plan",
            "query",
            "polls",
            "workloads",
        )
        own = {
            "account": ("accounting",),
            "CsvFile": ("engines",),
            "EngineLimits": ("engines",),
            "listed_choices": ("engines",),
            "audit": ("auditing",),
            "full_traceback": ("short_traceback",),
            "guide": ("query.guide",),
            "PollQuestion": ("polls",),
            "Vault": ("vault",),
            "open": ("vault",),
            "connect": ("client",),
            "sign_in": ("client",),
            "privatize": ("functions",),
        }
        for floor in own.get(name, floors):
            home = import_module(f"shoal.{floor}")
            if name in home.__all__:
                value = globals()[name] = getattr(home, name)
                return value
    raise AttributeError(f"module 'shoal' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
