"""What somebody who copies the files of a tally can read off them, besides what the tables say."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest

from shoal.ledger import Ledger, Tally
from shoal.ledger.sqlite import SqliteStore

ROOT = Path(__file__).parent.parent.parent
PEOPLE = 120
HEADER, FRAME = 32, 24
"""The bytes before the frames of a write-ahead log, and before the page in each frame."""


def mark(number: int) -> str:
    return sha256(f"mark {number}".encode()).hexdigest()


def cell(number: int) -> str:
    return "cell" + sha256(f"cell {number}".encode()).hexdigest()[:40]


def count_all(ledger: Ledger) -> None:
    tally = Tally(ledger, "commute")
    tally.give_out(sorted(map(mark, range(PEOPLE))), fact=lambda transaction: None)
    for number in range(PEOPLE):
        tally.count(cell(number), mark(number), gate=lambda transaction: None, given_out=True)


def states(path: Path, folder: Path) -> list[tuple[set[str], set[str]]]:
    """The used marks and the cells after each commit that the log still holds, oldest first."""
    log = path.with_name(path.name + "-wal")
    frames = log.read_bytes() if log.exists() else b""
    page = int.from_bytes(path.read_bytes()[16:18], "big")
    size = FRAME + page
    ends = [0] + [
        start + size
        for start in range(HEADER, len(frames) - size + 1, size)
        if int.from_bytes(frames[start + 4 : start + 8], "big")
    ]
    found = []
    for number, end in enumerate(ends):
        copy = folder / f"copy{number}.shoal"
        shutil.copy(path, copy)
        copy.with_name(copy.name + "-wal").write_bytes(frames[:end])
        with sqlite3.connect(copy) as connection:
            marks = {
                row[0] for row in connection.execute("SELECT mark FROM shoal_marks WHERE used")
            }
            cells = {row[0] for row in connection.execute("SELECT cell FROM shoal_counters")}
        connection.close()
        found.append((marks, cells))
    return found


def linked(path: Path, folder: Path) -> int:
    """For how many people a copy of the files tells which mark was counted with which cell."""
    found = 0
    for (marks, cells), (more_marks, more_cells) in pairwise(states(path, folder)):
        new = more_marks - marks, more_cells - cells
        found += [len(each) for each in new] == [1, 1]
    return found


def test_a_copy_of_the_file_and_its_log_links_no_mark_with_a_cell(tmp_path: Path) -> None:
    path = tmp_path / "office.shoal"
    with Ledger(path) as ledger:
        count_all(ledger)
        assert linked(path, tmp_path) == 0
        assert Tally(ledger, "commute").marks() == (PEOPLE, PEOPLE)


def test_the_adversary_of_these_tests_links_everybody_where_the_log_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SqliteStore, "sweep", lambda _: None)
    path = tmp_path / "office.shoal"
    with Ledger(path) as ledger:
        count_all(ledger)
        assert linked(path, tmp_path) == PEOPLE


def test_a_reader_in_the_way_lets_a_report_be_counted_and_the_next_one_empties_the_log(
    tmp_path: Path,
) -> None:
    path = tmp_path / "office.shoal"
    log = path.with_name(path.name + "-wal")
    with Ledger(path) as ledger:
        tally = Tally(ledger, "commute")
        tally.count(cell(0), mark(0), gate=lambda transaction: None)
        with ledger._reading() as connection:
            connection.exec_driver_sql("SELECT count(*) FROM shoal_marks").all()
            tally.count(cell(1), mark(1), gate=lambda transaction: None)
            assert log.stat().st_size > 0
        tally.count(cell(2), mark(2), gate=lambda transaction: None)
        assert log.stat().st_size == 0
        assert tally.marks() == (3, 3)


KILLED = """
import os, signal, sys
from shoal.ledger import Ledger, Tally
from shoal.ledger.sqlite import SqliteStore
SqliteStore.sweep = lambda self: None
tally = Tally(Ledger(sys.argv[1]), "commute")
for number in range(5):
    tally.count(f"cell {number}", f"mark {number}", gate=lambda transaction: None)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
def test_what_a_killed_process_left_in_the_log_is_gone_after_the_next_opening(
    tmp_path: Path,
) -> None:
    path = tmp_path / "office.shoal"
    log = path.with_name(path.name + "-wal")
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False, cwd=ROOT)
    assert log.stat().st_size > 0
    with Ledger(path) as ledger:
        assert log.stat().st_size == 0
        assert Tally(ledger, "commute").marks() == (5, 5)


def orders(path: Path, name: Callable[[int], str]) -> list[list[str]]:
    """For each page of the file the names in it, in the order in which its cells were filled: from
    the end of the page.
    """
    content = path.read_bytes()
    page = int.from_bytes(content[16:18], "big")
    names = [name(number) for number in range(PEOPLE)]
    places = sorted(((content.find(each.encode()), each) for each in names), reverse=True)
    pages = {place // page for place, _ in places}
    found = [[each for place, each in places if place // page == number] for number in pages]
    return sorted(found, key=min)


def test_after_settling_the_places_of_rows_are_the_same_in_whatever_order_they_came(
    tmp_path: Path,
) -> None:
    found: list[list[list[list[str]]]] = [[], []]
    for turn, coming in enumerate((range(PEOPLE), range(PEOPLE)[::-1])):
        path = tmp_path / f"office{turn}.shoal"
        with Ledger(path) as ledger:
            tally = Tally(ledger, "commute")
            for number in coming:
                tally.count(cell(number), mark(number), gate=lambda transaction: None)
            found[0] += [orders(path, cell), orders(path, mark)]
            ledger.take(tally.settle)
            found[1] += [orders(path, cell), orders(path, mark)]
            assert tally.marks() == (PEOPLE, PEOPLE)
            assert sum(tally.cells().values()) == PEOPLE
            assert ledger.verify().is_sound
        content = path.read_bytes()  # and no older copy of any is left
        assert {
            content.count(name(n).encode()) for n in range(PEOPLE) for name in (cell, mark)
        } == {1}
    before, after = found
    assert before[0] != before[2]
    assert before[1] != before[3]
    assert (after[0], after[1]) == (after[2], after[3])
