"""Release of whole functions and of statistics with unbounded global sensitivity."""

from shoal.functions.bernstein import Bernstein
from shoal.functions.choosing import choose_operator
from shoal.functions.density import Distribution, KernelDensity, ReleasedDistribution
from shoal.functions.loss import LossSurface
from shoal.functions.operator import Operator
from shoal.functions.ratio import ReleasedRatio
from shoal.functions.regression import KernelRegression, PriestleyChao
from shoal.functions.released import ReleasedFunction
from shoal.functions.roc import ReleasedRoc, RocCurve
from shoal.functions.smoothness import Smoothness

__all__ = [
    "Bernstein",
    "Distribution",
    "KernelDensity",
    "KernelRegression",
    "LossSurface",
    "Operator",
    "PriestleyChao",
    "ReleasedDistribution",
    "ReleasedFunction",
    "ReleasedRatio",
    "ReleasedRoc",
    "RocCurve",
    "Smoothness",
    "choose_operator",
]
