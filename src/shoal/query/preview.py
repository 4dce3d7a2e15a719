"""What a question would cost and how good its answer would be, from public facts alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.errors import UnknownNameError
from shoal.exact import shown_up
from shoal.mechanisms import Geometric
from shoal.query.estimates import error_of
from shoal.query.joint_noise import JointNoised
from shoal.query.notebook_html import block, quiet, table, title
from shoal.query.notes import bounding_notes, relation_notes
from shoal.query.paired_noise import PairedNoise
from shoal.query.pricing import Priced
from shoal.query.quantile_tree import QuantileTree
from shoal.query.quantiles import Quantile
from shoal.query.recipes import Recipe
from shoal.query.shown_answer import level_of, plain_number


@dataclass(frozen=True)
class Expected:
    """What to expect of one aggregate: its noise in words, and how far it can be off.

    ``error`` is None where it depends on the number of rows in a group; ``per_row`` is then what
    has to be divided by that number, where the error goes with it.  ``rank`` is how far off in rank
    a quantile can be, in rows.
    """

    name: str
    noise: str
    error: float | None
    per_row: float | None
    rank: float | None = None

    @property
    def within(self) -> str:
        """How far it can be off, in words, rounded up."""
        if self.error is not None:
            return f"within {shown_up(self.error)}"
        if self.per_row is not None:
            return f"within {shown_up(self.per_row)} / rows of the group"
        if self.rank is not None:
            return f"within {shown_up(self.rank)} rows in rank"
        return "depends on the data"

    def __str__(self) -> str:
        return f"{self.name}: {self.within}; {self.noise}"


@dataclass(frozen=True, repr=False)
class Preview:
    """What one question would cost and give; made without reading a private row."""

    price: str
    fits: bool
    confidence: Fraction
    columns: tuple[Expected, ...]
    threshold: float | None
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Expected:
        for column in self.columns:
            if column.name == name:
                return column
        known = ", ".join(column.name for column in self.columns)
        raise UnknownNameError(
            f"there is no aggregate {str(name)[:40]!r}.", remedy=f"The aggregates are: {known}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The preview as programs are told."""
        return {
            "price": self.price,
            "fits": self.fits,
            "confidence": str(self.confidence),
            "threshold": self.threshold,
            "columns": [
                {
                    "name": each.name,
                    "noise": each.noise,
                    "error": each.error,
                    "per_row": each.per_row,
                    "rank": each.rank,
                }
                for each in self.columns
            ],
            "notes": list(self.notes),
        }

    @property
    def _cost(self) -> str:
        fits = "" if self.fits else " (more than is left of the budget)"
        return f"costs {self.price}{fits}; errors at {level_of(self.confidence)} confidence"

    @property
    def _told(self) -> list[str]:
        if self.threshold is None:
            return []
        return [f"groups of about {self.threshold:,.1f} or more units are told"]

    def __str__(self) -> str:
        notes = (f"note: {note}" for note in self.notes)
        return "\n".join([self._cost, *self._told, *map(str, self.columns), *notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [[each.name, each.within, each.noise] for each in self.columns]
        return block(
            title("preview", self._cost),
            table(["number", "error", "noise"], rows),
            quiet([*self._told, *self.notes]),
        )


def preview_of(priced: Priced, confidence: Fraction, *, fits: bool) -> Preview:
    """What a priced question would give."""
    selection = priced.selection
    least = None if selection is None else selection.threshold() / selection.unit
    columns = tuple(_expected(priced, recipe, confidence) for recipe in priced.recipes)
    notes = (
        *relation_notes(priced),
        *bounding_notes(priced),
        *_cut(priced, confidence),
        *([priced.noised.note(confidence)] if isinstance(priced.noised, JointNoised) else []),
        *priced.notes,
    )
    return Preview(priced.price, fits, confidence, columns, least, notes)


def _cut(priced: Priced, confidence: Fraction) -> list[str]:
    if priced.clipping is None:
        return []
    error = shown_up(float(priced.clipping.noise.error(confidence, integers=True)))
    return [
        f"The number of people beyond this limit is told within {error}, for a tenth of the cost."
    ]


def errors_at(
    priced: Priced, recipe: Recipe, confidence: Fraction, rows: float | None
) -> float | None:
    """How far one aggregate can be off, at least this sure, in a group of so many rows."""
    if recipe.place is not None:
        return None
    if isinstance(priced.noised, JointNoised):
        return priced.noised.widest(confidence)
    return error_of(recipe, priced.noised.errors([recipe], confidence), rows)


def _expected_of_tree(
    tree: QuantileTree, recipe: Recipe, place: Quantile, confidence: Fraction
) -> Expected:
    step = float(place.grid.step)
    noise = (
        f"a choice among {place.points:,} points, {plain_number(step)} apart, "
        f"together with {len(tree.places) - 1} other quantiles of the same column"
    )
    if recipe.ends:
        noise += f", and {len(recipe.ends)} more choices for its interval"
    return Expected(recipe.aggregate.name, noise, None, None, tree.rank_error(place, confidence))


def _expected(priced: Priced, recipe: Recipe, confidence: Fraction) -> Expected:
    laws = []
    if isinstance(priced.noised, JointNoised):
        far = priced.noised.widest(confidence)
        return Expected(recipe.aggregate.name, priced.noised.law_in_words, far, far)
    for placed in priced.places:
        if placed.place == recipe.place:
            step = float(placed.place.grid.step)
            noise = f"a choice among {placed.place.points:,} points, {plain_number(step)} apart"
            if recipe.ends:
                more = len(recipe.ends)
                noise += f", and {more} more choice{'s' * (more > 1)} for its interval"
            name = recipe.aggregate.name
            return Expected(name, noise, None, None, placed.rank_error(confidence))
    for tree in priced.trees:
        if recipe.place is not None and recipe.place in tree.places:
            return _expected_of_tree(tree, recipe, recipe.place, confidence)
    for term in recipe.terms:
        mechanism = priced.noised.of(term)
        if mechanism is None:
            continue
        size = float(mechanism.spread * priced.noised.bounded.worth(term))
        if isinstance(mechanism, PairedNoise):
            word, size = "two Laplace noises of scale", size * float(mechanism.weight(term))
        elif isinstance(mechanism, Geometric):
            word = "Laplace noise of scale"
        else:
            word = "Gaussian noise of sigma"
        laws.append(f"{word} {plain_number(size)} on the {term.shown}")
    return Expected(
        recipe.aggregate.name,
        " and ".join(laws) or "no noise",
        errors_at(priced, recipe, confidence, None),
        errors_at(priced, recipe, confidence, 1.0),
    )
