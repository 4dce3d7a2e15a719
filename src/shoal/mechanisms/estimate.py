"""Frequencies recovered from randomised answers, with their uncertainty."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from shoal.errors import RangeError, ShapeError
from shoal.exact import Number, open_unit


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the reports say about the true frequencies.

    Each category is named with probability floor + lean * (its true frequency), so subtracting the floor
    and dividing by the lean is unbiased; the result may fall outside [0, 1], and is left there.
    """

    counts: tuple[int, ...]
    lean: float
    floor: float

    def __post_init__(self) -> None:
        if self.answers == 0:
            raise ShapeError(
                "there are no reports to estimate from.", remedy="Collect at least one report."
            )

    @property
    def answers(self) -> int:
        """How many people reported."""
        return sum(self.counts)

    @property
    def frequencies(self) -> tuple[float, ...]:
        """The unbiased estimate for each category."""
        return tuple(self._undo(count / self.answers) for count in self.counts)

    @property
    def variances(self) -> tuple[float, ...]:
        """The estimated variance of each estimate: z (1 - z) / (n lean^2), z the share of reports."""
        shares = (count / self.answers for count in self.counts)
        return tuple(share * (1 - share) / self.answers / self.lean**2 for share in shares)

    def interval(
        self, confidence: Number = "0.95", *, method: str = "exact"
    ) -> tuple[tuple[float, float], ...]:
        """A confidence interval for each category's frequency in the population.

        "exact" maps the Clopper-Pearson interval of the share of reports and cuts it to [0, 1]; it covers
        at least as often as it says.  "normal" is the estimate plus and minus so many standard errors.
        """
        level = float(open_unit(confidence, "confidence"))
        if method == "exact":
            return tuple(self._exact(count, level) for count in self.counts)
        if method == "normal":
            width = NormalDist().inv_cdf((1 + level) / 2)
            return tuple(
                (estimate - width * math.sqrt(variance), estimate + width * math.sqrt(variance))
                for estimate, variance in zip(self.frequencies, self.variances, strict=True)
            )
        raise RangeError(
            f"method must be 'exact' or 'normal'; got {str(method)[:40]!r}.",
            remedy="Choose 'exact', which never covers too rarely, or 'normal'.",
        )

    def _undo(self, share: float) -> float:
        return (share - self.floor) / self.lean

    def _exact(self, count: int, level: float) -> tuple[float, float]:
        from scipy.special import betaincinv  # noqa: PLC0415 - heavy, and needed here only

        tail, rest = (1 - level) / 2, self.answers - count
        low = float(betaincinv(count, rest + 1, tail)) if count else 0.0
        high = float(betaincinv(count + 1, rest, 1 - tail)) if rest else 1.0
        ends = sorted((self._undo(low), self._undo(high)))
        return max(0.0, ends[0]), min(1.0, ends[1])
