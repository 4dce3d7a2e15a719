"""How a batch of counting questions is paid for: measured together, or each with its own part of the
budget, whichever has less error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from shoal.events import Composed
from shoal.exact import shown_up
from shoal.query.joint_counts import JointCounts, Places
from shoal.query.joint_noise import JointNoised, noised_by
from shoal.query.noise_choice import NORMS, Means, Noised, noise_for, shares_of
from shoal.query.payment import CostRequest
from shoal.query.pricing import Priced, priced
from shoal.query.shown_answer import level_of
from shoal.workloads import PublicationPlan


@dataclass(frozen=True, eq=False)
class BatchQuestion:
    """One question of a batch: priced alone, with its cells, and its sets of keys among all."""

    text: str
    alone: Priced
    cells: int
    own: Places
    sets: tuple[Places, ...]
    sizes: tuple[int, ...]
    """How many groups each set of keys has."""


@dataclass(frozen=True, eq=False)
class BatchPlan:
    """Questions at one price; what `Batch.preview` shows.

    ``ratio`` is how many times as large the sum of squared errors would be the other way; None where
    there is no other way.

    Guarantee: the events of all questions together cost no more than the request.
    """

    request: CostRequest
    questions: tuple[BatchQuestion, ...]
    parts: tuple[Priced, ...]
    plan: PublicationPlan | None
    ratio: float | None
    fits: bool = True

    @property
    def event(self) -> Composed:
        """All that is released, as one event."""
        if self.plan is not None:
            return self.plan.event
        return Composed(tuple(each for part in self.parts for each in part.events(1)))

    @property
    def together(self) -> bool:
        """Whether the questions are measured together, so that their answers agree."""
        return self.plan is not None

    def errors(self, confidence: Fraction = Fraction(95, 100)) -> list[float]:
        """For each question, how far its counts can be off at a confidence."""
        pairs = zip(self.parts, self.questions, strict=True)
        return [_error(part, each, confidence) for part, each in pairs]

    @property
    def note(self) -> str:
        """Which way was chosen, and what the other one would give."""
        more = "" if self.ratio is None else f"{self.ratio:.3g} times as large"
        if self.together:
            other = f" One by one, squared errors would be {more}." if more else ""
            return f"The questions are measured together, so that their answers agree.{other}"
        other = f" Measured together, squared errors would be {more}." if more else ""
        return f"Each question has its own part of the budget, so answers can differ.{other}"

    def to_dict(self) -> dict[str, Any]:
        """The preview as programs are told."""
        return {
            "price": str(self.request),
            "fits": self.fits,
            "together": self.together,
            "questions": [
                {"question": each.text, "within": error}
                for each, error in zip(self.questions, self.errors(), strict=True)
            ],
            "note": self.note,
        }

    def __str__(self) -> str:
        level = level_of(Fraction(95, 100))
        fits = "" if self.fits else " (more than is left of the budget)"
        lines = [f"costs {self.request}{fits}; errors at {level} confidence"]
        for each, part, error in zip(self.questions, self.parts, self.errors(), strict=True):
            lines.append(f"within {shown_up(error)}: {each.text}")
            if isinstance(part.noised, JointNoised) and len(part.noised.sets) > 1:
                lines.append(f"  {part.noised.note(Fraction(95, 100))}")
        return "\n".join([*lines, f"note: {self.note}"])

    __repr__ = __str__


def _error(part: Priced, question: BatchQuestion, confidence: Fraction) -> float:
    """The largest error of the counts that a question shows."""
    if isinstance(part.noised, JointNoised):
        return part.noised.widest(confidence)
    term = part.noised.bounded.terms[0]
    added = [question.cells // size for size in question.sizes]
    alone = part.noised.error(term, confidence)
    return max(
        part.noised.error_of_sum(term, confidence, count) if count > 1 else alone for count in added
    )


def planned(
    request: CostRequest, questions: Sequence[BatchQuestion], counts: JointCounts | None
) -> BatchPlan:
    """The questions at a price, the way that has the least expected sum of squared errors.

    Which one that is follows from declared facts and the request.
    """
    apart, own = _apart(request, questions)
    every = tuple(questions)
    plan = None if counts is None else counts.plan(request)
    if plan is None or counts is None:
        return BatchPlan(request, every, apart, None, None)
    joint = tuple(
        replace(each.alone, noised=noised_by(counts, plan, each.alone, each.own, each.sets))
        for each in questions
    )
    common = _shown(joint, questions)
    if common >= own:
        return BatchPlan(request, every, apart, None, common / own if own else None)
    return BatchPlan(request, every, joint, plan, own / common if common else None)


def _shown(joint: Sequence[Priced], questions: Sequence[BatchQuestion]) -> float:
    """The sum of squared errors of all counts that are shown, each as often as it is asked for."""
    total = 0.0
    for part, question in zip(joint, questions, strict=True):
        assert isinstance(part.noised, JointNoised)
        for each in question.sets:
            total += part.noised.standard_error(each) ** 2 * part.noised.counts.cells(each)
    return total


def _apart(
    request: CostRequest, questions: Sequence[BatchQuestion]
) -> tuple[tuple[Priced, ...], float]:
    """Each question with a part of the request, and the sum of squared errors of all counts.

    Parts sum to the whole: of epsilon for Laplace noise, of mu squared for Gaussian noise, which is
    how their prices add up.  The finest groups of a question get its noise; levels are their sums.
    """
    means = Means(request)
    best: tuple[tuple[Priced, ...], float] | None = None
    for law in means.laws:
        alone = [
            priced(each.alone.question, request, groups=each.cells, law=law) for each in questions
        ]
        squares = [
            part.noised.deviation(part.noised.bounded.terms[0]) ** 2 * each.cells * len(each.sets)
            for part, each in zip(alone, questions, strict=True)
        ]
        shares = shares_of([Fraction(each) for each in squares], law)
        parts = []
        total = 0.0
        for part, share, each in zip(alone, shares, questions, strict=True):
            bounded = part.noised.bounded
            assert bounded.norm is NORMS[law]
            noise = tuple(noise_for(bounded, term, means, share) for term in bounded.terms)
            noised = Noised(bounded, law, noise)
            parts.append(replace(each.alone, noised=noised))
            total += noised.deviation(bounded.terms[0]) ** 2 * each.cells * len(each.sets)
        if best is None or total < best[1]:
            best = tuple(parts), total
    assert best is not None
    return best
