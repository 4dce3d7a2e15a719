"""One row moves the sums of a training by what that row adds, in whatever form rows are given."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.errors import ShapeError, ShoalError
from shoal.learning import (
    PCA,
    AdditiveClassifier,
    KMeans,
    LogisticRegression,
    MultinomialRegression,
    NaiveBayes,
)
from shoal.learning.training_plan import NoisySums

PRICE: dict[str, Any] = {"epsilon": 1, "delta": "1e-6"}
COLUMNS: dict[str, Any] = {"x0": shoal.Range(0, 10), "x1": shoal.Choices([0, 1])}
CLASSIFIERS: dict[str, Any] = {
    "additive": AdditiveClassifier,
    "bayes": NaiveBayes,
    "logistic": LogisticRegression,
}


class _EnoughError(Exception):
    pass


def first_sums(model: Any, *given: Any, **more: Any) -> Any:
    """The first sums of a fit, exactly; they depend on no noise."""
    found: list[Any] = []

    def release(_: NoisySums, name: str, values: Any) -> Any:
        found.append(np.array(values, dtype=object).reshape(-1))
        raise _EnoughError(name)

    with patch.object(NoisySums, "release", release), pytest.raises(_EnoughError):
        model.fit(*given, **more)
    return found[0]


def classifier(name: str, **more: Any) -> Any:
    return CLASSIFIERS[name](**PRICE, columns=COLUMNS, classes=[0, 1], **more)


ROWS = [[float(at % 10), at % 2] for at in range(40)]
LABELS = [at % 3 % 2 for at in range(40)]


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("label", ["?", True, 2.5, None, 2**70, b"1"])
def test_a_label_of_another_kind_moves_no_other_row(name: str, label: Any) -> None:
    before = first_sums(classifier(name), ROWS, LABELS)
    after = first_sums(classifier(name), [*ROWS, [3.0, 1]], [*LABELS, label])
    own = first_sums(classifier(name), [[3.0, 1]], [label])
    assert (after - before == own).all()


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("row", [["?", 1], [3.0, "1"], [None, None], [True, False], [2**70, 0]])
def test_a_value_of_another_kind_moves_no_other_row(name: str, row: Any) -> None:
    before = first_sums(classifier(name), ROWS, LABELS)
    after = first_sums(classifier(name), [*ROWS, row], [*LABELS, 1])
    assert (after - before == first_sums(classifier(name), [row], [1])).all()


IDS = [2**60 + at for at in range(40)]
FORMS: dict[str, Any] = {
    "a list": lambda ids: ids,
    "Arrow": pa.array,
    "chunks of Arrow": lambda ids: pa.chunked_array([ids]),
    "pandas": lambda ids: pd.Series(ids, dtype="Int64"),
    "polars": pl.Series,
    "one column": lambda ids: pd.DataFrame({"id": pd.array(ids, dtype="Int64")}),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_row_without_a_person_makes_no_two_persons_one(form: str) -> None:
    given = FORMS[form]
    before = first_sums(classifier("logistic"), ROWS, LABELS, persons=given(IDS))
    rows, labels = [*ROWS, [3.0, 1]], [*LABELS, 1]
    after = first_sums(classifier("logistic"), rows, labels, persons=given([*IDS, None]))
    assert (after - before == first_sums(classifier("logistic"), [[3.0, 1]], [1])).all()


def test_a_missing_target_of_arrow_is_no_error() -> None:
    whole = first_sums(classifier("logistic"), ROWS, pa.array(LABELS))
    less = first_sums(classifier("logistic"), ROWS, pa.array([None, *LABELS[1:]]))
    assert (whole - less == first_sums(classifier("logistic"), ROWS[:1], LABELS[:1])).all()


@pytest.mark.parametrize("most", [1.5, 2.5, 0, -1, True, float("nan"), float("inf"), "many"])
def test_a_person_has_a_whole_number_of_rows(most: Any) -> None:
    with pytest.raises(ShoalError, match="rows_per_person"):
        classifier("logistic", rows_per_person=most).fit(ROWS, LABELS, persons=[1] * 40)


@pytest.mark.parametrize("most", [2, np.int64(2), np.int64(23), 2.0])
def test_noise_is_made_for_as_many_rows_as_a_person_has(most: Any) -> None:
    model = classifier("logistic", rows_per_person=most)
    counted = first_sums(model, ROWS, LABELS, persons=[1] * 40)[4]  # the intercept of each row
    one = classifier("logistic").fit(ROWS, LABELS, persons=[1] * 40)
    model.fit(ROWS, LABELS, persons=[1] * 40)
    assert counted == int(most) << 14
    for many, single in zip(model.event_.events, one.event_.events, strict=True):
        assert many.sensitivity >= int(most) * single.sensitivity * (1 - 1e-9)


def test_persons_are_named_for_every_row() -> None:
    for persons in ([1] * 39, [1] * 41, []):
        with pytest.raises(ShapeError, match="persons"):
            classifier("logistic").fit(ROWS, LABELS, persons=persons)


@pytest.mark.parametrize(
    "model",
    [
        classifier("additive", bins=0),
        classifier("additive", bins=-3),
        classifier("additive", bins=1.5),
        classifier("additive", rounds=0),
        classifier("logistic", rounds=0),
        classifier("logistic", rounds="few"),
    ],
    ids=str,
)
def test_columns_have_cells_and_models_have_rounds(model: Any) -> None:
    with pytest.raises(ShoalError, match=r"bins|rounds"):
        model.fit(ROWS, LABELS)


def test_numbers_that_were_typed_as_text_are_the_same_numbers() -> None:
    """What the plan reads as a number is that number in the training, which comes after the charge."""
    people = shoal.private(
        pa.table({"x0": [1.0, 2.0], "x1": [0, 1]}),
        protects=shoal.Row(),
        columns=COLUMNS,
        budget=shoal.Approx(10, "1e-6"),
    )
    models: tuple[tuple[type[Any], dict[str, str], str | None], ...] = (
        (AdditiveClassifier, {"bins": "4", "rounds": "2"}, "x1"),
        (LogisticRegression, {"rounds": "2"}, "x1"),
        (MultinomialRegression, {"rounds": "2"}, "x1"),
        (KMeans, {"n_clusters": "2"}, None),
        (PCA, {"n_components": "1"}, None),
    )
    for made, settings, target in models:
        model = made(**settings)
        people.learn(model, target=target, features=["x0"], epsilon=1)


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("odd", [[0, 1], [], [[0]], [None, 1], "ab", ()])
def test_a_target_that_is_a_list_leaves_the_targets_of_others_as_they_are(
    name: str, odd: Any
) -> None:
    """In a list with one value each, targets were those values until somebody had two."""
    rows = [[each % 10, each % 2] for each in range(200)]
    targets: list[Any] = [[each % 2] for each in range(200)]
    before = first_sums(_of(name), rows, targets)
    after = first_sums(_of(name), [*rows, [3, 0]], [*targets, odd])
    plain = first_sums(_of(name), [*rows, [3, 0]], [*(each[0] for each in targets), None])
    assert before.any()
    assert np.array_equal(after, plain)  # it has no declared target, and adds what such a row adds


@pytest.mark.parametrize("odd", [[3], [], [3, 0, 9, 9], [[3], 0], 3, None, "text", np.array(3)])
def test_a_row_with_other_cells_than_most_is_read_by_itself(odd: Any) -> None:
    """It was an error, which told that somebody has such a row."""
    rows: list[Any] = [[each % 10, each % 2] for each in range(200)]
    targets = [each % 2 for each in range(200)]
    before = first_sums(_of("logistic"), rows, targets)
    after = first_sums(_of("logistic"), [*rows, odd], [*targets, 1])
    alone = first_sums(_of("logistic"), [*([[3, 0]] * 2), odd], [None, None, 1])
    nobody = first_sums(_of("logistic"), [[3, 0]] * 2, [None, None])
    assert np.array_equal(after - before, alone - nobody)


def _of(name: str) -> Any:
    return CLASSIFIERS[name](classes=[0, 1], columns=COLUMNS, **PRICE)
