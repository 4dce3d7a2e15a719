"""An event is a complete, frozen, serialisable description of one release; its meaning never changes once shipped."""

from shoal.events.additive import (
    DiscreteGaussian,
    Gaussian,
    Geometric,
    Laplace,
    Staircase,
    TruncatedGeometric,
)
from shoal.events.compact import read_events
from shoal.events.compact_writing import write_events
from shoal.events.correlated import CorrelatedGaussian, TreeAggregation
from shoal.events.event import KINDS, Event
from shoal.events.imported import read_dp_accounting, read_opacus
from shoal.events.interactive import SparseVector
from shoal.events.nested import (
    Composed,
    Group,
    Parallel,
    PoissonSampled,
    RandomlyAllocated,
    Repeated,
    SampledWithoutReplacement,
    Shuffled,
)
from shoal.events.response import RandomizedResponse
from shoal.events.selection import Exponential, NoisyMax, PermuteAndFlip, TopK
from shoal.events.stated import (
    NonPrivate,
    StatedApprox,
    StatedGaussian,
    StatedPure,
    StatedRandom,
    StatedZeroConcentrated,
)

__all__ = [
    "KINDS",
    "Composed",
    "CorrelatedGaussian",
    "DiscreteGaussian",
    "Event",
    "Exponential",
    "Gaussian",
    "Geometric",
    "Group",
    "Laplace",
    "NoisyMax",
    "NonPrivate",
    "Parallel",
    "PermuteAndFlip",
    "PoissonSampled",
    "RandomizedResponse",
    "RandomlyAllocated",
    "Repeated",
    "SampledWithoutReplacement",
    "Shuffled",
    "SparseVector",
    "Staircase",
    "StatedApprox",
    "StatedGaussian",
    "StatedPure",
    "StatedRandom",
    "StatedZeroConcentrated",
    "TopK",
    "TreeAggregation",
    "TruncatedGeometric",
    "read_dp_accounting",
    "read_events",
    "read_opacus",
    "write_events",
]
