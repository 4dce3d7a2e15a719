"""Privacy loss distributions: what many releases cost together, enclosed from both sides."""

from shoal.loss.bounded_range import BoundedRangeLoss
from shoal.loss.bracket import Bracket
from shoal.loss.coin_gated_loss import AnsweredLoss, answered_loss
from shoal.loss.delta_levels import TOLERANCE
from shoal.loss.discrete_normal import DiscreteNormalLoss
from shoal.loss.distribution import LossDistribution
from shoal.loss.fixed_size import FixedSizeLoss, fixed_size_loss
from shoal.loss.group_mixture import MixtureNormalLoss, sampled_group_loss
from shoal.loss.largest import LargestLoss
from shoal.loss.loss_sources import (
    AtomicLoss,
    LaplaceLoss,
    LossSource,
    NormalLoss,
)
from shoal.loss.normal_mixtures import Components
from shoal.loss.profile import ProfileAtoms, atoms_of_profile
from shoal.loss.sampled import LossPair, SampledLoss, sampled_atoms
from shoal.loss.sampled_normal import SampledNormalLoss
from shoal.loss.skellam import LARGEST_VARIANCE, SkellamLoss

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
