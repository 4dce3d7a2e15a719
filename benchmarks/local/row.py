"""The row *local*: a million reports with epsilon 1, beside pure-ldp and multi-freq-ldpy.

A peer makes and estimates fewer reports, and its seconds are counted for a million: both are linear
in the number of people.  So are ours where a million would need more than a thousand million bits.
"""

from __future__ import annotations

import json
import subprocess
from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.local.worker import EPSILON
from benchmarks.measure import Goal, Row, cpu_seconds, table
from shoal.accounting import shuffled_variation_epsilon_up
from shoal.errors import RangeError
from shoal.local import odds_down
from shoal.local.protocols.oracles import (
    HadamardResponse,
    KaryResponse,
    LinearHash,
    LineSelection,
    LocalHash,
    Oracle,
    SubsetSelection,
    UnaryEncoding,
    choose,
)

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-peers" / "ldp" / "bin" / "python"
SIZES = (10, 100, 1000, 10_000)
PEOPLE = 1_000_000
PAIRS = 10**9
PEER_PAIRS = 3_000_000
PEER_PEOPLE = {"k-ary": 100_000, "Hadamard": 20_000}
"""People of a peer whose work does not grow with the values; others have so many that people times
values is 3 M, within 300 to 5000.
"""
PATIENCE = 300
OURS: dict[str, type[Oracle]] = {
    "**Shoal**, k-ary": KaryResponse,
    "**Shoal**, subset": SubsetSelection,
    "**Shoal**, line": LineSelection,
    "**Shoal**, linear hash": LinearHash,
    "**Shoal**, Hadamard": HadamardResponse,
    "**Shoal**, local hash": LocalHash,
    "**Shoal**, optimised unary": UnaryEncoding,
}
PEERS = {
    "pure-ldp, k-ary": ("pure-ldp", "k-ary"),
    "pure-ldp, Hadamard": ("pure-ldp", "Hadamard"),
    "pure-ldp, local hash": ("pure-ldp", "local hash"),
    "pure-ldp, optimised unary": ("pure-ldp", "optimised unary"),
    "multi-freq-ldpy, k-ary": ("multi-freq-ldpy", "k-ary"),
    "multi-freq-ldpy, subset": ("multi-freq-ldpy", "subset"),
    "multi-freq-ldpy, local hash": ("multi-freq-ldpy", "local hash"),
    "multi-freq-ldpy, optimised unary": ("multi-freq-ldpy", "optimised unary"),
}
ERROR_SIZE, ERROR_PEOPLE, ERROR_TIMES = 100, 20_000, 20
KNOWN = {(10**3, 1): 0.189, (10**4, 1): 0.0550, (10**4, 4): 0.621, (10**5, 4): 0.1746}
"""What apple/ml-shuffling-amplification says for so many shuffled reports of any randomizer with a
local epsilon, at delta 10^-6; smaller numbers of 2023 and 2024 are not proved.
"""
Found = dict[str, dict[str, float]]


def run(*, with_ours: bool) -> Row:
    """Measure the row; without ours it times the peers alone."""
    row = Row("Local")
    client, server, errors = dict[str, dict[str, float]](), Found(), Found()
    for name, kind in OURS.items() if with_ours else ():
        client[name], server[name] = times_of_ours(kind)
        if kind is not SubsetSelection:  # it has no sets of so many
            errors[name] = {"n x MSE": error_of(kind.for_epsilon(int(EPSILON), size=ERROR_SIZE))}
    for name, (peer, protocol) in PEERS.items() if PYTHON.exists() else ():
        client[name], server[name] = times_of_peer(peer, protocol)
        found = asked(peer, protocol, ERROR_SIZE, ERROR_PEOPLE, ERROR_TIMES)
        errors[name] = {"n x MSE": found["error"]} if found else {}
    columns = [column(size) for size in SIZES]
    row.tables += [
        table("CPU seconds to make a million reports", columns, client),
        table("CPU seconds to estimate from them", columns, server),
        table(
            f"Error, {ERROR_SIZE} values, {ERROR_PEOPLE:,} people, {ERROR_TIMES} times; multi-freq-ldpy cuts and scales its estimates, which are biased",
            ["n x MSE"],
            errors,
        ),
    ]
    if with_ours:
        decoded, shuffled = decoding(), shuffling()
        row.tables += [
            table("Milliseconds to decode 10^4 values", list(decoded), {"linear hash": decoded}),
            table("Shuffled, 10^6 people", ["epsilon", "CPU seconds"], shuffled),
        ]
        row.goals += goals(client, server, errors, decoded, shuffled)
    return row


def column(size: int) -> str:
    return f"{size} values"


def values_of(people: int, size: int) -> NDArray[np.int64]:
    return np.arange(people, dtype=np.int64) ** 2 % size


def times_of_ours(kind: type[Oracle]) -> tuple[dict[str, float], dict[str, float]]:
    client, server = dict[str, float](), dict[str, float]()
    for size in SIZES:
        try:
            oracle = kind.for_epsilon(int(EPSILON), size=size)
        except RangeError:
            continue
        bits = size if kind is UnaryEncoding else 1
        people = min(PEOPLE, PAIRS // (20 * bits)) if bits > 1 else PEOPLE
        values = values_of(people, size)
        told = oracle.report(values)
        client[column(size)] = cpu_seconds(partial(oracle.report, values)) * PEOPLE / people
        server[column(size)] = cpu_seconds(partial(oracle.estimate, told)) * PEOPLE / people
    return client, server


def error_of(oracle: Oracle) -> float:
    values = values_of(ERROR_PEOPLE, oracle.size)
    truth = np.bincount(values, minlength=oracle.size) / ERROR_PEOPLE
    found = [oracle.estimate(oracle.report(values)).frequencies - truth for _ in range(ERROR_TIMES)]
    return float(np.mean(np.square(found))) * ERROR_PEOPLE


@cache
def asked(
    peer: str, protocol: str, size: int, people: int, times: int = 1
) -> dict[str, float] | None:
    """What a peer needed; nothing, and a line, if it failed or took too long."""
    words = ["-m", "benchmarks.local.worker", peer, protocol, str(size), str(people), str(times)]
    try:
        done = subprocess.run(
            [PYTHON, *words], cwd=ROOT, check=True, capture_output=True, text=True, timeout=PATIENCE
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as problem:
        print(f"local: {peer}, {protocol}, {size} values: {type(problem).__name__}")
        return None
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def times_of_peer(peer: str, protocol: str) -> tuple[dict[str, float], dict[str, float]]:
    client, server = dict[str, float](), dict[str, float]()
    for size in SIZES:
        people = PEER_PEOPLE.get(protocol, max(300, min(5000, PEER_PAIRS // size)))
        found = asked(peer, protocol, size, people)
        if found:
            client[column(size)] = found["client"] * PEOPLE
            server[column(size)] = found["fixed"] + found["server"] * PEOPLE
    return client, server


def decoding() -> dict[str, float]:
    found = {}
    for epsilon in ("0.5", "1", "2", "3"):
        oracle = LinearHash.for_epsilon(epsilon, size=10_000)
        tally = oracle.tally().add(oracle.report(values_of(PEOPLE, 10_000)))
        found[f"epsilon {epsilon}"] = cpu_seconds(tally.estimate) * 1000
    return found


def shuffling() -> dict[str, dict[str, float]]:
    found = {}
    for local in (1, 2):
        odds = odds_down(local)
        for name, variation in (
            ("any randomizer", (odds - 1) / (odds + 1)),
            ("k-ary, 10 values", (odds - 1) / (odds + 9)),
        ):
            act = partial(
                shuffled_variation_epsilon_up,
                odds,
                variation=variation,
                people=PEOPLE,
                delta="1e-6",
            )
            spent, epsilon = cpu_seconds(act), act()
            found[f"local epsilon {local}, {name}"] = {
                "epsilon": float(epsilon),
                "CPU seconds": spent,
            }
    return found


def general(people: int, local: int) -> float:
    """The epsilon of shuffled reports of any randomizer."""
    odds, share = odds_down(local), (odds_down(local) - 1) / (odds_down(local) + 1)
    found = shuffled_variation_epsilon_up(odds, variation=share, people=people, delta="1e-6")
    return float(found)


def goals(
    client: Found, server: Found, errors: Found, decoded: dict[str, float], shuffled: Found
) -> list[Goal]:  # fmt: skip
    fast = ["k-ary", "subset", "line", "linear hash", "Hadamard"]
    slowest = max((seconds, f"{name}, {where}") for name in fast for where, seconds in client[f"**Shoal**, {name}"].items())  # fmt: skip
    worst, where = max((ms, where) for where, ms in decoded.items())
    slow_peer = server.get("pure-ldp, local hash", {})
    ours = server["**Shoal**, local hash"]
    gains = {size: slow_peer[size] / ours[size] for size in ours if size in slow_peer}  # fmt: skip
    least = min(gains.values(), default=None)
    off = max(general(people, local) / known for (people, local), known in KNOWN.items())
    spent = max(cells["CPU seconds"] for cells in shuffled.values())
    unbiased = [cells["n x MSE"] for name, cells in errors.items() if name.startswith("pure-ldp") and cells]  # fmt: skip
    best = error_of(choose(int(EPSILON), size=ERROR_SIZE))
    return [
        Goal("clients make at least 10 M reports a second", 1e7, PEOPLE / slowest[0], "", slowest[1]),
        Goal("10^4 values decode in at most 25 ms, epsilon up to 3", 25, worst, " ms", where, at_most=True),
        Goal("local hashes are decoded at least 1000 times as fast as pure-ldp's", 1000, least, "x"),
        Goal("epsilon of shuffled reports within 1 % of the least known, 10^3 to 10^5 people", 1.01, off, "x", at_most=True),
        Goal("epsilon of 10^6 shuffled reports in at most 0.2 s", 0.2, spent, " s", at_most=True),
        Goal("no more error than the best unbiased peer, within the 5 % that 20 repetitions tell", 1.05, best / min(unbiased) if unbiased else None, "x", at_most=True),
    ]  # fmt: skip
