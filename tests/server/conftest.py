"""A real server on a free port, and one browser for all tests of this folder."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.server.browser import started

import shoal
from shoal.server.access_check import Door
from shoal.server.address import Address
from shoal.server.server_process import listening, server_of
from shoal.vault import Vault


@dataclass(frozen=True)
class Running:
    """A server that listens, over a vault of its own."""

    vault: Vault
    door: Door
    folder: Path

    @property
    def origin(self) -> str:
        return self.door.address.origin


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with started(tmp_path_factory.mktemp("home")) as found:
        yield found


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("served")
    with shoal.open(folder / "office.shoal") as vault, listening("127.0.0.1", 0) as place:
        door = Door(Address.of("127.0.0.1", place.getsockname()[1]))
        server = server_of(vault, door)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [place]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield Running(vault, door, folder)
        server.should_exit = True
        thread.join()
