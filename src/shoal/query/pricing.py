"""A question with a price: which totals get which noise, how keys are selected, and the events of
it all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from shoal.errors import CalibrationError, RangeError, SchemaError
from shoal.events import Composed, Event
from shoal.exact import positive
from shoal.mechanisms import Geometric
from shoal.plan import (
    Bounded,
    Person,
    Query,
    Spread,
    Statistic,
    Term,
    check_size,
    count_of,
    known_rows,
    votes_of,
)
from shoal.query.clipped_people import SHARE, Clipping
from shoal.query.key_selection import KeySelection, most_voted
from shoal.query.keys import selects
from shoal.query.noise_choice import (
    NORMS,
    Means,
    Noise,
    Noised,
    noise_for,
    noise_with,
    shares_of,
    weights_of,
)
from shoal.query.paired_noise import PairedNoise, PairOfTotals, pair_weight, pairs_among
from shoal.query.payment import CostRequest
from shoal.query.quantile_tree import QuantileTree, trees_among
from shoal.query.quantiles import PlacedQuantile, Quantile, spread_for
from shoal.query.recipes import Recipe, recipes_of, terms_of
from shoal.sensitivity import Norm

Weights = Mapping[str, Fraction]

KEYS = "keys"
"""The name under which the selection of keys is weighed, where no aggregate has it."""

_COUNTS = (Statistic.COUNT, Statistic.COUNT_PERSONS, Statistic.COUNT_DISTINCT)
_FAINTEST = Fraction(1, 1 << 200)
"""A unit of weight in rank counts at least for so much, or a quantile is refused."""


@dataclass(frozen=True)
class Priced:
    """A question, what was asked to be spent on it, and everything that will be drawn.

    ``asked`` is the question as it was asked, where the one that is drawn is spelled otherwise.
    """

    question: Query
    request: CostRequest
    recipes: tuple[Recipe, ...]
    noised: Noised
    selection: KeySelection | None
    places: tuple[PlacedQuantile, ...] = ()
    clipping: Clipping | None = None
    trees: tuple[QuantileTree, ...] = ()
    asked: Query | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, in the words of the question."""
        return (self.asked or self.question).notes

    @property
    def law(self) -> str:
        return self.noised.law

    def events(self, size: int) -> tuple[Event, ...]:
        """What is released, for so many groups; what it costs does not depend on their number."""
        chosen = [self.selection.event] if self.selection else []
        cut = [self.clipping.event] if self.clipping else []
        placed = [*(each.event for each in self.places), *(each.event for each in self.trees)]
        return (*chosen, *self.noised.events(size), *placed, *cut)

    def event(self, size: int = 1) -> Event:
        """All of it as one event."""
        return Composed(self.events(size))

    @property
    def price(self) -> str:
        """What is charged, in words; epsilon 0 where all that is released is public."""
        return str(self.request) if self.events(1) else "epsilon 0"

    def on_grids(self, grids: Mapping[Quantile, Term]) -> Priced:
        """The same with quantiles on other grids, as an answer that was stored had them."""

        def moved(place: Quantile) -> Quantile:
            return replace(place, grid=grids[place])

        if all(place.grid == grid for place, grid in grids.items()):
            return self
        recipes = (
            replace(each, place=moved(each.place), ends=tuple(map(moved, each.ends)))
            if each.place is not None
            else each
            for each in self.recipes
        )
        places = (
            replace(
                each,
                place=moved(each.place),
                spread=replace(each.spread, grid=grids[each.place]),
            )
            for each in self.places
        )
        trees = (
            replace(
                each,
                places=tuple(map(moved, each.places)),
                spread=replace(each.spread, grid=grids[each.places[0]]),
            )
            for each in self.trees
        )
        return replace(self, recipes=tuple(recipes), places=tuple(places), trees=tuple(trees))

    def variance(self, weights: Weights | None = None) -> float:
        """The sum of squared relative errors, by which two laws are compared; each as often as it
        weighs more than it would without ``weights``.
        """
        given = weights or {}
        plain, heavy = weights_of(self.recipes, {}), weights_of(self.recipes, given)
        total = 0.0
        for term in self.noised.bounded.terms:
            reach = float(term.bound * term.worth)
            error = (self.noised.deviation(term) / reach) ** 2 if reach else 0.0
            total += error * float(heavy[term] / plain[term] if plain[term] else 1)
        if self.selection is not None:
            # Which keys are told hangs on the threshold, which at one spread is far larger for
            # Laplace noise; it counts as an error of two deviations does.
            reach = float(self.selection.threshold()) / float(self.selection.unit) / 2
            own = any(recipe.aggregate.name == KEYS for recipe in self.recipes)
            total += reach**2 * (1.0 if own else float(given.get(KEYS, 1)))
        for placed in self.places:
            error = float(1 / (placed.rate * placed.spread.fraction)) ** 2
            total += error * float(given.get(placed.place.aggregate.name, 1))
        for tree in self.trees:
            errors = sum(float(1 / (rate * tree.spread.fraction)) ** 2 for rate in tree.rates)
            total += errors * float(max(given.get(p.aggregate.name, 1) for p in tree.places))
        return total


def priced(
    question: Query,
    request: CostRequest,
    *,
    groups: int | None = None,
    law: str | None = None,
    weights: Weights | None = None,
    ends: Fraction | None = None,
    clipped: bool = False,
    paired: bool = True,
) -> Priced:
    """The question at a price; without a ``law`` of noise, with the one that has the least error.

    ``groups`` is how many there can be, where that is known; ``ends`` the confidence of intervals
    of quantiles.  ``clipped`` asks for a count of people beyond their share, too.  Without
    ``paired`` each total gets noise by itself, as in answers of an earlier Shoal.

    Guarantee: the events, composed, cost no more than the request: exactly it in pure terms, and
        short of it by the rounding of roots for Gaussian noise.
    Edges: nothing where no data can move any total, as under *change* the number of all rows.
    """
    recipes = recipes_of(question, ends=ends)
    for each in question.aggregates:
        if each.statistic not in _COUNTS:
            for argument in each.arguments:
                check_size(argument)
    means = Means(request, mixed=any(recipe.place is not None for recipe in recipes))
    if law is not None and law not in means.laws:
        allowed = " or ".join(map(repr, means.laws))
        raise RangeError(
            f"{request.measure} can buy noise {allowed}.", remedy=f"Choose noise={allowed}."
        )
    found = [
        _priced(
            means,
            recipes,
            NORMS[each],
            _PricingKey(question, groups, weights or {}, clipped, paired),
        )
        for each in ((law,) if law else means.laws)
    ]
    best = min(found, key=lambda one: one.variance(weights))
    if clipped:
        _check_clipped(best)
    return best


def _check_clipped(made: Priced) -> None:
    if not limits_of(made.question, made.noised.bounded):
        raise SchemaError(
            "show_clipped counts people beyond their share, and in this question nobody can be.",
            remedy="Leave it out: every row or person counts in full.",
        )


def read_weights(question: Query, given: Mapping[str, object]) -> dict[str, Fraction]:
    """Weights by the names of aggregates, and of the selection of keys as `KEYS`, checked."""
    names = [aggregate.name for aggregate in question.aggregates]
    names += [KEYS] if selects(question) and KEYS not in names else []
    for name in given:
        if name not in names:
            why = f"there is no aggregate {str(name)[:40]!r} to weigh"
            if name == KEYS:
                why = (
                    "weights name the keys, and this question selects none: their values are known"
                )
            raise RangeError(f"{why}.", remedy=f"What can be weighed: {', '.join(names)}.")
    return {name: positive(weight, name) for name, weight in given.items()}  # type: ignore[arg-type]


class _PricingKey(NamedTuple):
    question: Query
    groups: int | None
    weights: Weights
    clipped: bool
    paired: bool


def _priced(means: Means, recipes: tuple[Recipe, ...], norm: Norm, frame: _PricingKey) -> Priced:
    question, law = frame.question, "laplace" if norm is Norm.L1 else "gaussian"
    keys = tuple(key.expression for key in question.keys)
    bounded = Bounded(question.relation, keys, terms_of(recipes), norm, frame.groups)
    heavy = weights_of(recipes, frame.weights)
    moved = [term for term in bounded.terms if bounded.sensitivity(term).value]
    selecting = selects(question)
    asked = [place for recipe in recipes for place in recipe.places]
    pairs = pairs_among(bounded, moved, heavy) if frame.paired and norm is Norm.L1 else []
    together_drawn = {term for pair in pairs for term in pair.terms}
    alone = [term for term in moved if term not in together_drawn]
    parts: list[Fraction] = [heavy[term] for term in alone]
    parts += [pair_weight(*(heavy[term] for term in pair.terms)) for pair in pairs]
    parts += [frame.weights.get(place.aggregate.name, Fraction(1)) for place in asked]
    own = any(aggregate.name == KEYS for aggregate in question.aggregates)
    choosing = Fraction(1) if own else frame.weights.get(KEYS, Fraction(1))
    shares = shares_of([*parts, *[choosing] * selecting], law)
    if frame.clipped:
        shares = [share * (1 - SHARE) for share in shares]
    share_of = dict[Term | PairOfTotals | Quantile, Fraction](
        zip([*alone, *pairs, *asked], shares, strict=False)
    )
    drawn = dict[Term, Noise | PairedNoise | None](
        (term, noise_for(bounded, term, means, share_of[term])) for term in alone
    )
    for pair in pairs:
        noise = noise_with(pair.sensitivity, means, share_of[pair])
        assert isinstance(noise, Geometric)
        drawn |= dict.fromkeys(pair.terms, PairedNoise(pair, noise))
    mechanisms = tuple(drawn.get(term) for term in bounded.terms)
    selection = _selection(bounded, means, shares[-1]) if selecting else None
    together = trees_among(asked) if asked else []
    single = [place for place in asked if not any(place in each for each in together)]
    trees = tuple(
        _tree(
            each,
            spread_for(each[0], question.relation, keys, norm, frame.groups),
            means.loss(sum((share_of[place] for place in each), Fraction(0)), norm),
        )
        for each in together
    )
    places = tuple(
        _placed(
            place,
            spread_for(place, question.relation, keys, norm, frame.groups),
            means.loss(share_of[place], norm),
        )
        for place in single
    )
    noised = Noised(bounded, law, mechanisms)
    clipping = None
    if frame.clipped and isinstance(bounded.unit, Person):
        clipping = Clipping.of(replace(bounded, terms=()), means, by_rows=counts_rows(question))
    return Priced(question, means.request, recipes, noised, selection, places, clipping, trees)


def _placed(place: Quantile, spread: Spread, loss: Fraction) -> PlacedQuantile:
    made = PlacedQuantile(place, spread, loss)
    if made.rate < _FAINTEST:
        raise _too_faint(place)
    return made


def _tree(places: tuple[Quantile, ...], spread: Spread, loss: Fraction) -> QuantileTree:
    made = QuantileTree(places, spread, loss)
    if min(made.rates) < _FAINTEST:
        raise _too_faint(places[0])
    return made


def _too_faint(place: Quantile) -> CalibrationError:
    return CalibrationError(
        f"what is spent on {place.aggregate.name!r} is so little that its rows would count for nothing.",
        remedy="Ask with more epsilon.",
    )


def _selection(bounded: Bounded, means: Means, share: Fraction) -> KeySelection:
    unit = bounded.unit
    most = most_voted(bounded.relation, unit.groups) if isinstance(unit, Person) else 0
    term = votes_of(most) if isinstance(unit, Person) else count_of()
    votes = Bounded(bounded.relation, bounded.keys, (term,), bounded.norm)
    noise = noise_for(votes, term, means, share)
    assert noise is not None
    return KeySelection(votes, noise, means.request.failing)


def limits_of(question: Query, bounded: Bounded) -> list[str]:
    """In words, which people are beyond their share; nothing where nobody can be."""
    unit = bounded.unit
    if not isinstance(unit, Person) or not question.aggregates:
        return []
    found, known = [], known_rows(question.relation, bounded.keys)
    if counts_rows(question) and not known.one_in_a_group:
        rows = f"{unit.rows_per_group} row{'s' if unit.rows_per_group > 1 else ''}"
        found.append(f"with more than {rows}{' in a group' if bounded.keys else ''}")
    if bounded.keys and unit.groups != bounded.possible and not known.one_group:
        found.append(f"in more than {unit.groups} group{'s' if unit.groups > 1 else ''}")
    return found


def counts_rows(question: Query) -> bool:
    """Whether it matters how many rows a person has: not where only persons are counted."""
    return any(each.statistic is not Statistic.COUNT_PERSONS for each in question.aggregates)
