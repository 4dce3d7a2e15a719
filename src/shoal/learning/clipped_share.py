"""Which share of rows a trained model read otherwise than they are: values beyond what is declared,
and rows that were left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist

import numpy as np

from shoal.errors import FactsError
from shoal.exact import Number, open_unit
from shoal.learning.estimator import TARGET, PlannedTraining, PrivateEstimator
from shoal.learning.feature_columns import FeatureColumn
from shoal.learning.found_ranges import outside_found
from shoal.learning.model_release import ModelRelease, ScoreEstimate
from shoal.learning.row_designs import Arrays
from shoal.learning.training_plan import NoisySums, PlannedSum
from shoal.measures import Measure
from shoal.plan import Column
from shoal.sensitivity import Relation

_COUNTED = 3.0
"""How many standard deviations of the noise the number of rows must be above to divide by it."""


class ClippedShare(ModelRelease):
    """The share of rows that a trained model of Shoal clips or leaves out, for a price of its own.

    A number outside its declared range counts as the nearer end, and a category that is not declared
    as "other".  If many rows are affected, the declared facts are too narrow.  One vector is
    released: how many rows there are, and how many of them have such a value in each column, in any
    column, and in the target, and how many the model leaves out.

    Guarantee: one release at the stated price.
    Needs: ``model`` is trained.  Whether a value counts depends on it and on the model's declared and
        released facts alone.
    Edges: a missing number is not outside its range; a missing category is none of the choices.
        A table moves values into their declared facts before other models see them; here they are
        read as they are in the source, and so whole tables are asked, without filters or joins, and
        columns that identify a person are refused.
        Rows beyond ``rows_per_person`` are not seen, so they are in no share.  Weights that a model
        gives to long rows are no part of it.  With no rows every interval is from 0 to 1.
    Proof: training.md, *Clipped shares*.
    """

    reads_source_values = True

    _is_target_moved = False
    """Whether a table gives every row a declared target: the low end or the first choice stands for
    others where the column is required, so no row is left out for its target.
    """

    @property
    def _target_needed(self) -> bool:  # type: ignore[override]
        return getattr(self.model, "target_", True) is not None

    def _trained(self) -> PrivateEstimator:
        if not isinstance(self.model, PrivateEstimator) or isinstance(self.model, ModelRelease):
            raise FactsError(
                "clipped shares need a trained model of shoal.learning.",
                remedy="Write ClippedShare(model, epsilon='0.1', delta=1e-6), after model was trained.",
            )
        self.model._columns()  # noqa: SLF001 - refuses a model that is not trained
        if not all(map(_is_range, getattr(self.model, "found_ranges_", {}).values())):
            raise FactsError(
                "the found ranges of this model are not pairs of whole numbers.",
                remedy="Give the model as it was trained, or as it was loaded.",
            )
        return self.model

    def learning(
        self,
        features: Sequence[Column],
        target: Column | None,
        measure: Measure,
        reach: int,
        relation: Relation,
    ) -> PlannedTraining:
        planned = super().learning(features, target, measure, reach, relation)
        planned.model._is_target_moved = target is not None and not target.nullable  # noqa: SLF001 - a copy of this
        return planned

    def _size(self) -> int:
        """The entries: each column, any column, the target and rows left out, all rows."""
        return len(self.columns) + (4 if self._target_needed else 2)

    def _sums(self, columns: tuple[FeatureColumn, ...]) -> list[PlannedSum]:
        self._check_rows(columns)
        return [PlannedSum("clipped rows", self._size(), self._size(), Fraction(1))]

    def _train(self, columns: tuple[FeatureColumn, ...], arrays: Arrays, sums: NoisySums) -> None:
        model, target, facts = self._trained(), self._target(), self.columns
        stated = [facts[each.name] for each in columns if each.name in facts]
        marks = [each.undeclared(arrays[each.name]) for each in stated]
        marks.append(np.logical_or.reduce(marks))
        if target is not None:
            beyond = target.undeclared(arrays[TARGET])
            unread = target.steps(arrays[TARGET])[1] if target.ordered else beyond
            if self._is_target_moved:
                unread = np.zeros_like(beyond)
            found = getattr(model, "found_ranges_", {})
            marks += [beyond, unread | outside_found(stated, arrays, found)]
        counts = [int(each.sum()) for each in (*marks, np.ones_like(marks[0]))]
        noisy, sigma = sums.release("clipped rows", np.array(counts, dtype=np.int64))
        self.counts_, self.deviation_ = noisy, sigma
        self.names_ = tuple(each.name for each in stated)

    def by_column(self, confidence: Number = "0.95") -> dict[str, ScoreEstimate]:
        """The share of rows whose value of each column is not declared."""
        return {each: self._share(at, confidence) for at, each in enumerate(self._names())}

    def any_column(self, confidence: Number = "0.95") -> ScoreEstimate:
        """The share of rows with a value that is not declared in at least one column."""
        return self._share(len(self._names()), confidence)

    def target(self, confidence: Number = "0.95") -> ScoreEstimate:
        """The share of rows whose target is outside its range, or none of the classes."""
        return self._share(self._of_target(1), confidence)

    def left_out(self, confidence: Number = "0.95") -> ScoreEstimate:
        """The share of rows that add nothing to the model: their target is missing or none of the
        classes, and not required in a table, or a regression found them far from all others in a
        column.
        """
        return self._share(self._of_target(2), confidence)

    def _names(self) -> tuple[str, ...]:
        self._columns()
        names: tuple[str, ...] = self.names_
        return names

    def _of_target(self, place: int) -> int:
        if self.target_ is None:
            raise FactsError(
                "this model has no target, and it leaves no row out.",
                remedy="Ask for by_column() or any_column().",
            )
        return len(self._names()) + place

    def _share(self, place: int, confidence: Number) -> ScoreEstimate:
        """A share with Wilson's interval, whose variance has that of the noise beside that of rows
        that came by chance.
        """
        wide = NormalDist().inv_cdf((1 + float(open_unit(confidence, "confidence"))) / 2)
        sigma, rows = float(self.deviation_), float(self.counts_[-1])
        value = min(max(float(self.counts_[place]) / max(rows, 1.0), 0.0), 1.0)
        if rows <= _COUNTED * sigma:
            return ScoreEstimate(value, 0.0, 1.0)
        noise, by_chance = sigma**2 * (1 + value**2) / rows**2, wide**2 / rows
        middle = value + by_chance / 2
        spread = (middle**2 - (1 + by_chance) * (value**2 - wide**2 * noise)) ** 0.5
        low, high = ((middle + side * spread) / (1 + by_chance) for side in (-1, 1))
        return ScoreEstimate(value, max(low, 0.0), min(high, 1.0))


def _is_range(found: object) -> bool:
    """Whether this is a centre and a half width; anything else would meet rows one by one."""
    return isinstance(found, tuple | list) and [type(each) for each in found] == [int, int]
