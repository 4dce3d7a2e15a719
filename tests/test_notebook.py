"""Shoal in a notebook: errors are two lines and a caret, all frames come on request, and values
show themselves.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.errors import RangeError, ShoalError
from shoal.short_traceback import full_traceback, short_traceback

SETUP = """
import pyarrow as pa, shoal
people = shoal.private(
    pa.table({"age": [20, 30, 40]}), name="people", protects=shoal.Row(),
    columns={"age": shoal.Range(0, 120)}, budget=shoal.Pure(1),
)
ask = people.sql("SELECT COUNT(*) AS n FROM people")
"""
WRONG = """
def mean(column):
    return people.sql(f"SELECT AVG({column}) AS m FROM people")

mean("agee")
"""
MESSAGE = """\
line 4: mean("agee")
line 2 in mean: return people.sql(f"SELECT AVG({column}) AS m FROM people")
UnknownNameError: [sql-3] line 1, column 12: there is no column 'agee' here.
    SELECT AVG(agee) AS m FROM people
               ^
    Did you mean age?"""
SHOWN = ("people", "people.budget", "ask", "ask.explain()", "ask.preview(epsilon=1)", "ask.release(epsilon=1)")  # fmt: skip


def people() -> shoal.query.Private:
    return shoal.private(pa.table({"age": [1]}), protects=shoal.Row(), budget=shoal.Pure(1))


def asked_wrongly() -> ShoalError:
    try:
        people().sql("SELECT agee FROM data")
    except ShoalError as error:
        return error
    pytest.fail("a column that is not there was found")


def test_an_error_has_the_callers_own_lines_and_no_frame_of_shoal() -> None:
    error = asked_wrongly()
    *frames, message = short_traceback(error)
    assert message == f"{type(error).__name__}: {error}"
    assert [frame.partition(" in ")[2] for frame in frames] == [
        'asked_wrongly: people().sql("SELECT agee FROM data")'
    ]
    assert len(traceback.extract_tb(error.__traceback__)) > 5


def test_an_error_that_was_never_raised_has_its_message_alone() -> None:
    error = RangeError("epsilon is 0.", remedy="Give epsilon=0.1.")
    assert error._render_traceback_() == ["RangeError: [number-2] epsilon is 0.\n    Give epsilon=0.1."]  # fmt: skip


def test_all_frames_are_printed_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "last_value", asked_wrongly(), raising=False)
    full_traceback()
    printed = capsys.readouterr().err
    assert "keep it to yourself" in printed
    assert printed.count("shoal") > 5
    assert "in sql" in printed


def test_without_an_error_there_is_nothing_to_print(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delattr(sys, "last_value", raising=False)
    full_traceback()
    assert capsys.readouterr().err == "No error was shown in this session.\n"


@pytest.fixture(scope="module")
def outputs() -> dict[str, Any]:
    """What each cell of a notebook gives, run by a kernel of Jupyter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Jupyter warns of itself is no concern of ours
        nbformat = pytest.importorskip("nbformat")
        nbclient = pytest.importorskip("nbclient")
        pytest.importorskip("ipykernel")
        cells = [SETUP, WRONG, "shoal.full_traceback()", *SHOWN]
        made = nbformat.v4.new_notebook()
        made.cells = [nbformat.v4.new_code_cell(each.strip()) for each in cells]
        made.cells[1].metadata["tags"] = ["raises-exception"]
        nbclient.NotebookClient(made, kernel_name="python3", timeout=300).execute()
    return {cell.source: cell.outputs for cell in made.cells}


@pytest.mark.slow
def test_a_notebook_shows_the_message_and_the_caret(outputs: dict[str, Any]) -> None:
    (found,) = outputs[WRONG.strip()]
    assert found["output_type"] == "error"
    assert "\n".join(found["traceback"]) == MESSAGE


@pytest.mark.slow
def test_a_notebook_shows_all_frames_on_request(outputs: dict[str, Any]) -> None:
    text = "".join(each["text"] for each in outputs["shoal.full_traceback()"])
    assert "Traceback (most recent call last)" in text
    assert "in sql" in text


@pytest.mark.slow
@pytest.mark.parametrize("cell", SHOWN)
def test_a_notebook_shows_values_as_html(outputs: dict[str, Any], cell: str) -> None:
    (found,) = outputs[cell]
    assert found["output_type"] == "execute_result"
    assert found["data"]["text/html"].startswith("<div>")
    assert found["data"]["text/plain"]
