"""How a CSV file is written is declared: decimals after a comma, another encoding, names without a
header.
"""

from __future__ import annotations

import codecs
import gzip
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.engines.test_csv_file import read

import shoal
from shoal.errors import SchemaError, SourceError

TYPES = {"name": "text", "cost": "real", "fee": "decimal(2)", "days": "integer"}
ROWS = "name;cost;fee;days\nMüller;1,5;2,25;3\nWeiß;1.5;2.25;1,0\nOslo;,5;7;1.000\n"
EXPECTED = [("Müller", 1.5, 225, 3), ("Oslo", 0.5, 700, None), ("Weiß", None, None, 1)]
"""A point is no decimal mark here, and ``1.000`` is no whole number."""


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
@pytest.mark.parametrize("packed", [False, True])
def test_decimals_after_a_comma_are_read_in_every_encoding(
    encoding: str, packed: bool, tmp_path: Path
) -> None:
    held = ROWS.encode(encoding)
    path = tmp_path / ("t.csv.gz" if packed else "t.csv")
    path.write_bytes(gzip.compress(held) if packed else held)
    _, rows = read(shoal.CsvFile(path, TYPES, decimal=",", encoding=encoding))
    assert rows == sorted(EXPECTED, key=repr)


def test_a_comma_between_digits_is_no_number_unless_it_is_declared(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(ROWS)
    _, rows = read(shoal.CsvFile(path, TYPES))
    assert [row[1:3] for row in rows] == [(None, None), (None, 700), (1.5, 225)]


@pytest.mark.parametrize(
    ("held", "encoding"),
    [
        (ROWS.encode("latin-1"), None),
        (ROWS.replace("Oslo", "€").encode("cp1252"), "latin-1"),
    ],
)
def test_a_file_in_another_encoding_than_declared_is_refused(
    held: bytes, encoding: Any, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(held)
    with pytest.raises(SourceError):
        read(shoal.CsvFile(path, TYPES, encoding=encoding))


def test_utf_16_with_the_larger_byte_first_is_refused_and_not_read_as_empty(
    tmp_path: Path,
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(codecs.BOM_UTF16_BE + "a;b\nMüller;1\n".encode("utf-16-be"))
    with pytest.raises(SourceError, match="UTF-16"):
        read(shoal.CsvFile(path, {"a": "text", "b": "text"}, encoding="utf-16"))


@pytest.mark.parametrize(("said", "way_out"), [("cp1252", "iconv"), ("klingon", "utf-8")])
def test_an_unknown_encoding_is_refused_with_a_way_out(said: str, way_out: str) -> None:
    with pytest.raises(SchemaError, match=way_out):
        shoal.CsvFile("t.csv", TYPES, encoding=said)


def test_only_a_point_and_a_comma_separate_decimals() -> None:
    with pytest.raises(SchemaError, match="decimal=','"):
        shoal.CsvFile("t.csv", TYPES, decimal=";")


def test_a_declaration_keeps_how_the_file_is_written_and_reads_it_back(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("Müller;1,5\nWeiß;2,5\n".encode("latin-1"))
    with shoal.open(tmp_path / "office.shoal") as vault:
        file = vault.declare(
            tmp_path / "t.csv",
            tmp_path / "people.toml",
            name="people",
            protects=shoal.Row(),
            budget=2,
            header=False,
            names=["who", "cost"],
            delimiter=";",
            decimal=",",
            encoding="latin-1",
        )
        said = tomllib.loads(file.read_text())
        assert (said["decimal"], said["encoding"], said["header"]) == (",", "latin-1", False)
        assert said["columns"]["cost"]["type"] == "real"  # read off cells such as 1,5
        vault.add_from(file)
        again = tomllib.loads(vault.to_toml("people"))
        assert (again["decimal"], again["encoding"]) == (",", "latin-1")
        assert vault.budget("people").whole == shoal.Pure(2)
        asked = vault.sql("SELECT COUNT(*) AS n FROM people WHERE cost > 1 AND who = 'Müller'")
        assert asked.release(epsilon="1.9").certificate
    with shoal.open(tmp_path / "office.shoal") as vault:  # as the journal has it
        place = vault.dataset("people").location
        assert (place.decimal, place.encoding) == (",", "latin-1")


def test_an_answer_is_not_given_again_for_decimals_that_are_read_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a;b\n" + "1,5;x\n" * 1000)
    types = {"a": "real", "b": "text"}
    with shoal.open(tmp_path / "office.shoal") as vault:
        vault.add("t", shoal.CsvFile(path, types, decimal=","), protects=shoal.Row(), budget=100)
        question = "SELECT COUNT(*) AS n FROM t WHERE a > 1"
        assert vault.sql(question).release(epsilon=40).rows == [(1000,)]
        vault.update("t", path=shoal.CsvFile(path, types, decimal="."))
        assert vault.sql(question).release(epsilon=40).rows == [(0,)]


def test_people_are_not_told_apart_by_numbers_that_are_read_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("who;x\n" + "".join(f"{at},5;{at}\n" for at in range(500)))
    types = {"who": "decimal(1)", "x": "integer"}
    said: dict[str, Any] = {"protects": shoal.Person("who"), "budget": 1}
    with shoal.open(tmp_path / "office.shoal") as vault:
        vault.add("t", shoal.CsvFile(path, types, decimal=","), **said)
        with pytest.raises(SchemaError, match="decimal and encoding"):
            vault.add("u", shoal.CsvFile(path, types), shares="t", **said)


@pytest.mark.parametrize(
    ("given", "measure"),
    [
        (1, shoal.Pure(1)),
        (0.1, shoal.Pure("0.1")),
        ("1", shoal.Pure(1)),
        (Decimal("0.5"), shoal.Pure("0.5")),
        ("1,1e-6", shoal.Approx(1, "1e-6")),
        ("rho=0.5", shoal.ZeroConcentrated("0.5")),
        (shoal.Approx(2, "1e-9"), shoal.Approx(2, "1e-9")),
    ],
)
def test_a_budget_that_is_a_number_means_epsilon(given: Any, measure: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,2\n")
    source = shoal.CsvFile(path, {"x": "integer", "y": "integer"})
    held = shoal.private(source, protects=shoal.Row(), budget=given)
    assert held.budget.whole == measure
    with shoal.open(tmp_path / "office.shoal") as vault:
        vault.add("t", source, protects=shoal.Row(), budget=given)
        assert vault.budget("t").whole == measure
        assert vault.set_budget("t", given).whole == measure
        assert vault.grant("ana", "t", given).allowances[0].budget == measure


@pytest.mark.parametrize("given", [True, None, "one", object(), [1]])
def test_what_is_no_budget_is_refused(given: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,2\n")
    source = shoal.CsvFile(path, {"x": "integer", "y": "integer"})
    with pytest.raises(shoal.ShoalError):
        shoal.private(source, protects=shoal.Row(), budget=given)
