"""Noisy sums for a budget without a delta: geometric noise, by how much one row adds in all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from shoal.errors import CalibrationError, InternalError
from shoal.exact import whole
from shoal.learning.training_plan import PlannedSum, TrainingPlan
from shoal.measures import Measure, Pure
from shoal.mechanisms import Geometric
from shoal.noise import LARGEST_SCALE
from shoal.sensitivity import Norm, Relation, Sensitivity


@dataclass(frozen=True)
class PureSumsPlan(TrainingPlan):
    """All sums that a model is made of, with two-sided geometric noise.

    Guarantee: the releases together are epsilon-DP, whatever each is computed from what was released
        before it.
    Needs: what one row adds to each sum keeps to its ``absolute``, and depends on that row and on
        released numbers alone.
    Proof: training.md, *Without a delta*.
    """

    mechanisms: tuple[Geometric, ...]  # type: ignore[assignment]  # other noise, the same releases

    @classmethod
    def of(
        cls, sums: Sequence[PlannedSum], measure: Measure, *, reach: int, relation: Relation
    ) -> PureSumsPlan:
        if not isinstance(measure, Pure):
            raise InternalError("pure sums were planned for a delta.", remedy="Please report it.")
        far = whole(reach, "rows_per_person", at_least=1)
        far *= 2 if relation is Relation.CHANGE else 1
        weights = [_root(each.share) for each in sums]
        made = []
        for each, weight in zip(sums, weights, strict=True):
            if each.absolute is None:
                raise InternalError("a sum has no pure price.", remedy="Please report it.")
            moved = Sensitivity(
                Fraction(far * each.absolute), Norm.L1, relation, dimension=each.size
            )
            paid = measure.epsilon * weight / sum(weights)
            made.append(Geometric(scale=moved.value / paid, sensitivity=moved))
        if any(noise.scale > LARGEST_SCALE for noise in made):
            raise CalibrationError(
                "the noise would be wider than can be drawn.",
                remedy="Ask with more budget, or for a model of fewer columns.",
            )
        return cls(tuple(sums), tuple(made), reach, relation)

    @property
    def noise_law(self) -> str:
        return "laplace"

    @property
    def deviation(self) -> float:
        return 2**0.5

    def terms(self) -> list[dict[str, str]]:
        """The sums as a certificate lists them."""
        return [
            {
                "total": each.name,
                "size": str(each.size),
                "sensitivity": str(noise.sensitivity.value),
                "norm": "L1",
                "noise": f"discrete Laplace, scale {noise.scale} units",
            }
            for each, noise in zip(self.sums, self.mechanisms, strict=True)
        ]


def _root(share: Fraction) -> Fraction:
    """About the root of a share: of Gaussian noise, squares of mu are shared out, and of this the
    epsilons themselves.
    """
    return Fraction(isqrt(int(share * (1 << 40))) + 1, 1 << 20)
