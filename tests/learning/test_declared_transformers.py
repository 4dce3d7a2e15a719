"""Columns that are made ready by declared facts: by each row alone, within public bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from shoal import Choices, Range
from shoal.errors import FactsError, ShapeError
from shoal.learning import Encoder, LogisticRegression, Scaler
from shoal.learning.feature_columns import stated_column

AGES = {"age": Range(18, 90), "fee": Range(0, 100)}
WARDS = {"ward": Choices(["a", "b"])}
ODD = [np.nan, np.inf, -np.inf, 1e308, -0.0, 5e-324, "17", "x", None, b"z", 10**400, True]
TOTAL = "an error that depends on a row would tell something of it: every row gives an answer"
NAME = "scikit-learn sets with_mean of whatever is called Scaler; an old class of its own had that"
EXCEPTIONS = {
    "check_dtype_object": TOTAL,
    "check_estimators_empty_data_messages": TOTAL,
    "check_estimator_sparse_array": NAME,
    "check_estimator_sparse_matrix": NAME,
}


@pytest.mark.parametrize(
    ("made", "values"),
    [
        (Scaler(columns=Range(-3, 5)), [-3, 1, 5]),
        (Encoder(columns=Choices(["a", "b"])), ["a", "b", "c"]),
    ],
)
@given(data=st.data())
def test_a_row_becomes_the_same_whoever_else_is_there(
    made: Any, values: list[Any], data: st.DataObject
) -> None:
    value = st.sampled_from([*ODD, *values])
    mine, others = data.draw(value), data.draw(st.lists(value, max_size=4))
    at = data.draw(st.integers(0, len(others)))
    alone = made.fit([[mine]]).transform([[mine]])
    rows = [[each] for each in (*others[:at], mine, *others[at:])]
    together = made.fit(rows).transform(rows)
    assert np.array_equal(together[at], alone[0], equal_nan=True)
    held = together[~np.isnan(together)]
    assert ((held >= float(made.out_range.lo)) & (held <= float(made.out_range.hi))).all()


def test_a_model_behind_a_scaler_reads_the_numbers_that_it_would_read_alone() -> None:
    ages = np.random.default_rng(1).uniform(0, 120, 500)
    direct, _ = stated_column("age", Range(18, 90)).steps(ages)
    scaled = Scaler(columns=Range(18, 90)).fit_transform(ages[:, None])
    behind, _ = stated_column("x0", Scaler.out_range).steps(scaled[:, 0])
    assert np.array_equal(direct, behind)


def test_names_stand_for_their_columns_whatever_their_order() -> None:
    made = Scaler(columns=AGES).fit(pd.DataFrame({"age": [1], "fee": [2]}))
    turned = pd.DataFrame({"fee": [100.0], "age": [18.0]})
    assert made.transform(turned).tolist() == [[-1.0, 1.0]]
    assert made.get_feature_names_out().tolist() == ["age", "fee"]
    named = Encoder(columns=WARDS).fit(pd.DataFrame({"ward": ["a"]}))
    assert named.get_feature_names_out().tolist() == ["ward=a", "ward=b", "ward=other"]
    assert named.transform(pd.DataFrame({"ward": ["b", None]})).tolist() == [[0, 1, 0], [0, 0, 1]]
    with pytest.raises(ShapeError, match="lacks the column 'fee'"):
        made.transform(pd.DataFrame({"age": [1], "tax": [2]}))


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (Scaler(), "nothing is declared of column 'x0'"),
        (Scaler(columns=Choices([1, 2])), "Use Encoder for it"),
        (Encoder(columns=Range(0, 1)), "Use Scaler for it"),
    ],
)
def test_facts_that_do_not_fit_are_refused(made: Any, words: str) -> None:
    with pytest.raises(FactsError, match=words):
        made.fit([[1.0]])


def test_a_pipeline_trains_and_is_cloned() -> None:
    rows = np.random.default_rng(2).uniform(0, 100, (400, 2))
    model = make_pipeline(
        Scaler(columns=Range(0, 100)),
        LogisticRegression(columns=Scaler.out_range, classes=[0, 1], epsilon=50, delta="1e-6"),
    )
    fitted = clone(model).fit(rows, (rows[:, 0] > 50).astype(int))
    assert (fitted.predict(rows) == (rows[:, 0] > 50)).mean() > 0.9


@pytest.mark.slow
@pytest.mark.parametrize(
    "made", [Scaler(columns=Range(-10, 10)), Encoder(columns=Choices([0, 1, 2]))]
)
def test_scikit_learn_finds_nothing_but_what_privacy_asks_for(made: Any) -> None:
    found = check_estimator(made, on_fail=None, on_skip=None)
    failed = {each["check_name"] for each in found if each["status"] == "failed"}
    assert failed <= set(EXCEPTIONS)
    assert sum(each["status"] == "passed" for each in found) >= 40


def test_sparse_rows_are_scaled_as_full_ones() -> None:
    rows = np.array([[0.0, 5.0], [-10.0, 0.0]])
    made = Scaler(columns=Range(-10, 10))
    assert np.array_equal(made.fit_transform(csr_array(rows)), made.fit_transform(rows))
