"""The row *ledger*: durable debits per second beside bare durable commits of the same disk, and a
ledger of a million.

What is compared depends on the disk.  A debit takes a fixed time of the processor besides the wait
for the disk: where a sync takes milliseconds it does not show, where it takes a tenth of one it
does.
"""

from __future__ import annotations

import os
import sqlite3
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.measure import Goal, Row, quantity, table

ROUNDS = 7
DEBITS = 1500
WRITERS = 8
CHARGES = 10**6
AT_ONCE = 5000
BODY = {"question": "SELECT kind, COUNT(*) FROM visits GROUP BY kind"}
LENGTH = 420
"""About as many characters as the text of such a debit has."""

BARE = "bare SQLite commit, 1 writer"
ALONE = "**Shoal** debit, 1 writer"
THREADS = f"**Shoal** debits, {WRITERS} threads"
PROCESSES = f"**Shoal** debits, {WRITERS} processes"
COUNTS = {BARE: DEBITS, ALONE: DEBITS, THREADS: DEBITS * WRITERS}
"""How many debits a round of this process makes; those of its children are not in its CPU time."""


def run(*, with_ours: bool) -> Row:
    """Measure the row; without ours it times bare commits alone."""
    row = Row("Ledger")
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as directory:
        rates, busy = _rates(Path(directory), with_ours=with_ours)
        title = f"one file, write-ahead log, synchronous=FULL; median of {ROUNDS} rounds in turn"
        shown = {name: {"per second": statistics.median(each)} for name, each in rates.items()}
        for name, each in busy.items():
            shown[name]["CPU µs each"] = statistics.median(each)
        row.tables.append(table(title, ["per second", "CPU µs each"], shown))
        wait = 1000 / shown[BARE]["per second"]
        row.tables.append(
            f"A bare commit took {wait:.3g} ms here. The ratios below hold for a disk as quick, or as busy, as that: "
            "the slower it syncs, the less the processor's part of a debit shows."
        )
        row.goals += _goals(rates)
        if with_ours:
            seconds = _of_a_million(Path(directory))
            title = f"a ledger of {quantity(CHARGES)} charges, two accounts"
            row.tables.append(
                table(title, ["seconds"], {k: {"seconds": v} for k, v in seconds.items()})
            )
            row.goals += [
                Goal("opening it takes under 2 s", 2, seconds["open"], " s", at_most=True),
                Goal("a charge takes under 50 ms", 0.05, seconds["charge"], " s", at_most=True),
            ]
    return row


Figures = dict[str, list[float]]


def _rates(directory: Path, *, with_ours: bool) -> tuple[Figures, Figures]:
    """Rates in turn, round by round, so that a slow minute of the disk slows all alike, and
    microseconds of CPU for each debit.
    """
    with _bare(directory / "bare.db") as bare:
        acts: dict[str, Callable[[], float]] = {BARE: bare}
        if with_ours:
            acts |= _ours(directory / "office.shoal")
        for act in acts.values():
            act()
        rates: Figures = {name: [] for name in acts}
        busy: Figures = {name: [] for name in acts if name in COUNTS}
        for number in range(ROUNDS):
            print(f"ledger: round {number + 1} of {ROUNDS}")
            for name, act in acts.items():
                start = time.process_time()
                rates[name].append(act())
                if name in busy:
                    busy[name].append((time.process_time() - start) / COUNTS[name] * 1e6)
    return rates, busy


@contextmanager
def _bare(path: Path) -> Iterator[Callable[[], float]]:
    """Commits of one row of text, as durable as ours and with nothing else."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE entries (number INTEGER PRIMARY KEY, text TEXT)")
    text = "x" * LENGTH

    def act() -> float:
        start = time.perf_counter()
        for _ in range(DEBITS):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO entries (text) VALUES (?)", (text,))
            connection.execute("COMMIT")
        return DEBITS / (time.perf_counter() - start)

    yield act
    connection.close()


def _ours(path: Path) -> dict[str, Callable[[], float]]:
    from shoal.events import StatedPure
    from shoal.ledger import Ledger
    from shoal.measures import Pure

    ledger, event = Ledger(path), StatedPure("0.1")
    ledger.open_account("visits", Pure(10**9), relation="add_remove")

    def charge(times: int) -> None:
        for _ in range(times):
            ledger.charge("visits", event, caller="ana", body=BODY)

    def alone() -> float:
        start = time.perf_counter()
        charge(DEBITS)
        return DEBITS / (time.perf_counter() - start)

    def threads() -> float:
        writers = [threading.Thread(target=charge, args=(DEBITS,)) for _ in range(WRITERS)]
        start = time.perf_counter()
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        return WRITERS * DEBITS / (time.perf_counter() - start)

    def processes() -> float:
        each = DEBITS // WRITERS
        start = time.perf_counter()
        children = [_forked(lambda: charge(each)) for _ in range(WRITERS)]
        for child in children:
            os.waitpid(child, 0)
        return each * WRITERS / (time.perf_counter() - start)

    return {ALONE: alone, THREADS: threads, PROCESSES: processes}


def _forked(act: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        try:
            act()
        finally:
            os._exit(0)
    return child


def _goals(rates: dict[str, list[float]]) -> list[Goal]:
    def against(name: str, *, inverse: bool) -> float | None:
        if name not in rates:
            return None
        pairs = zip(rates[name], rates[BARE], strict=True)
        return statistics.median(b / a if inverse else a / b for a, b in pairs)

    return [
        Goal(
            "a debit of one writer takes at most 1.2 times as long as a bare commit",
            1.2,
            against(ALONE, inverse=True),
            at_most=True,
        ),
        Goal(
            f"{WRITERS} threads make at least 4 times as many debits as one writer makes bare commits",
            4,
            against(THREADS, inverse=False),
        ),
    ]


def _of_a_million(directory: Path) -> dict[str, float]:
    """Make a ledger of a million charges by its own code, many in one commit, and use it."""
    from shoal.events import StatedPure
    from shoal.ledger import Ledger
    from shoal.ledger.book import request_for
    from shoal.ledger.charge import Charge, charge
    from shoal.ledger.transaction import Transaction
    from shoal.measures import Pure

    path, names = directory / "million.shoal", ("visits", "visits@ana")
    event, small = StatedPure("1e-6"), StatedPure("1e-300")
    print(f"ledger: making {CHARGES} charges")
    with Ledger(path) as ledger:
        for name in names:
            ledger.open_account(name, Pure(2), relation="add_remove")
        for start in range(0, CHARGES, AT_ONCE):

            def some(transaction: Transaction, start: int = start) -> None:
                for number in range(start, start + AT_ONCE):
                    request = request_for(
                        names, event, caller="ana", body=BODY, key=f"k{number}", same=f"s{number}"
                    )
                    made = charge(transaction, request, ledger, ledger.patience)
                    assert isinstance(made, Charge)

            ledger.take(some)
    found: dict[str, float] = {}
    start_ = time.perf_counter()
    ledger = Ledger(path)
    found["open"] = time.perf_counter() - start_
    for name in ("charge", "charge again"):
        start_ = time.perf_counter()
        ledger.charge(names, small, caller="ana", body=BODY, key=name, same=name)
        found[name] = time.perf_counter() - start_
    account = ledger.account("visits")
    assert account.spent == Pure(1 + 2 * small.epsilon), account
    print("ledger: verifying them")
    start_ = time.perf_counter()
    assert ledger.verify().is_sound
    found["verify"] = time.perf_counter() - start_
    ledger.close()
    return found
