"""What releases about a trained model share: its columns, its target and its identity."""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from typing import Any, NamedTuple, Self

import numpy as np

from shoal.errors import FactsError
from shoal.exact import Number
from shoal.learning.estimator import PrivateEstimator
from shoal.learning.feature_columns import FeatureColumn


class ScoreEstimate(NamedTuple):
    """A score or a share with an interval that covers noise and the sampling of rows."""

    value: float
    low: float
    high: float


class ModelRelease(PrivateEstimator):
    """Noisy sums about a trained model, on rows that have the columns of that model."""

    nullable = ()

    def __init__(
        self,
        model: Any = None,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        rows_per_person: int = 1,
    ) -> None:
        self.model = model
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.rows_per_person = rows_per_person

    def __sklearn_clone__(self) -> Self:
        """A copy for the same trained model; scikit-learn would forget what it learned."""
        return type(self)(
            self.model,
            epsilon=self.epsilon,
            delta=self.delta,
            rho=self.rho,
            rows_per_person=self.rows_per_person,
        )

    @abstractmethod
    def _trained(self) -> PrivateEstimator:
        """The model, if it is one that this release can be about and if it is trained."""

    @property
    def columns(self) -> dict[str, FeatureColumn]:
        """The columns of the model, by name."""
        return {each.name: each for each in self._trained()._columns()}  # noqa: SLF001

    def _target(self) -> FeatureColumn | None:
        target: FeatureColumn | None = self._trained().target_
        return target

    def _stated(self, names: Any, *, named: bool) -> tuple[FeatureColumn, ...]:
        self.n_features_in_ = len(names)
        if named:
            self.feature_names_in_ = np.array(names, dtype=object)
        return tuple(each for name, each in self.columns.items() if name in names)

    def _check_rows(self, columns: tuple[FeatureColumn, ...]) -> None:
        """Refuse rows without a column of the model, or with another kind of target."""
        missing = set(self.columns) - {each.name for each in columns}
        if missing:
            raise FactsError(
                f"the model also needs the columns {', '.join(sorted(missing))}.",
                remedy="Give every column that the model was trained with.",
            )
        stated, own = (None if each is None else each.levels for each in self._targets())
        if stated != own:
            raise FactsError(
                "the target does not have the classes that the model tells apart.",
                remedy="Score the model on the target that it was trained for.",
            )

    def _targets(self) -> tuple[FeatureColumn | None, FeatureColumn | None]:
        """The target of these rows, and the one that the model was trained for."""
        return self.target_, self._target()

    def settings(self) -> dict[str, str]:
        """What the release depends on beside its columns: all that the model learned."""
        told = json.dumps(self._trained()._state(), sort_keys=True)  # noqa: SLF001
        digest = hashlib.sha256(told.encode()).hexdigest()
        return {"model": f"{type(self.model).__name__} {digest}"}
