"""A question that can be previewed, explained, planned and released: the one door to private
answers.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from shoal.accounting.budget_refusals import of_question
from shoal.errors import BudgetExceeded, CalibrationError, PriceError, RangeError
from shoal.events import Event
from shoal.exact import Number, float_up, open_unit, positive, short, turning_point
from shoal.measures import ZeroConcentrated
from shoal.mechanisms.witness import secret
from shoal.plan import Query, normal_question, tables_of
from shoal.plan.question import looked_up
from shoal.query.answer import CONFIDENCE, Answer
from shoal.query.canonical import canonical_of, canonical_plan
from shoal.query.certificate import certificate_of
from shoal.query.drawn_groups import DrawnGroups, drawn_together, noisy_groups
from shoal.query.joint_counts import MOST_CELLS, JointCounts, Places, counted_sets
from shoal.query.joint_noise import JointNoised, together
from shoal.query.keys import Group, in_asked_order, known_groups, selects, values_of_key
from shoal.query.noise_choice import Means
from shoal.query.notebook_html import ExplainedPlan, block, preformatted, quiet, title
from shoal.query.payment import (
    Askable,
    CostRequest,
    Payer,
    PaymentRequest,
    QuestionCharge,
    StoredAnswer,
    read_for,
)
from shoal.query.preview import Preview, errors_at, preview_of
from shoal.query.pricing import Priced, priced, read_weights
from shoal.query.public_lookups import with_public_rows
from shoal.query.rearranged_answer import ArrangedAnswer, Layout
from shoal.query.recipes import terms_of
from shoal.query.stored_answer import restored, stored
from shoal.query.worked_out import WorkedOut

_NEXT = "Nothing is read or spent yet. preview() shows the error, explain() the steps, release() the answer."
_HALVINGS = 60
"""So often a refused request is halved to find one that fits."""
_MOST_TRIED = 1500
"""So many aggregates are priced for that, over all halves: a refusal costs nothing, and must not be
much work.
"""


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


@dataclass(frozen=True)
class StatedTerms:
    """What is typed when a question is previewed or released: a price, a law of noise, and whether
    the people with more than their share are counted.
    """

    epsilon: Number | None
    delta: Number | None
    rho: Number | None
    noise: str | None
    show_clipped: bool


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
        public = looked_up(question)
        self.source = asked_of.source_for(sorted({*tables_of(question.relation), *public}))
        if public:
            question = with_public_rows(question, self.source.engine, self.source.tables)
        self.question = question
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
        plan = json.dumps(canonical_plan(self.spelled), sort_keys=True, separators=(",", ":"))
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
        return self._previewed(StatedTerms(epsilon, delta, rho, noise, show_clipped), confidence)

    def _previewed(self, stated: StatedTerms, confidence: Number | None) -> Preview:
        level = self.intervals or CONFIDENCE
        if confidence is not None:
            level = open_unit(confidence, "confidence")
        request, noise = self._requested(stated), stated.noise
        weights = frozenset(self.weights.items())
        terms = (request, noise, stated.show_clipped, level, weights, self.intervals)

        def shown() -> tuple[Preview, Event]:
            made = self._priced(request, noise, clipped=stated.show_clipped)
            return preview_of(made, level, fits=False), made.event()

        found, event = self._worked_out.of(terms, shown)
        return replace(found, fits=self.source.payer.would_fit(event))

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
        return self.source.payer

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
        return self._released(StatedTerms(epsilon, delta, rho, noise, show_clipped), key)

    def _released(self, stated: StatedTerms, key: str | None) -> Answer:
        made = self._to_release(stated)
        # what is public fails before it is paid for
        self.source.engine.check(self.spelled.relation)
        charge = self._charge(made, stated.delta, key, stated.noise)
        if not isinstance(charge, QuestionCharge):  # it was answered before
            return self._restored(made, charge)
        charge.begin()
        answer, kept = read_for(charge, lambda: self._answered(made, charge))
        charge.answered(kept)
        return self._arranged(answer)

    def _to_release(self, stated: StatedTerms) -> Priced:
        """The question at its price: as an earlier Shoal drew it, each total by itself and perhaps
        with the other law of noise, where that answer is kept; otherwise as it is drawn now.
        """
        made = self._priced_as(stated)
        if not made.noised.pairs and made.selection is None:
            return made
        request, noise = self._requested(stated), stated.noise
        for law in dict.fromkeys((made.law, *(Means(request).laws if noise is None else ()))):
            before = self._priced(request, law, clipped=stated.show_clipped, paired=False)
            asked = PaymentRequest(self.text, canonical_of(before), str(before.request))
            if self.source.payer.has_answered(asked):
                return before
        return made

    def _restored(self, made: Priced, kept: StoredAnswer) -> Answer:
        """An answer that was kept, perhaps to this question in other words, as it is asked now."""
        answer = restored(made, kept, self.intervals or CONFIDENCE, asked=self.question)
        return self._arranged(answer)

    def _arranged(self, answer: Answer) -> Answer:
        return answer if self.layout is None else ArrangedAnswer.of(answer, self.layout)

    def _answered(self, made: Priced, charge: QuestionCharge) -> tuple[Answer, dict[str, Any]]:
        drawn = self._drawn(made)
        groups = drawn.groups
        certificate = certificate_of(self.text, made, len(groups), self.source.tables, charge.facts)
        level = self.intervals or CONFIDENCE
        answer = drawn.answer(made, certificate, level)
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
        made = self._priced_as(StatedTerms(epsilon, delta, rho, noise, show_clipped))
        if secret():
            raise PriceError(
                "a rehearsal was asked for where noise is secret.",
                remedy="Use release, which is charged; rehearsals are for auditing.replay and shoal.noise.seam.",
            )
        level = self.intervals or CONFIDENCE
        return self._arranged(self._drawn(made).answer(made, {}, level))

    def _drawn(self, made: Priced) -> DrawnGroups:
        groups = self.groups
        if groups is None:
            assert made.selection is not None
            told = made.selection.release(self.source.engine, made.noised.bounded)
            groups = [told[at] for at in in_asked_order(told, self.spelled, self.question)]
        if isinstance(made.noised, JointNoised):
            joint = made.noised
            cells = joint.counts.release(joint.plan, self.source.engine)
            return drawn_together(joint, cells, joint.counts.whole(cells), groups)
        noisy = noisy_groups(made, self.source.engine, groups)
        counts = None if made.clipping is None else made.clipping.release(self.source.engine)
        return DrawnGroups(groups, noisy, counts)

    def _requested(self, stated: StatedTerms) -> CostRequest:
        return self._request(stated.epsilon, stated.delta, stated.rho)

    def _priced_as(self, stated: StatedTerms) -> Priced:
        return self._priced(self._requested(stated), stated.noise, clipped=stated.show_clipped)

    def _request(
        self, epsilon: Number | None, delta: Number | None, rho: Number | None
    ) -> CostRequest:
        budget = self.source.payer
        return budget.request(epsilon=epsilon, delta=delta, rho=rho, selects=selects(self.spelled))

    def _sized(self, size: Fraction, delta: Number | None) -> CostRequest:
        if isinstance(self.source.payer.whole, ZeroConcentrated):
            return self._request(None, delta, size)
        return self._request(size, delta, None)

    def _priced(
        self,
        request: CostRequest,
        noise: str | None,
        *,
        clipped: bool = False,
        paired: bool = True,
    ) -> Priced:
        made = self.priced_alone(request, noise, clipped=clipped, paired=paired)
        if clipped or self._levels is None:
            return made
        return together(made, self._levels, noise)

    def priced_alone(
        self,
        request: CostRequest,
        noise: str | None = None,
        *,
        clipped: bool = False,
        paired: bool = True,
    ) -> Priced:
        """The question at a price, with noise on its finest groups."""
        count = None if self.groups is None else len(self.groups)
        made = priced(
            self.spelled,
            request,
            groups=count,
            law=noise,
            weights=self.weights,
            ends=self.intervals,
            clipped=clipped,
            paired=paired,
        )
        by_name = {recipe.aggregate.name: recipe for recipe in made.recipes}
        recipes = tuple(by_name[each.name] for each in self.question.aggregates)
        return replace(made, recipes=recipes, asked=self.question)

    @cached_property
    def spelled(self) -> Query:
        """The question in its one spelling: this is what is priced and drawn."""
        return self._worked_out.of("spelled", lambda: normal_question(self.question))

    @cached_property
    def _levels(self) -> JointCounts | None:
        """Counts by several sets of keys, where that is what the question shows."""
        if not self.spelled.after.steps:
            return None
        sets = counted_sets(self.spelled)
        if sets is None or len(sets) == 1:
            return None
        counts = self.counted(sets)
        return None if math.prod(counts.shape) > MOST_CELLS or self.has_tied_keys else counts

    def counted(self, sets: tuple[Places, ...]) -> JointCounts:
        """Its rows by sets of its keys, with the values that these can have."""
        keys = self.spelled.keys
        source = self.source
        values = (tuple(values_of_key(key, source.engine, source.tables)) for key in keys)
        return JointCounts(self.spelled.relation, keys, tuple(values), sets)

    @property
    def has_tied_keys(self) -> bool:
        """Whether a public table says that some combinations of keys cannot be."""
        lists = [
            values_of_key(key, self.source.engine, self.source.tables) for key in self.spelled.keys
        ]
        return self.groups is None or len(self.groups) < math.prod(map(len, lists))

    @cached_property
    def groups(self) -> list[Group] | None:
        """Every group, where they are known; public tables are read for it, private ones never."""
        if selects(self.spelled):
            return None
        found = known_groups(self.spelled, self.source.engine, self.source.tables)
        return [found[at] for at in in_asked_order(found, self.spelled, self.question)]

    def _charge(
        self, made: Priced, delta: Number | None, key: str | None, noise: str | None
    ) -> QuestionCharge | StoredAnswer:
        asked = PaymentRequest(self.text, canonical_of(made), str(made.request), key)
        try:
            return self.source.payer.charge(made.event(), asked)
        except BudgetExceeded as refusal:
            fitting = self._fitting(made, delta, noise)
            word = "rho" if isinstance(made.request.measure, ZeroConcentrated) else "epsilon"
            whole = _tries(made) == _HALVINGS
            raise of_question(
                refusal, made.request, word=word, fits=fitting, nothing_fits=whole
            ) from None

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
            return self.source.payer.would_fit(event)

        size = made.request.size
        for _ in range(_tries(made)):
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
        return Fraction(1, 10**9) if selects(self.spelled) else None


def _tries(made: Priced) -> int:
    """How often a refused request is halved: less often the more there is to price."""
    return min(_HALVINGS, _MOST_TRIED // max(1, len(made.recipes)))
