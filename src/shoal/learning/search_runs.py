"""The best of a secret number of trainings: every run draws a setting, trains on one part of the rows
and is scored on the other, and only the best run is kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from shoal.accounting.affordable_runs import run_mu
from shoal.events import Composed, Gaussian, RepeatAndSelect
from shoal.learning.estimator import OWNERS, PART, TARGET, PlannedTraining, PrivateEstimator
from shoal.learning.feature_columns import FeatureColumn
from shoal.learning.held_out_scores import row_scores
from shoal.learning.model_state import packed, unpacked
from shoal.learning.persons import owner_numbers, rows_within
from shoal.learning.posterior_rounds import RESIDUAL
from shoal.learning.row_designs import Arrays
from shoal.learning.training_plan import PlannedSum, TrainingPlan
from shoal.measures import Approx, GaussianDP
from shoal.noise import one_below, uniform_below
from shoal.noise.poisson_runs import drawn_runs, work_of
from shoal.plan import Column
from shoal.sensitivity import Relation

HELD_OUT = 4
"""One row, or one person, in so many is held out of training and used for scores."""

MARK = RESIDUAL // 4


@dataclass(frozen=True)
class SearchRun:
    """One trained model: which setting it has, and its noisy score."""

    place: int
    model: PrivateEstimator
    total: float
    mean: float


@dataclass
class PlannedSearch:
    """Settings to be tried, each with its plan for the price of one run, and a plan of scores.

    Guarantee: the model that is kept, and its score, cost what was asked for.
    Needs: the number of runs stays secret.
    Proof: training.md, *Search*.
    """

    trainings: list[PlannedTraining]
    settings: Sequence[Mapping[str, Any]]
    scores: TrainingPlan
    mean: int
    mu: Fraction
    measure: Approx
    found: SearchRun | None = None

    @classmethod
    def of(
        cls,
        model: PrivateEstimator,
        settings: Sequence[Mapping[str, Any]],
        columns: tuple[FeatureColumn, ...],
        target: FeatureColumn | None,
        measure: Approx,
        *,
        mean: int,
        reach: int,
        relation: Relation,
    ) -> PlannedSearch:
        mu = run_mu(measure, mean)
        trainings = []
        for each in settings:
            copy = cast("PrivateEstimator", clone(model)).set_params(**each)
            copy.n_features_in_ = len(columns)
            trainings.append(
                PlannedTraining.of(
                    copy, columns, target, GaussianDP(mu), reach=reach, relation=relation
                )
            )
        score = PlannedSum("score", 2, RESIDUAL**2 + MARK**2, Fraction(1))
        plan = TrainingPlan.of([score], GaussianDP(mu), reach=reach, relation=relation)
        return cls(trainings, settings, plan, mean, mu, measure)

    @property
    def event(self) -> Composed:
        """One run is described by one Gaussian release of the same mu: a training and a score, which
        see different units.
        """
        relation = str(self.scores.relation)
        run = Gaussian(1 / self.mu, 1, relation=relation)
        return Composed((RepeatAndSelect(run, "poisson", mean=self.mean, relation=relation),))

    @property
    def samples_units(self) -> bool:
        """Whether a run draws samples.  Its price does not count on them (training.md, *Search*);
        they are asked for all the same, as in a training alone.
        """
        return any(each.samples_units for each in self.trainings)

    @property
    def noise(self) -> str:
        return self.scores.noise_law

    def identity(self) -> dict[str, Any]:
        first = self.trainings[0].identity()
        tried = [each.model.settings() for each in self.trainings]
        return {**first, "model": f"search {first['model']}", "settings": tried, "runs": self.mean}

    def terms(self) -> list[dict[str, str]]:
        """What one run of the first setting releases; the other settings' noise is made alike."""
        return [*self.trainings[0].terms(), *self.scores.terms()]

    def parted(self, arrays: Arrays, owners: Sequence[Any] | NDArray[Any] | None) -> Arrays:
        """Rows with a secret mark for those that are held out; all rows of one owner have the same,
        and no owner more rows than count.
        """
        rows = len(next(iter(arrays.values())))
        chance = uniform_below(HELD_OUT, rows) == 0
        held = dict(arrays)
        if owners is not None:
            numbers = owner_numbers(owners)
            chance = chance[numbers] if rows else chance
            kept = rows_within(owners, self.scores.reach)
            held = {name: values[kept] for name, values in arrays.items()}
            held[OWNERS] = numbers[kept]
            chance = chance[kept]
        return {**held, PART: np.asarray(chance, dtype=bool)}

    def read(
        self,
        rows: Sequence[tuple[Any, ...]],
        features: Sequence[Column],
        target: Column | None,
        owners: NDArray[Any] | None,
    ) -> Arrays:
        """Rows of an engine as arrays, parted."""
        return self.parted(self.trainings[0].read(rows, features, target, None), owners)

    def fitted(self, arrays: Arrays) -> PrivateEstimator:
        """Draw the number of runs, do them and as many more as hide it, and keep the best.

        Guarantee: no warning of numpy tells anything, as in `PlannedTraining.fitted`.
        """
        out = arrays[PART]
        parts = [
            {name: values[place] for name, values in arrays.items() if name != PART}
            for place in (~out, out)
        ]
        with np.errstate(all="ignore"):
            best = self._best(*parts)
        self.found = best
        model = best.model
        model.event_, model.cost_ = self.event, self.measure
        return model

    def _best(self, train: Arrays, test: Arrays) -> SearchRun:
        number, best = drawn_runs(self.mean), None
        for at in range(max(number, work_of(self.mean))):
            run = self._run(one_below(len(self.trainings)), train, test)
            if at < number and (best is None or run.total > best.total):
                best = run
        if best is None:  # no run was drawn, one time in e^mean: a model that no row was used for
            none = {name: values[:0] for name, values in train.items()}
            best = self._run(0, none, none)
        return best

    def _run(self, place: int, train: Arrays, test: Arrays) -> SearchRun:
        planned = self.trainings[place]
        model = cast("PrivateEstimator", clone(planned.model))
        for name in ("columns_", "target_", "n_features_in_"):
            setattr(model, name, getattr(planned.model, name))
        model._train(planned.columns, train, planned.plan.begin())  # noqa: SLF001 - its own part
        model.releases_ = planned.plan.releases
        scores = row_scores(model, test)
        told = np.array([scores.sum(), MARK * len(test[TARGET])], dtype=np.int64)
        noisy, _ = self.scores.begin().release("score", told)
        rows = max(float(noisy[1]) / MARK, 1.0)
        mean = min(max(float(noisy[0]) / RESIDUAL / rows, -1.0), 1.0)
        return SearchRun(place, model, float(noisy[0]), mean)

    def stored(self) -> dict[str, Any]:
        """What was kept, as a ledger has it; the number of runs is in no file."""
        assert self.found is not None
        return {
            "place": self.found.place,
            "mean": packed(self.found.mean),
            "learned": self.found.model._state(),  # noqa: SLF001
        }

    def restored(
        self, state: Mapping[str, Any], certificate: Mapping[str, Any]
    ) -> PrivateEstimator:
        """The model that was stored, without a row."""
        place = int(state["place"])
        model = self.trainings[place].model
        model.restore(state["learned"], certificate)
        self.found = SearchRun(place, model, math.nan, float(unpacked(state["mean"])))
        return self.told(model)

    def certified(self, certificate: Mapping[str, Any]) -> PrivateEstimator:
        assert self.found is not None
        self.found.model.certificate_ = dict(certificate)
        return self.told(self.found.model)

    def told(self, model: PrivateEstimator) -> PrivateEstimator:
        """The model with its setting and its score, which were released with it."""
        assert self.found is not None
        model.best_params_ = dict(self.settings[self.found.place])
        model.best_score_ = self.found.mean
        return model
