"""Read access is enough to verify and to look: nothing is written, whoever writes meanwhile is
noticed, and damage is named.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.ledger.test_verification import built
from tests.vault.office import COUNT, office

from shoal.errors import LedgerError, StorageError
from shoal.events import StatedPure
from shoal.ledger import Ledger
from shoal.ledger.sqlite import ReadOnlyStore
from shoal.measures import Pure

TENTH = StatedPure("0.1")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "vault").mkdir()
    return built(tmp_path / "vault" / "office.shoal")


def files(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {each.name: (each.read_bytes(), each.stat().st_mtime_ns) for each in folder.iterdir()}


def test_reading_only_writes_nothing_and_finds_the_same(path: Path) -> None:
    with Ledger(path) as ledger:
        verdict, accounts = ledger.verify(), ledger.accounts()
    before = files(path.parent)
    with Ledger(path, read_only=True) as ledger:
        assert ledger.verify() == verdict
        assert ledger.accounts() == accounts
        with pytest.raises(StorageError, match="for reading only"):
            ledger.charge("visits", TENTH, caller="ana")
        with pytest.raises(StorageError, match="for reading only"):
            ledger.accept("why not", caller="ana")
    assert files(path.parent) == before


def test_a_ledger_that_is_being_written_is_read_with_what_is_in_its_log(path: Path) -> None:
    with Ledger(path) as writer:
        writer.charge("visits", TENTH, caller="ana")
        assert path.with_name("office.shoal-wal").stat().st_size
        with Ledger(path, read_only=True) as reader:
            assert reader.head == writer.head
            writer.charge("visits", TENTH, caller="ana")
            assert reader.head == writer.head
            assert reader.verify().is_sound


def test_whoever_writes_while_it_is_read_is_noticed(path: Path) -> None:
    store = ReadOnlyStore(path)

    def read_while_written() -> None:
        with store.reading() as connection:
            connection.exec_driver_sql("SELECT 1")
            with Ledger(path) as writer:
                writer.charge("visits", TENTH, caller="ana")

    with pytest.raises(StorageError, match="was written while it was read"):
        read_while_written()


def test_an_old_copy_is_found_out_by_those_who_only_read(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / "copy")
    with Ledger(path) as ledger:
        ledger.charge("visits", TENTH, caller="ana")
    shutil.copy(tmp_path / "copy", path)
    with Ledger(path, read_only=True) as ledger:
        assert not ledger.verify().is_sound


def test_what_is_no_ledger_is_not_made_one_by_reading(tmp_path: Path) -> None:
    for name, content in {"empty": b"", "text": b"hello" * 300}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(StorageError):
            Ledger(tmp_path / name, read_only=True)
        assert (tmp_path / name).read_bytes() == content
    with pytest.raises(StorageError):
        Ledger(tmp_path / "missing", read_only=True)
    assert {each.name for each in tmp_path.iterdir()} == {"empty", "text"}


# rights

WITHOUT_RIGHTS = """
import contextlib, io, os, shutil, sys, tempfile
from shoal.cli.app import app
*words, vault = sys.argv[1:]
with tempfile.TemporaryDirectory() as copy, contextlib.redirect_stdout(io.StringIO()):
    shutil.copytree(os.path.dirname(vault), copy + "/v")  # so that all that is imported is there
    os.chmod(copy + "/v", 0o755)
    with contextlib.suppress(SystemExit):
        app([*words, copy + "/v/office.shoal"])
if os.getuid() == 0:
    os.setuid(65534)
app([*words, vault])
"""
ON_A_FULL_DISK = """
import sys
from shoal.cli.app import app
app(sys.argv[1:])
"""


def run(
    *words: str, before: Callable[[], None] | None = None, program: str = WITHOUT_RIGHTS
) -> tuple[int, str]:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=before,
        timeout=300,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def readable() -> Iterator[Path]:
    """A vault with a release, in a folder that others can read, and only read."""
    with tempfile.TemporaryDirectory(prefix="shoal-read-") as folder:
        with office(Path(folder)) as vault:
            vault.sql(COUNT).release(epsilon="0.1")
        for each in Path(folder).iterdir():
            each.chmod(0o444)
        Path(folder).chmod(0o555)
        yield Path(folder) / "office.shoal"
        Path(folder).chmod(0o755)


@pytest.mark.slow
@pytest.mark.parametrize("command", [["verify"], ["log"], ["list"], ["report", "1"]])
def test_an_auditor_with_read_access_alone_can_look(command: list[str], readable: Path) -> None:
    code, text = run(*command, "--vault", str(readable))
    assert (code, "ledger-1" in text) == (0, False), text


@pytest.mark.slow
def test_an_auditor_with_read_access_alone_finds_what_is_wrong(readable: Path) -> None:
    readable.with_name("office.shoal.head").unlink()
    code, text = run("verify", "--vault", str(readable))
    assert (code, "head beside the ledger is missing" in text) == (5, True), text


def _full_disk() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))


@pytest.mark.slow
def test_a_full_disk_does_not_stop_an_auditor(readable: Path) -> None:
    for command in ("verify", "log"):
        code, text = run(
            command, "--vault", str(readable), before=_full_disk, program=ON_A_FULL_DISK
        )
        assert (code, "ledger-1" in text) == (0, False), text


# others who may write


@pytest.mark.parametrize("name", ["office.shoal", "office.shoal.head"])
@pytest.mark.parametrize("read_only", [False, True])
def test_a_ledger_that_everybody_may_write_is_refused(
    name: str, read_only: bool, path: Path
) -> None:
    file = path.with_name(name)
    file.chmod(0o666)
    with pytest.raises(StorageError, match=r"chmod o-w .*office"):
        Ledger(path, read_only=read_only)
    file.chmod(0o660)
    Ledger(path, read_only=read_only).close()


@pytest.mark.parametrize("read_only", [False, True])
def test_a_ledger_in_a_folder_of_everybody_is_refused(read_only: bool, path: Path) -> None:
    """Who may write there may put another journal and another head in their places; with the
    sticky bit, as /tmp has it, only their owner may.
    """
    path.parent.chmod(0o777)
    with pytest.raises(StorageError, match=r"chmod o-w .*"):
        Ledger(path, read_only=read_only)
    path.parent.chmod(0o1777)
    Ledger(path, read_only=read_only).close()


def test_every_file_of_a_ledger_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    was = os.umask(0)
    try:
        with Ledger(tmp_path / "office.shoal") as ledger:
            ledger.open_account("visits", Pure(1), relation="add_remove")
            modes = {each.name: each.stat().st_mode & 0o777 for each in tmp_path.iterdir()}
    finally:
        os.umask(was)
    assert set(modes.values()) == {0o600}
    assert len(modes) == 4


# waiting

HOLDING = """
import fcntl, sys, time
with open(sys.argv[1], "r+b") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    print("held", flush=True)
    time.sleep(4)
"""


@pytest.mark.slow
def test_who_waits_for_the_lock_of_a_process_is_told_for_whom(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    arguments = [sys.executable, "-c", HOLDING, str(path.with_name("office.shoal.head"))]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as holding, Ledger(path) as ledger:
        assert holding.stdout is not None
        holding.stdout.readline()
        ledger.charge("visits", TENTH, caller="ana")
    named = f"process {holding.pid}" if sys.platform == "linux" else "another process"
    assert f"Waiting to write to 'office.shoal': {named}" in caplog.text


@pytest.mark.slow
def test_who_waits_for_another_program_is_told_so(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    with Ledger(path) as ledger:
        other.execute("BEGIN IMMEDIATE")
        threading.Timer(3, lambda: other.execute("ROLLBACK")).start()
        ledger.charge("visits", TENTH, caller="ana")
    other.close()
    assert "another program" in caplog.text


# damage


@pytest.mark.parametrize("share", [150, pytest.param(1, marks=pytest.mark.audit)])
def test_whatever_byte_is_flipped_verifying_says_something_in_words(
    share: int, path: Path, tmp_path: Path
) -> None:
    with sqlite3.connect(path) as connection:  # what is in the write-ahead log goes into the file
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    whole, head = path.read_bytes(), path.with_name("office.shoal.head").read_bytes()
    used = [at for at in range(len(whole)) if whole[at]]
    chance = random.Random(17)
    places = used if share == 1 else sorted(chance.sample(used, len(used) // share))
    places += [] if share == 1 else [whole.index(b"CREATE TABLE") + at for at in range(8)]
    damaged = tmp_path / "damaged" / "office.shoal"
    unsound = 0
    for at in places:
        shutil.rmtree(damaged.parent, ignore_errors=True)
        damaged.parent.mkdir()
        flipped = bytes([whole[at] ^ (0xFF if at % 2 else 1 << at % 8)])
        damaged.write_bytes(whole[:at] + flipped + whole[at + 1 :])
        damaged.chmod(0o600)
        damaged.with_name("office.shoal.head").write_bytes(head)
        try:
            with Ledger(damaged, read_only=bool(at % 3)) as ledger:
                unsound += not ledger.verify().is_sound
        except LedgerError:
            unsound += 1
    assert unsound > len(places) / 3


@pytest.mark.parametrize("at", range(0, 1024, 97))
def test_whatever_byte_of_the_head_is_flipped_it_is_no_crash(at: int, path: Path) -> None:
    head = path.with_name("office.shoal.head")
    content = bytearray(head.read_bytes())
    content[at] ^= 0xFF
    head.write_bytes(content)
    with Ledger(path) as ledger:
        assert str(ledger.verify()).startswith(("sound", "NOT sound"))


def test_a_vault_whose_key_is_damaged_can_be_verified(tmp_path: Path) -> None:
    import shoal  # noqa: PLC0415 - a vault, here only

    shoal.open(tmp_path / "office.shoal").close()
    with sqlite3.connect(tmp_path / "office.shoal") as connection:
        connection.execute("DROP TRIGGER shoal_never_changes")
        connection.execute("UPDATE shoal_entries SET text = substr(text, 2) WHERE kind = 'vault'")
    connection.close()
    with shoal.open(tmp_path / "office.shoal") as vault:
        assert "entry 2 was changed after it was written" in str(vault.verify())
        with pytest.raises(shoal.errors.TamperedError, match="was changed after it was written"):
            vault.datasets  # noqa: B018 - it is read
