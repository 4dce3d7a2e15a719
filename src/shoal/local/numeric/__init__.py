"""Means of numbers and of vectors, from people who never tell their own."""

from shoal.local.numeric.additive import NoisyNumber
from shoal.local.numeric.coordinates import Coordinates
from shoal.local.numeric.means import Hybrid, OneBit, Piecewise
from shoal.local.numeric.mechanism import Mean, MeanTally, NumericReport
from shoal.local.numeric.unit import UnitVector

__all__ = [
    "Coordinates",
    "Hybrid",
    "Mean",
    "MeanTally",
    "NoisyNumber",
    "NumericReport",
    "OneBit",
    "Piecewise",
    "UnitVector",
]
