"""`python -m benchmarks.office_load`: two servers over one vault, asked at a steady rate.

Requests are sent when they are due, whether or not earlier ones were answered, so a server that
falls behind shows it in the times.  The client shares the machine with the servers, and collects no
garbage while it measures: one round over what it has loaded takes a tenth of a second, which would
count as the servers' time.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic

from benchmarks.office import QUESTION, made_vault

SECONDS = 10
LINES = 32
"""Connections to each server; each carries one request at a time."""


KINDS = (("preview", "preview", 500), ("release, asked again", "releases", 200))
"""What is asked: its name, its path, and how often a second."""


def main() -> None:
    """Print a line for each kind of request."""
    for name, found in measured().items():
        print(f"{name}: " + ", ".join(f"{what} {value:.3g}" for what, value in found.items()))


def measured() -> dict[str, dict[str, float]]:
    """Times of each kind of request, in ms from the moment at which it was due."""
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as directory, ExitStack() as held:
        folder = Path(directory)
        with made_vault(folder) as (vault, _):
            people = [f"ana{at}" for at in range(32)]
            for each in people:
                vault.people.add(each, role="analyst", dataset="visits", allowance="0.1")
            tokens = [vault.people.token(each) for each in people]
        servers = [held.enter_context(_serving(folder / "office.shoal")) for _ in range(2)]
        gc.collect()
        gc.disable()
        held.callback(gc.enable)
        for name, path, rate in KINDS:
            asyncio.run(_asked(servers, tokens, path, 50, 2))  # everything is loaded, all answered
            before, began = _cpu(servers), monotonic()
            times = sorted(asyncio.run(_asked(servers, tokens, path, rate, SECONDS)))
            used, took = _cpu(servers) - before, monotonic() - began
            found[name] = {
                "asked a second": rate,
                "answered a second": len(times) / took,
                "median, ms": 1000 * times[len(times) // 2],
                "p99, ms": 1000 * times[-len(times) // 100],
                "worst, ms": 1000 * times[-1],
                "CPU ms each": 1000 * used / len(times),
            }
    return found


@contextmanager
def _serving(vault: Path) -> Iterator[tuple[int, int]]:
    """The port and the process of a server."""
    command = [sys.executable, "-u", "-m", "shoal", "serve", "--vault", str(vault)]
    options = ["--port", "0", "--rate", "0"]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)", process.stdout.readline())
        assert found
        yield int(found[1]), process.pid
        process.terminate()


def _cpu(servers: list[tuple[int, int]]) -> float:
    """CPU seconds of all servers so far."""
    total = 0
    for _, process in servers:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


async def _asked(
    servers: list[tuple[int, int]], tokens: list[str], path: str, rate: int, seconds: float
) -> list[float]:
    """How long each request took from the moment at which it was due."""
    due: asyncio.Queue[float | None] = asyncio.Queue()
    times: list[float] = []
    lines = [
        asyncio.create_task(_line(servers[at % 2][0], tokens[at % len(tokens)], path, due, times))
        for at in range(2 * LINES)
    ]
    start = monotonic()
    for number in range(int(rate * seconds)):
        moment = start + number / rate
        await asyncio.sleep(max(0.0, moment - monotonic()))
        due.put_nowait(moment)
    for _ in lines:
        due.put_nowait(None)
    await asyncio.gather(*lines)
    return times


async def _line(
    port: int, token: str, path: str, due: asyncio.Queue[float | None], times: list[float]
) -> None:
    """One connection: it takes what is due, and waits for its answer."""
    body = json.dumps({"sql": QUESTION, "epsilon": "0.1"}).encode()
    sent = (
        f"POST /api/v1/{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        f"Idempotency-Key: load\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while (moment := await due.get()) is not None:
        writer.write(sent)
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201")), head
        size = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        assert size
        await reader.readexactly(int(size[1]))
        times.append(monotonic() - moment)
    writer.close()


if __name__ == "__main__":
    main()
