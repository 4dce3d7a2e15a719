"""On the command line, what intervals leave out is said, and counted on request."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.test_cli import COUNT, data, good, office, run

__all__ = ["office"]

SAID = "Intervals cover the noise only. People with more than 3 rows count for less"


@pytest.mark.usefixtures("office")
def test_show_clipped_counts_the_cut_for_a_part_of_the_same_cost() -> None:
    asked = (COUNT, "--epsilon", "0.5", "--show-clipped")
    words = " ".join(good("preview", *asked).split())
    assert SAID in words
    assert "for a tenth of the cost" in words
    told = data("ask", *asked)
    assert set(told["clipped"]) == {"beyond", "within"}
    assert any(note.startswith("About ") for note in told["notes"])
    assert told["request"] == "epsilon 0.5"
    again = data("ask", *asked)
    assert (again["free"], again["clipped"]) == (True, told["clipped"])
    shown = " ".join(good("ask", *asked).split())
    assert SAID in shown
    assert "people are beyond this limit" in shown


def test_a_table_of_values_has_its_notes_on_standard_error(office: Path) -> None:
    code, out, err = run("ask", COUNT, "--epsilon", "0.1", "--csv")
    assert code == 0
    assert "note" not in out
    assert SAID in " ".join(err.split())
    code, out, err = run("ask", COUNT, "--epsilon", "0.1", "--out", str(office / "n.csv"))
    assert code == 0
    assert SAID in " ".join(err.split())
