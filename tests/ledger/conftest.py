from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from tests.ledger import server

STORES = ["sqlite", "postgres"]


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server; skips in one line where there is none."""
    if server.programs() is None:
        pytest.skip("no PostgreSQL here: initdb and postgres are neither on PATH nor in /usr/lib")
    with server.running() as address:
        yield address


@pytest.fixture
def places(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[[str], str]:
    """A fresh place for a ledger, by the name of the store."""
    numbers = count()

    def place(store: str) -> str:
        if store == "sqlite":
            return str(tmp_path / f"office{next(numbers)}.shoal")
        if request.node.get_closest_marker("postgres") is None:
            pytest.fail("a test that asks for a server by name is marked: @pytest.mark.postgres")
        import psycopg  # noqa: PLC0415 - only where there is a server

        address: str = request.getfixturevalue("postgres")
        name = f"office_{abs(hash((str(tmp_path), next(numbers))))}"
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(f'CREATE SCHEMA "{name}"'.encode())
        return f"{address}?options=-csearch_path%3D{name}"

    return place


@pytest.fixture(params=STORES)
def place(request: pytest.FixtureRequest, places: Callable[[str], str]) -> str:
    """A fresh place for a ledger, once in a file and once on a server."""
    return places(request.param)
