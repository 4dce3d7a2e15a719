"""Faults in models that are trained on private rows, those that other libraries had among them."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_PLAN = "tests/learning/test_training_plan.py"
_ROWS = f"{_PLAN}::test_one_row_moves_every_planned_sum_by_no_more_than_its_bound"

_CANARY = "tests/learning/test_canaries.py::test_a_canary_spends_much_of_the_budget_and_never_more"

LEARNING = (
    Mutation(
        "a-row-is-as-long-as-its-residual",
        "src/shoal/learning/logistic_regression.py",
        "gradient = (LENGTH * RESIDUAL) ** 2",
        "gradient = RESIDUAL**2",
        "The length of the row is missing from the sensitivity: every model spends more than it says.",
        (f"{_ROWS}[logistic]",),
    ),
    Mutation(
        "the-intercept-adds-nothing",
        "src/shoal/learning/row_designs.py",
        "return (len(self.columns) + 1) * STEPS * STEPS",
        "return len(self.columns) * STEPS * STEPS",
        "The column of ones is left out of the norm, so that all noise is too small.",
        (_ROWS,),
    ),
    Mutation(
        "ranges-are-read-off-the-rows",
        "src/shoal/learning/feature_columns.py",
        "half = float(self.half)\n",
        "half = float(np.abs(held - float(self.middle)).max(initial=0))\n",
        "The largest value of all rows decides how every row is scaled, and is told for nothing.",
        (_ROWS,),
    ),
    Mutation(
        "products-above-the-diagonal-weigh-too-much",
        "src/shoal/learning/whitened_rounds.py",
        "_DIAGONAL, _OTHER = 5, 7",
        "_DIAGONAL, _OTHER = 5, 10",
        "A row moves second moments further than their noise was made for.",
        (_ROWS,),
    ),
    Mutation(
        "long-rows-stay-long",
        "src/shoal/learning/whitened_rounds.py",
        "return clipped(np.clip(steps, -UNIT, UNIT), LENGTH)",
        "return np.clip(steps, -UNIT, UNIT), np.full(len(steps), 1 << 15)",
        "A row far from all others moves every later sum without a bound.",
        ("tests/learning/test_linear_regression.py::test_rows_in_even_coordinates_are_never_long",),
    ),
    Mutation(
        "a-target-that-nobody-declared-counts",
        "src/shoal/learning/row_designs.py",
        "held = np.where(self.keep, residuals, 0)",
        "held = residuals * 2",
        "A row adds twice its residual to every cell.",
        (_ROWS,),
    ),
    Mutation(
        "every-sum-has-the-whole-budget",
        "src/shoal/learning/training_plan.py",
        "mu = _root_down(budget * each.share / total)",
        "mu = _root_down(budget)",
        "Twelve rounds cost as much as one is charged for.",
        (f"{_PLAN}::test_a_plan_costs_what_was_stated_and_no_more",),
    ),
    Mutation(
        "a-changed-row-only-leaves",
        "src/shoal/learning/training_plan.py",
        "far = reach * (2 if relation is Relation.CHANGE else 1)",
        "far = reach",
        "A row that changes moves a sum twice as far as its noise was made for.",
        (f"{_PLAN}::test_a_plan_costs_what_was_stated_and_no_more",),
    ),
    Mutation(
        "a-person-has-one-row-more",
        "src/shoal/learning/persons.py",
        "- first < most",
        "- first <= most",
        "People with many rows count with more of them than the noise was made for.",
        (f"{_PLAN}::test_a_person_counts_with_no_more_rows_than_allowed_whoever_else_there_is",),
    ),
    Mutation(
        "a-missing-moment-fails",
        "src/shoal/learning/feature_columns.py",
        "return float(_place(value)) if isinstance(value, dt.date) else float(value)\n    except Exception:",
        "return float(_place(value)) if isinstance(value, dt.date) else float(value)\n    except TypeError:",
        "A training fails if somebody's moment is missing, which tells that it is.",
        (f"{_PLAN}::test_no_value_and_no_name_makes_reading_fail",),
    ),
    Mutation(
        "a-gradient-with-intervals-is-as-short-as-its-row",
        "src/shoal/learning/newton_rounds.py",
        "gradient = (LENGTH * RESIDUAL) ** 2",
        "gradient = LENGTH * RESIDUAL**2",
        "The length of the row is missing from the sensitivity of every Newton step.",
        (f"{_ROWS}[intervals]", f"{_CANARY}[poisson]"),
    ),
    Mutation(
        "curvature-is-of-rows-as-they-are",
        "src/shoal/learning/newton_rounds.py",
        "held = np.trunc(self._short * roots * 2.0**-15)",
        "held = np.trunc(self._short * 2.0 + roots)",
        "A row moves the curvature further than its noise was made for.",
        (f"{_ROWS}[intervals]", f"{_CANARY}[intervals]"),
    ),
    Mutation(
        "the-error-of-noise-is-left-out-of-intervals",
        "src/shoal/learning/whitened_rounds.py",
        "inner = known @ (np.eye(len(known)) * weight + known * (variance * weight**2)) @ known",
        "inner = known @ (known * (variance * weight**2 / 4)) @ known",
        "Intervals are half as wide as they must be.",
        (
            "tests/learning/test_logistic_intervals.py::test_intervals_cover_and_are_little_wider_than_without_noise",
        ),
    ),
    Mutation(
        "half-of-the-noise-is-planned",
        "src/shoal/learning/training_plan.py",
        "made.append(Gaussian(sigma=moved.value / mu, sensitivity=moved))",
        "made.append(Gaussian(sigma=moved.value / mu / 2, sensitivity=moved))",
        "Every model spends twice what it says.",
        (f"{_CANARY}[bayes]", f"{_CANARY}[logistic]"),
    ),
    Mutation(
        "scores-of-another-model-are-given-again",
        "src/shoal/learning/classifier_scores.py",
        'return {"model": f"{type(self.model).__name__} {digest}"}',
        'return {"model": type(self.model).__name__}',
        "The ledger takes the scores of two models for one question, and gives those of the first.",
        (
            "tests/learning/test_classifier_scores.py::test_a_table_pays_for_scores_and_another_model_is_another_question",
        ),
    ),
    Mutation(
        "a-way-to-a-centre-is-not-clipped",
        "src/shoal/learning/kmeans.py",
        "away, _ = clipped(np.clip(steps, -UNIT, UNIT), _LENGTH)",
        "away = np.clip(steps, -UNIT, UNIT)",
        "A row far from its centre moves it without a bound.",
        (f"{_ROWS}[clusters]",),
    ),
    Mutation(
        "centred-cells-are-not-clipped",
        "src/shoal/learning/centred_rows.py",
        "kept = np.where(self._rows.keep, residuals * self._factors, 0)",
        "kept = np.where(self._rows.keep, residuals << 15, 0)",
        "A row of rare levels moves every gradient further than its noise was made for.",
        (f"{_ROWS}[additive]", f"{_CANARY}[additive]"),
    ),
    Mutation(
        "centred-numbers-are-not-clipped",
        "src/shoal/learning/centred_rows.py",
        "self._short, _ = clipped(np.floor(self._matrix * (LENGTH / (held * STEPS))), LENGTH)",
        "self._short = np.floor(self._matrix * (LENGTH / (held * STEPS)))",
        "A row far from the means moves every gradient further than its noise was made for.",
        (f"{_ROWS}[logistic]", f"{_CANARY}[logistic]"),
    ),
    Mutation(
        "a-target-that-nobody-declared-is-counted-in-gradients",
        "src/shoal/learning/centred_rows.py",
        "self._matrix = np.where(kept, rows.matrix - centre, 0.0)",
        "self._matrix = rows.matrix - centre",
        "A row without a class adds to every gradient, though its class is not known.",
        ("tests/learning/test_centred_rows.py::test_a_row_without_a_class_adds_nothing",),
    ),
)
