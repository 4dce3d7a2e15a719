"""What a question may cost and what that promises; and an engine that fails after the charge fails in
the same words, whatever the data and whatever it says.
"""

from __future__ import annotations

import traceback
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

import duckdb
import pyarrow as pa
import pytest
from tests.vault.office import COUNT, office

import shoal
from shoal.engines.duckdb import DuckDB
from shoal.errors import ChangedError, ExpressionError, InternalError, SourceError, UnansweredError
from shoal.measures import Approx, Pure, ZeroConcentrated
from shoal.query.payment import CostRequest
from shoal.query.private_tables import Private

SECRET = "HIV"
FAILURES = [
    MemoryError(SECRET),
    duckdb.OutOfMemoryException(f"could not allocate block for {SECRET}"),
    duckdb.ConversionException(f"cannot cast {SECRET}"),
    RecursionError(SECRET),
    SourceError(f"the engine could not read {SECRET}.", remedy=SECRET),
    InternalError(SECRET, remedy=SECRET),
    TimeoutError(SECRET),
    KeyError(SECRET),
    type("Panic", (BaseException,), {})(SECRET),
]


def held(rows: int = 3) -> Private:
    data = pa.table({"who": list(range(rows)), "s": ["", SECRET, "b"][:rows]})
    return shoal.private(data, protects=shoal.Person("who"), budget=shoal.Pure(9))


@pytest.mark.parametrize("failure", FAILURES, ids=lambda each: type(each).__name__)
def test_every_failure_after_the_charge_has_the_same_words(failure: BaseException) -> None:
    private = held()
    ask = private.sql("SELECT COUNT(*) AS n FROM data")
    with patch.object(DuckDB, "totals", side_effect=failure), pytest.raises(BaseException) as told:
        ask.release(epsilon=1)
    assert type(told.value) is UnansweredError
    assert str(told.value) == (
        "[answer-1] the question was charged, but the engine could not answer it. What was charged stays spent.\n"
        "    Let the owner of the data check that they can be read, and that the engine has enough memory and disk."
    )
    assert told.value.__context__ is None
    assert told.value.__cause__ is None
    assert SECRET not in "".join(traceback.format_exception(told.value))
    assert private.budget.spent == shoal.Pure(1)


def test_suggestions_fail_in_the_same_words() -> None:
    private = held()
    with (
        patch.object(DuckDB, "shares", side_effect=MemoryError(SECRET)),
        pytest.raises(UnansweredError) as told,
    ):
        private.suggest_groups("s", epsilon=1)
    assert told.value.__context__ is None
    assert private.budget.spent == shoal.Pure(1)


@pytest.mark.slow
@pytest.mark.parametrize("failure", FAILURES, ids=lambda each: type(each).__name__)
def test_the_journal_of_a_vault_tells_failures_apart_by_nothing(
    failure: BaseException, tmp_path: Path
) -> None:
    with office(tmp_path) as vault:
        with patch.object(DuckDB, "totals", side_effect=failure), pytest.raises(UnansweredError):
            vault.sql(COUNT).release(epsilon="0.5")
        (left,) = vault.log()
        assert left.outcome is not None
        assert left.outcome.body["reason"] == "UnansweredError"


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_who_interrupts_is_not_stopped_by_it(stop: type[BaseException]) -> None:
    private = held()
    with patch.object(DuckDB, "totals", side_effect=stop), pytest.raises(stop):
        private.sql("SELECT COUNT(*) AS n FROM data").release(epsilon=1)
    assert private.budget.spent == shoal.Pure(1)


def test_a_file_that_was_written_meanwhile_is_told_as_that() -> None:
    written = ChangedError("the file was written since.", remedy="Declare it.")
    with patch.object(DuckDB, "totals", side_effect=written), pytest.raises(ChangedError):
        held().sql("SELECT COUNT(*) AS n FROM data").release(epsilon=1)


def grown(times: int, by: int) -> str:
    text = f"CASE WHEN s = '{SECRET}' THEN 'a' ELSE '' END"
    for _ in range(times):
        text = f"REPLACE({text}, 'a', '{'a' * by}')"
    return text


def outcome(private: Private, sql: str) -> tuple[str, str]:
    try:
        private.sql(sql).release(epsilon=1)
    except Exception as error:  # noqa: BLE001 - every kind is compared
        return type(error).__name__, str(error)
    return "answered", ""


@pytest.mark.slow
@pytest.mark.parametrize(("times", "by"), [(5, 200), (4, 40), (3, 30), (1, 60_000)])
def test_a_text_that_grows_in_one_row_has_one_outcome_on_neighbours(times: int, by: int) -> None:
    """One row held the text from which gigabytes came, and the answer was missing exactly if that
    row was there.
    """
    found = []
    for rows in (1, 2, 3):
        private = held(rows)
        sql = f"SELECT COUNT(*) AS n FROM data WHERE LENGTH({grown(times, by)}) > 5"
        found.append((outcome(private, sql), private.budget.spent))
    assert found[0] == found[1] == found[2]
    refused = found[0][0][0] == ExpressionError.__name__
    assert refused == (by**times > 65_536)
    assert found[0][1] == shoal.Pure(0 if refused else 1)


KEYS = Fraction(1, 10**7)


@pytest.mark.parametrize(
    ("cost", "promise"),
    [
        (CostRequest(Pure(1)), Pure(1)),
        (CostRequest(Pure(1), KEYS), Approx(1, KEYS)),
        (CostRequest(Approx(1, "1e-6"), KEYS), Approx(1, "1.1e-6")),
        (CostRequest(ZeroConcentrated("0.5"), KEYS), ZeroConcentrated("0.5")),
    ],
)
def test_the_promise_of_a_cost_counts_the_delta_of_keys(
    cost: CostRequest, promise: Pure | Approx | ZeroConcentrated
) -> None:
    assert cost.promise == promise
