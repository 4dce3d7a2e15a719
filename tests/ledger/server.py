"""A real PostgreSQL server for the tests: started once, in a directory of its own, by a user who is not root."""

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
    home, user, port = programs(), _user(), _free_port()
    assert home is not None
    with tempfile.TemporaryDirectory(prefix="shoal-postgres-") as directory:
        if user is not None:
            shutil.chown(directory, user)
        data = f"{directory}/data"
        subprocess.run(
            [home / "initdb", "-D", data, "-U", "shoal", "-A", "trust", "--no-instructions", "--no-sync"],
            check=True, user=user, cwd=directory, capture_output=True,
        )  # fmt: skip
        options = {
            "port": port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": directory,
        }
        settings = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        with Path(directory, "log").open("wb") as log:
            server = subprocess.Popen(
                [home / "postgres", "-D", data, *settings], user=user, cwd=directory, stderr=log
            )
            try:
                _wait(home, port, server)
                yield f"postgresql://shoal@127.0.0.1:{port}/postgres"
            finally:
                server.send_signal(signal.SIGQUIT)  # at once: nothing here is needed again
                server.wait(timeout=30)


def _wait(home: Path, port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        ready = subprocess.run(
            [home / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port), "-U", "shoal"],
            check=False,
        )
        if ready.returncode == 0:
            return
        assert server.poll() is None, "the server stopped"
        time.sleep(0.1)
    raise TimeoutError
