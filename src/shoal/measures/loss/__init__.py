"""Privacy loss distributions: what many releases cost together, enclosed from both sides."""

from shoal.measures.loss.distribution import TOLERANCE, Bracket, LossDistribution
from shoal.measures.loss.sources import (
    AtomicLoss,
    LaplaceLoss,
    LossSource,
    NormalLoss,
    SampledNormalLoss,
)

__all__ = [
    "TOLERANCE",
    "AtomicLoss",
    "Bracket",
    "LaplaceLoss",
    "LossDistribution",
    "LossSource",
    "NormalLoss",
    "SampledNormalLoss",
]
