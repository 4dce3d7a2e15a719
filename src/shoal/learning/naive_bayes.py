"""Naive Bayes: every feature by itself, within each class."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from shoal.learning.estimator import TARGET, several_classes
from shoal.learning.exact_sums import Floats, products, weighted_rows
from shoal.learning.feature_columns import STEPS, FeatureColumn
from shoal.learning.row_designs import Arrays, LinearDesign
from shoal.learning.several_classes import SeveralClassClassifier
from shoal.learning.training_plan import NoisySums, PlannedSum


class NaiveBayes(SeveralClassClassifier):
    """Numbers are normal within each class, categories have a share for each level; there can be two
    classes or more.

    Guarantee: one release of sums at the stated price, which may be an epsilon without a delta.
    Needs: ``columns`` and ``classes`` are public facts.
    Edges: rows whose target is none of the classes add nothing.  Shares and variances are kept away
        from 0 by what the noise could hide.
    Proof: training.md, *Naive Bayes*.
    """

    takes_pure_budgets = True

    def _sums(self, columns: tuple[FeatureColumn, ...]) -> list[PlannedSum]:
        classes = len(several_classes(self.target_).levels)
        design = LinearDesign(columns)
        numbers = sum(each.ordered for each in columns)
        squared = design.squared + numbers * STEPS * STEPS
        absolute = squared // STEPS  # every entry is at most one unit in size
        size = classes * (design.size + numbers)
        return [PlannedSum("sums by class", size, squared, Fraction(1), absolute)]

    def _train(self, columns: tuple[FeatureColumn, ...], arrays: Arrays, sums: NoisySums) -> None:
        design = LinearDesign(columns)
        classes = len(self.target_.levels)
        codes = self.target_.codes(arrays[TARGET])
        matrix = design.matrix(arrays)
        linear = matrix[:, _numbers(design)]
        told = np.hstack([matrix, np.floor(linear * linear * (1 / STEPS))])
        by_class = (codes[:, None] == np.arange(classes)).astype(np.float64)
        noisy, sigma = sums.release("sums by class", products(by_class, told, 1, STEPS))
        found, noise = noisy.reshape(classes, -1) / STEPS, sigma / STEPS
        rows = np.maximum(found[:, design.size - 1], 1.0)
        self.prior_ = np.log(np.maximum(rows, noise + 1) / np.maximum(rows, noise + 1).sum())
        numbers = _numbers(design)
        spare = noise / rows[:, None] + 1e-4
        self.means_ = np.clip(found[:, numbers] / rows[:, None], -1, 1)
        squares = np.clip(found[:, design.size :] / rows[:, None], 0, 1)
        self.variances_ = np.maximum(squares - self.means_**2, 0) + spare
        self.levels_ = np.zeros((classes, design.size - 1))
        for each in design.blocks:
            if not each.linear:
                place = slice(each.start, each.stop)
                held = np.maximum(found[:, place], 0) + noise + 1
                total = held.sum(axis=1, keepdims=True)
                if each.stop - each.start == 1:  # an indicator against all other rows
                    total = np.maximum(rows[:, None], held)
                self.levels_[:, place] = np.log(held / total)

    def _class_scores(self, arrays: Arrays) -> list[Floats]:
        """The log-likelihood of each class, up to what all have in common."""
        design = LinearDesign(self._columns())
        matrix = design.matrix(arrays)[:, :-1] / STEPS
        numbers = _numbers(design)
        scores = []
        for at in range(len(self.prior_)):
            total = np.full(len(matrix), float(self.prior_[at]))
            for column, mean, variance in zip(
                numbers, self.means_[at], self.variances_[at], strict=True
            ):
                total -= 0.5 * ((matrix[:, column] - mean) ** 2 / variance + np.log(variance))
            scores.append(total + weighted_rows(matrix, self.levels_[at]))
        return scores


def _numbers(design: LinearDesign) -> list[int]:
    return [each.start for each in design.blocks if each.linear]
