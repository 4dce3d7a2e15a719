"""The kinds of noise that a gradient training can have, by name."""

from __future__ import annotations

from shoal.errors import RangeError
from shoal.exact import Number
from shoal.learning.nets.correlated_plan import CorrelatedPlan
from shoal.learning.nets.step_plan import StepPlan
from shoal.learning.training_plan import PlannedSum
from shoal.measures import Measure
from shoal.sensitivity import Relation

INDEPENDENT = "independent"

_PLANS: dict[str, type[StepPlan | CorrelatedPlan]] = {
    INDEPENDENT: StepPlan,
    "correlated": CorrelatedPlan,
}


def steps_with(
    noise: str,
    sums: tuple[PlannedSum, ...],
    rate: Number,
    measure: Measure,
    *,
    reach: int,
    relation: Relation,
) -> StepPlan | CorrelatedPlan:
    """The plan of noisy steps: over fresh samples with independent noise, or over batches that are
    dealt once with correlated noise.
    """
    kind = _PLANS.get(noise) if isinstance(noise, str) else None
    if kind is None:
        raise RangeError(
            f"noise must be one of: {', '.join(_PLANS)}.", remedy="Give noise='correlated'."
        )
    return kind.for_steps(sums, rate, measure, reach=reach, relation=relation)
