"""A question that can be previewed, explained, planned and released: the one door to private
answers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from shoal.engines.engine import Engine
from shoal.errors import BudgetExceeded, CalibrationError, PriceError, RangeError
from shoal.events import Event
from shoal.exact import Number, float_up, open_unit, positive, short, turning_point
from shoal.measures import ZeroConcentrated
from shoal.mechanisms.witness import secret
from shoal.plan import Bounded, Query, normal_question, tables_of
from shoal.query.answer import CONFIDENCE, Answer
from shoal.query.arranging import ArrangedAnswer, Layout
from shoal.query.budget import CostRequest
from shoal.query.canonical import canonical_of, canonical_plan
from shoal.query.certificate import certificate_of
from shoal.query.estimates import Noisy
from shoal.query.keys import Group, in_asked_order, known_groups, selects
from shoal.query.notebook_html import ExplainedPlan, block, preformatted, quiet, title
from shoal.query.paying import (
    Askable,
    Payer,
    PaymentRequest,
    QuestionCharge,
    StoredAnswer,
    read_for,
)
from shoal.query.preview import Preview, errors_at, preview_of
from shoal.query.pricing import Priced, priced, read_weights
from shoal.query.public_lookups import looked_up, with_public_rows
from shoal.query.recipes import terms_of
from shoal.query.storing import restored, stored
from shoal.query.worked_out import WorkedOut

_NEXT = "Nothing is read or spent yet. preview() shows the error, explain() the steps, release() the answer."
_HALVINGS = 60
"""So often a refused request is halved to find one that fits."""


@dataclass(frozen=True)
class AccuracyTarget:
    """A question and how accurate it is to be; made by `Ask.within`."""

    ask: Ask
    error: Fraction
    confidence: Fraction
    column: str | None
    rows: int | None
    delta: Number | None
    noise: str | None


class Ask:
    """A question, not yet released.  Only `release` reads private rows, and only it spends.

    ``weights`` say how much the error of each aggregate matters beside the others, by name.
    ``intervals`` is the confidence of the intervals that the answer shows; if it is given,
    quantiles have them, too, for a part of what is spent.  ``layout`` says how the answer is
    arranged, where that is not a row for each group.  ``worked_out`` is what is known of the same
    question already.
    """

    def __init__(
        self,
        asked_of: Askable,
        question: Query,
        text: str,
        weights: Mapping[str, Any] | None = None,
        intervals: Number | None = None,
        *,
        layout: Layout | None = None,
        worked_out: WorkedOut | None = None,
    ) -> None:
        read = {*tables_of(question.relation), *looked_up(question)}
        self._source = asked_of.source_for(sorted(read))
        self.question = with_public_rows(question, self._source.engine, self._source.tables)
        self.text = text
        self.layout = layout
        self._worked_out = worked_out or WorkedOut()
        self.weights = read_weights(question, weights or {})
        self.intervals = None if intervals is None else open_unit(intervals, "intervals")

    def explain(self) -> ExplainedPlan:
        """The question as a tree, with what one row can become at each step."""
        return ExplainedPlan(self.question.explain())

    @property
    def digest(self) -> str:
        """A hash of what is asked, without names and prices: equal questions have equal ones."""
        return self._worked_out.of("digest", self._digest)

    def _digest(self) -> str:
        plan = json.dumps(canonical_plan(self._spelled), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(plan.encode()).hexdigest()

    def __repr__(self) -> str:
        return f"<question: {self.text}>"

    def _repr_html_(self) -> str:
        return block(title("question"), preformatted(self.text), quiet([_NEXT]))

    def preview(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        noise: str | None = None,
        confidence: Number | None = None,
        show_clipped: bool = False,
    ) -> Preview:
        """What `release` with these numbers would cost and give.  Free: no private row is read."""
        level = self.intervals or CONFIDENCE
        if confidence is not None:
            level = open_unit(confidence, "confidence")
        request = self._request(epsilon, delta, rho)
        weights = frozenset(self.weights.items())
        terms = (request, noise, show_clipped, level, weights, self.intervals)

        def shown() -> tuple[Preview, Event]:
            made = self._priced(request, noise, clipped=show_clipped)
            return preview_of(made, level, fits=False), made.event()

        found, event = self._worked_out.of(terms, shown)
        return replace(found, fits=self._source.payer.would_fit(event))

    def for_error(
        self,
        error: Number,
        *,
        confidence: Number = "0.95",
        column: str | None = None,
        rows: int | None = None,
        delta: Number | None = None,
        noise: str | None = None,
    ) -> float:
        """The epsilon (or rho) at which every aggregate, or one ``column``, is within an error.

        Means and variances need ``rows``, the number of rows of the smallest group that matters.
        """
        target = self.within(
            error, confidence=confidence, column=column, rows=rows, delta=delta, noise=noise
        )
        return float_up(self.least(target))

    def within(
        self,
        error: Number,
        *,
        confidence: Number = "0.95",
        column: str | None = None,
        rows: int | None = None,
        delta: Number | None = None,
        noise: str | None = None,
    ) -> AccuracyTarget:
        """How accurate this question is to be, for `plan_budget`; the words are those of
        `for_error`.
        """
        self._check_error(column, rows)
        level = open_unit(confidence, "confidence")
        return AccuracyTarget(self, positive(error, "error"), level, column, rows, delta, noise)

    def least(self, target: AccuracyTarget) -> Fraction:
        """The epsilon (or rho) at which a target is met, nearly the least."""
        inverse, _ = turning_point(
            lambda inverse: self.meets(target, 1 / inverse), start=Fraction(1), bits=20
        )
        return 1 / inverse

    def meets(self, target: AccuracyTarget, size: Fraction) -> bool:
        """Whether a target is met at an epsilon (or rho)."""
        made = self.priced_at(target, size)
        found = [
            errors_at(made, recipe, target.confidence, target.rows)
            for recipe in made.recipes
            if target.column in (None, recipe.aggregate.name)
        ]
        return all(each is not None and each <= target.error for each in found)

    def priced_at(self, target: AccuracyTarget, size: Fraction) -> Priced:
        """The question at a price, with the delta and the noise of a target."""
        return self._priced(self._sized(size, target.delta), target.noise)

    @property
    def budget(self) -> Payer:
        """What the question is paid from."""
        return self._source.payer

    def release(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        noise: str | None = None,
        key: str | None = None,
        show_clipped: bool = False,
    ) -> Answer:
        """The private answer.  The budget is charged before rows are read, and before any noise is
        drawn.

        ``key`` is a name of the caller's own for this act: a vault answers the same key once, and
        gives the same answer to whoever comes back with it.  ``show_clipped`` asks for a private
        count of the people who have more rows or groups than their share; a tenth of the cost goes
        to it.

        Guarantee: the answer costs what the request says, and no more; refused questions cost
            nothing.  If the engine fails after the charge, the error is the same whatever the data
            (`UnansweredError`).
        """
        made = self._priced(self._request(epsilon, delta, rho), noise, clipped=show_clipped)
        # what is public fails before it is paid for
        self._source.engine.check(self._spelled.relation)
        charge = self._charge(made, delta, key, noise)
        if not isinstance(charge, QuestionCharge):  # it was answered before
            return self._restored(made, charge)
        charge.begin()
        answer, kept = read_for(charge, lambda: self._answered(made, charge))
        charge.answered(kept)
        return self._arranged(answer)

    def _restored(self, made: Priced, kept: StoredAnswer) -> Answer:
        """An answer that was kept, perhaps to this question in other words, as it is asked now."""
        answer = restored(made, kept, self.intervals or CONFIDENCE, asked=self.question)
        return self._arranged(answer)

    def _arranged(self, answer: Answer) -> Answer:
        return answer if self.layout is None else ArrangedAnswer.of(answer, self.layout)

    def _answered(self, made: Priced, charge: QuestionCharge) -> tuple[Answer, dict[str, Any]]:
        groups, noisy, counts = self._drawn(made)
        certificate = certificate_of(
            self.text, made, len(groups), self._source.tables, charge.facts
        )
        level = self.intervals or CONFIDENCE
        answer = Answer(made, groups, noisy, certificate, level, counts)
        return answer, stored(answer)

    def rehearse(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        noise: str | None = None,
        show_clipped: bool = False,
    ) -> Answer:
        """What `release` does, with noise that is no secret: for those who test this program.

        Needs: a source that is not private, put in place through `shoal.noise.seam`.  Nothing is
            charged, since no budget can pay for it: with noise that others know, the answer tells
            the rows.  So it has no certificate.
        Edges: refused outside the seam, before rows are read.
        """
        made = self._priced(self._request(epsilon, delta, rho), noise, clipped=show_clipped)
        if secret():
            raise PriceError(
                "a rehearsal was asked for where noise is secret.",
                remedy="Use release, which is charged; rehearsals are for auditing.replay and shoal.noise.seam.",
            )
        groups, noisy, counts = self._drawn(made)
        level = self.intervals or CONFIDENCE
        return self._arranged(Answer(made, groups, noisy, {}, level, counts))

    def _drawn(self, made: Priced) -> tuple[list[Group], list[Noisy], tuple[int, int] | None]:
        groups = self._groups
        if groups is None:
            assert made.selection is not None
            told = made.selection.release(self._source.engine, made.noised.bounded)
            groups = [told[at] for at in in_asked_order(told, self._spelled, self.question)]
        noisy = _noisy(made, self._source.engine, groups)
        counts = None if made.clipping is None else made.clipping.release(self._source.engine)
        return groups, noisy, counts

    def _request(
        self, epsilon: Number | None, delta: Number | None, rho: Number | None
    ) -> CostRequest:
        budget = self._source.payer
        return budget.request(epsilon=epsilon, delta=delta, rho=rho, selects=selects(self._spelled))

    def _sized(self, size: Fraction, delta: Number | None) -> CostRequest:
        if isinstance(self._source.payer.whole, ZeroConcentrated):
            return self._request(None, delta, size)
        return self._request(size, delta, None)

    def _priced(self, request: CostRequest, noise: str | None, *, clipped: bool = False) -> Priced:
        count = None if self._groups is None else len(self._groups)
        made = priced(
            self._spelled,
            request,
            groups=count,
            law=noise,
            weights=self.weights,
            ends=self.intervals,
            clipped=clipped,
        )
        by_name = {recipe.aggregate.name: recipe for recipe in made.recipes}
        recipes = tuple(by_name[each.name] for each in self.question.aggregates)
        return replace(made, recipes=recipes, asked=self.question)

    @cached_property
    def _spelled(self) -> Query:
        """The question in its one spelling: this is what is priced and drawn."""
        return self._worked_out.of("spelled", lambda: normal_question(self.question))

    @cached_property
    def _groups(self) -> list[Group] | None:
        """Every group, where they are known; public tables are read for it, private ones never."""
        if selects(self._spelled):
            return None
        found = known_groups(self._spelled, self._source.engine, self._source.tables)
        return [found[at] for at in in_asked_order(found, self._spelled, self.question)]

    def _charge(
        self, made: Priced, delta: Number | None, key: str | None, noise: str | None
    ) -> QuestionCharge | StoredAnswer:
        asked = PaymentRequest(self.text, canonical_of(made), str(made.request), key)
        try:
            return self._source.payer.charge(made.event(), asked)
        except BudgetExceeded as refusal:
            fitting = self._fitting(made, delta, noise)
            word = "rho" if isinstance(made.request.measure, ZeroConcentrated) else "epsilon"
            remedy = (
                f"Ask with {word}={fitting}, which fits."
                if fitting
                else "No request that makes sense fits; let the owner of the data raise the budget."
            )
            problem = f"this question was to cost {made.request}. {refusal.problem}"
            raise BudgetExceeded(problem, remedy=remedy) from None

    def _fitting(self, made: Priced, delta: Number | None, noise: str | None) -> str | None:
        """The most that this question could be asked with now, in four digits; None if nothing.

        The law of noise is chosen anew for every size, as it will be when it is asked.
        """

        def fits(size: Fraction) -> bool:
            cut = made.clipping is not None
            try:
                event = self._priced(self._sized(size, delta), noise, clipped=cut).event()
            except CalibrationError:  # less would need more noise than can be drawn
                return False
            return self._source.payer.would_fit(event)

        size = made.request.size
        for _ in range(_HALVINGS):
            size /= 2
            if fits(size):
                break
        else:
            return None
        unit = Fraction(1)
        while unit * 1000 <= size:
            unit *= 10
        while unit * 1000 > size:
            unit /= 10
        low, high = size // unit, 2 * size // unit + 1  # fits, rounded down; twice as much did not
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle * unit) else (low, middle)
        return short(low * unit) if fits(low * unit) else None

    def _check_error(self, column: str | None, rows: int | None) -> None:
        names = [aggregate.name for aggregate in self.question.aggregates]
        if column is not None and column not in names:
            raise RangeError(
                f"there is no aggregate {str(column)[:40]!r}.",
                remedy=f"The aggregates are: {', '.join(names)}.",
            )
        probe = self._priced(self._sized(Fraction(1), self._any_delta()), None)
        wanted = [each for each in probe.recipes if column in (None, each.aggregate.name)]
        errors = [errors_at(probe, recipe, Fraction(1, 2), rows) for recipe in wanted]
        for recipe, error in zip(wanted, errors, strict=True):
            if error is None:
                raise CalibrationError(
                    f"how far {recipe.aggregate.name!r} is off depends on the rows of its group.",
                    remedy="Give rows=, the least number that matters (of no use for quantiles and deviations), "
                    "or column= for another aggregate.",
                )
        if not any(probe.noised.of(term) for term in terms_of(tuple(wanted))):
            raise CalibrationError(
                f"{wanted[0].aggregate.name!r} gets no noise, so it is exact whatever is spent.",
                remedy="Ask with any epsilon or rho; it costs nothing.",
            )

    def _any_delta(self) -> Fraction | None:
        return Fraction(1, 10**9) if selects(self._spelled) else None


_BATCH = 1 << 16
"""So many groups get their noise at a time: each has noise of its own, and arrays stay small."""


def _noisy(made: Priced, engine: Engine, groups: list[Group]) -> list[Noisy]:
    """The totals of every group with their noise: one vector per term, empty groups as 0."""
    bounded = made.noised.bounded
    vectors = _vectors(bounded, engine, groups)
    released: list[dict[Any, Fraction]] = [{} for _ in groups]
    named = zip(bounded.terms, made.noised.mechanisms, vectors, strict=True)
    for term, mechanism, vector in named:
        worth = bounded.worth(term)
        for start in range(0, len(groups), _BATCH):
            some = np.array(vector[start : start + _BATCH], dtype=object)
            drawn = some if mechanism is None else mechanism.release(some)
            for row, value in zip(released[start : start + _BATCH], drawn, strict=True):
                row[term] = int(value) * worth
    for placed in made.places:
        for row, value in zip(released, placed.release(engine, groups), strict=True):
            row[placed.place] = value
    for tree in made.trees:
        for row, found in zip(released, tree.release(engine, groups), strict=True):
            row.update(found)
    return list(released)


def _vectors(bounded: Bounded, engine: Engine, groups: list[Group]) -> list[list[int]]:
    """For each term the totals of these groups; those of others are let go as they come."""
    vectors = [[0] * len(groups) for _ in bounded.terms]
    if not (bounded.terms and groups):
        return vectors
    places = {group: at for at, group in enumerate(groups)}
    for part in engine.parts(bounded):
        for key, row in part.items():
            at = places.get(key)
            if at is not None:
                for vector, total in zip(vectors, row, strict=True):
                    vector[at] = total
    return vectors
