"""Shoal: differential privacy whose guarantees are exact.

Learn about a population and nothing much about any one person in it, and prove how little.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from shoal.errors import ShoalError

_HOMES = {
    "exact": ("Grid",),
    "measures": ("Approx", "GaussianDP", "Measure", "Pure", "Renyi", "ZeroConcentrated"),
    "mechanisms": (
        "AboveThreshold",
        "DiscreteGaussian",
        "Estimate",
        "Exponential",
        "Gaussian",
        "Geometric",
        "Histogram",
        "Laplace",
        "NoisyMax",
        "PermuteAndFlip",
        "RandomizedResponse",
        "SparseVector",
        "SparseVectorRun",
        "Staircase",
        "TopK",
        "TruncatedGeometric",
        "counting",
    ),
    "sensitivity": ("Norm", "Relation", "Sensitivity"),
    "events": ("Event",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_FLOORS = ("errors", "events", "exact", "measures", "mechanisms", "noise", "sensitivity")

__all__ = [  # noqa: F822 - the names are loaded when first asked for
    "AboveThreshold",
    "Approx",
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
    "Pure",
    "RandomizedResponse",
    "Relation",
    "Renyi",
    "Sensitivity",
    "ShoalError",
    "SparseVector",
    "SparseVectorRun",
    "Staircase",
    "TopK",
    "TruncatedGeometric",
    "ZeroConcentrated",
    "counting",
    "errors",
    "events",
    "exact",
    "measures",
    "mechanisms",
    "noise",
    "sensitivity",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for, so that importing Shoal costs next to nothing."""
    if name in _FLOORS:
        return import_module(f"shoal.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    value = getattr(import_module(f"shoal.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
