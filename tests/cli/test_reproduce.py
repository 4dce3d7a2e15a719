"""``shoal reproduce``: the report on the screen, in a file and as data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shoal.cli.app import app

runner = CliRunner()


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["html", "md"])
def test_a_report_is_written_where_it_was_asked_for(tmp_path: Path, ending: str) -> None:
    place = tmp_path / f"report.{ending}"
    done = runner.invoke(app, ["reproduce", "composing", "--out", str(place)])
    assert done.exit_code == 0
    assert "Many releases" in done.output
    assert "Kairouz" in place.read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_tables_come_as_data_too(tmp_path: Path) -> None:
    done = runner.invoke(app, ["reproduce", "renyi", "--out", str(tmp_path / "r.html"), "--json"])
    (found,) = json.loads(done.stdout)
    assert found["name"] == "renyi"
    assert found["tables"][0]["head"][0] == "property"
    assert 46 in found["corrections"]


def test_an_unknown_experiment_is_refused_with_the_names_there_are(tmp_path: Path) -> None:
    done = runner.invoke(app, ["reproduce", "pols", "--out", str(tmp_path / "r.html")])
    assert done.exit_code == 2
    assert "polls" in done.output
    assert not (tmp_path / "r.html").exists()


def test_a_report_that_is_no_page_is_refused_before_anything_runs(tmp_path: Path) -> None:
    done = runner.invoke(app, ["reproduce", "polls", "--out", str(tmp_path / "r.pdf")])
    assert done.exit_code == 2
    assert ".html or .md" in done.output
