"""Privacy loss distributions: what many releases cost together, enclosed from both sides."""

from shoal.measures.loss.answered import AnsweredLoss, answered_loss
from shoal.measures.loss.bounded_range import BoundedRangeLoss
from shoal.measures.loss.bracket import Bracket
from shoal.measures.loss.discrete_normal import DiscreteNormalLoss
from shoal.measures.loss.distribution import LossDistribution
from shoal.measures.loss.fixed_size import FixedSizeLoss, fixed_size_loss
from shoal.measures.loss.grid import TOLERANCE
from shoal.measures.loss.largest import LargestLoss
from shoal.measures.loss.mixture_normal import MixtureNormalLoss, sampled_group_loss
from shoal.measures.loss.normal_mixtures import Components
from shoal.measures.loss.profile import ProfileAtoms, atoms_of_profile
from shoal.measures.loss.sampled import LossPair, SampledLoss, sampled_atoms
from shoal.measures.loss.sampled_normal import SampledNormalLoss
from shoal.measures.loss.skellam import LARGEST_VARIANCE, SkellamLoss
from shoal.measures.loss.sources import (
    AtomicLoss,
    LaplaceLoss,
    LossSource,
    NormalLoss,
)

__all__ = [
    "LARGEST_VARIANCE",
    "TOLERANCE",
    "AnsweredLoss",
    "AtomicLoss",
    "BoundedRangeLoss",
    "Bracket",
    "Components",
    "DiscreteNormalLoss",
    "FixedSizeLoss",
    "LaplaceLoss",
    "LargestLoss",
    "LossDistribution",
    "LossPair",
    "LossSource",
    "MixtureNormalLoss",
    "NormalLoss",
    "ProfileAtoms",
    "SampledLoss",
    "SampledNormalLoss",
    "SkellamLoss",
    "answered_loss",
    "atoms_of_profile",
    "fixed_size_loss",
    "sampled_atoms",
    "sampled_group_loss",
]
