"""``shoal attack``: the list, the figures on the screen, the page and the data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shoal.auditing.attacks import ATTACKS, Attack, Result, Score
from shoal.cli.app import app
from shoal.cli.console import Exit

runner = CliRunner()


def test_without_a_name_every_attack_is_listed() -> None:
    done = runner.invoke(app, ["attack"])
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.output.splitlines()] == list(ATTACKS)
    listed = json.loads(runner.invoke(app, ["attack", "--json"]).stdout)
    assert [each["name"] for each in listed] == list(ATTACKS)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["html", "md"])
def test_a_page_is_written_where_it_was_asked_for(tmp_path: Path, ending: str) -> None:
    place = tmp_path / f"page.{ending}"
    done = runner.invoke(app, ["attack", "bayes", "--quick", "--out", str(place)])
    assert done.exit_code == 0
    assert "52.5 %" in done.output
    written = place.read_text(encoding="utf-8")
    assert "a guess that sees nothing" in written
    assert written.count("<svg") == (3 if ending == "html" else 0)


@pytest.mark.slow
def test_figures_come_as_data_and_the_same_seed_gives_the_same() -> None:
    words = ["attack", "differencing", "bayes", "--quick", "--json", "--seed", "3"]
    first, again = (json.loads(runner.invoke(app, words).stdout) for _ in range(2))
    assert [each["name"] for each in first] == ["differencing", "bayes"]
    for each in (*first, *again):
        del each["seconds"]
    assert first == again
    assert first[0]["without"]["rate"] == 1


def test_an_attack_that_passes_its_ceiling_ends_with_a_code_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    always = Score.of([1] * 100)
    planted = Attack("planted", "Planted", "", "", lambda _: Result(0.5, always, always, 0.525, ()))
    monkeypatch.setitem(ATTACKS, "planted", planted)
    assert runner.invoke(app, ["attack", "planted"]).exit_code == Exit.UNSOUND


def test_an_unknown_attack_is_refused_with_the_names_there_are(tmp_path: Path) -> None:
    done = runner.invoke(app, ["attack", "bays", "--out", str(tmp_path / "r.html")])
    assert done.exit_code == 2
    assert "bayes" in done.output
    assert not (tmp_path / "r.html").exists()


def test_a_report_that_is_no_page_is_refused_before_anything_runs(tmp_path: Path) -> None:
    done = runner.invoke(app, ["attack", "all", "--out", str(tmp_path / "r.pdf")])
    assert done.exit_code == 2
    assert ".html or .md" in done.output
