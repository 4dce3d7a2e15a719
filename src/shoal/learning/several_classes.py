"""What classifiers of two classes or more share: from one score for each class to odds and
labels.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.learning.estimator import several_classes
from shoal.learning.exact_sums import Floats
from shoal.learning.feature_columns import FeatureColumn
from shoal.learning.logistic_regression import PrivateClassifier
from shoal.learning.row_designs import Arrays


class SeveralClassClassifier(PrivateClassifier):
    """A classifier with one score for each class, up to what all have in common."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags

    def _with_classes(self, target: FeatureColumn) -> FeatureColumn:
        return several_classes(target)

    @abstractmethod
    def _class_scores(self, arrays: Arrays) -> list[Floats]:
        """The score of each class, which depends on each row alone, to the last bit."""

    def decision_function(self, X: Any) -> Floats:  # noqa: N803 - scikit-learn's name
        """The log-odds of the second of two classes; with more of them, one column of scores for
        each.
        """
        if len(self.classes_) == 2:
            return super().decision_function(X)
        return np.column_stack(self._class_scores(self._arrays(X)))

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """The probability of each class."""
        scores = np.column_stack(self._class_scores(self._arrays(X)))
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """The likeliest class."""
        scores = np.column_stack(self._class_scores(self._arrays(X)))
        return np.asarray(self.classes_[scores.argmax(axis=1)])

    def _scores(self, arrays: Arrays) -> Floats:
        first, second = self._class_scores(arrays)
        return np.asarray(second - first)
