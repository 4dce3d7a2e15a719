"""A ledger of an older version opens with the same totals; one of a newer version is refused and
left alone.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.ledger import version_1, version_2

from shoal.errors import StorageError
from shoal.events import StatedPure
from shoal.ledger import Charge, Ledger, Replay, Tally, schema
from shoal.measures import Pure


@pytest.fixture
def path(tmp_path: Path) -> Path:
    version_1.build(tmp_path / "office.shoal")
    return tmp_path / "office.shoal"


def check_totals(path: Path) -> None:
    with Ledger(path) as ledger:
        assert ledger.verify().is_sound
        (account,) = ledger.accounts()
        assert (account.spent, account.left, account.events) == (Pure("0.2"), Pure("0.8"), 2)
        again = ledger.charge("visits", StatedPure("0.1"), caller="ana", key="a")
        assert isinstance(again, Replay)
        assert again.answer == 42
        assert ledger.facts("dataset")[0].fact == {"name": "visits"}
        assert isinstance(ledger.charge("visits", StatedPure("0.8"), caller="ana"), Charge)
        assert ledger.verify().is_sound


def test_a_ledger_of_version_1_opens_with_the_same_totals(path: Path) -> None:
    check_totals(path)


def test_a_ledger_of_version_1_is_given_the_tables_of_tallies_and_can_count(path: Path) -> None:
    with Ledger(path) as ledger:
        tally = Tally(ledger, "commute")
        assert (tally.cells(), tally.marks()) == ({}, (0, 0))
        tally.count("01", "aa", gate=lambda transaction: None)
        assert (tally.cells(), tally.marks()) == ({"01": 1}, (1, 1))
    check_totals(path)
    assert _version(path) == "2"


def test_a_ledger_of_version_2_opens_with_the_same_totals_and_counters(tmp_path: Path) -> None:
    path = tmp_path / "two.shoal"
    version_2.build(path)
    with Ledger(path) as ledger:
        tally = Tally(ledger, "commute")
        assert (tally.cells(), tally.marks()) == ({"00": 2, "01": 1}, (4, 3))
    check_totals(path)


def test_tables_made_today_are_those_of_version_2(tmp_path: Path) -> None:
    path = tmp_path / "two.shoal"
    version_2.build(path)
    with Ledger(tmp_path / "new.shoal"):
        pass
    shapes = []
    for each in (path, tmp_path / "new.shoal"):
        connection = sqlite3.connect(each)
        shapes.append(
            {
                name: connection.execute(f"PRAGMA table_info({name})").fetchall()
                or connection.execute(f"PRAGMA index_info({name})").fetchall()
                for (name,) in connection.execute(
                    "SELECT name FROM sqlite_master WHERE type != 'trigger'"
                )
            }
        )
        connection.close()
    added = shapes[1].pop("shoal_charges")  # an index, which an older Shoal does not mind
    assert [name for _, _, name in added] == ["kind", "number"]
    assert shapes[0] == shapes[1]
    assert schema.VERSION == 2, "add a version_3.py beside version_2.py, and a migration"


def test_a_ledger_brought_from_version_1_has_the_tables_of_one_made_today(
    path: Path, tmp_path: Path
) -> None:
    for place in (path, tmp_path / "new.shoal"):
        with Ledger(place):
            pass
    words = []
    for place in (path, tmp_path / "new.shoal"):
        connection = sqlite3.connect(place)
        found = connection.execute("SELECT sql FROM sqlite_master WHERE name LIKE 'shoal_%s'")
        words.append(sorted(sql.split()[2] for (sql,) in found))
        for table in ("shoal_counters", "shoal_marks"):
            with pytest.raises(sqlite3.OperationalError, match="rowid"):
                connection.execute(f"SELECT rowid FROM {table}")
        connection.close()
    assert words[0] == words[1]


def test_an_older_ledger_is_brought_to_this_version_step_by_step(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def add_a_column(connection: sa.Connection) -> None:
        connection.exec_driver_sql("ALTER TABLE shoal_accounts ADD COLUMN note TEXT")

    def rename_it(connection: sa.Connection) -> None:
        connection.exec_driver_sql("ALTER TABLE shoal_accounts DROP COLUMN note")

    monkeypatch.setattr(schema, "VERSION", 4)
    steps = {1: schema.MIGRATIONS[1], 2: add_a_column, 3: rename_it}
    monkeypatch.setattr(schema, "MIGRATIONS", steps)
    check_totals(path)
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT value FROM shoal_about").fetchall() == [("4",)]
    connection.close()


def test_a_migration_that_fails_leaves_the_ledger_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(connection: sa.Connection) -> None:
        connection.exec_driver_sql("ALTER TABLE shoal_accounts ADD COLUMN note TEXT")
        connection.exec_driver_sql("ALTER TABLE no_such_table ADD COLUMN note TEXT")

    with monkeypatch.context() as patched:
        patched.setattr(schema, "VERSION", 2)
        patched.setattr(schema, "MIGRATIONS", {1: fail})
        with pytest.raises(StorageError):
            Ledger(path)
    check_totals(path)


@pytest.mark.parametrize("version", ["3", "999", "0", "x"])
def test_a_ledger_of_another_version_is_refused_and_left_alone(version: str, path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE shoal_about SET value = ?", (version,))
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StorageError, match="versions up to 2"):
        Ledger(path)
    assert path.read_bytes() == before or _rows(path) == 8


def _version(path: Path) -> str:
    connection = sqlite3.connect(path)
    (found,) = connection.execute("SELECT value FROM shoal_about WHERE name = 'version'").fetchone()
    connection.close()
    return str(found)


def _rows(path: Path) -> int:
    connection = sqlite3.connect(path)
    (count,) = connection.execute("SELECT count(*) FROM shoal_entries").fetchone()
    connection.close()
    return int(count)


def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    stranger = tmp_path / "stranger.db"
    connection = sqlite3.connect(stranger)
    connection.execute("CREATE TABLE people (name TEXT)")
    connection.commit()
    connection.close()
    with pytest.raises(StorageError, match="something else"):
        Ledger(stranger)
    text = tmp_path / "notes.txt"
    text.write_text("these are notes, and not a ledger\n" * 100)
    with pytest.raises(StorageError, match="not a database"):
        Ledger(text)
    assert text.read_text().startswith("these are notes")


@pytest.mark.parametrize("where", ["mysql://x/y", "http://x"])
def test_other_addresses_are_refused(where: str) -> None:
    with pytest.raises(StorageError, match="postgresql://"):
        Ledger(where)
