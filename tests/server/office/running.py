"""Offices that really listen: in a thread of this process, or in processes of their own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shoal.server.access_check import Door
from shoal.server.address import Address
from shoal.server.office.office_state import OfficeHost
from shoal.server.office.request_limits import RequestLimits
from shoal.server.office.work import ReleaseWork
from shoal.server.server_process import listening, server_of
from shoal.server.sign_in.arriving import SignIn
from shoal.vault import Vault
from shoal.vault.sources.data_folder import DataFolder


@contextmanager
def office_in_thread(
    vault: Vault,
    *,
    most_each: int = 100,
    sign_in: Callable[[str], SignIn] | None = None,
    data: Path | None = None,
) -> Iterator[str]:
    """The address of an office over a vault, until the block ends."""
    with listening("127.0.0.1", 0) as place:
        door = Door(Address.of("127.0.0.1", place.getsockname()[1]))
        work = ReleaseWork(pad=False, most_each=most_each)
        ways = None if sign_in is None else sign_in(door.address.origin)
        limits = RequestLimits(0, most_inside=1000)
        folder = None if data is None else DataFolder.at(data)
        server = server_of(vault, door, OfficeHost(vault, door, limits, work, ways, folder))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [place]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield door.address.origin
        finally:
            server.should_exit = True
            thread.join()


def options_for(vault: Path | str, rate: int = 0) -> list[str]:
    """How the servers of these tests are started."""
    return ["--vault", str(vault), "--rate", str(rate), "--no-pad"]


def address_in(line: str) -> tuple[str, int]:
    """Where a server listens, by the first line that it prints."""
    found = re.search(r"(http://127\.0\.0\.1:(\d+))", line)
    assert found, line
    return found[1], int(found[2])


class OfficeProcess:
    """`shoal serve` in a process of its own, which can be killed."""

    def __init__(self, vault: Path | str, port: int = 0, *, rate: int = 0) -> None:
        command = [sys.executable, "-u", "-m", "shoal", "serve", "--port", str(port)]
        self.process = subprocess.Popen(
            [*command, *options_for(vault, rate)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout is not None
        self.origin, self.port = address_in(self.process.stdout.readline())

    def kill(self) -> None:
        """End it at once, as a power failure does."""
        os.kill(self.process.pid, signal.SIGKILL)
        self._ended()

    def stop(self) -> None:
        """End it as a user does."""
        self.process.terminate()
        self._ended()

    def _ended(self) -> None:
        try:
            self.process.wait(40)
        finally:  # one that does not end must not outlive its test
            self.process.kill()
            self.process.communicate()


class ForkedOffices:
    """Servers that one process forks, one after the other; each is as real as the next."""

    def __init__(self, vault: Path) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, "-m", "tests.server.office.forked_servers", *options_for(vault)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.process, self.port = 0, 0
        self.origin = self.begin()

    def begin(self) -> str:
        """Fork the next one, and wait until it listens."""
        assert self._parent.stdin is not None
        self._parent.stdin.write(f"{self.port}\n")
        self._parent.stdin.flush()
        self.process = int(self._line("forked ").removeprefix("forked "))
        origin, self.port = address_in(self._line("http://"))
        return origin

    def kill(self) -> None:
        """End it at once, as a power failure does."""
        os.kill(self.process, signal.SIGKILL)
        with suppress(ProcessLookupError):
            while True:
                os.kill(self.process, 0)
                time.sleep(0.005)

    def end(self) -> None:
        """End the server and the process that forks."""
        self.kill()
        self._parent.kill()
        self._parent.communicate()

    def _line(self, holding: str) -> str:
        assert self._parent.stdout is not None
        for line in iter(self._parent.stdout.readline, ""):
            if holding in line:
                return line
        raise AssertionError("the process that forks servers has ended")
