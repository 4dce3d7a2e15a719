"""The exponential mechanism and its relatives: one choice among public candidates."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from shoal import events
from shoal.errors import CandidatesError, RangeError
from shoal.exact import Number, Real, at_precision, ball, dyadic, float_down, open_unit, whole
from shoal.mechanisms import candidates as candidate_sets
from shoal.mechanisms.candidates import Scored
from shoal.mechanisms.selection import Selection
from shoal.mechanisms.witness import meet
from shoal.noise import exponential_race, gumbel_race, laplace_race, run_race
from shoal.noise.equal_runs import Behind
from shoal.sensitivity import Sensitivity


@dataclass(frozen=True, init=False, repr=False)
class Exponential(Selection):
    """Choose a candidate with probability proportional to exp(rate * score).

    Guarantee: epsilon-DP, exactly: the law is drawn from exact scores, with no softmax in floats.
    Needs: candidates fixed before the data are seen; each score moves by at most ``sensitivity``
        between neighbours; ``monotone`` only where all scores move the same way.
    Edges: any number of candidates, scores of any size; a sensitivity of 0 is refused.
    Reference: McSherry and Talwar 2007.  Proof: selection.md.

    >>> hair = {"dark": 500, "brown": 399, "blond": 40, "red": 10}
    >>> Exponential(epsilon="0.1", sensitivity=1).release(hair) in hair
    True
    """

    @property
    def _race(self) -> str:
        return "gumbel"

    def _choose(self, scores: NDArray[Any]) -> int:
        return gumbel_race(scores, self.rate)[0]

    def choose_in_runs(
        self, scores: NDArray[Any], lengths: NDArray[np.int64], behind: Behind | None = None
    ) -> tuple[int, int]:
        """A run and a place inside it, where candidates come in runs of equal score, or lie
        ``behind`` that of their run.

        Guarantee: the choice of `release` among all candidates, for as many of them as there are.
        Needs: as `release`; whoever calls it tells a witness of it, since where runs begin depends
            on the data.
        """
        return run_race(scores, lengths, self.rate, behind=behind)

    def probabilities(
        self, scores: Scored, *, candidates: Sequence[Hashable] | None = None
    ) -> dict[Hashable, float]:
        """The exact law of the choice, each probability rounded down: for teaching and checking.

        It is computed from the scores without noise and must not be published for private data.

        >>> law = Exponential(epsilon="0.1", sensitivity=1).probabilities({"dark": 500, "brown": 399})
        >>> round(law["dark"], 4)
        0.9936
        """
        numbers, names = candidate_sets.read(scores, candidates)
        exact = [
            Fraction(each.item() if isinstance(each, np.generic) else each) for each in numbers
        ]
        best = max(exact)
        gaps = [(best - score) * self.rate for score in exact]

        def law() -> list[float]:
            total = sum((ball(-gap).exp() for gap in gaps), arb(0))
            return [_chance_down(gap, total) for gap in gaps]

        return dict(zip(names, at_precision(128, law), strict=True))

    def _worst_coverage(self, gap: Fraction, candidates: int) -> Real:
        return _gumbel_coverage(gap, candidates)

    def event_for(self, *, candidates: int) -> events.Exponential:
        """The description of one choice among so many candidates."""
        return events.Exponential(candidates=candidates, **self._described)


@dataclass(frozen=True, init=False, repr=False)
class PermuteAndFlip(Selection):
    """Visit the candidates in random order and take the first whose coin shows heads.

    Guarantee: epsilon-DP, exactly, and never a worse choice than `Exponential` on the same scores.
    Needs: as `Exponential`.
    Edges: as `Exponential`; its price in zero-concentrated terms is that of a pure mechanism.
    Reference: McKenna and Sheldon 2020; Ding and others 2021: exponential noise.
    Proof: selection.md.

    >>> PermuteAndFlip(epsilon=1, sensitivity=1).release([1, 5, 2]) in (0, 1, 2)
    True
    """

    @property
    def _race(self) -> str:
        return "exponential"

    def _choose(self, scores: NDArray[Any]) -> int:
        return exponential_race(scores, self.rate)

    def _worst_coverage(self, gap: Fraction, candidates: int) -> Real:
        return _lottery_coverage(gap, candidates)

    def event_for(self, *, candidates: int) -> events.PermuteAndFlip:
        """The description of one choice among so many candidates."""
        return events.PermuteAndFlip(candidates=candidates, **self._described)


@dataclass(frozen=True, init=False, repr=False)
class NoisyMax(Selection):
    """Add noise to every score and report whose sum is largest, and nothing else.

    Guarantee: epsilon-DP, exactly, for noise of scale 1 / rate: Laplace (the default), exponential,
        which is `PermuteAndFlip`, or Gumbel, which is `Exponential`.  The noise is continuous and
        drawn to as many digits as the comparison needs, so there are no ties.
    Needs: as `Exponential`.
    Edges: as `Exponential`.  Without ``monotone`` the noise has twice the textbook width: with the
        narrow noise and scores that move both ways the true epsilon is up to twice the nominal one.
    Reference: Dwork and Roth 2014, Section 3.3; Ding and others 2021.  Proof: selection.md.

    >>> NoisyMax(epsilon=1, sensitivity=1, noise="gumbel").release([1, 5, 2]) in (0, 1, 2)
    True
    """

    noise: str

    def __init__(
        self,
        *,
        epsilon: Number,
        sensitivity: Number | Sensitivity,
        monotone: bool = False,
        noise: str = "laplace",
    ) -> None:
        super().__init__(epsilon=epsilon, sensitivity=sensitivity, monotone=monotone)
        if not isinstance(noise, str) or noise not in _NOISES:
            shown = repr(noise[:40]) if isinstance(noise, str) else type(noise).__name__
            raise RangeError(
                f"noise must be one of {', '.join(_NOISES)}; got {shown}.",
                remedy="Choose 'laplace', 'exponential' or 'gumbel'.",
            )
        object.__setattr__(self, "noise", noise)

    @property
    def _race(self) -> str:
        return self.noise

    def _choose(self, scores: NDArray[Any]) -> int:
        if self.noise == "laplace":
            return laplace_race(scores, self.rate)
        if self.noise == "exponential":
            return exponential_race(scores, self.rate)
        return gumbel_race(scores, self.rate)[0]

    def _worst_coverage(self, gap: Fraction, candidates: int) -> Real:
        """For Laplace noise a bound: none of the others overtakes, each with (1 + gap / 2) e^-gap /
        2.
        """
        if self.noise == "exponential":
            return _lottery_coverage(gap, candidates)
        if self.noise == "gumbel":
            return _gumbel_coverage(gap, candidates)
        return lambda: 1 - (candidates - 1) * (1 + ball(gap / 2)) * ball(-gap).exp() / 2

    def _textbook(self, confidence: Number, candidates: int) -> Fraction:
        """Laplace noise falls to both sides: twice as far."""
        return super()._textbook(confidence, candidates) * (2 if self.noise == "laplace" else 1)

    def event_for(self, *, candidates: int) -> events.NoisyMax:
        """The description of one choice among so many candidates."""
        return events.NoisyMax(noise=self.noise, candidates=candidates, **self._described)


_NOISES = ("laplace", "exponential", "gumbel")


@dataclass(frozen=True, init=False, repr=False)
class TopK(Selection):
    """The k candidates with the largest score + Gumbel noise, best first, in one shot.

    Guarantee: epsilon-DP for all k together, exactly: the law of k exponential mechanisms in a row,
        each with epsilon / k on the candidates left.
    Needs: as `Exponential`; 1 <= k <= number of candidates.
    Edges: as `Exponential`; the noisy scores are never told.  `error` is for all k: each is within
        it of the best that was left to it, and so of the true one of its rank.
    Reference: Durfee and Rogers 2019.  Proof: selection.md.

    >>> sorted(TopK(k=2, epsilon=1, sensitivity=1).release([9, 5, 2])) in ([0, 1], [0, 2], [1, 2])
    True
    """

    k: int

    def __init__(
        self,
        *,
        k: int,
        epsilon: Number,
        sensitivity: Number | Sensitivity,
        monotone: bool = False,
    ) -> None:
        super().__init__(epsilon=epsilon, sensitivity=sensitivity, monotone=monotone)
        object.__setattr__(self, "k", whole(k, "k", at_least=1))

    @property
    def rate(self) -> Fraction:
        """How much a score counts in each of the k choices."""
        return super().rate / self.k

    def release(self, scores: Scored, *, candidates: Sequence[Hashable] | None = None) -> list[Any]:
        """The chosen candidates, best first, by name where names were given, else by place."""
        numbers, names = candidate_sets.read(scores, candidates)
        if self.k > len(names):
            raise CandidatesError(
                f"{self.k} candidates were asked for; there are {len(names)}.",
                remedy="Choose k at most the number of candidates.",
            )
        chosen = meet(
            lambda: gumbel_race(numbers, self.rate, places=self.k), lambda: self._meeting(numbers)
        )
        return [names[place] for place in chosen]

    @property
    def _race(self) -> str:
        return "gumbel"

    @property
    def _places(self) -> int:
        return self.k

    def _choose(self, scores: NDArray[Any]) -> int:
        return gumbel_race(scores, self.rate)[0]

    def _worst_coverage(self, gap: Fraction, candidates: int) -> Real:
        """A bound: each of the k choices is within the gap of the best one left to it."""
        one = _gumbel_coverage(gap, candidates)
        return lambda: 1 - self.k * (1 - one())

    def _coverage_by_lot(self, candidates: int) -> Fraction:
        return 1 - self.k * (1 - Fraction(1, candidates))

    def _textbook(self, confidence: Number, candidates: int) -> Fraction:
        """The risk is shared among the k choices."""
        risk = 1 - open_unit(confidence, "confidence")
        return super()._textbook(1 - risk / self.k, candidates)

    def event_for(self, *, candidates: int) -> events.TopK:
        """The description of one release of k out of so many candidates."""
        return events.TopK(k=self.k, candidates=candidates, **self._described)


def _chance_down(gap: Fraction, total: arb) -> float:
    """e^-gap / total as a float, rounded down; what lies below the floats is 0."""
    if gap > 750:
        return 0.0
    return max(0.0, float_down(dyadic((ball(-gap).exp() / total).lower())))


def _gumbel_coverage(gap: Fraction, candidates: int) -> Real:
    """All others exactly at the gap: 1 / (1 + (candidates - 1) e^-gap)."""
    return lambda: 1 / (1 + (candidates - 1) * ball(-gap).exp())


def _lottery_coverage(gap: Fraction, candidates: int) -> Real:
    """All m - 1 others at the gap, each in the lottery with w = e^-gap: (1 - (1 - w)^m) / (m w)."""

    def chance() -> arb:
        weight = ball(-gap).exp()
        return (1 - (1 - weight) ** candidates) / (candidates * weight)

    return chance
