"""After a fork nobody shares words, not even those drawn ahead; many threads may draw at once."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import threading
from fractions import Fraction

from shoal.noise import Coin, discrete_laplace

FAMILY = """
    import json, os
    from fractions import Fraction
    import numpy as np
    from shoal.noise import current, discrete_laplace

    noise = discrete_laplace(Fraction(2**56))

    def draw():
        return {
            "single": [noise.one() for _ in range(100)],
            "many": noise.many(2000).tolist(),
            "words": current().words(np.uint64, 100).tolist(),
            "long": current().words(np.uint64, 5000).tolist(),
        }

    def child(depth):
        reader, writer = os.pipe()
        pid = os.fork()
        if pid:
            os.close(writer)
            with os.fdopen(reader) as pipe:
                told = json.load(pipe)
            os.waitpid(pid, 0)
            return told
        os.close(reader)
        told = [draw()]
        if depth:
            told += child(depth - 1)
        with os.fdopen(writer, "w") as pipe:
            json.dump(told, pipe)
        os._exit(0)

    noise.one()  # 255 draws now lie ahead, and words in the buffer
    first, second = child(1), child(0)
    print(json.dumps([draw(), *first, *second]))
"""

LOCKED = """
    import os, signal, threading
    from fractions import Fraction
    from shoal.exact import at_precision
    from shoal.noise import discrete_laplace

    inside, done = threading.Event(), threading.Event()

    def busy():
        inside.set()
        done.wait(240)

    thread = threading.Thread(target=lambda: at_precision(100, busy))
    thread.start()
    inside.wait()
    pid = os.fork()
    if not pid:
        signal.alarm(120)
        discrete_laplace(Fraction(12345, 7)).one()
        os._exit(0)
    status = os.waitpid(pid, 0)[1]
    done.set()
    thread.join()
    print(status)
"""


def output_of(script: str) -> str:
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout


def test_parent_children_and_grandchild_share_no_draw() -> None:
    family = json.loads(output_of(FAMILY))
    assert len(family) == 4
    for kind in family[0]:
        everyone = [value for member in family for value in member[kind]]
        assert len(set(everyone)) == len(everyone), kind


def test_a_child_can_draw_although_another_thread_was_computing_at_the_fork() -> None:
    assert output_of(LOCKED).strip() == "0"


def test_eight_threads_draw_single_numbers_at_once_and_share_none() -> None:
    noise = discrete_laplace(Fraction(2**50))
    coin = Coin(Fraction(1, 2))
    found: list[list[int]] = [[] for _ in range(8)]
    together = threading.Barrier(8)

    def draw(mine: list[int]) -> None:
        together.wait()
        for _ in range(2000):
            mine.append(noise.one())
            coin.one()

    threads = [threading.Thread(target=draw, args=(mine,)) for mine in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    everyone = [value for mine in found for value in mine]
    assert len(everyone) == 8 * 2000
    assert len(set(everyone)) == len(everyone)
