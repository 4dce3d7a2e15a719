"""An event is a complete, frozen, serialisable description of one release; its meaning never changes once shipped."""

from shoal.events.additive import (
    DiscreteGaussian,
    Gaussian,
    Geometric,
    Laplace,
    Staircase,
    TruncatedGeometric,
)
from shoal.events.event import KINDS, Event
from shoal.events.interactive import SparseVector
from shoal.events.response import RandomizedResponse
from shoal.events.selection import Exponential, NoisyMax, PermuteAndFlip, TopK

__all__ = [
    "KINDS",
    "DiscreteGaussian",
    "Event",
    "Exponential",
    "Gaussian",
    "Geometric",
    "Laplace",
    "NoisyMax",
    "PermuteAndFlip",
    "RandomizedResponse",
    "SparseVector",
    "Staircase",
    "TopK",
    "TruncatedGeometric",
]
