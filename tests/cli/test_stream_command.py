"""`shoal stream`: opened once, released evening by evening."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from tests.cli.test_cli import data, good, run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SHOAL_VAULT", raising=False)
    lines = [f"{n},{n % 12}" for n in range(120)]
    Path("visits.csv").write_text("id,day\n" + "\n".join(lines) + "\n")
    good("init", "office.shoal")
    good(
        "add", "visits", "visits.csv", "--person", "id", "--type", "id=integer",
        "--type", "day=integer", "--range", "day=0:11", "--budget", "rho=1",
    )  # fmt: skip
    return tmp_path


@pytest.mark.slow
def test_a_stream_is_previewed_opened_released_and_shown(folder: Path) -> None:
    opening = ["stream", "daily", "--of", "visits", "--by", "day", "--rho", "0.5"]
    assert "for all 12 days" in good(*opening, "--preview")
    assert data(*opening, "--preview")["days"] == 12
    assert "count" in good(*opening)
    found = data("stream", "daily", "--until", "4", "--out", "days.csv")
    assert found["days"]["day"] == ["0", "1", "2", "3", "4"]
    assert len((folder / "days.csv").read_text().splitlines()) == 6
    assert data("stream", "daily") == found
    (shown,) = json.loads(good("budget", "visits", "--json"))
    assert 0.499 < Fraction(shown["accounts"][0]["spent"]["rho"]) <= Fraction(1, 2)


def test_what_is_half_typed_is_refused_with_the_whole(folder: Path) -> None:
    assert "--of visits --by day" in run("stream", "daily", "--of", "visits")[2]
    assert "no open stream" in run("stream", "daily", "--until", "3")[2]
    assert "--of visits --by day" in run("stream", "daily", "--preview")[2]
