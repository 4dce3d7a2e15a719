"""Choosing settings of a model privately: the best of a secret number of trainings, for one price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.model_selection import ParameterGrid

from shoal.errors import FactsError, RangeError, ShapeError
from shoal.exact import Number, whole
from shoal.learning.estimator import TARGET, PrivateEstimator, stated_measure, target_needed
from shoal.learning.feature_columns import column_array, frame_columns, plan_column
from shoal.learning.held_out_scores import check_scored
from shoal.learning.persons import person_keys
from shoal.learning.search_runs import PlannedSearch
from shoal.measures import Approx, Measure
from shoal.plan import Column
from shoal.sensitivity import Relation

_PUBLIC = frozenset(
    {"epsilon", "delta", "rho", "columns", "nullable", "classes", "target_range", "rows_per_person"}
)


class PrivateSearchCV(BaseEstimator):  # type: ignore[misc]
    """Try settings of a model on private rows, and keep the best model, for one price.

    ``param_grid`` is that of scikit-learn's GridSearchCV.  Each of a secret number of runs, ``runs``
    on average, draws one setting at random, trains on three rows in four and is scored on the
    others with noise.  Only the best run is released: its model, its setting and its score.

    A search trains with less budget than a model alone, so search only if you do not know a setting
    that is good enough: with 8 runs on average a run has about 6 parts in 10 of the mu.

    Guarantee: model, setting and score together cost the stated price.
    Needs: ``estimator`` states columns, classes and the like, which are public facts.
    Edges: one search in e^runs draws no run at all, and gives a model that no row was used for.
        Runs are done beyond the number drawn, so that the time of a search does not tell it.
    Proof: training.md, *Search*.
    """

    def __init__(
        self,
        estimator: PrivateEstimator | None = None,
        param_grid: Any = None,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        runs: int = 8,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.epsilon = epsilon
        self.delta = delta
        self.runs = runs

    def fit(self, X: Any, y: Any, *, persons: Any = None) -> PrivateSearchCV:  # noqa: N803 - scikit-learn's name
        """Search on a frame or an array; rows or ``persons`` are protected as `fit` of a model says.

        Nothing is remembered of earlier searches: ``people.learn`` charges a budget.
        """
        measure = _approx(stated_measure(self.epsilon, self.delta, None))
        model, settings = self._settings()
        arrays = frame_columns(X)
        columns = model._stated(tuple(arrays), named=hasattr(X, "columns"))  # noqa: SLF001
        held = {**arrays, TARGET: column_array(target_needed(y))}
        owners = None if persons is None else person_keys(persons)
        lengths = {len(each) for each in held.values()} | (
            set() if owners is None else {len(owners)}
        )
        if len(lengths) > 1:
            raise ShapeError(
                "X and y have different numbers of rows.", remedy="Give one target for each row."
            )
        search = PlannedSearch.of(
            model, settings, columns, model._target(), measure,  # noqa: SLF001
            mean=self._mean(), reach=1 if owners is None else model.rows_per_person,
            relation=Relation.ADD_REMOVE,
        )  # fmt: skip
        search.fitted(search.parted(held, owners))
        assert search.found is not None
        self.best_estimator_ = search.told(search.found.model)
        self.best_params_, self.best_score_ = (
            self.best_estimator_.best_params_,
            self.best_estimator_.best_score_,
        )
        return self

    def learning(
        self,
        features: Sequence[Column],
        target: Column | None,
        measure: Measure,
        reach: int,
        relation: Relation,
    ) -> PlannedSearch:
        """The search that ``people.learn`` charges for; it gives the best model."""
        model, settings = self._settings()
        columns = tuple(plan_column(each) for each in features)
        if target is None:
            raise FactsError(
                "the target is missing.",
                remedy="Write people.learn(search, target='income', features=[...], epsilon=1).",
            )
        return PlannedSearch.of(
            model, settings, columns, plan_column(target), _approx(measure),
            mean=self._mean(), reach=reach, relation=relation,
        )  # fmt: skip

    def predict(self, X: Any) -> Any:  # noqa: N803
        """What the best model predicts."""
        return self._best().predict(X)

    def score(self, X: Any, y: Any) -> float:  # noqa: N803
        """The score of the best model on public rows, as scikit-learn has it."""
        return float(self._best().score(X, y))

    def _best(self) -> Any:
        if not hasattr(self, "best_estimator_"):
            raise FactsError("nothing was searched yet.", remedy="Call fit(X, y) first.")
        return self.best_estimator_

    def _mean(self) -> int:
        mean = whole(self.runs, "runs", at_least=2)
        if mean > 100:
            raise RangeError(
                f"{mean} runs on average are too many.", remedy="Give runs=100 or fewer."
            )
        return mean

    def _settings(self) -> tuple[PrivateEstimator, list[Mapping[str, Any]]]:
        model = check_scored(self.estimator)
        if not self.param_grid:
            raise FactsError(
                "there is no setting to try.", remedy="Give param_grid={'rounds': [8, 16]}."
            )
        settings = list(ParameterGrid(self.param_grid))
        known = set(model.get_params())
        for name in sorted({name for each in settings for name in each}):
            if name in _PUBLIC or name not in known:
                raise FactsError(
                    f"{str(name)[:40]!r} is no setting that can be searched.",
                    remedy=f"Search among: {', '.join(sorted(known - _PUBLIC))}."
                    if known - _PUBLIC
                    else "This model has no setting to search: train it.",
                )
        return model, settings


def _approx(measure: Measure) -> Approx:
    if not isinstance(measure, Approx):
        raise RangeError(
            "a search has a price in epsilon and delta alone.",
            remedy="Give epsilon=1 and delta=1e-6, or use a budget such as shoal.Approx(1, '1e-6').",
        )
    return measure
