"""What each aggregate is made of: few noisy totals serve many aggregates.

A mean needs a centred sum and a count, a variance a sum of squares besides, a covariance two sums,
a count and a sum of products; counts are shared by all.  A sum whose count is released anyway is a centred sum plus the middle times the count: that
has less noise than a sum of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from shoal.plan import (
    PAIRED,
    PERSONS,
    Aggregate,
    Expression,
    Query,
    Statistic,
    Term,
    count_of,
    counted_by,
    cubes_of,
    distinct_of,
    fourths_of,
    known_together,
    products_of,
    squares_of,
    sum_of,
)
from shoal.query.quantiles import Quantile, ends_of, place_of

MEANS = (Statistic.MEAN,)
SPREADS = (
    Statistic.VARIANCE,
    Statistic.VARIANCE_POPULATION,
    Statistic.DEVIATION,
    Statistic.DEVIATION_POPULATION,
)
SHAPES = (Statistic.SKEWNESS, Statistic.KURTOSIS)
_COUNTED = (Statistic.COUNT_ROWS, Statistic.COUNT, *MEANS, *SPREADS, *SHAPES)
_SQUARES = {
    Statistic.SLOPE: 1,
    Statistic.INTERCEPT: 1,
    Statistic.CORRELATION: 2,
    Statistic.DETERMINATION: 2,
}
"""Of how many arguments a statistic of two needs the squares: x first, then y."""


@dataclass(frozen=True)
class Recipe:
    """An aggregate and the totals it is computed from, the one that matters most first, or its
    place.

    ``ends`` are further places between which that one surely lies, where they were asked for.
    """

    aggregate: Aggregate
    terms: tuple[Term, ...]
    place: Quantile | None = None
    ends: tuple[Quantile, ...] = ()

    @property
    def places(self) -> tuple[Quantile, ...]:
        return () if self.place is None else (self.place, *self.ends)

    @cached_property
    def arguments(self) -> tuple[Expression, ...]:
        """What is added up: of two arguments each only where the other is known."""
        given = self.aggregate.arguments
        return known_together(*given) if len(given) == 2 else given

    @property
    def adds_up(self) -> bool:
        """Whether it is a sum that is made of two totals: a centred sum, plus its middle times the
        count.
        """
        return self.aggregate.statistic is Statistic.SUM and len(self.terms) == 2

    @property
    def middle(self) -> Fraction:
        """The middle of the range of what is summed, as its grid has it."""
        return self.terms[0].middle * self.terms[0].step

    @property
    def pulls(self) -> tuple[Fraction, ...]:
        """How much each total's error weighs in that of the aggregate, all in shares of its own
        reach.

        The first is 1; a mean is thought to lie halfway between the middle and an end of its range.
        """
        if self.place is not None:
            return ()
        half = Fraction(1, 2)
        if self.aggregate.statistic in PAIRED:
            return Fraction(1), half, half, half, *[half] * (len(self.terms) - 4)
        if self.aggregate.statistic in SHAPES:
            return (Fraction(1),) * (len(self.terms) - 1) + (half,)
        if self.aggregate.statistic in SPREADS:
            return Fraction(1), Fraction(1), half
        if self.aggregate.statistic in MEANS:
            return Fraction(1), half
        if len(self.terms) == 2:
            own = self.terms[0].bound * self.terms[0].step
            return Fraction(1), min(Fraction(8), abs(self.middle) / own) if own else half
        return (Fraction(1),)


def recipes_of(question: Query, *, ends: Fraction | None = None) -> tuple[Recipe, ...]:
    """How every aggregate of a question is computed, or an error that asks for facts.

    ``ends`` is the confidence of the intervals of quantiles, where they are to have any.
    """
    counted = {count for each in question.aggregates if (count := _counted(each)) is not None}
    found = (_recipe(aggregate, counted) for aggregate in question.aggregates)
    return tuple(recipe if ends is None else _with_ends(recipe, ends) for recipe in found)


def terms_of(recipes: tuple[Recipe, ...]) -> tuple[Term, ...]:
    """Every total that recipes need, each once."""
    return tuple(dict.fromkeys(term for recipe in recipes for term in recipe.terms))


def _with_ends(recipe: Recipe, confidence: Fraction) -> Recipe:
    if recipe.place is None:
        return recipe
    return replace(recipe, ends=ends_of(recipe.place, confidence))


def _recipe(aggregate: Aggregate, counted: set[Term]) -> Recipe:
    argument = aggregate.argument
    match aggregate.statistic:
        case Statistic.COUNT_ROWS | Statistic.COUNT:
            return Recipe(aggregate, (count_of(argument),))
        case Statistic.COUNT_PERSONS:
            return Recipe(aggregate, (PERSONS,))
        case Statistic.SUM:
            return Recipe(aggregate, _sum(_given(argument), counted))
        case Statistic.MEAN:
            given = _given(argument)
            return Recipe(aggregate, (sum_of(given, centred=True), count_of(given)))
        case statistic if statistic in SPREADS:
            given = _given(argument)
            parts = squares_of(given), sum_of(given, centred=True), count_of(given)
            return Recipe(aggregate, parts)
        case statistic if statistic in SHAPES:
            given = _given(argument)
            parts = squares_of(given), sum_of(given, centred=True), count_of(given)
            powers = (fourths_of, cubes_of)[statistic is Statistic.SKEWNESS :]
            return Recipe(aggregate, (*(power(given) for power in powers), *parts))
        case statistic if statistic in PAIRED:
            return Recipe(aggregate, _pair_terms(aggregate, _counted(aggregate)))
        case Statistic.COUNT_DISTINCT:
            return Recipe(aggregate, (distinct_of(_given(argument)),))
        case _:
            return Recipe(aggregate, (), place_of(aggregate))


def _counted(aggregate: Aggregate) -> Term | None:
    """The count that an aggregate needs, if it needs one."""
    if aggregate.statistic in PAIRED:
        return count_of(counted_by(*aggregate.arguments))
    return count_of(aggregate.argument) if aggregate.statistic in _COUNTED else None


def _pair_terms(aggregate: Aggregate, count: Term | None) -> tuple[Term, ...]:
    assert count is not None
    own, other = known_together(*aggregate.arguments)
    squared = (other, own)[: _SQUARES.get(aggregate.statistic, 0)]
    return (
        products_of(own, other),
        sum_of(own, centred=True),
        sum_of(other, centred=True),
        count,
        *(squares_of(each) for each in squared),
    )


def _sum(argument: Expression, counted: set[Term]) -> tuple[Term, ...]:
    count, centred = count_of(argument), sum_of(argument, centred=True)
    # The count is released anyway, and around the middle a row adds at most half of its range.
    if count in counted and centred.middle:
        return centred, count
    return (sum_of(argument),)


def _given(argument: Expression | None) -> Expression:
    assert argument is not None
    return argument
