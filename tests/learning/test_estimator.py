"""Training on frames, tables and vaults: price, facts, repeats, files, and input that is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.learning.models import MODELS, outcome, rows, targets

import shoal
from shoal import Approx, Choices, Person, Range, Row
from shoal.errors import BudgetExceeded, FactsError, RangeError, ShapeError, ShoalError
from shoal.learning import (
    HistogramDensity,
    LinearRegression,
    LogisticRegression,
    PrivateSearchCV,
    Ridge,
    load,
)
from shoal.query.certificate import wrong_with


def _people(count: int, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, count)
    ward = rng.choice(["N", "S"], count)
    odds = 1 / (1 + np.exp(-(age - 50) / 10 - (ward == "N")))
    sick = np.where(rng.random(count) < odds, "yes", "no")
    return pa.table({"id": np.arange(count) // 2, "age": age, "ward": ward, "sick": sick})


FACTS: dict[str, Any] = {
    "age": Range(18, 90),
    "ward": Choices(["N", "S"]),
    "sick": Choices(["no", "yes"]),
}


def test_shoal_does_not_load_scikit_learn() -> None:
    code = "import shoal, sys; print('sklearn' in sys.modules); shoal.learning; print('sklearn' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", "True"]


def test_a_table_teaches_a_model_for_its_price_and_a_person_counts_within_bounds() -> None:
    table = shoal.private(
        _people(8000),
        protects=Person("id", rows_per_group=2),
        columns=FACTS,
        budget=Approx(3, "1e-6"),
    )
    training = table.learn(LogisticRegression(), target="sick", features=["age", "ward"])
    assert training.rows_of_one == 2
    assert training.preview(epsilon=2)[0]["total"] == "moments"
    model = table.learn(LogisticRegression(), target="sick", features=["age", "ward"], epsilon=2)
    frame = _people(4000, seed=1).to_pandas()
    assert model.score(frame, frame.sick) > 0.78
    assert wrong_with(model.certificate_) == []
    assert model.certificate_["rows_of_one"] == 2
    with pytest.raises(BudgetExceeded):
        table.learn(LogisticRegression(), target="sick", features=["age"], epsilon=2)


@pytest.mark.slow
def test_a_vault_charges_once_and_gives_the_same_model_again_for_nothing(tmp_path: Path) -> None:
    file = tmp_path / "people.parquet"
    import pyarrow.parquet as pq  # noqa: PLC0415 - only here

    pq.write_table(_people(3000), file)
    vault = shoal.open(tmp_path / "office.shoal")
    vault.add("people", file, protects=Row(), columns=FACTS, budget=Approx(3, "1e-6"))
    people = vault.table("people")
    wanted: dict[str, Any] = {"target": "sick", "features": ["age", "ward"], "epsilon": 1}
    first = people.learn(LogisticRegression(rounds=5), **wanted)
    again = people.learn(LogisticRegression(rounds=5), **wanted)
    assert (first.coef_ == again.coef_).all()
    assert len(vault.log()) == 1
    assert vault.wrong_with(vault.show(vault.log()[-1].number).certificate) == []
    people.learn(LogisticRegression(rounds=6), **wanted)
    assert len(vault.log()) == 2


@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_is_the_same_model_without_pickle(name: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    model = MODELS[name]()
    frame = pd.DataFrame(rows(model, 300, rng))
    model.fit(frame, targets(model, 300, rng))
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert np.array_equal(outcome(model, frame), outcome(again, frame))
    assert again.event_ == model.event_
    assert again.cost == model.cost
    told = json.loads((tmp_path / "model" / "model.json").read_text())
    told["learned"]["__class__"] = "x"
    (tmp_path / "model" / "model.json").write_text(json.dumps(told))
    with pytest.raises(ShoalError):
        load(tmp_path / "model")


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("count", [0, 1, 5])
def test_few_rows_and_rows_that_keep_to_nothing_give_a_model(name: str, count: int) -> None:
    rng = np.random.default_rng(count)
    model = MODELS[name]()
    model.fit(pd.DataFrame(rows(model, count, rng)), targets(model, count, rng))
    assert len(outcome(model, pd.DataFrame(rows(model, 7, rng)))) == 7


def test_a_new_fit_keeps_nothing_of_an_earlier_one(tmp_path: Path) -> None:
    """The certificate of an earlier release would vouch for a fit that nobody accounted for."""
    table = _people(200)
    people = shoal.private(table, protects=Row(), columns=FACTS, budget=Approx(3, "1e-6"))
    model = people.learn(
        LogisticRegression(rounds=2), target="sick", features=["age"], epsilon=1
    )  # fmt: skip
    assert model.certificate_
    model.left_over_ = 1
    model.set_params(
        epsilon=50, delta="1e-3", columns={"age": Range(18, 90)}, classes=["no", "yes"]
    )
    model.fit(table.select(["age"]).to_pandas(), table["sick"].to_pylist())
    assert not hasattr(model, "certificate_")
    assert not hasattr(model, "left_over_")
    model.save(tmp_path / "model")
    assert not hasattr(load(tmp_path / "model"), "certificate_")
    assert "no account was kept" in model.report().markdown()


RESERVED = (" target", " owners", " held out")


@pytest.mark.parametrize("name", RESERVED)
def test_a_column_with_the_name_of_something_else_is_refused_before_a_charge(name: str) -> None:
    """A column that is read as the owners of rows makes one person move all others."""
    frame = pd.DataFrame({name: np.full(10, 3.0), "z": np.tile([0.0, 1.0], 5)})
    facts: dict[str, Any] = {name: Range(0, 31), "z": Range(0, 1)}
    density = HistogramDensity(epsilon=1, delta="1e-6", columns=facts, bins=4)
    line = LinearRegression(columns=facts, target_range=(0, 1))
    with pytest.raises(FactsError, match="reserved"):
        density.fit(frame, persons=list("abcdefghij"))
    with pytest.raises(FactsError, match="reserved"):
        PrivateSearchCV(
            Ridge(**line.get_params(), alpha=1), {"alpha": [1]}, epsilon=1, delta="1e-6"
        ).fit(frame, frame.z)
    people: Any = shoal.private(
        pa.Table.from_pandas(frame), protects=Row(), columns=facts, budget=Approx(3, "1e-6")
    )
    for model, features, target in (
        (HistogramDensity(bins=4), [name, "z"], None),
        (LinearRegression(), [name], "z"),
        (LinearRegression(), ["z"], name),
    ):
        with pytest.raises(FactsError, match="reserved"):
            people.learn(model, features=features, target=target, epsilon=1)
    assert people.budget.spent.epsilon == 0


def test_what_is_missing_is_asked_for_before_anything_is_read() -> None:
    frame, target = pd.DataFrame({"age": [1.0, 2.0]}), ["no", "yes"]
    good: dict[str, Any] = {"columns": {"age": (0, 3)}, "classes": ["no", "yes"]}
    with pytest.raises(RangeError, match="price"):
        LogisticRegression(**good).fit(frame, target)
    with pytest.raises(FactsError, match="classes"):
        LogisticRegression(epsilon=1, delta="1e-6", columns={"age": (0, 3)}).fit(frame, target)
    with pytest.raises(FactsError, match="nothing is declared of column 'age'"):
        LogisticRegression(epsilon=1, delta="1e-6", classes=[0, 1]).fit(frame, target)
    with pytest.raises(FactsError, match="3 declared classes"):
        LogisticRegression(rho=1, columns=Range(0, 3), classes="abc").fit(frame, target)
    with pytest.raises(RangeError, match="rounds"):
        LogisticRegression(rho=1, rounds=0, **good).fit(frame, target)
    with pytest.raises(ShapeError):
        LogisticRegression(rho=1, **good).fit(frame, ["no"])
    table = shoal.private(_people(9), protects=Row(), columns=FACTS, budget=1)
    with pytest.raises(RangeError, match="pure"):
        table.learn(LogisticRegression(), target="sick", features=["age"], epsilon=1)
