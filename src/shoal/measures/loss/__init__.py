"""Privacy loss distributions: what many releases cost together, enclosed from both sides."""

from shoal.measures.loss.bracket import Bracket
from shoal.measures.loss.distribution import LossDistribution
from shoal.measures.loss.grid import TOLERANCE
from shoal.measures.loss.sampled_normal import SampledNormalLoss
from shoal.measures.loss.sources import (
    AtomicLoss,
    LaplaceLoss,
    LossSource,
    NormalLoss,
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
