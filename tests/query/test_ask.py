"""Whatever is public about a question is checked before it is charged: a refusal costs nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import pyarrow as pa
import pytest
from tests.vault.office import COUNT, office

import shoal
from shoal.engines.duckdb import DuckDB, DuckTable
from shoal.errors import BudgetExceeded, SourceError
from shoal.plan import TEXT, Query, column
from shoal.query import ask, pricing
from shoal.query.private_tables import Private

NOTHING = shoal.Pure(0)
ACTS: dict[str, Callable[[Private], Any]] = {
    "release": lambda held: held.sql("SELECT COUNT(*) AS n FROM data").release(epsilon=1),
    "groups": lambda held: held.sql("SELECT x, COUNT(*) AS n FROM data GROUP BY x").release(
        epsilon=1
    ),
    "quantiles": lambda held: held.sql("SELECT MEDIAN(x) AS m FROM data").release(epsilon=1),
    "suggested shares": lambda held: held.suggest_groups("x", epsilon=1),
    "suggested bounds": lambda held: held.suggest_bounds("x", epsilon=1),
}
PERSON: Any = {"protects": shoal.Person("who"), "budget": shoal.Pure(9)}


@pytest.mark.parametrize("act", ACTS)
def test_a_table_that_is_stated_otherwise_is_refused_before_the_charge(act: str) -> None:
    data = pa.table({"who": [1, 2], "x": [1, 2]})
    whole = shoal.private(data, columns={"x": shoal.Choices([1, 2])}, **PERSON)
    table = whole.tables["data"]
    wrong = replace(table, columns=(column("who", TEXT), *table.columns[1:]))
    held = whole._held.with_tables({"data": wrong})
    with pytest.raises(SourceError, match="is stated as text"):
        ACTS[act](Private(held, "data"))
    assert whole.budget.spent == NOTHING


@pytest.mark.slow
@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize(
    "change",
    [
        "CREATE OR REPLACE TABLE data AS SELECT 'a' AS who, 1 AS x",
        "CREATE OR REPLACE TABLE data AS SELECT CAST(1 AS BIGINT) AS x, CAST(1 AS BIGINT) AS who",
        "ALTER TABLE data DROP x",
        "DROP TABLE data",
    ],
)
def test_a_table_that_was_changed_since_it_was_opened_is_refused_before_the_charge(
    act: str, change: str
) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE data AS SELECT CAST(1 AS BIGINT) AS who, CAST(2 AS BIGINT) AS x"
        )
        held = shoal.private(
            DuckTable(connection, "data"), columns={"x": shoal.Choices([1, 2])}, **PERSON
        )
        connection.execute(change)
        with pytest.raises(SourceError, match="other columns"):
            ACTS[act](held)
        assert held.budget.spent == NOTHING


def test_a_vault_gives_back_what_it_charged_if_its_engine_refuses_a_table(tmp_path: Path) -> None:
    refusal = SourceError("a column cannot say who a row belongs to.", remedy="Use another.")
    with office(tmp_path) as vault:
        ask = vault.sql(COUNT)
        vault.close()
        with (
            patch.object(DuckDB, "check", side_effect=refusal),
            pytest.raises(SourceError, match="who a row belongs to"),
        ):
            ask.release(epsilon=1)
        assert [each.state for each in vault.log()] == ["given back"]


def test_a_refusal_is_little_work_however_much_was_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It costs nothing, so what it may work is bounded: a suggestion is not worth minutes."""
    count, most = 40, 120
    sums = ", ".join(f"SUM(spend + {at}) AS s{at}" for at in range(count))
    asked, tried = list[Query](), pricing.priced

    def counted(question: Query, *given: Any, **named: Any) -> Any:
        asked.append(question)
        return tried(question, *given, **named)

    monkeypatch.setattr(ask, "priced", counted)
    monkeypatch.setattr(ask, "_MOST_TRIED", most)
    with (
        office(tmp_path) as vault,
        pytest.raises(BudgetExceeded, match="fewer columns"),
    ):
        vault.sql(f"SELECT {sums} FROM visits").release(epsilon="1e300")
    assert len(asked) <= 2 + most // count  # with the price of answers that an earlier version kept
