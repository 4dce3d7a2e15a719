"""`shoal declare`, `shoal add NAME.toml` and `shoal check`: from a file to a first table in three
commands.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from tests.cli.test_cli import good, run

from shoal.cli.console import Exit

ROWS = "patient,ward,days\n1,Surgery,3\n2,Medicine,90\n3, Surgery,5\n"
BY_WARD = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SHOAL_VAULT", raising=False)
    Path("visits.csv").write_text(ROWS)
    return tmp_path


def fill_in(file: str = "visits.toml") -> None:
    text = Path(file).read_text()
    text = text.replace(
        '# choices = ["first value", "second value"]', 'choices = ["Surgery", "Medicine"]'
    )
    before, after = text.split("[columns.days]")
    Path(file).write_text(
        f"{before}[columns.days]{after.replace('# range = [0, 100]', 'range = [0, 30]')}"
    )


def test_three_commands_lead_from_a_file_to_a_table_with_error_bars(folder: Path) -> None:
    assert "shoal add visits.toml" in " ".join(good("declare", "visits.csv").split())
    fill_in()
    code, out, err = run("add", "visits.toml")
    assert code == 0
    assert "Made office.shoal" in err
    assert "protects each person by patient" in out
    assert "95% interval" in good("ask", BY_WARD, "--epsilon", "0.5")


def test_nothing_is_registered_before_the_declaration_is_added(folder: Path) -> None:
    good("declare", "visits.csv")
    assert sorted(path.name for path in Path().iterdir()) == ["visits.csv", "visits.toml"]


def test_a_declaration_that_is_refused_leaves_no_vault(folder: Path) -> None:
    good("declare", "visits.csv")
    text = Path("visits.toml").read_text()
    Path("visits.toml").write_text(text.replace('unit = "person"', 'unit = "family"'))
    assert run("add", "visits.toml")[0] == Exit.USAGE
    assert run("add", "missing.toml")[0] != 0
    assert sorted(path.name for path in Path().iterdir()) == ["visits.csv", "visits.toml"]


def test_a_vault_that_is_there_is_used_and_none_is_made(folder: Path) -> None:
    good("init", "ours.shoal")
    good("declare", "visits.csv")
    fill_in()
    good("add", "visits.toml")
    assert not Path("office.shoal").exists()
    assert [each["name"] for each in json.loads(good("list", "--json"))] == ["visits"]


def test_who_is_protected_and_the_budget_may_be_typed(folder: Path) -> None:
    good(
        "declare", "visits.csv", "--row", "--budget", "2,1e-6", "--name", "stays", "--out", "s.toml"
    )
    good("add", "s.toml")
    [found] = json.loads(good("list", "--json"))
    assert (found["name"], found["protects"]["unit"]) == ("stays", "row")


def test_columns_of_a_file_without_a_header_are_named(folder: Path) -> None:
    Path("bare.csv").write_text("1,Surgery\n2,Medicine\n")
    good("declare", "bare.csv", "--no-header", "--names", "patient,ward")
    good("add", "bare.toml")
    [found] = json.loads(good("list", "--json"))
    assert [each["name"] for each in found["columns"]] == ["patient", "ward"]
    code, _, err = run("declare", "visits.csv", "--names", "a,b,c", "--out", "x.toml")
    assert (code, "--no-header" in err) == (Exit.USAGE, True)


def test_the_check_warns_on_the_side_and_counts_on_the_page(folder: Path) -> None:
    good("declare", "visits.csv")
    fill_in()
    good("add", "visits.toml")
    code, out, err = run("check", "visits")
    assert code == 0
    assert "Not private" in err
    assert "1 row is outside the choices, read as NULL: ' Surgery' (1)" in " ".join(out.split())
    assert "1 row is above the range" in out
    found = json.loads(good("check", "visits", "--json"))
    assert found["warning"].startswith("Not private")
    assert [each["above"] for each in found["columns"]] == [None, None, 1]


def test_how_a_file_is_written_is_declared_once(folder: Path) -> None:
    Path("old.csv").write_bytes("1;Müller;1,5\n2;Weiß;2,5\n".encode("latin-1"))
    good(
        "declare", "old.csv", "--no-header", "--names", "patient,who,cost",
        "--delimiter", ";", "--decimal", ",", "--encoding", "latin-1",
    )  # fmt: skip
    good("add", "old.toml")
    said = tomllib.loads(good("describe", "old", "--toml"))
    types = {name: each["type"] for name, each in said["columns"].items()}
    assert types == {"patient": "integer", "who": "text", "cost": "real"}
    assert 'encoding = "latin-1"' in good("describe", "old", "--toml")
    assert run("declare", "visits.csv", "--encoding", "cp1252")[0] == Exit.USAGE


def test_choices_with_commas_are_given_one_by_one(folder: Path) -> None:
    types = ("--type", "patient=integer", "--type", "days=integer")
    wards = ("--choice", "ward=Geriatrics, long stay", "--choice", "ward= Surgery")
    good("add", "visits", "visits.csv", "--row", *types, *wards, "--budget", "1")
    columns = {each["name"]: each for each in json.loads(good("describe", "visits", "--json"))["columns"]}  # fmt: skip
    assert columns["ward"]["choices"] == ["Geriatrics, long stay", " Surgery"]
    code, _, err = run("update", "visits", "--choice", "ward=a", "--choices", "ward=a,b")
    assert code == Exit.USAGE
    assert "--choice" in err
    good("update", "visits", "--choice", "ward=a")


def test_a_dataset_is_described_as_an_analyst_sees_it(folder: Path) -> None:
    good("add", "visits", "visits.csv", "--row", "--type", "patient=integer", "--type", "ward=text", "--type", "days=integer", "--budget", "1")  # fmt: skip
    good("grant", "ana", "visits", "--budget", "0.5")
    assert "each row" in good("describe", "visits", "--as", "ana")


def test_decimals_after_a_comma_are_proposed_where_cells_have_another_separator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [
        f"{at};{'medicine, long stay' if at % 3 else 'surgery'};{at % 30},5" for at in range(90)
    ]
    Path("stays.csv").write_text("\n".join(["patient;ward;days", *lines]) + "\n", encoding="utf-8")
    good("declare", "stays.csv")
    text = Path("stays.toml").read_text(encoding="utf-8")
    assert 'decimal = ","' in text
    assert tomllib.loads(text)["columns"]["days"]["type"] == "real"
    assert tomllib.loads(text)["columns"]["ward"]["type"] == "text"
    Path("plain.csv").write_text("patient;days\n1;2.5\n2;3.5\n", encoding="utf-8")
    good("declare", "plain.csv")
    assert "decimal" not in tomllib.loads(Path("plain.toml").read_text(encoding="utf-8"))
