"""`shoal batch`: several counts together, on the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.cli.test_cli import data, good, run
from tests.cli.test_publish_command import folder

from shoal.cli.console import Exit

assert folder  # the fixture

BY_SEX = "SELECT sex, COUNT(*) AS n FROM people GROUP BY sex"
CUBE = "SELECT region, age, COUNT(*) AS n FROM people GROUP BY CUBE (region, age)"


@pytest.mark.usefixtures("folder")
def test_a_batch_is_previewed_released_and_found_again() -> None:
    shown = good("batch", BY_SEX, CUBE, "--rho", "0.1", "--preview")
    assert "measured together" in shown
    told = data("batch", BY_SEX, CUBE, "--rho", "0.1", "--preview")
    assert told["together"]
    assert [each["question"] for each in told["questions"]] == [BY_SEX, CUBE]
    first = data("batch", BY_SEX, CUBE, "--rho", "0.1")
    sexes, cube = first["answers"]
    whole = sum(row[-1] for row in sexes["rows"])
    assert [None, None, whole] in cube["rows"]
    good("batch", BY_SEX, CUBE, "--rho", "0.1", "--out", "together")
    with Path("together/1.csv").open(newline="") as held:
        assert sum(int(row["n"]) for row in csv.DictReader(held)) == whole
    assert json.loads(Path("together/certificate.json").read_text()) == first["certificate"]
    assert "n" in good("show", "1")
    good("verify", "together/certificate.json")
    _, _, refused = run("batch", BY_SEX, CUBE, "--rho", "0.1", "--out", "together")
    assert "--force" in refused
    assert len(good("log").splitlines()) < 8


@pytest.mark.usefixtures("folder")
def test_what_cannot_be_together_is_refused_and_costs_nothing() -> None:
    code, _, said = run("batch", BY_SEX, "SELECT SUM(age) AS s FROM people", "--rho", "0.1")
    assert code == Exit.USAGE
    assert "question 2 of the batch" in said
    assert "rho 0.1" not in good("budget", "people")
