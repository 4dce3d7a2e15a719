"""A ledger on a server: its head is on the machine that asks, and the server refuses to change the
past.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.ledger import server

from shoal.errors import StorageError, TamperedError
from shoal.events import StatedPure
from shoal.ledger import Charge, Head, Ledger
from shoal.ledger.head import HeadFile
from shoal.measures import Pure

HALF = StatedPure("0.5")
TENTH = StatedPure("0.1")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which this machine keeps heads."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "shoal" / "heads"


@pytest.fixture
def database(postgres: str, tmp_path: Path) -> Iterator[str]:
    """The address of a database of its own, which can be dropped and restored."""
    name = f"office_{abs(hash(str(tmp_path)))}"
    _run(postgres, f'CREATE DATABASE "{name}"')
    yield postgres.replace("/postgres", f"/{name}")
    _run(postgres, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def _run(address: str, *statements: str) -> list[Any]:
    import psycopg  # noqa: PLC0415 - only where there is a server

    with psycopg.connect(address, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def _dumped(address: str, file: Path) -> Path:
    home = server.programs()
    assert home is not None
    subprocess.run([home / "pg_dump", "-Fc", "-f", file, address], check=True)
    return file


def _restored(address: str, file: Path) -> None:
    home = server.programs()
    assert home is not None
    subprocess.run([home / "pg_restore", "--clean", "-d", address, file], check=True)


def _spent(ledger: Ledger, event: StatedPure = HALF) -> None:
    charge = ledger.charge("visits", event, caller="ana")
    assert isinstance(charge, Charge)
    charge.answered({"n": 1})


def _built(address: str) -> None:
    with Ledger(address) as ledger:
        ledger.open_account("visits", Pure(1), relation="add_remove")
        _spent(ledger)


@pytest.mark.usefixtures("state")
def test_spending_that_a_restored_dump_has_forgotten_is_noticed_at_the_next_charge(
    database: str, tmp_path: Path
) -> None:
    _built(database)
    dump = _dumped(database, tmp_path / "dump")
    with Ledger(database) as ledger:
        _spent(ledger)
        entries = ledger.head.number
    _restored(database, dump)
    with Ledger(database) as ledger:
        assert ledger.account("visits").left == Pure("0.5")  # as the dump has it
        with pytest.raises(TamperedError, match=f"entry {entries} was written"):
            _spent(ledger)
        assert not ledger.verify().is_sound
        ledger.accept("restored from Monday's dump", caller="curator")
        ledger.change_budget("visits", Pure("0.5"))
        assert ledger.verify().is_sound
        assert ledger.account("visits").left == Pure(0)


@pytest.mark.usefixtures("state")
def test_a_ledger_that_is_restored_while_it_is_open_is_noticed(
    database: str, tmp_path: Path
) -> None:
    _built(database)
    dump = _dumped(database, tmp_path / "dump")
    with Ledger(database) as ledger:
        _spent(ledger, TENTH)
        _restored(database, dump)
        with pytest.raises(TamperedError):
            _spent(ledger, TENTH)


@pytest.mark.usefixtures("state")
def test_a_copy_at_another_address_that_forgets_spending_is_noticed(
    database: str, postgres: str, tmp_path: Path
) -> None:
    _built(database)
    other = f"{database}_copy"
    name = other.rpartition("/")[2]
    _run(postgres, f'CREATE DATABASE "{name}" TEMPLATE "{database.rpartition("/")[2]}"')
    try:
        with Ledger(database) as ledger:
            _spent(ledger)
        with Ledger(other) as ledger, pytest.raises(TamperedError):
            _spent(ledger)
    finally:
        _run(postgres, f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.mark.usefixtures("state")
def test_a_history_written_anew_at_the_same_address_is_noticed(database: str) -> None:
    _built(database)
    _run(database, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    with Ledger(database) as ledger, pytest.raises(TamperedError):
        ledger.open_account("visits", Pure(1), relation="add_remove")


def test_one_machine_that_saw_more_stops_all_machines(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "first"))
    _built(database)
    dump = _dumped(database, tmp_path / "dump")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "second"))
    with Ledger(database) as ledger:
        _spent(ledger, TENTH)
    _restored(database, dump)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "third"))
    with Ledger(database) as third:
        _spent(third, TENTH)  # it never saw what is lost
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "second"))
        with Ledger(database) as second:
            with pytest.raises(TamperedError):
                _spent(third, TENTH)
            second.accept("restored", caller="curator")
        _spent(third, TENTH)


def test_a_machine_remembers_what_others_wrote_once_it_looked(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "first"))
    _built(database)
    dump = _dumped(database, tmp_path / "dump")
    with Ledger(database) as ledger:
        _spent(ledger, TENTH)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "auditor"))
    with Ledger(database) as ledger:
        assert ledger.verify().is_sound
    _restored(database, dump)
    with Ledger(database) as ledger:
        assert not ledger.verify().is_sound


@pytest.mark.usefixtures("state")
def test_a_head_that_was_noted_elsewhere_is_held_against_a_server(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _built(database)
    dump = _dumped(database, tmp_path / "dump")
    with Ledger(database) as ledger:
        _spent(ledger, TENTH)
        noted = Head.read(str(ledger.head))
        assert ledger.verify(known=[noted]).is_sound
    _restored(database, dump)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "never here"))
    with Ledger(database) as ledger:
        assert ledger.verify().is_sound  # this machine saw nothing
        assert not ledger.verify(known=[noted]).is_sound


def test_heads_of_a_machine_are_for_its_user_alone(database: str, state: Path) -> None:
    _built(database)
    files = list(state.iterdir())
    assert len(files) == 2
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    with Ledger(database) as ledger:
        assert {HeadFile(file).read() for file in files} == {ledger.head}


def test_a_machine_that_can_keep_no_head_does_not_ask(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with pytest.raises(StorageError, match="XDG_STATE_HOME"):
        Ledger(database)


CHANGES = {
    "update": "UPDATE shoal_entries SET text = text",
    "delete": "DELETE FROM shoal_entries WHERE number > 2",
    "truncate": "TRUNCATE shoal_entries",
    "truncate what depends": "TRUNCATE shoal_entries CASCADE",
    "as a replica": "SET session_replication_role = replica; DELETE FROM shoal_entries",
}


@pytest.mark.usefixtures("state")
@pytest.mark.parametrize("change", CHANGES)
def test_the_server_refuses_to_change_the_journal_even_for_its_owner(
    change: str, database: str
) -> None:
    import psycopg  # noqa: PLC0415 - only where there is a server

    _built(database)
    with pytest.raises(psycopg.errors.RaiseException, match="never changed or removed"):
        _run(database, *CHANGES[change].split("; "))
    with Ledger(database) as ledger:
        assert ledger.verify().is_sound


@pytest.mark.usefixtures("state")
@pytest.mark.parametrize(
    "weakened",
    [
        "DROP TRIGGER shoal_never_changes ON shoal_entries",
        "ALTER TABLE shoal_entries DISABLE TRIGGER shoal_never_changes",
        "CREATE OR REPLACE FUNCTION shoal_refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NULL; END$$",
    ],
)
def test_the_guard_of_the_journal_is_renewed_at_every_opening(weakened: str, database: str) -> None:
    import psycopg  # noqa: PLC0415 - only where there is a server

    _built(database)
    _run(database, weakened)
    Ledger(database).close()
    with pytest.raises(psycopg.errors.RaiseException):
        _run(database, CHANGES["delete"])


def rights() -> list[str]:
    """What the page for those who run a server tells them to type, with names filled in."""
    page = (ROOT / "docs" / "ledger.md").read_text()
    found = re.search(r"```sql\n(.*?)```", page, re.DOTALL)
    assert found is not None
    return [each.strip() for each in found.group(1).split(";") if each.strip()]


@pytest.mark.usefixtures("state")
def test_a_role_with_the_rights_of_the_page_asks_and_changes_nothing_of_the_past(
    database: str, postgres: str
) -> None:
    import psycopg  # noqa: PLC0415 - only where there is a server

    _built(database)
    try:
        _run(database, *rights())
        asker = database.replace("shoal@", "asker@")
        with Ledger(asker) as ledger:
            _spent(ledger, TENTH)
            ledger.record("note", {"a": 1})
            assert ledger.verify().is_sound
        for change in (
            *list(CHANGES.values())[:3],
            "DROP TABLE shoal_entries",
            "ALTER TABLE shoal_entries DISABLE TRIGGER ALL",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                _run(asker, change)
    finally:
        _run(database, "DROP OWNED BY asker")
        _run(postgres, "DROP ROLE asker")


@pytest.mark.usefixtures("state")
def test_a_role_that_cannot_mend_the_guard_does_not_ask_without_it(
    database: str, postgres: str
) -> None:
    _built(database)
    try:
        _run(database, *rights(), "DROP TRIGGER shoal_never_changes ON shoal_entries")
        with pytest.raises(StorageError, match="trigger is missing"):
            Ledger(database.replace("shoal@", "asker@"))
    finally:
        _run(database, "DROP OWNED BY asker")
        _run(postgres, "DROP ROLE asker")


@pytest.mark.slow
@pytest.mark.usefixtures("state")
def test_who_waits_for_a_server_is_told_for_whom(
    database: str, caplog: pytest.LogCaptureFixture
) -> None:
    import psycopg  # noqa: PLC0415 - only where there is a server

    _built(database)
    with Ledger(database) as ledger, psycopg.connect(database) as other:
        other.execute("LOCK TABLE shoal_accounts IN EXCLUSIVE MODE")
        number = other.info.backend_pid
        timer = threading.Timer(3, other.rollback)
        timer.start()
        _spent(ledger, TENTH)
        timer.join()
    assert f"the connection {number} of 'shoal' holds it" in caplog.text


@pytest.mark.postgres
def test_processes_of_one_machine_write_to_one_head(
    places: Callable[[str], str], state: Path
) -> None:
    place = places("postgres")
    with Ledger(place) as ledger:
        ledger.open_account("visits", Pure(100), relation="add_remove")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
        program = (
            "import sys\nfrom shoal.events import StatedPure\nfrom shoal.ledger import Ledger\n"
            "with Ledger(sys.argv[1]) as ledger:\n"
            "    for _ in range(20): ledger.charge('visits', StatedPure('0.1'), caller='ana')\n"
        )
        others = [
            subprocess.Popen([sys.executable, "-c", program, place], env=environment)
            for _ in range(2)
        ]
        assert [other.wait(timeout=300) for other in others] == [0, 0]
        assert ledger.account("visits").spent == Pure(4)
        assert ledger.verify().is_sound
        assert {HeadFile(file).read() for file in state.iterdir()} == {ledger.head}
