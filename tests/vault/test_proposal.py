"""A declaration to fill in: it says nothing of the rows but the types that fit, and works once it
is filled in.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal
from shoal.errors import SchemaError, VaultError
from shoal.vault.proposal import PROPOSED, declare, settled

ROWS = "patient,ward,age,admitted\n1,Surgery,34,2026-01-05\n1,Medicine,34,2026-02-11\n2,Surgery,71,2026-03-01\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text(ROWS)
    return tmp_path


def test_every_column_has_a_type_and_no_value_of_a_row_is_in_the_proposal(folder: Path) -> None:
    text = declare("visits.csv").read_text()
    found = tomllib.loads(text)
    kinds = {name: each["type"] for name, each in found["columns"].items()}
    assert kinds == {"patient": "integer", "ward": "text", "age": "integer", "admitted": "date"}
    for value in ("Surgery", "Medicine", "34", "71", "2026-01-05", "2026-03-01"):
        assert value not in text


def test_a_proposal_depends_on_rows_by_the_types_alone(folder: Path) -> None:
    first = declare("visits.csv").read_text()
    Path("visits.csv").write_text("patient,ward,age,admitted\n99,Zoo,1,2031-12-31\n")
    assert declare("visits.csv", name="visits", out="again.toml").read_text() == first.replace(
        "visits.toml", "again.toml"
    )


def test_facts_that_are_filled_in_are_registered_with_one_command(folder: Path) -> None:
    file = declare("visits.csv", budget=shoal.Pure(2))
    text = file.read_text()
    before, after = text.split("[columns.age]")
    file.write_text(
        before + "[columns.age]" + after.replace("# range = [0, 100]", "range = [0, 120]", 1)
    )
    with shoal.open("office.shoal") as vault:
        made = vault.add_from(file)
        assert isinstance(made.protects, shoal.Person)
        assert made.protects.columns == ("patient",)
        facts = {each.name: str(each.fact) for each in made.columns if each.fact}
        assert facts == {"age": "Range(0, 120)"}
        assert str(vault.budget("visits").left) == "epsilon 2"


def test_a_file_without_a_column_that_names_a_person_must_be_decided_by_the_curator(
    folder: Path,
) -> None:
    Path("sales.csv").write_text("shop,spend\nAldam,3\n")
    file = declare("sales.csv")
    with shoal.open("office.shoal") as vault:
        with pytest.raises(SchemaError, match="has no unit"):
            vault.add_from(file)
        file.write_text(file.read_text().replace('# unit = "row"', 'unit = "row"'))
        assert isinstance(vault.add_from(file).protects, shoal.Row)


def test_a_declaration_that_is_there_is_written_over_only_by_force(folder: Path) -> None:
    Path("visits.toml").write_text("mine")
    with pytest.raises(SchemaError, match="already"):
        declare("visits.csv")
    assert Path("visits.toml").read_text() == "mine"
    assert "[columns.ward]" in declare("visits.csv", force=True).read_text()


def test_rows_are_never_written_over(folder: Path) -> None:
    with pytest.raises(SchemaError, match=r"ends in \.toml"):
        declare("visits.csv", out="visits.csv", force=True)
    assert Path("visits.csv").read_text() == ROWS


def test_columns_without_a_header_are_named_in_order(folder: Path) -> None:
    Path("bare.csv").write_text("7,Aldam\n8,Brook\n")
    source = shoal.CsvFile("bare.csv", {"a": "integer"}, header=False)
    bare = type(source).without_names(Path("bare.csv"))
    text = declare(bare, names=["person_id", "town"]).read_text()
    found = tomllib.loads(text)
    assert found["header"] is False
    assert {n: c["type"] for n, c in found["columns"].items()} == {
        "person_id": "integer",
        "town": "text",
    }
    with pytest.raises(SchemaError, match="3 names are given, and the file has 2 columns"):
        declare(bare, names=["a", "b", "c"], out="more.toml")
    assert not Path("more.toml").exists()


@pytest.mark.parametrize(
    ("first", "asked"),
    [("Ann Smith,HIV positive", True), ("Müller;HIV", True), ("patient,ward_2", False)],
)
def test_a_first_line_that_could_be_a_person_is_asked_about(
    first: str, asked: bool, folder: Path
) -> None:
    """Of texts alone nothing shows what they are; names of columns are mostly short and small."""
    between = ";" if ";" in first else ","
    Path("people.csv").write_text(f"{first}\nBob{between}none\n")
    text = declare("people.csv").read_text()
    assert ("If that line is about a person" in text) == asked


def test_a_parquet_file_keeps_the_types_it_states(folder: Path) -> None:
    table = pa.table({"user_id": pa.array([1, 2]), "spend": pa.array([1.5, 2.5])})
    parquet.write_table(table, "sales.parquet")
    found = tomllib.loads(declare("sales.parquet").read_text())
    assert {n: c["type"] for n, c in found["columns"].items()} == {
        "user_id": "integer",
        "spend": "real",
    }
    assert found["protects"]["columns"] == ["user_id"]


def test_names_with_quotes_dots_and_spaces_come_back_as_they_are(folder: Path) -> None:
    Path("odd.csv").write_text('patient no,"a ""b""",c.d\n1,x,y\n')
    found = tomllib.loads(declare("odd.csv").read_text())
    assert list(found["columns"]) == ["patient no", 'a "b"', "c.d"]
    assert found["protects"]["columns"] == ["patient no"]


def test_a_registered_declaration_no_longer_calls_itself_a_proposal(folder: Path) -> None:
    text = declare("visits.csv").read_text()
    assert text.splitlines()[1].startswith(PROPOSED)
    assert PROPOSED not in settled(text)
    assert tomllib.loads(settled(text)) == tomllib.loads(text)


def test_an_analyst_declares_nothing(folder: Path) -> None:
    with shoal.open("office.shoal") as vault:
        file = vault.declare("visits.csv")
        vault.add_from(file)
        vault.grant("ana", "visits", shoal.Pure(1))
        with pytest.raises(VaultError, match="only the curator"):
            vault.as_("ana").declare("visits.csv", "more.toml")
