"""Whose row a row is: equal names are one person, whatever type they have."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from shoal.errors import ShapeError
from shoal.learning.persons import owner_numbers, person_keys, rows_within

COUNT = 6


class Name:
    """Equal to itself alone."""


class OddText(str):
    """A text that is equal to nothing."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


class Failing:
    def __eq__(self, other: object) -> bool:
        raise ValueError

    def __hash__(self) -> int:
        raise ValueError


NAMES: dict[str, Callable[[], Any]] = {
    "numpy": lambda: np.int64(7),
    "an array without dimensions": lambda: np.array(7),
    "arrow": lambda: pa.scalar("seven"),
    "a pair with NaN": lambda: (7, float("nan")),
    "a nested pair with NaN": lambda: ("a", (np.float64("nan"), Decimal("NaN"))),
    "NaN of decimals that signals": lambda: Decimal("sNaN"),
    "an object": Name,
    "a pair with an object": lambda: (7, Name()),
    "a text of a type of its own": lambda: OddText("seven"),
    "a name that fails": Failing,
    "a moment in an hour that comes twice": lambda: dt.datetime(
        2020, 10, 25, 2, 30, tzinfo=ZoneInfo.no_cache("Europe/Berlin"), fold=1
    ),
    "a moment of pandas": lambda: pd.Timestamp("2020-01-01 00:00:00.000000001", tz="UTC"),
    "no moment": lambda: pd.NaT,
    "nothing": lambda: pd.NA,
    "a list": lambda: [7],
}


@pytest.mark.parametrize("name", NAMES)
def test_names_made_alike_are_one_person(name: str) -> None:
    made = np.empty(COUNT, dtype=object)
    made[:] = [NAMES[name]() for _ in range(COUNT)]
    for given in (made, list(made)):
        assert len(rows_within(person_keys(given), 2)) == 2
        assert set(owner_numbers(person_keys(given))) == {0}


def test_scalars_of_torch_are_told_apart_by_their_number() -> None:
    torch = pytest.importorskip("torch")
    persons = torch.arange(COUNT) // 3
    for given in (persons, list(persons), [(each, "a") for each in persons]):
        assert owner_numbers(person_keys(given)).tolist() == [0, 0, 0, 1, 1, 1]


def test_plain_names_that_differ_stay_apart_and_equal_numbers_are_one_person() -> None:
    names = [
        "a", b"b", 1, 1.5, Decimal("2.5"), UUID(int=3), dt.date(2020, 1, 1), dt.time(1),
        dt.timedelta(1), dt.datetime(2020, 1, 1, 5), dt.datetime(2020, 1, 1, 5, tzinfo=dt.UTC),
        (1, 2), (1, None), pd.Timestamp("2020-01-01 06:00"), None, 2**60, 2**60 + 1,
    ]  # fmt: skip
    assert owner_numbers(names).tolist() == list(range(len(names)))
    assert set(owner_numbers([1, 1.0, True, np.int8(1), Decimal(1)])) == {0}


MORE_COLUMNS: dict[str, Any] = {
    "an array": np.zeros((COUNT, 2)),
    "a frame": pd.DataFrame(np.zeros((COUNT, 2))),
    "a table": pa.table({"a": [0] * COUNT, "b": [0] * COUNT}),
    "no dimension": np.zeros(()),
}


@pytest.mark.parametrize("case", MORE_COLUMNS)
def test_persons_in_more_than_one_column_are_refused_by_their_shape(case: str) -> None:
    with pytest.raises(ShapeError, match="one person for each row"):
        person_keys(MORE_COLUMNS[case])


def test_one_column_of_a_table_of_any_kind_names_persons() -> None:
    names = [5, 5, 6]
    table = pa.table({"id": names})
    for given in (np.array(names)[:, None], table.to_pandas(), table, table["id"], names):
        assert person_keys(given) == names


def test_persons_in_two_columns_are_refused_before_a_budget_is_charged() -> None:
    torch = pytest.importorskip("torch")
    from shoal import Approx  # noqa: PLC0415 - only here
    from shoal.accounting import RenyiFilter  # noqa: PLC0415
    from shoal.learning import NetworkTraining  # noqa: PLC0415

    budget = RenyiFilter(Approx(2, "1e-5"), relation="add_remove")
    made = NetworkTraining(
        torch.nn.Linear(3, 2), torch.nn.functional.cross_entropy, budget=budget,
        epsilon=1, delta="1e-6", steps=1, rate=1, batch=1,
    )  # fmt: skip
    targets = torch.zeros(COUNT, dtype=torch.int64)
    with pytest.raises(ShapeError):
        made.steps_over(torch.zeros(COUNT, 3), targets, persons=torch.zeros(COUNT, 2))
    assert budget.spent.epsilon == 0
