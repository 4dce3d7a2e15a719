"""Columns made ready for any model by declared facts alone: numbers scaled, categories encoded."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from shoal.errors import FactsError, ShapeError
from shoal.learning.exact_sums import Floats
from shoal.learning.feature_columns import FeatureColumn, frame_columns, stated_column
from shoal.plan import Choices, Range


class DeclaredTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Columns by public facts: ``columns`` states each one, or one fact for all.

    Guarantee: what a row becomes depends on that row and on ``columns`` alone, and every number of
        it is within ``out_range``.  So a private model behind it in a pipeline keeps its
        guarantee.
    Needs: ``columns`` are public facts; `fit` reads the names of columns, and no value.
    """

    out_range: Range
    columns: Any

    def __init__(self, *, columns: Any = None) -> None:
        self.columns = columns

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.requires_fit = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002, N803 - scikit-learn's names
        """Take the names of columns; nothing is read off rows."""
        names = tuple(frame_columns(X))
        self.n_features_in_ = len(names)
        if hasattr(X, "columns"):
            self.feature_names_in_ = np.array(names, dtype=object)
        facts = self.columns
        by_name = facts if isinstance(facts, dict) else dict.fromkeys(names, facts)
        self.stated_ = tuple(
            self._checked(stated_column(name, by_name.get(name))) for name in names
        )
        return self

    def transform(self, X: Any) -> Floats:  # noqa: N803 - scikit-learn's name
        """Every row made ready, by itself."""
        check_is_fitted(self)
        arrays = frame_columns(X)
        if len(arrays) != self.n_features_in_:
            raise ShapeError(
                f"X has {len(arrays)} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input.",
                remedy="Give the columns that it was fitted with.",
            )
        if hasattr(X, "columns") and hasattr(self, "feature_names_in_"):
            missing = [each.name for each in self.stated_ if each.name not in arrays]
            if missing:
                raise ShapeError(
                    f"X lacks the column {missing[0][:60]!r}.",
                    remedy="Give the columns that it was fitted with.",
                )
            values = [arrays[each.name] for each in self.stated_]
        else:
            values = list(arrays.values())
        ready = [self._ready(fact, held) for fact, held in zip(self.stated_, values, strict=True)]
        return np.column_stack(ready)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """The names of what comes out."""
        check_is_fitted(self)
        return np.array([name for each in self.stated_ for name in self._names(each)], dtype=object)

    @abstractmethod
    def _checked(self, column: FeatureColumn) -> FeatureColumn:
        """The column, if it is of the kind that is made ready here."""

    @abstractmethod
    def _ready(self, column: FeatureColumn, values: NDArray[Any]) -> Floats:
        """The numbers that values become, one line each."""

    @abstractmethod
    def _names(self, column: FeatureColumn) -> list[str]:
        """What these numbers are called."""


class Scaler(DeclaredTransformer):
    """Numbers of declared ranges, from -1 to 1; values outside count as the nearer end.

    Edges: a missing number stays missing, for the model behind it to mark or to read as the middle.
    """

    out_range = Range(-1, 1)

    def _checked(self, column: FeatureColumn) -> FeatureColumn:
        if column.ordered:
            return column
        raise FactsError(
            f"column {column.name[:60]!r} has choices, and numbers are scaled by ranges.",
            remedy="Use Encoder for it, or state shoal.Range(0, 100).",
        )

    def _ready(self, column: FeatureColumn, values: NDArray[Any]) -> Floats:
        return column.scaled(values)[:, None]

    def _names(self, column: FeatureColumn) -> list[str]:
        return [column.name]


class Encoder(DeclaredTransformer):
    """Categories with declared choices: for each choice, and for everything else, a column of 0 and
    1.
    """

    out_range = Range(0, 1)

    def _checked(self, column: FeatureColumn) -> FeatureColumn:
        if not column.ordered:
            return column
        raise FactsError(
            f"column {column.name[:60]!r} has a range, and categories are encoded by choices.",
            remedy=f"Use Scaler for it, or state {Choices.__name__}([...]).",
        )

    def _ready(self, column: FeatureColumn, values: NDArray[Any]) -> Floats:
        return np.eye(len(column.levels) + 1)[column.codes(values)]

    def _names(self, column: FeatureColumn) -> list[str]:
        return [*(f"{column.name}={level}" for level in column.levels), f"{column.name}=other"]
