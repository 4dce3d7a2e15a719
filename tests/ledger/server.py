"""A real PostgreSQL server for the tests: started once, in a directory of its own, by a user who is
not root.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def programs() -> Path | None:
    """Where ``initdb`` and ``postgres`` are, if they are anywhere."""
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next(
        (each for each in places if (each / "initdb").exists() and (each / "postgres").exists()),
        None,
    )


def _user() -> str | None:
    """PostgreSQL refuses to run as root; then someone else runs it."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    return None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running() -> Iterator[str]:
    """The address of a server that runs as long as the block."""
    home, user = programs(), _user()
    assert home is not None
    with tempfile.TemporaryDirectory(prefix="shoal-postgres-") as directory:
        if user is not None:
            shutil.chown(directory, user)
        subprocess.run(
            [home / "initdb", "-D", f"{directory}/data", "-U", "shoal", "-A", "trust", "--no-instructions", "--no-sync"],
            check=True, user=user, cwd=directory, capture_output=True,
        )  # fmt: skip
        server, port = _listening(home, directory, user)
        try:
            yield f"postgresql://shoal@127.0.0.1:{port}/postgres"
        finally:
            _stop(server)


def _listening(home: Path, directory: str, user: str | None) -> tuple[subprocess.Popen[bytes], int]:
    """A server that takes connections, and its port; a port that somebody else was quicker to take
    is given up.
    """
    log = Path(directory, "log")
    for _ in range(5):
        port = _free_port()
        options = {
            "port": port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": directory,
        }
        settings = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        command = [str(home / "postgres"), "-D", f"{directory}/data", *settings]
        with log.open("wb") as written:
            server = subprocess.Popen(command, user=user, cwd=directory, stderr=written)
        if _is_ready(home, port, server):
            return server, port
        _stop(server)
    raise AssertionError(log.read_text(errors="replace")[-2000:])


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.send_signal(signal.SIGQUIT)  # at once: nothing here is needed again
    server.wait(timeout=300)


def _is_ready(home: Path, port: int, server: subprocess.Popen[bytes]) -> bool:
    """Whether the server takes connections, as soon as it does; not if it has ended, or takes none
    for minutes.
    """
    asked = [str(home / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port), "-U", "shoal"]
    end = time.monotonic() + 120
    while server.poll() is None and time.monotonic() < end:
        if subprocess.run(asked, check=False).returncode == 0:
            return server.poll() is None
        time.sleep(0.1)
    return False
