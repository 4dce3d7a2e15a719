"""Which noise a budget buys for a whole vector, and a sensitivity in the norm that this noise
needs.
"""

from __future__ import annotations

from fractions import Fraction

from shoal.errors import ShapeError
from shoal.exact import Number, positive, root_up
from shoal.measures import Measure, Pure
from shoal.mechanisms import Gaussian, Laplace
from shoal.sensitivity import Norm, Sensitivity

Noise = Laplace | Gaussian


def read_budget(epsilon: Number | None, budget: Measure | None) -> Measure:
    """A budget that was given as one or as a pure epsilon, and not as both."""
    if (epsilon is None) == (budget is None):
        raise ShapeError(
            "exactly one of epsilon and budget must be given.",
            remedy="Give epsilon=1 for a pure guarantee, or budget=shoal.ZeroConcentrated('0.1'), for example.",
        )
    if budget is None:
        assert epsilon is not None
        return Pure(positive(epsilon, "epsilon"))
    if not isinstance(budget, Measure):
        raise ShapeError(
            f"budget must be a measure; got {type(budget).__name__}.",
            remedy="Give a measure such as shoal.Pure(1) or shoal.Approx(1, '1e-6').",
        )
    return budget


def norm_for(budget: Measure) -> Norm:
    """L1 for a pure budget, which needs Laplace noise; L2 for any other, which Gaussian noise
    serves.
    """
    return Norm.L1 if isinstance(budget, Pure) else Norm.L2


def noise_for(budget: Measure, sensitivity: Number | Sensitivity, *, size: int) -> Noise:
    """The noise that a budget buys for ``size`` numbers of this sensitivity.

    Guarantee: the noise costs at most the budget, and exactly the budget where it is pure.
    Edges: a bound on each number (LINF) is multiplied by ``size`` for L1 and by its root for L2,
        and a bound in L2 by the root for L1; a plain number is a bound of the whole vector in the
        norm that is needed.
    """
    norm = norm_for(budget)
    known = whole_vector(sensitivity, norm, size=size)
    if norm is Norm.L1:
        return Laplace.for_budget(budget, sensitivity=known)
    return Gaussian.for_budget(budget, sensitivity=known)


def whole_vector(sensitivity: Number | Sensitivity, norm: Norm, *, size: int) -> Sensitivity:
    """A sensitivity of ``size`` numbers in a norm, from one in any.

    Proof: |x|_1 <= size |x|_inf, |x|_2 <= sqrt(size) |x|_inf and |x|_1 <= sqrt(size) |x|_2
    (Cauchy-Schwarz).
    """
    if not isinstance(sensitivity, Sensitivity) or sensitivity.norm.bounds(norm):
        found = Sensitivity.read(sensitivity, norm=norm)
    else:
        square = size * size if (sensitivity.norm, norm) == (Norm.LINF, Norm.L1) else size
        value = sensitivity.value * root_up(Fraction(square))
        found = Sensitivity(value, norm, sensitivity.relation)
    if found.dimension is not None and found.dimension != size:
        raise ShapeError(
            f"the sensitivity is that of {found.dimension} numbers; the function has {size}.",
            remedy="Work the sensitivity out for all values on the lattice together.",
        )
    return Sensitivity(found.value, norm, found.relation, size)
