"""A process that has loaded everything, and forks a server for each line that it reads.

Run as a program.  A line is the port to listen on; the answer is the number of the new process, and
then what `shoal serve` prints.  So a server that is killed is back in a fraction of a second.
"""

from __future__ import annotations

import os
import signal
import sys

import duckdb
import sqlglot
import uvicorn

import shoal
from shoal.cli import main
from shoal.server import server_process

LOADED = (duckdb, sqlglot, uvicorn, shoal, server_process)


def fork(port: str, options: list[str]) -> None:
    """Start one server; what it prints goes where this process prints."""
    made = os.fork()
    if made:
        sys.stdout.write(f"forked {made}\n")
        sys.stdout.flush()
        return
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.close(0)
    sys.argv = ["shoal", "serve", "--port", port, *options]
    main()
    os._exit(0)


if __name__ == "__main__":
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody has to bury them
    for line in iter(sys.stdin.readline, ""):
        fork(line.strip(), sys.argv[1:])
