"""Shares of clipped rows: what is counted, in which units, and intervals that cover."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression as PlainLogistic

import shoal
from shoal import Approx, Choices, Range, Row
from shoal.errors import FactsError, SchemaError
from shoal.learning import (
    ClassifierScores,
    ClippedShare,
    KMeans,
    LinearRegression,
    LogisticRegression,
    load,
)
from shoal.learning.feature_columns import stated_column
from shoal.learning.found_ranges import outside_found
from shoal.noise.seam import seeded

FACTS: dict[str, Any] = {"age": Range(0, 90), "ward": Choices(["n", "s"])}


def _people(count: int, seed: int) -> pd.DataFrame:
    """One age in ten is above 90, and one ward in four is not declared."""
    rng = np.random.default_rng(seed)
    ward = rng.choice(["n", "s", "w", "n"], count)
    return pd.DataFrame({"age": rng.uniform(0, 100, count), "ward": ward}).assign(
        rent=lambda rows: 2 * rows.age + rng.normal(0, 30, count)
    )


def _model(kind: Any = LinearRegression, **more: Any) -> Any:
    train = _people(4000, 0)
    model = kind(epsilon=5, delta="1e-6", **{"columns": FACTS, "target_range": (0, 150), **more})
    with seeded("clipped"):
        return model.fit(train[["age", "ward"]], train.rent)


def test_with_hardly_any_noise_shares_are_those_of_the_rows() -> None:
    model, test = _model(), _people(3000, 1)
    test.loc[:99, "rent"] = np.nan
    test.loc[100:199, "age"] = np.nan
    cut = ClippedShare(model, rho=10**6).fit(test[["age", "ward"]], test.rent)
    old, other = test.age > 90, ~test.ward.isin(["n", "s"])
    rent = (test.rent < 0) | (test.rent > 150)
    assert cut.by_column()["age"].value == pytest.approx(old.mean(), abs=1e-4)
    assert cut.by_column()["ward"].value == pytest.approx(other.mean(), abs=1e-4)
    assert cut.any_column().value == pytest.approx((old | other).mean(), abs=1e-4)
    assert cut.target().value == pytest.approx(rent.mean(), abs=1e-4)
    assert cut.left_out().value == pytest.approx(100 / 3000, abs=1e-4)


def test_rows_that_the_training_left_out_are_counted() -> None:
    """Exactly those, by the ranges that the model keeps."""
    rng = np.random.default_rng(2)
    rows = rng.uniform(20, 40, (20_000, 1))
    rows[:20] = rng.uniform(50_000, 90_000, (20, 1))
    model = LinearRegression(rho="0.05", columns=Range(0, 100_000), target_range=(0, 1))
    with seeded("left out"):
        model.fit(rows, rng.random(20_000))
    centre, half = model.found_ranges_["x0"]
    assert half < 1 << 25
    cut = ClippedShare(model, rho=10**6).fit(rows, np.zeros(20_000))
    steps, _ = stated_column("x0", (0, 100_000)).steps(rows[:, 0], 1 << 30)
    assert cut.left_out().value == pytest.approx((abs(steps - centre) > half).mean(), abs=1e-4)
    assert cut.left_out().value == pytest.approx(0.001, abs=1e-4)
    assert cut.any_column().high < 0.001


def test_a_missing_number_is_outside_no_found_range_if_it_has_an_indicator() -> None:
    values = {"x": np.array([np.nan, 0.0, 9.0])}
    for nullable in (False, True):
        column = stated_column("x", (0, 10), nullable=nullable)
        found = outside_found([column], values, {"x": (-(1 << 30), 1 << 28)})
        assert found.tolist() == [not nullable, False, True]


@pytest.mark.slow
def test_intervals_cover_noise_and_sampling() -> None:
    model, covered = _model(), []
    for at in range(80):
        test = _people(400 + 600 * (at % 2), 10 + at)
        with seeded(f"shares {at}"):
            cut = ClippedShare(model, epsilon="0.5", delta="1e-6").fit(test, test.rent)
        truths = ((cut.by_column()["age"], 0.1), (cut.any_column(), 0.325), (cut.left_out(), 0))
        covered.append([low <= value <= high for (_, low, high), value in truths])
    assert (np.mean(covered, axis=0) >= 0.9).all()
    assert np.mean(covered) >= 0.93  # 240 intervals


def test_a_table_pays_for_shares_and_sees_values_as_they_are() -> None:
    test = _people(3000, 4)
    table = shoal.private(
        pa.Table.from_pandas(test), protects=Row(), budget=Approx(20, "1e-6"),
        columns={**FACTS, "rent": Range(0, 150)},
    )  # fmt: skip
    wanted: dict[str, Any] = {"target": "rent", "features": ["ward", "age"]}
    model = table.learn(LinearRegression(), epsilon=1, **wanted)
    cut = table.learn(ClippedShare(model), epsilon=10, **wanted)
    low, high = cut.by_column()["age"][1:]
    assert low < (test.age > 90).mean() < high < 0.15
    low, high = cut.by_column()["ward"][1:]
    assert low < (test.ward == "w").mean() < high < 0.3
    assert cut.target().low > 0.1
    with pytest.raises(SchemaError, match="whole table"):
        table.table().where("age > 50").learn(ClippedShare(model), epsilon=1, **wanted)
    assert cut.certificate_["terms"][0]["total"] == "clipped rows"
    assert cut.certificate_["terms"][0]["size"] == "6"
    settings = ClippedShare(model).settings()
    assert settings != ClippedShare(_model()).settings()
    assert settings == clone(ClippedShare(model)).settings()


def test_models_without_a_target_have_shares_of_columns_alone(tmp_path: Path) -> None:
    test = _people(3000, 5)[["age"]]
    model = KMeans(2, rho=1, columns={"age": Range(0, 90)}).fit(test)
    cut = ClippedShare(model, rho=10**6).fit(test)
    cut.save(tmp_path / "cut")
    again = load(tmp_path / "cut")
    assert isinstance(again, ClippedShare)
    assert again.by_column()["age"].value == pytest.approx((test.age > 90).mean(), abs=1e-4)
    assert again.by_column()["age"] == again.any_column()
    with pytest.raises(FactsError, match="no target"):
        cut.left_out()


def test_what_has_no_shares_is_refused() -> None:
    test = _people(10, 6)
    plain = PlainLogistic().fit(test[["age"]], test.ward)
    for model in (None, plain, ClassifierScores()):
        with pytest.raises(FactsError, match="trained model"):
            ClippedShare(model, rho=1).fit(test, test.rent)
    with pytest.raises(FactsError, match="also needs the columns ward"):
        ClippedShare(_model(), rho=1).fit(test[["age"]], test.rent)
    empty = ClippedShare(_model(), rho=1).fit(test[:0], test.rent[:0])
    assert empty.left_out()[1:] == (0, 1)


@pytest.mark.slow
def test_a_vault_gives_the_same_shares_again_and_its_certificate_is_right(tmp_path: Path) -> None:
    test = _people(4000, 7)
    test.to_parquet(tmp_path / "people.parquet")
    vault = shoal.open(tmp_path / "office.shoal")
    facts = {**FACTS, "rent": Range(0, 150)}
    vault.add(
        "people", tmp_path / "people.parquet",
        protects=Row(), columns=facts, budget=Approx(9, "1e-6"),
    )  # fmt: skip
    people = vault.table("people")
    wanted: dict[str, Any] = {"target": "rent", "features": ["age", "ward"]}
    model = people.learn(LinearRegression(), epsilon=3, **wanted)
    cut = people.learn(ClippedShare(model), epsilon=5, **wanted)
    again = people.learn(ClippedShare(model), epsilon=5, **wanted)
    assert again.by_column() == cut.by_column()
    assert cut.by_column()["age"].low > 0.05
    assert len(vault.log()) == 2
    assert vault.wrong_with(vault.show(vault.log()[-1].number).certificate) == []


def test_no_row_is_left_out_for_a_target_that_a_table_moves() -> None:
    """A required column has a declared value for every row, which the model is trained on."""
    said = ["maybe"] * 300 + ["no", "yes"] * 350
    held = pa.table({"age": np.linspace(0, 100, 1000), "sick": said})
    wanted: dict[str, Any] = {"target": "sick", "features": ["age"]}
    for required, left_out in (((), 0.3), (("sick",), 0.0)):
        people = shoal.private(
            held, protects=Row(), budget=Approx(2000, "1e-6"), required=required,
            columns={"age": Range(0, 90), "sick": Choices(["no", "yes"])},
        )  # fmt: skip
        model = people.learn(LogisticRegression(), epsilon=1, **wanted)
        cut = people.learn(ClippedShare(model), epsilon=1000, **wanted)
        assert cut.target().value == pytest.approx(0.3, abs=0.01)
        assert cut.left_out().value == pytest.approx(left_out, abs=0.01)
        assert cut.by_column()["age"].value == pytest.approx(0.1, abs=0.01)


def test_columns_that_identify_persons_are_refused() -> None:
    held = pa.table({"id": list(range(500)), "rent": [50.0] * 500})
    people = shoal.private(
        held, protects=shoal.Person("id", groups=1, rows_per_group=1), budget=Approx(9, "1e-6"),
        columns={"id": Range(0, 100), "rent": Range(0, 100)},
    )  # fmt: skip
    wanted: dict[str, Any] = {"target": "rent", "features": ["id"]}
    model = people.learn(LinearRegression(), epsilon=1, **wanted)
    spent = people.budget.spent
    with pytest.raises(SchemaError, match="'id' identifies the persons"):
        people.learn(ClippedShare(model), epsilon=1, **wanted)
    assert people.budget.spent == spent


def test_a_model_whose_fit_was_refused_is_not_trained() -> None:
    rows = pd.DataFrame({"age": [1.0, 2.0], "ward": ["n", "s"]})
    model = KMeans(2, rho=1, columns=FACTS)
    with pytest.raises(FactsError, match="number"):
        model.fit(rows)
    with pytest.raises(NotFittedError):
        ClippedShare(model, rho=1).fit(rows)


@pytest.mark.parametrize("odd", [(0, np.zeros(3, int)), (0,), (0, 1.5), 7])
def test_found_ranges_that_are_no_ranges_are_refused_before_a_row_is_read(odd: Any) -> None:
    model, rows = _model(), _people(10, 1)
    model.found_ranges_ = {"age": odd}
    with pytest.raises(FactsError, match="pairs of whole numbers"):
        ClippedShare(model, rho=1).fit(rows[["age", "ward"]], rows.rent)
