"""Streams in a vault: paid for once, each day measured once, whatever happens between the days."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.engines.duckdb import DuckDB
from shoal.errors import (
    BudgetExceeded,
    ChangedError,
    RangeError,
    SchemaError,
    UnansweredError,
    UnknownNameError,
    VaultError,
)
from shoal.vault.daily_counts import DailyCounts
from shoal.vault.kept_stream import AskedStream, Stream
from shoal.workloads.stream_matrix import StreamMatrix
from shoal.workloads.stream_plan import StreamPlan

FIRST = dt.date(2026, 1, 1)
DAYS = 10


def day(at: int) -> dt.date:
    return FIRST + dt.timedelta(at)


def write(path: Path, rows: Any) -> None:
    ids, days = [who for who, _ in rows], [None if at is None else day(at) for _, at in rows]
    held = {"id": pa.array(ids, pa.int64()), "day": pa.array(days, pa.date32())}
    pq.write_table(pa.table(held), path)


ROWS = [(who, at) for who in range(40) for at in range(who % 5, DAYS, 3)]


def vault_of(
    folder: Path, rows: Any = ROWS, protects: Any = None, budget: Any = None, **more: Any
) -> shoal.Vault:
    write(folder / "visits.parquet", rows)
    vault = shoal.open(folder / "office.shoal")
    vault.add(
        "visits",
        folder / "visits.parquet",
        protects=protects or shoal.Person("id", groups=2, rows_per_group=1),
        columns={"day": shoal.Range(FIRST, day(DAYS - 1))},
        budget=budget or shoal.ZeroConcentrated(1),
        **more,
    )
    return vault


def opened(vault: shoal.Vault, rho: str = "0.5") -> Stream:
    return vault.daily("a", "visits", "day").open(rho=rho)


def exact(rows: Any, share: int | None) -> list[int]:
    """The first rows of each person in the order of days, counted by day."""
    taken, found = Counter[int](), Counter[int]()
    for who, at in sorted((r for r in rows if r[1] is not None), key=lambda r: r[1]):
        if 0 <= at < DAYS and (share is None or taken[who] < share):
            taken[who] += 1
            found[at] += 1
    return [found[at] for at in range(DAYS)]


def test_all_days_are_charged_when_a_stream_is_opened_and_nothing_afterwards(
    tmp_path: Path,
) -> None:
    vault = vault_of(tmp_path)
    asked = vault.daily("a", "visits", "day")
    assert asked.preview(rho="0.5").days == DAYS
    assert vault.budget("visits").spent == shoal.ZeroConcentrated(0)
    with patch.object(DuckDB, "parts", side_effect=AssertionError("rows were read")):
        stream = asked.open(rho="0.5")
    spent = vault.budget("visits").spent
    assert 0.499 < float(spent.rho) <= 0.5  # type: ignore[attr-defined]
    stream.release(day(DAYS - 1))
    assert vault.budget("visits").spent == spent
    assert asked.open(rho="0.5").released().rows == stream.released().rows
    assert vault.budget("visits").spent == spent
    assert vault.streams == ["a"]
    assert vault.verify().is_sound


def test_a_stream_that_does_not_fit_the_budget_is_refused_and_nothing_is_read(
    tmp_path: Path,
) -> None:
    vault = vault_of(tmp_path, budget=shoal.ZeroConcentrated("0.1"))
    with (
        patch.object(DuckDB, "parts", side_effect=AssertionError("rows were read")),
        pytest.raises(BudgetExceeded),
    ):
        opened(vault)
    assert vault.streams == []


def test_days_that_were_released_stay_as_they_are_also_in_another_process(tmp_path: Path) -> None:
    vault = vault_of(tmp_path)
    first = opened(vault).release(day(3)).rows
    vault.close()
    with shoal.open(tmp_path / "office.shoal") as again:
        stream = again.stream("a")
        assert stream.released().rows == first
        assert stream.release(day(1)).rows == first
        assert stream.release(day(6)).rows[:4] == first
        assert len(stream.release()) == 8
        assert stream.certificate["groups"] == DAYS


UNITS = {
    "two rows of a person": (shoal.Person("id", groups=2, rows_per_group=1), 2),
    "four rows of a person": (shoal.Person("id", groups=2, rows_per_group=2), 4),
    "each row": (shoal.Row(), None),
}


@pytest.mark.parametrize(("unit", "share"), UNITS.values(), ids=UNITS)
def test_counts_are_those_of_each_persons_first_rows(
    tmp_path: Path, unit: Any, share: int | None
) -> None:
    rows = [*ROWS, (1, 2), (1, 2), (1, 2), (3, None), (4, -5), (4, -4), (5, DAYS + 3)]
    vault = vault_of(tmp_path, rows, unit)
    counts = DailyCounts(vault._tables, "visits", "day")
    counts.source.engine.open()  # type: ignore[attr-defined]
    found = counts.read()
    assert counts.reach == (share or 1)
    # a day outside the declared ones counts as the nearest of them, as everywhere
    known = [(who, min(max(at, 0), DAYS - 1)) for who, at in rows if at is not None]
    assert found == exact(known, share)


def test_no_added_row_takes_back_what_was_counted_up_to_a_day(tmp_path: Path) -> None:
    """The premise of the proof, on the engine: sums over the first days never shrink."""
    unit = shoal.Person("id", groups=2, rows_per_group=1)
    before: list[Any] = list(ROWS)
    sums: list[int] | None = None
    additions: list[Any] = [[], [(0, 9)], [(0, 0)], [(2, -7), (2, None)], [(7, 0)] * 3]
    for at, added in enumerate(additions):
        folder = tmp_path / str(at)
        folder.mkdir()
        before = [*before, *added]
        counts = DailyCounts(vault_of(folder, before, unit)._tables, "visits", "day")
        counts.source.engine.open()  # type: ignore[attr-defined]
        found = counts.read()
        running = [sum(found[: each + 1]) for each in range(DAYS)]
        if sums is not None:
            assert all(now >= then for now, then in zip(running, sums, strict=True))
        sums = running


@pytest.mark.parametrize(("unit", "share"), UNITS.values(), ids=UNITS)
def test_no_neighbours_are_further_apart_than_the_noise_allows(
    tmp_path: Path, unit: Any, share: int | None
) -> None:
    vault = vault_of(tmp_path, ROWS, unit)
    plan = vault.daily("a", "visits", "day").preview(rho="0.5")
    rows = ROWS if share else ROWS[1:]
    without = [r for r in ROWS if r[0] != 7] if share else rows
    moved = list[list[int]]()
    for held in (ROWS, without):
        folder = tmp_path / str(len(moved))
        folder.mkdir()
        counts = DailyCounts(vault_of(folder, held, unit)._tables, "visits", "day")
        counts.source.engine.open()  # type: ignore[attr-defined]
        found = counts.read()
        moved.append([plan.matrix.measured(found[: at + 1]) for at in range(DAYS)])
    apart = sum((one - two) ** 2 for one, two in zip(*moved, strict=True))
    assert 0 < apart <= plan.mechanism.sensitivity.value**2


def test_totals_are_near_the_truth(tmp_path: Path) -> None:
    found = opened(vault_of(tmp_path, budget=shoal.ZeroConcentrated(1000)), "1000")
    totals = [row[2] for row in found.release(day(DAYS - 1)).rows]
    truth = exact(ROWS, 2)
    assert totals == pytest.approx([sum(truth[: at + 1]) for at in range(DAYS)], abs=0.5)


def test_rows_that_are_added_are_counted_and_a_word_is_needed_for_them(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, budget=shoal.ZeroConcentrated(1000))
    stream = opened(vault, "1000")
    stream.release(day(2))
    more = [*ROWS, *((100 + each, 5) for each in range(50))]
    write(tmp_path / "visits.parquet", more)
    with pytest.raises(ChangedError):
        stream.release(day(5))
    vault.update("visits", relation="more rows")
    found = vault.stream("a").release(day(5)).rows
    assert found[5][1] == pytest.approx(exact(more, 2)[5], abs=0.5)


def test_a_stream_ends_where_rows_may_have_been_changed_or_taken_away(tmp_path: Path) -> None:
    vault = vault_of(tmp_path)
    kept = opened(vault).release(day(2)).rows
    write(tmp_path / "visits.parquet", ROWS[5:])
    vault.update("visits", relation="same people")
    with pytest.raises(VaultError, match="only while rows are added"):
        vault.stream("a").release(day(3))
    assert vault.stream("a").release(day(2)).rows == kept  # what was told stays told
    write(tmp_path / "visits.parquet", ROWS)
    vault.update("visits", relation="more rows")
    with pytest.raises(VaultError, match="only while rows are added"):
        vault.stream("a").release(day(3))


def test_other_days_are_another_stream(tmp_path: Path) -> None:
    vault = vault_of(tmp_path)
    opened(vault)
    vault.update("visits", columns={"day": shoal.Range(FIRST, day(20))})
    with pytest.raises(VaultError, match="declared otherwise"):
        vault.stream("a").release(day(3))


@pytest.mark.parametrize("now", [{"groups": 5}, {"rows_per_group": 3}], ids=str)
def test_a_share_that_is_raised_later_counts_in_no_open_stream(tmp_path: Path, now: Any) -> None:
    """The noise of all days was made for the share of the day on which they were paid for."""
    rows = [*ROWS, *((99, at) for at in range(DAYS)), (99, 0)]
    vault = vault_of(tmp_path, rows, shoal.Person("id"))
    stream = opened(vault)
    vault.update("visits", **now)
    assert measured_counts(stream, day(DAYS - 1))[-1] == exact(rows, 1)
    assert vault.daily("b", "visits", "day").preview(rho="0.1").reach > 1


def measured_counts(stream: Stream, until: Any) -> list[list[int]]:
    """The exact counts of every day that a release measures."""
    found, noisy = list[list[int]](), StreamPlan.noisy

    def seen(plan: StreamPlan, counts: list[int]) -> int:
        found.append(list(counts))
        return noisy(plan, counts)

    with patch.object(StreamPlan, "noisy", seen):
        stream.release(until)
    return found


def test_people_whose_account_did_not_pay_are_in_no_stream(tmp_path: Path) -> None:
    vault = vault_of(tmp_path)
    other = tmp_path / "other.parquet"
    write(other, [(1000 + who, 1) for who in range(40)])
    day_range = {"day": shoal.Range(FIRST, day(DAYS - 1))}
    unit, budget = shoal.Person("id"), shoal.ZeroConcentrated(1)
    vault.add("other", other, protects=unit, budget=budget, columns=day_range)
    stream = opened(vault)
    stream.release(day(0))
    write(other, [*ROWS, *((1000 + who, 1) for who in range(40))])
    assert set(vault.update("visits", path=other, relation="more rows").accounts) == {
        "visits",
        "other",
    }
    with pytest.raises(VaultError, match="did not pay"):
        stream.release(day(1))
    assert len(stream.released()) == 1


def test_a_stream_that_was_asked_for_before_an_update_pays_for_nobody_else(tmp_path: Path) -> None:
    vault = vault_of(tmp_path)
    asked = vault.daily("a", "visits", "day")
    asked.preview(rho="0.5")
    write(tmp_path / "new.parquet", [(1000 + who, 1) for who in range(40)])
    budget = shoal.ZeroConcentrated(1)
    new: dict[str, Any] = {"path": tmp_path / "new.parquet", "relation": "new people"}
    vault.update("visits", **new, budget=budget)
    with pytest.raises(VaultError, match="was updated since"):
        asked.open(rho="0.5")
    assert all(each.spent == shoal.ZeroConcentrated(0) for each in vault._ledger.accounts())
    # the same, had the update come between the look and the charge
    before = [each for each in vault._registry.history if each.entry == asked_entry(asked)]
    late = replace(asked, place=replace(asked.place, versions=lambda _: before))
    stream = late.open(rho="0.5")
    with pytest.raises(VaultError, match="did not pay"):
        vault.stream("a").release(day(0))
    assert len(stream.released()) == 0


def asked_entry(asked: AskedStream) -> int:
    payer: Any = asked.counts.source.payer
    return int(payer.datasets[0].entry)


def test_days_that_others_release_meanwhile_are_not_followed_by_older_rows(tmp_path: Path) -> None:
    """Whoever chose rows before others released days with newer ones must not go on after them."""
    vault = vault_of(tmp_path, ROWS, shoal.Row())
    stream, more = opened(vault), tmp_path / "more.parquet"
    write(more, [*ROWS, *((100 + who, 0) for who in range(50))])
    asked = list[Any]()

    def slow(*named: Any) -> DailyCounts:
        found = stream.place.counts(*named)
        found.source  # noqa: B018 - the rows are chosen here
        if not asked:
            asked.append(vault.update("visits", path=more, relation="more rows"))
            vault.stream("a").release(day(3))
        return found

    late = Stream(replace(stream.place, counts=slow), stream.fact)
    counts = measured_counts(late, day(6))
    sums = [each[0] for each in counts if len(each) > 4]
    assert sums == [exact(ROWS, None)[0] + 50] * 3


def test_whoever_draws_the_same_number_second_reads_again_too(tmp_path: Path) -> None:
    vault = vault_of(tmp_path)
    stream, reads = opened(vault), list[int]()
    reading = stream._read

    def counted(_: Stream, counts: Any) -> list[int]:
        reads.append(len(stream.released()))
        found = reading(counts)
        if len(reads) == 1:
            vault.stream("a").release(day(1))
        return found

    with (
        patch.object(StreamPlan, "noisy", return_value=7),
        patch.object(Stream, "_read", autospec=True, side_effect=counted),
    ):
        stream.release(day(3))
    assert reads == [0, 0, 2]


@pytest.mark.parametrize(
    ("budget", "price"),
    [
        (shoal.ZeroConcentrated(1), {"rho": "0.5"}),
        (shoal.Approx(2, "1e-6"), {"epsilon": 1}),
    ],
    ids=["rho", "epsilon"],
)
def test_every_day_has_the_noise_that_was_charged(tmp_path: Path, budget: Any, price: Any) -> None:
    """Also where another version of Shoal would buy a little less noise for the same price."""
    vault = vault_of(tmp_path, budget=budget)
    stream = vault.daily("a", "visits", "day").open(**price)
    charged, made = stream.plan.event, StreamPlan.of

    def otherwise(*given: Any) -> StreamPlan:
        plan = made(*given)
        return plan.with_sigma(plan.mechanism.spread * Fraction(9, 10))

    with patch.object(StreamPlan, "of", otherwise):
        assert vault.stream("a").plan.event == charged
    with (
        patch.object(StreamMatrix, "squared_length", 1),
        pytest.raises(VaultError, match="measures days otherwise"),
    ):
        vault.stream("a").release()


def test_a_share_that_cannot_be_counted_is_refused_before_it_is_paid(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, protects=shoal.Person("id", groups=1 << 11, rows_per_group=1 << 11))
    with pytest.raises(SchemaError, match="at most"):
        opened(vault)
    assert vault.budget("visits").spent == shoal.ZeroConcentrated(0)


def test_a_failure_tells_nothing_and_the_day_can_be_released_later(tmp_path: Path) -> None:
    vault = vault_of(tmp_path)
    stream = opened(vault)
    with (
        patch.object(DuckDB, "parts", side_effect=ValueError("id 7 has secret 42")),
        pytest.raises(UnansweredError) as caught,
    ):
        stream.release()
    assert "42" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert len(stream.released()) == 0
    assert len(stream.release()) == 1


def test_whoever_comes_second_gives_the_first_ones_number(tmp_path: Path) -> None:
    vault = vault_of(tmp_path)
    stream = opened(vault)
    reading = stream._read
    rival = list[Any]()

    def slow(counts: Any) -> list[int]:
        found = reading(counts)
        if not rival:
            rival.append(None)
            rival[0] = vault.stream("a").release(day(1)).rows
        return found

    with patch.object(Stream, "_read", autospec=True, side_effect=lambda _, counts: slow(counts)):
        rows = stream.release(day(3)).rows
    assert rows[:2] == rival[0]
    assert len(rows) == 4


def test_whoever_comes_second_reads_again(tmp_path: Path) -> None:
    """Its rows may be older than those of the first, and sums of days must never shrink."""
    vault = vault_of(tmp_path)
    stream, reads = opened(vault), list[int]()
    reading = stream._read

    def counted(_: Stream, counts: Any) -> list[int]:
        reads.append(len(stream.released()))
        found = reading(counts)
        if len(reads) == 1:
            vault.stream("a").release(day(1))
        return found

    with patch.object(Stream, "_read", autospec=True, side_effect=counted):
        stream.release(day(3))
    assert reads == [0, 0, 2]  # its own, that of the other, and its own again


def test_many_threads_see_one_stream(tmp_path: Path) -> None:
    vault = vault_of(tmp_path)
    opened(vault)
    seen: list[Any] = []

    def work() -> None:
        seen.append(vault.stream("a").release(day(DAYS - 1)).rows)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(seen) == 4
    assert all(each == seen[0] for each in seen)
    assert vault.verify().is_sound


KILLED = """
import os, sys, shoal
from unittest.mock import patch
from shoal.ledger import Ledger
vault = shoal.open(sys.argv[1])
record, left = Ledger.record, [int(sys.argv[2])]
def recorded(self, kind, *rest, **more):
    if left[0] == 0:
        os._exit(9)
    left[0] -= 1
    return record(self, kind, *rest, **more)
with patch.object(Ledger, "record", recorded):
    vault.daily("a", "visits", "day").open(rho="0.5").release("2026-01-10")
"""


@pytest.mark.slow
def test_who_dies_at_any_write_costs_nothing_more_and_the_stream_goes_on(tmp_path: Path) -> None:
    vault_of(tmp_path).close()
    path, seen = tmp_path / "office.shoal", list[Any]()
    for writes in (0, 3, 0, 4):  # before the stream is filed, then after some of its days
        child = subprocess.run([sys.executable, "-c", KILLED, str(path), str(writes)], check=False)
        assert child.returncode == 9
        with shoal.open(path) as vault:
            spent = vault.budget("visits").spent
            assert float(spent.rho) <= 0.5  # type: ignore[attr-defined]
            if vault.streams:
                rows = vault.stream("a").released().rows
                assert rows[: len(seen)] == seen
                seen = rows
    with shoal.open(path) as vault:
        assert 2 <= len(seen) < DAYS
        assert vault.stream("a").release(day(DAYS - 1)).rows[: len(seen)] == seen
        assert vault.verify().is_sound


def test_an_analyst_pays_from_an_allowance_and_has_streams_of_their_own(tmp_path: Path) -> None:
    vault = vault_of(tmp_path)
    vault.grant("ana", "visits", shoal.ZeroConcentrated("0.3"))
    ana = vault.as_("ana")
    with pytest.raises(BudgetExceeded):
        opened(ana)
    opened(ana, "0.2").release()
    assert ana.streams == ["a"]
    assert vault.streams == []
    with pytest.raises(VaultError, match="no open stream"):
        vault.stream("a")


def test_the_same_stream_under_another_name_is_the_same_numbers(tmp_path: Path) -> None:
    vault = vault_of(tmp_path)
    one = opened(vault)
    two = vault.daily("b", "visits", "day").open(rho="0.5")
    assert one.release(day(4)).rows == two.released().rows
    assert float(vault.budget("visits").spent.rho) <= 0.5  # type: ignore[attr-defined]


def test_pictures_and_files_have_every_day(tmp_path: Path) -> None:
    found = opened(vault_of(tmp_path)).release(day(4))
    found.to_csv(tmp_path / "days.csv")
    lines = (tmp_path / "days.csv").read_text().splitlines()
    assert lines[0] == "day,count,count_low,count_high,total,total_low,total_high"
    assert len(lines) == 6
    assert found.to_pandas()["total"].tolist() == [row[2] for row in found.rows]
    assert "2026" in str(found.plot().chart.to_dict())
    low, high = found.interval("total")[2]
    assert low < found.rows[2][2] < high
    with pytest.raises(UnknownNameError):
        found.interval("day")


def test_what_makes_no_stream_is_refused_with_what_to_type(tmp_path: Path) -> None:
    vault = vault_of(tmp_path)
    with pytest.raises(VaultError, match="no open stream"):
        vault.stream("a")
    with pytest.raises(SchemaError, match="must be declared"):
        vault.daily("a", "visits", "id").preview(rho="0.5")
    with pytest.raises(VaultError, match="no dataset"):
        vault.daily("a", "visit", "day").preview(rho="0.5")
    stream = opened(vault)
    with pytest.raises(UnknownNameError, match="no day of this stream"):
        stream.release("2027-01-01")
    with pytest.raises(VaultError, match="other terms"):
        opened(vault, "0.25")
    folder = tmp_path / "pure"
    folder.mkdir()
    with pytest.raises(RangeError, match="epsilon alone"):
        vault_of(folder, budget=shoal.Pure(1)).daily("a", "visits", "day").preview(epsilon=1)
