"""Means of numbers and of vectors, from people who never tell their own."""

from shoal.local.protocols.numeric.coordinates import Coordinates
from shoal.local.protocols.numeric.mean_protocols import Hybrid, OneBit, Piecewise
from shoal.local.protocols.numeric.mechanism import Mean, MeanTally, NumericReport
from shoal.local.protocols.numeric.noisy_number import NoisyNumber
from shoal.local.protocols.numeric.unit_vectors import UnitVector

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
