"""An event is a complete, frozen, serialisable description of one release; its meaning never
changes once shipped.
"""

from shoal.events.additive import (
    DiscreteGaussian,
    Gaussian,
    Geometric,
    Laplace,
    MixtureOfGaussians,
    Skellam,
    Staircase,
    TruncatedGeometric,
    TruncatedLaplace,
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
    SampledWithReplacement,
    Shuffled,
    TruncatedPoissonSampled,
)
from shoal.events.response import RandomizedResponse, SometimesAnswered
from shoal.events.selection import Exponential, GaussianNoisyMax, NoisyMax, PermuteAndFlip, TopK
from shoal.events.stated import (
    NonPrivate,
    StatedApprox,
    StatedGaussian,
    StatedProfile,
    StatedPure,
    StatedRandom,
    StatedRenyi,
    StatedZeroConcentrated,
)
from shoal.events.tuning import RepeatAndSelect

__all__ = [
    "KINDS",
    "Composed",
    "CorrelatedGaussian",
    "DiscreteGaussian",
    "Event",
    "Exponential",
    "Gaussian",
    "GaussianNoisyMax",
    "Geometric",
    "Group",
    "Laplace",
    "MixtureOfGaussians",
    "NoisyMax",
    "NonPrivate",
    "Parallel",
    "PermuteAndFlip",
    "PoissonSampled",
    "RandomizedResponse",
    "RandomlyAllocated",
    "RepeatAndSelect",
    "Repeated",
    "SampledWithReplacement",
    "SampledWithoutReplacement",
    "Shuffled",
    "Skellam",
    "SometimesAnswered",
    "SparseVector",
    "Staircase",
    "StatedApprox",
    "StatedGaussian",
    "StatedProfile",
    "StatedPure",
    "StatedRandom",
    "StatedRenyi",
    "StatedZeroConcentrated",
    "TopK",
    "TreeAggregation",
    "TruncatedGeometric",
    "TruncatedLaplace",
    "TruncatedPoissonSampled",
    "read_dp_accounting",
    "read_events",
    "read_opacus",
    "write_events",
]
