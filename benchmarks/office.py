"""The row *office*: previews and repeated releases of an office beside a bare route of FastAPI and
bare durable commits of SQLite.

Requests go to the application itself, without a network: what is measured is what a server works
for one of them.  CPU seconds, since that is what two cores have to share.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.measure import Goal, Row, table

ROUNDS = 5
CALLS = 200
BARE, COMMIT = "a bare route of FastAPI", "a bare SQLite commit"
NEW_PRICE, NEW_TEXT = "**Shoal** preview at a new price", "**Shoal** preview of a new text"
PREVIEW, REPEATED = "**Shoal** preview", "**Shoal** release, asked again"
ME = "**Shoal** who am I"
QUESTION = "SELECT kind, COUNT(*) AS n FROM visits GROUP BY kind"

App = Callable[..., Awaitable[None]]


def run(*, with_ours: bool) -> Row:
    """Measure the row; there is nothing of it without ours."""
    row = Row("Office")
    if not with_ours:
        return row
    with tempfile.TemporaryDirectory() as directory:
        found = _measured(Path(directory))
    shown = {
        name: {"CPU ms each": 1000 * each, "a second, one core": 1 / each}
        for name, each in found.items()
    }
    title = f"one request; median of {ROUNDS} rounds of {CALLS} in turn"
    row.tables.append(table(title, ["CPU ms each", "a second, one core"], shown))
    row.goals += [
        *(
            Goal(f"a {what}: 500 a second on two cores", 250, 1 / found[name], " a second and core")
            for what, name in (
                ("preview", PREVIEW),
                ("preview at a new price", NEW_PRICE),
                ("preview of a new text", NEW_TEXT),
            )
        ),
        Goal(
            "a repeated release: 200 a second on two cores",
            100,
            1 / found[REPEATED],
            " a second and core",
        ),
    ]
    for name in (PREVIEW, NEW_PRICE, NEW_TEXT, REPEATED):
        row.tables.append(
            f"{name.replace('*', '')}: {found[name] / found[BARE]:.3g} bare routes, {found[name] / found[COMMIT]:.3g} bare commits."
        )
    _add_load(row)
    return row


def _add_load(row: Row) -> None:
    """Two servers under a steady load, over the network of this machine."""
    from benchmarks import office_load

    found = {f"**Shoal** {name}": each for name, each in office_load.measured().items()}
    title = f"two servers over one vault, asked for {office_load.SECONDS} s"
    row.tables.append(table(title, list(next(iter(found.values()))), found))
    row.goals += [
        Goal(
            f"{name.replace('*', '')} at {each['asked a second']:.0f} a second: p99 under 100 ms",
            100,
            each["p99, ms"],
            " ms",
            at_most=True,
        )
        for name, each in found.items()
    ]


@contextmanager
def made_vault(folder: Path) -> Iterator[tuple[Any, str]]:
    """A vault in a folder with one dataset and one analyst, and their token."""
    import pyarrow as pa
    from pyarrow import parquet

    import shoal

    kinds = ["work", "leisure"] * 500
    parquet.write_table(
        pa.table({"user_id": list(range(1000)), "kind": kinds}), folder / "v.parquet"
    )
    facts = {"kind": shoal.Choices(["work", "leisure"])}
    with shoal.open(folder / "office.shoal") as vault:
        vault.add(
            "visits",
            folder / "v.parquet",
            protects=shoal.Person("user_id"),
            columns=facts,
            budget=1,
        )
        vault.people.add("ana", role="analyst", dataset="visits", allowance=1)
        yield vault, vault.people.token("ana")


def _measured(folder: Path) -> dict[str, float]:
    import fastapi

    from shoal.server.access_check import Door
    from shoal.server.address import Address
    from shoal.server.app import application
    from shoal.server.office.office_state import OfficeHost
    from shoal.server.office.request_limits import RequestLimits

    bare = fastapi.FastAPI()

    @bare.get("/me")
    def me() -> dict[str, str]:
        return {"person": "ana"}

    with made_vault(folder) as (vault, token):
        door = Door(Address.of("127.0.0.1", 8000))
        ours = application(vault, door, OfficeHost(vault, door, RequestLimits(0)))
        asked = json.dumps({"sql": QUESTION, "epsilon": "0.1"}).encode()
        count = itertools.count(1)

        def new(text: str) -> bytes:
            return json.dumps({"sql": text, "epsilon": f"1/{10 + next(count)}"}).encode()

        path = folder / "bare.db"
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE t (x)")
        acts: dict[str, Callable[[], None]] = {
            BARE: lambda: _many(bare, "GET", "/me", b"", ""),
            COMMIT: lambda: _commits(connection),
            ME: lambda: _many(ours, "GET", "/api/v1/me", b"", token),
            PREVIEW: lambda: _many(ours, "POST", "/api/v1/preview", asked, token),
            NEW_PRICE: lambda: _many(ours, "POST", "/api/v1/preview", lambda: new(QUESTION), token),
            NEW_TEXT: lambda: _many(
                ours, "POST", "/api/v1/preview", lambda: new(f"{QUESTION} -- {next(count)}"), token
            ),
            REPEATED: lambda: _many(ours, "POST", "/api/v1/releases", asked, token),
        }
        for act in acts.values():
            act()
        taken: dict[str, list[float]] = {name: [] for name in acts}
        for number in range(ROUNDS):
            print(f"office: round {number + 1} of {ROUNDS}")
            for name, act in acts.items():
                start = time.process_time()
                act()
                taken[name].append((time.process_time() - start) / CALLS)
        connection.close()
    return {name: statistics.median(each) for name, each in taken.items()}


def _commits(connection: sqlite3.Connection) -> None:
    for _ in range(CALLS):
        connection.execute("INSERT INTO t VALUES (?)", ("x" * 400,))


def _many(app: App, method: str, path: str, body: bytes | Callable[[], bytes], token: str) -> None:
    async def sending() -> None:
        for _ in range(CALLS):
            sent = body() if callable(body) else body
            status = await _once(app, method, path, sent, token)
            assert status < 300, status

    asyncio.run(sending())


async def _once(app: App, method: str, path: str, body: bytes, token: str) -> int:
    found: dict[str, Any] = {}

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            found["status"] = message["status"]

    headers = [
        (b"host", b"127.0.0.1:8000"),
        (b"content-type", b"application/json"),
        (b"authorization", f"Bearer {token}".encode()),
        (b"idempotency-key", b"again"),
    ]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
    }
    await app(scope, receive, send)
    status: int = found["status"]
    return status
