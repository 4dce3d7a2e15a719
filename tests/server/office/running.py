"""Offices that really listen: in a thread of this process, or in processes of their own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.server.address import Address
from shoal.server.door import Door
from shoal.server.office.office_host import OfficeHost
from shoal.server.office.request_limits import RequestLimits
from shoal.server.office.work import ReleaseWork
from shoal.server.server_process import listening, server_of
from shoal.vault import Vault


@contextmanager
def office_in_thread(vault: Vault, *, most_each: int = 100) -> Iterator[str]:
    """The address of an office over a vault, until the block ends."""
    with listening("127.0.0.1", 0) as place:
        door = Door(Address.of("127.0.0.1", place.getsockname()[1]))
        work = ReleaseWork(pad=False, most_each=most_each)
        server = server_of(
            vault, door, OfficeHost(vault, door, RequestLimits(0, most_inside=1000), work)
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [place]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield door.address.origin
        server.should_exit = True
        thread.join()


class OfficeProcess:
    """`shoal serve` in a process of its own, which can be killed."""

    def __init__(self, vault: Path, port: int = 0, *, rate: int = 0) -> None:
        command = [sys.executable, "-u", "-m", "shoal", "serve", "--vault", str(vault)]
        options = ["--port", str(port), "--rate", str(rate), "--no-pad"]
        self.process = subprocess.Popen(
            [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self.process.stdout is not None
        first = self.process.stdout.readline()
        found = re.search(r"(http://127\.0\.0\.1:(\d+))", first)
        assert found, first
        self.origin, self.port = found[1], int(found[2])

    def kill(self) -> None:
        """End it at once, as a power failure does."""
        os.kill(self.process.pid, signal.SIGKILL)
        self._ended()

    def stop(self) -> None:
        """End it as a user does."""
        self.process.terminate()
        self._ended()

    def _ended(self) -> None:
        self.process.wait(30)
        if self.process.stdout is not None:
            self.process.stdout.close()
