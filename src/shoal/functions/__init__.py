"""Release of whole functions and of statistics with unbounded global sensitivity."""

from shoal.functions.bernstein import Bernstein
from shoal.functions.choosing import choose_operator
from shoal.functions.density import Distribution, KernelDensity, ReleasedDistribution
from shoal.functions.loss import LossSurface
from shoal.functions.operator import Operator
from shoal.functions.privatizing import Privatized, privatize
from shoal.functions.ratio import ReleasedRatio
from shoal.functions.regression import KernelRegression, PriestleyChao
from shoal.functions.released import ReleasedFunction
from shoal.functions.roc import ReleasedRoc, RocCurve
from shoal.functions.sampler import Sampled, Sampler
from shoal.functions.sampling_plan import SamplingPlan, plan_sampling
from shoal.functions.smoothness import Smoothness
from shoal.functions.targets import LocalMean, SpacedCurve

__all__ = [
    "Bernstein",
    "Distribution",
    "KernelDensity",
    "KernelRegression",
    "LocalMean",
    "LossSurface",
    "Operator",
    "PriestleyChao",
    "Privatized",
    "ReleasedDistribution",
    "ReleasedFunction",
    "ReleasedRatio",
    "ReleasedRoc",
    "RocCurve",
    "Sampled",
    "Sampler",
    "SamplingPlan",
    "Smoothness",
    "SpacedCurve",
    "choose_operator",
    "plan_sampling",
    "privatize",
]
