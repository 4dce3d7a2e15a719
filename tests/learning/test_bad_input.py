"""Every model gives an answer to bad rows, or a refusal that depends on no row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from tests.learning.models import MODELS, outcome

from shoal import Range, learning
from shoal.errors import ShoalError
from shoal.learning import PrivateEstimator
from shoal.learning.model_release import ModelRelease

ROWS = 30
TRAINED = [name for name in MODELS if name not in ("clipped", "scores")]


def _frame(model: PrivateEstimator, numbers: Any, level: Any = "a", count: int = ROWS) -> Any:
    """Rows with these numbers in every column of numbers, and one level."""
    found = {"age": numbers, "fee": numbers, "ward": level}
    return pd.DataFrame({name: np.resize(found[name], count) for name in model.columns})


def _target(model: PrivateEstimator, numbers: Any, label: Any, count: int = ROWS) -> Any:
    if hasattr(model, "classes") or isinstance(model, ModelRelease):
        return np.resize(np.array([label], dtype=object), count)
    return np.resize(numbers, count) if hasattr(model, "target_range") else None


NUMBERS: dict[str, Any] = {
    "missing": np.nan,
    "infinite": np.array([np.inf, -np.inf]),
    "constant": 7.0,
    "huge": np.array([1e308, -1e308, 1.7976931348623157e308]),
    "tiny": 5e-324,
    "below the range": -1e9,
}


@pytest.mark.parametrize("case", NUMBERS)
@pytest.mark.parametrize("name", MODELS)
def test_numbers_of_every_kind_give_a_model_that_answers(name: str, case: str) -> None:
    model = MODELS[name]()
    frame = _frame(model, NUMBERS[case])
    model.fit(frame, _target(model, NUMBERS[case], "no"))
    answers = outcome(model, frame)
    assert len(answers) == ROWS
    if answers.dtype.kind == "f":
        assert np.isfinite(answers).all()


@pytest.mark.parametrize("label", ["no", "yes", "never declared", None])
@pytest.mark.parametrize("name", MODELS)
def test_one_class_only_gives_a_model_that_answers(name: str, label: Any) -> None:
    model = MODELS[name]()
    rng = np.random.default_rng(1)
    frame = _frame(model, rng.uniform(-5, 5, ROWS))
    model.fit(frame, _target(model, 1.0, label))
    assert len(outcome(model, frame)) == ROWS


@pytest.mark.parametrize("count", [0, 1, 2])
@pytest.mark.parametrize("name", MODELS)
def test_no_row_and_one_row_give_a_model_of_the_same_form(name: str, count: int) -> None:
    model, other = MODELS[name](), MODELS[name]()
    frame = _frame(model, 3.0, count=count)
    model.fit(frame, _target(model, 1.0, "yes", count))
    many = _frame(other, 3.0)
    other.fit(many, _target(other, 1.0, "yes"))
    assert model.event_ == other.event_
    assert model.releases_ == other.releases_
    assert len(outcome(model, many)) == ROWS


WIDE: dict[str, Callable[[], Any]] = {
    name: MODELS[name] for name in TRAINED if name not in ("clusters", "density")
}


@pytest.mark.parametrize("name", WIDE)
def test_more_columns_than_rows_give_a_model_that_answers(name: str) -> None:
    columns = {f"x{at}": Range(-1, 1) for at in range(40)}
    model = WIDE[name]().set_params(columns=columns, nullable=[])
    rows = pd.DataFrame(np.random.default_rng(2).uniform(-1, 1, (5, 40)), columns=list(columns))
    model.fit(rows, _target(model, 1.0, "yes", 5))
    assert len(outcome(model, rows)) == 5


@pytest.mark.parametrize("name", TRAINED)
def test_a_sparse_matrix_is_read_like_the_same_rows(name: str) -> None:
    model = MODELS[name]().set_params(columns=Range(-1, 1), nullable=[])
    rows = np.random.default_rng(3).choice([0.0, 0.0, 0.5], (ROWS, 2))
    model.fit(csr_array(rows), _target(model, 1.0, "yes"))
    assert np.array_equal(outcome(model, csr_array(rows)), outcome(model, rows))


REFUSED: dict[str, Callable[[], Any]] = {
    "one dimension": lambda: np.zeros(ROWS),
    "three dimensions": lambda: np.zeros((ROWS, 2, 2)),
    "no column": lambda: np.zeros((ROWS, 0)),
    "complex numbers": lambda: np.zeros((ROWS, 2), dtype=complex),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("name", TRAINED)
def test_what_is_no_table_is_refused_by_its_form_and_not_by_its_rows(name: str, case: str) -> None:
    said = []
    for value in (0, 1):
        model = MODELS[name]().set_params(columns=Range(-1, 1), nullable=[])
        given = REFUSED[case]() + value
        with pytest.raises(ShoalError) as refusal:
            model.fit(given, _target(model, float(value), "yes"))
        said.append(str(refusal.value))
    assert said[0] == said[1]


def test_every_model_but_networks_is_here() -> None:
    known = {type(made()).__name__ for made in MODELS.values()}
    assert {name for name in learning._MODELS if not name.startswith("NeuralNet")} == known
