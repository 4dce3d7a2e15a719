"""`shoal publish`: from a list of tables to a folder of files that agree with each other."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.cli.test_cli import data, good, run

from shoal.cli.console import Exit

WANTED = """
dataset = "people"
title = "People <of> the county"
whole_numbers = true

[[tables]]
marginals = ["region", "sex"]
up_to = 2

[[tables]]
prefix = "age"
by = ["sex"]
weight = 0.5

[known.region]
north = 60
south = 60
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SHOAL_VAULT", raising=False)
    lines = [f"{n},{('north', 'south')[n % 2]},{'fm'[n % 3 == 0]},{n % 9}" for n in range(120)]
    Path("people.csv").write_text("id,region,sex,age\n" + "\n".join(lines) + "\n")
    good("init", "office.shoal")
    good(
        "add", "people", "people.csv", "--person", "id", "--groups", "1", "--rows-per-group", "1",
        "--type", "id=integer", "--type", "region=text", "--type", "sex=text",
        "--type", "age=integer", "--choices", "region=north,south", "--choices", "sex=f,m",
        "--range", "age=0:8", "--required", "region", "--required", "sex", "--required", "age",
        "--budget", "rho=1",
    )  # fmt: skip
    Path("tables.toml").write_text(WANTED)
    return tmp_path


def read(file: str) -> list[dict[str, str]]:
    with Path(file).open(newline="") as held:
        return list(csv.DictReader(held))


def counts(file: str) -> dict[tuple[str, ...], int]:
    rows = read(f"tables/{file}")
    at = list(rows[0]).index("count")
    return {tuple(list(row.values())[:at]): int(row["count"]) for row in rows}


def spent() -> Any:
    return data("budget", "people")


def test_a_preview_shows_the_error_of_every_table_and_spends_nothing(folder: Path) -> None:
    before = spent()
    told = data("publish", "tables.toml", "--rho", "0.2", "--preview")
    assert [each["table"] for each in told["tables"]] == [
        "total", "region", "sex", "region,sex", "sex,prefix(age)",
    ]  # fmt: skip
    assert all(each["within"] > 0 for each in told["tables"])
    assert spent() == before
    assert not Path("tables").exists()


def test_a_folder_has_tables_that_add_up_and_everything_beside_them(folder: Path) -> None:
    good("publish", "tables.toml", "--rho", "0.2")
    both, regions = counts("region-sex.csv"), counts("region.csv")
    assert regions == {("north",): 60, ("south",): 60}
    for (region,), n in regions.items():
        assert sum(count for (held, _), count in both.items() if held == region) == n
    assert counts("total.csv") == {(): 120}
    assert {path.name for path in Path("tables").iterdir()} == {
        "total.csv", "region.csv", "sex.csv", "region-sex.csv", "sex-prefix-age.csv",
        "index.html", "certificate.json", "measurements.json", "measurements.parquet",
    }  # fmt: skip
    page = Path("tables/index.html").read_text()
    assert "People &lt;of&gt; the county" in page
    assert "Not protected: the totals by region" in page
    assert page.count("<rect") >= 5, "a heat map of errors, with a row for each table"
    certificate = json.loads(Path("tables/certificate.json").read_text())
    assert certificate["not_protected"] == {"columns": ["region"], "totals": [60, 60]}
    described = json.loads(Path("tables/measurements.json").read_text())["measurements"]
    held = pq.read_table("tables/measurements.parquet").to_pydict()
    assert set(held["measurement"]) == {each["measurement"] for each in described}


def test_a_page_writes_counts_as_people_read_them_and_keys_as_they_are(folder: Path) -> None:
    years = [f"m{n},{('at', 'be')[n % 2]},{2000 + n % 3},{'xy'[n % 2]}" for n in range(4000)]
    Path("moves.csv").write_text("id,country,year,total_low\n" + "\n".join(years) + "\n")
    good(
        "add", "moves", "moves.csv", "--person", "id", "--groups", "1", "--rows-per-group", "1",
        "--type", "id=text", "--type", "country=text", "--type", "year=integer",
        "--type", "total_low=text", "--choices", "total_low=x,y", "--required", "total_low",
        "--choices", "country=at,be", "--range", "year=2000:2002", "--required", "country",
        "--required", "year", "--budget", "rho=1",
    )  # fmt: skip
    Path("moves.toml").write_text(
        'dataset = "moves"\n[[tables]]\nmarginals = ["country", "year", "total_low"]\nup_to = 1\n'
    )
    good("publish", "moves.toml", "--rho", "0.5", "--out", "moves")
    page = Path("moves/index.html").read_text()
    exact = read("moves/year.csv")
    for row in exact:
        assert f"<td>{row['year']}</td>" in page
        shown = page.partition(f"<td>{row['year']}</td>")[2].split("</tr>")[0]
        count, low, high = (
            float(text.replace(",", "")) for text in re.findall(r">([\d,.]+)</td>", shown)
        )
        assert abs(count - float(row["count"])) <= 0.051
        assert low <= float(row["count_low"]) < float(row["count_high"]) <= high
        assert high - low < float(row["count_high"]) - float(row["count_low"]) + 0.2
        assert re.search(r">1,\d{3}\.\d</td>", shown)
    assert "<td>at</td>" in page
    assert "<td>x</td>" in page, "a column called like a number of streams holds keys"


def test_the_same_tables_again_are_free_and_written_over_only_by_force(folder: Path) -> None:
    good("publish", "tables.toml", "--rho", "0.2")
    first, paid = counts("region-sex.csv"), spent()
    code, _, err = run("publish", "tables.toml", "--rho", "0.2")
    assert code == Exit.USAGE
    assert "--force" in err
    good("publish", "tables.toml", "--rho", "0.2", "--force")
    assert counts("region-sex.csv") == first
    assert spent() == paid


def test_a_wanted_error_finds_its_price(folder: Path) -> None:
    told = data("publish", "tables.toml", "--within", "30", "--preview")
    worst = max(each["within"] for each in told["tables"])
    assert 29 < worst <= 30


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("dataset = [", "is not TOML"),
        ('dataset = "people"\n', "a dataset or its tables lack"),
        (WANTED + "[odd]\n", "'odd' means nothing"),
        (WANTED.replace('prefix = "age"', "count = 1"), "each [[tables]] has one of"),
        (WANTED.replace("up_to = 2", "upto = 2"), "means nothing there"),
        (WANTED.replace("north = 60", "nord = 60"), "not declared for region"),
        (WANTED.replace('"region", "sex"', '"nowhere", "sex"'), "nowhere"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused_and_nothing_is_spent(
    text: str, words: str, folder: Path
) -> None:
    before = spent()
    Path("tables.toml").write_text(text)
    code, _, err = run("publish", "tables.toml", "--rho", "0.2")
    assert code != 0
    assert words in " ".join(err.split())
    assert spent() == before
    assert not Path("tables").exists()


def test_too_many_cells_for_whole_numbers_are_refused_before_the_charge(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal.workloads.whole_tables.MOST_CELLS", 30)
    before = spent()
    code, _, err = run("publish", "tables.toml", "--rho", "0.2")
    assert code != 0
    assert "36 cells" in " ".join(err.split())
    assert spent() == before
    assert not Path("tables").exists()


def test_no_table_is_written_over_the_rows_of_a_dataset(folder: Path) -> None:
    Path("tables").mkdir()
    Path("tables/region.csv").write_text("a\n1\n")
    good(
        "add", "other", "tables/region.csv", "--row", "--type", "a=integer", "--budget", "1",
        "--new-people",
    )  # fmt: skip
    code, _, err = run("publish", "tables.toml", "--rho", "0.2", "--force")
    assert code != 0
    assert "where the rows of 'other' lie" in " ".join(err.split())


LEVELS = """
dataset = "people"
whole_numbers = true

[hierarchies.age.band]
young = {from = 0, to = 2}
old = {from = 3, to = 8}

[hierarchies.region]
file = "parents.csv"

[[tables]]
marginals = ["country", "region", "band"]
up_to = 2

[[tables]]
marginals = ["age"]
"""


def test_levels_come_from_the_file_or_from_a_table_of_parents_and_add_up(folder: Path) -> None:
    Path("parents.csv").write_text("region,country\nnorth,here\nsouth,here\n")
    Path("levels.toml").write_text(LEVELS)
    good("publish", "levels.toml", "--rho", "0.2")
    bands, ages, country = counts("band.csv"), counts("age.csv"), counts("country.csv")
    assert list(bands) == [("young",), ("old",)]
    assert bands["young",] == sum(n for (age,), n in ages.items() if int(age) < 3)
    assert country["here",] == sum(counts("region-band.csv").values()) == sum(bands.values())
    certificate = json.loads((Path("tables") / "certificate.json").read_text())
    assert {each["level"]: each["of"] for each in certificate["levels"]} == {
        "country": "region", "band": "age",
    }  # fmt: skip


def test_wishes_for_each_table_find_their_price(folder: Path) -> None:
    lines = '[[tables]]\nmarginals = ["region"]\nwithin = 9.5\n[[tables]]\nprefix = "age"\nwithin = 30\n'
    Path("wished.toml").write_text('dataset = "people"\n' + lines)
    told = data("publish", "wished.toml", "--preview")
    far = {each["table"]: each["within"] for each in told["tables"]}
    assert far["region"] <= 9.5
    assert far["prefix(age)"] <= 30
    assert max(far["region"] / 9.5, far["prefix(age)"] / 30) > 0.99


@pytest.mark.parametrize(
    ("parents", "words"),
    [
        ("region,country\nnorth,a\nnorth,b\n", "two groups"),
        ("area,country\nnorth,a\n", "must have the column"),
        ("region,country\nnorth,a\n", "no group for south"),
        (None, "cannot be read"),
    ],
)
def test_a_table_of_parents_that_cannot_be_is_refused(
    folder: Path, parents: str | None, words: str
) -> None:
    if parents is not None:
        Path("parents.csv").write_text(parents)
    Path("levels.toml").write_text(LEVELS)
    code, _, err = run("publish", "levels.toml", "--rho", "0.2", "--preview")
    assert code == Exit.USAGE
    assert words in " ".join(err.split())
