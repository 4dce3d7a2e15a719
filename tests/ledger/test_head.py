"""The head beside the file: what it survives, and what it gives away."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from shoal.errors import TamperedError
from shoal.events import StatedPure
from shoal.ledger import Head, Ledger
from shoal.ledger.head import HeadFile
from shoal.measures import Pure

TENTH = StatedPure("0.1")


def heads(count: int) -> list[Head]:
    return [Head(number, f"{number:064x}") for number in range(1, count + 1)]


def test_the_newest_head_is_read_by_everyone(tmp_path: Path) -> None:
    mine, theirs = HeadFile(tmp_path / "x.head"), HeadFile(tmp_path / "x.head")
    assert mine.read() is None
    for head in heads(5):
        mine.write(head)
        assert mine.read() == theirs.read() == head


@pytest.mark.parametrize("place", [0, 100, 511, 512, 600, 1023])
@pytest.mark.parametrize("last", [6, 7])
def test_a_torn_head_leaves_the_one_before_or_itself(place: int, last: int, tmp_path: Path) -> None:
    file = HeadFile(tmp_path / "x.head")
    written = heads(last)
    for head in written:
        file.write(head)
    content = bytearray((tmp_path / "x.head").read_bytes())
    content[place] ^= 0x15
    (tmp_path / "x.head").write_bytes(content)
    assert HeadFile(tmp_path / "x.head").read() in written[-2:]


def test_writing_over_takes_back_a_larger_head(tmp_path: Path) -> None:
    file = HeadFile(tmp_path / "x.head")
    for head in heads(8):
        file.write(head)
    file.write(Head(3, "f" * 64), over=True)
    assert HeadFile(tmp_path / "x.head").read() == Head(3, "f" * 64)


def test_a_head_that_lags_behind_is_a_crash_and_no_alarm(tmp_path: Path) -> None:
    path, head = tmp_path / "office.shoal", tmp_path / "office.shoal.head"
    with Ledger(path) as ledger:
        ledger.open_account("visits", Pure(1), relation="add_remove")
        ledger.charge("visits", TENTH, caller="ana")
        before = head.read_bytes()
        ledger.charge("visits", TENTH, caller="ana")
        ledger.charge("visits", TENTH, caller="ana")
    head.write_bytes(before)
    with Ledger(path) as ledger:
        assert ledger.verify().is_sound
        ledger.charge("visits", TENTH, caller="ana")
        assert ledger.account("visits").spent == Pure("0.4")
        assert head.read_bytes() != before
        assert ledger.verify().is_sound


def test_another_process_that_died_before_the_head_is_noticed(tmp_path: Path) -> None:
    path, head = tmp_path / "office.shoal", tmp_path / "office.shoal.head"
    with Ledger(path) as ledger, Ledger(path) as other:
        ledger.open_account("visits", Pure(1), relation="add_remove")
        ledger.charge("visits", TENTH, caller="ana")
        before = head.read_bytes()
        other.charge("visits", TENTH, caller="bea")
        with head.open("r+b") as file:  # the same file, as it was before the other wrote
            os.pwrite(file.fileno(), before, 0)
        ledger.charge("visits", TENTH, caller="ana")
        assert ledger.account("visits").spent == Pure("0.3")
        assert ledger.verify().is_sound


def test_two_ledgers_of_one_process_see_each_other(tmp_path: Path) -> None:
    path = tmp_path / "office.shoal"
    with Ledger(path) as one, Ledger(path) as other:
        one.open_account("visits", Pure(1), relation="add_remove")
        for _ in range(3):
            one.charge("visits", TENTH, caller="ana")
            other.charge("visits", TENTH, caller="bea")
        other.change_budget("visits", Pure("0.7"))
        one.charge("visits", TENTH, caller="ana")
        assert not other.would_fit("visits", StatedPure("1e-9"))
        assert one.verify().is_sound


def test_the_head_may_be_kept_elsewhere(tmp_path: Path) -> None:
    path, head = tmp_path / "office.shoal", tmp_path / "safe" / "office.head"
    head.parent.mkdir()
    with Ledger(path, head=head) as ledger:
        ledger.open_account("visits", Pure(1), relation="add_remove")
        shutil.copy(path, tmp_path / "copy")
    assert not (tmp_path / "office.shoal.head").exists()
    with Ledger(path, head=head) as ledger:
        ledger.charge("visits", TENTH, caller="ana")
    shutil.copy(tmp_path / "copy", path)
    with Ledger(path, head=head) as ledger, pytest.raises(TamperedError):
        ledger.charge("visits", TENTH, caller="ana")


def test_a_server_can_have_a_head_too(places: object, postgres: str, tmp_path: Path) -> None:
    place: str = places("postgres")  # type: ignore[operator]
    head = tmp_path / "office.head"
    with Ledger(place, head=head) as ledger:
        ledger.open_account("visits", Pure(1), relation="add_remove")
        ledger.charge("visits", TENTH, caller="ana")
        ahead = HeadFile(head)
        ahead.write(Head(99, "f" * 64), over=True)
        with pytest.raises(TamperedError, match="entry 99 was written"):
            ledger.charge("visits", TENTH, caller="ana")
        ledger.accept("the server was restored", caller="curator")
        ledger.charge("visits", TENTH, caller="ana")
        assert ledger.verify().is_sound
