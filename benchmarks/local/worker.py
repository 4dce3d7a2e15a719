"""A peer on one protocol and size, in its own environment: ``python -m benchmarks.local.worker PEER
PROTOCOL SIZE PEOPLE [TIMES]``.

Prints CPU seconds of making one report, of an estimate from a few of them and of each further one,
and the mean squared error times people, over so many repetitions.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

EPSILON = 1.0
FEW = 20
"""What so few reports need is taken as the fixed part of an estimate; the rest grows with the
people.
"""
Two = tuple[Callable[[list[int]], Any], Callable[[Any], Any]]


def pure_ldp(protocol: str, size: int) -> Two:
    from pure_ldp.frequency_oracles.direct_encoding import DEClient, DEServer
    from pure_ldp.frequency_oracles.hadamard_response import (
        HadamardResponseClient,
        HadamardResponseServer,
    )
    from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
    from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

    if protocol == "k-ary":
        client, server = DEClient(EPSILON, size), DEServer(EPSILON, size)
    elif protocol == "optimised unary":
        client = UEClient(EPSILON, size, use_oue=True)
        server = UEServer(EPSILON, size, use_oue=True)
    elif protocol == "local hash":
        client = LHClient(EPSILON, size, use_olh=True)
        server = LHServer(EPSILON, size, use_olh=True)
    else:
        server = HadamardResponseServer(EPSILON, size)
        client = HadamardResponseClient(EPSILON, size, server.get_hash_funcs())

    def make(values: list[int]) -> Any:
        return [client.privatise(value + 1) for value in values]

    def estimate(reports: Any) -> Any:
        server.aggregate_all(reports)
        return np.asarray(server.estimate_all(range(1, size + 1))) / len(reports)

    return make, estimate


def multi_freq_ldpy(protocol: str, size: int) -> Two:
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI, GRR_Client
    from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Aggregator_MI, LH_Client
    from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Aggregator_MI, SS_Client
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI, UE_Client

    every: dict[str, Two] = {
        "k-ary": (
            lambda values: [GRR_Client(value, size, EPSILON) for value in values],
            lambda told: GRR_Aggregator_MI(told, size, EPSILON),
        ),
        "optimised unary": (
            lambda values: [UE_Client(value, size, EPSILON) for value in values],
            lambda told: UE_Aggregator_MI(told, EPSILON),
        ),
        "local hash": (
            lambda values: [LH_Client(value, size, EPSILON) for value in values],
            lambda told: LH_Aggregator_MI(told, size, EPSILON),
        ),
        "subset": (
            lambda values: [SS_Client(value, size, EPSILON) for value in values],
            lambda told: SS_Aggregator_MI(told, size, EPSILON),
        ),
    }
    return every[protocol]


PEERS = {"pure-ldp": pure_ldp, "multi-freq-ldpy": multi_freq_ldpy}


def main() -> None:
    warnings.simplefilter("ignore")
    peer, protocol, size, people = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    make, estimate = PEERS[peer](protocol, size)
    estimate(make([0] * FEW))  # what is compiled or loaded once is not counted
    make, estimate = PEERS[peer](protocol, size)
    few = make([0] * FEW)
    start = time.process_time()
    estimate(few)
    fixed = time.process_time() - start
    make, estimate = PEERS[peer](protocol, size)
    values = [(number * number) % size for number in range(people)]
    start = time.process_time()
    told = make(values)
    made = time.process_time()
    shares = estimate(told)
    done = time.process_time()
    truth, found_shares = np.bincount(values, minlength=size) / people, [shares]
    for _ in range(int(sys.argv[5]) - 1 if len(sys.argv) > 5 else 0):
        make, estimate = PEERS[peer](protocol, size)
        found_shares.append(estimate(make(values)))
    error = float(np.mean((np.asarray(found_shares) - truth) ** 2)) * people
    each = max(0.0, done - made - fixed) / (people - FEW)
    found = {"client": (made - start) / people, "fixed": fixed, "server": each, "error": error}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
