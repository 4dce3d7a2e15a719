"""A mechanism turns a true value into a noisy one and into the event that describes it, with its
accuracy known in advance; its proof note lies beside it.
"""

from shoal.mechanisms.estimate import Estimate
from shoal.mechanisms.exponential import Exponential, NoisyMax, PermuteAndFlip, TopK
from shoal.mechanisms.gaussian import DiscreteGaussian, Gaussian
from shoal.mechanisms.histogram import Histogram, counting
from shoal.mechanisms.laplace import Geometric, Laplace, TruncatedGeometric
from shoal.mechanisms.response import RandomizedResponse
from shoal.mechanisms.sparse import AboveThreshold, SparseVector, SparseVectorRun
from shoal.mechanisms.staircase import Staircase

__all__ = [
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
]
