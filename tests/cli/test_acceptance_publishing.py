"""`shoal publish` with [accept]: tables are written only if they keep the criteria."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_cli import data, good, run

from shoal.workloads.acceptance_plan import AcceptancePlan

WANTED = """
dataset = "people"
whole_numbers = true

[[tables]]
marginals = ["region", "sex"]

[accept]
runs = 3
share = 0.25

[[accept.criteria]]
table = "region,sex"
within = 100
share = 0.5

[[accept.criteria]]
mean_within = 40

[[accept.configurations."by region"]]
marginals = ["region"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SHOAL_VAULT", raising=False)
    lines = [f"{n},{('north', 'south')[n % 2]},{'fm'[n % 3 == 0]}" for n in range(600)]
    Path("people.csv").write_text("id,region,sex\n" + "\n".join(lines) + "\n")
    good("init", "office.shoal")
    good(
        "add", "people", "people.csv", "--person", "id", "--groups", "1", "--rows-per-group", "1",
        "--type", "id=integer", "--type", "region=text", "--type", "sex=text",
        "--choices", "region=north,south", "--choices", "sex=f,m",
        "--required", "region", "--required", "sex", "--budget", "9,1e-6",
    )  # fmt: skip
    Path("tables.toml").write_text(WANTED)
    return tmp_path


def spent() -> Any:
    return data("budget", "people")


def test_a_preview_shows_what_is_judged_and_spends_nothing(folder: Path) -> None:
    before = spent()
    told = data("publish", "tables.toml", "--epsilon", "4", "--preview")
    assert "3 runs on average" in told["preview"]
    assert "region,sex: at least 50 % of the cells within 100" in told["preview"]
    assert "by region:\n  region: cells within 40 on average" in told["preview"]
    assert spent() == before
    assert not Path("tables").exists()


def test_accepted_tables_are_a_folder_and_again_free(folder: Path) -> None:
    told = data("publish", "tables.toml", "--epsilon", "4")
    assert told["accepted"], "by far most searches; the noise of a test is that of its name"
    assert len(told["criteria"]) == (2 if told["configuration"] == "as asked" else 1)
    name = "region-sex.csv" if told["configuration"] == "as asked" else "region.csv"
    assert (Path("tables") / name).exists()
    page = Path("tables/index.html").read_text()
    assert "Tables of people" in page
    assert f"Together they cost {told['price']} for the whole search." in page
    counts = [line.split(",") for line in (Path("tables") / name).read_text().splitlines()]
    at = counts[0].index("count")
    assert all(line[at].isdigit() for line in counts[1:]), "whole numbers, as they were judged"
    certificate = json.loads(Path("tables/certificate.json").read_text())
    assert certificate["acceptance"]["runs"]["mean"] == 3
    assert certificate["acceptance"]["share_for_criteria"] == "1/4"
    paid = spent()
    again = data("publish", "tables.toml", "--epsilon", "4", "--force")
    assert again == told
    assert spent() == paid


def test_tables_that_are_not_accepted_are_not_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(AcceptancePlan, "search", lambda *_: None)
    before = spent()
    code, _, err = run("publish", "tables.toml", "--epsilon", "4")
    assert code == 0
    assert "No tables were accepted" in " ".join(err.split())
    assert [path.name for path in Path("tables").iterdir()] == ["certificate.json"]
    assert spent() != before, "a search costs what it costs, whatever it finds"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (WANTED.replace("mean_within", "average"), "[accept] needs criteria"),
        (WANTED.replace("mean_within = 40", "mean_within = 40\nshare = 0.5"), "[accept] needs"),
        (WANTED.replace("runs = 3", "odd = 3"), "[accept] needs criteria"),
        (WANTED.replace('table = "region,sex"', 'table = "age"'), "which no configuration"),
        (WANTED.replace("within = 100", "within = 1"), "nothing can be accepted"),
    ],
)
def test_a_search_that_cannot_be_meant_is_refused_and_nothing_is_spent(
    text: str, words: str, folder: Path
) -> None:
    before = spent()
    Path("tables.toml").write_text(text)
    code, _, err = run("publish", "tables.toml", "--epsilon", "4")
    assert code != 0
    assert words in " ".join(err.split())
    assert spent() == before
    assert not Path("tables").exists()


@pytest.mark.parametrize("price", [("--rho", "0.1"), ("--epsilon", "4", "--within", "5")])
def test_a_search_has_a_price_in_epsilon_alone(price: tuple[str, ...], folder: Path) -> None:
    before = spent()
    code, _, err = run("publish", "tables.toml", *price)
    assert code != 0
    assert "a price in epsilon alone" in " ".join(err.split())
    assert spent() == before
