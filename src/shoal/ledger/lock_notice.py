"""Whoever waits long to write is told for whom: a line on standard error, through the log of
Python, after two seconds.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer

SECONDS = 2
"""So long nobody wonders."""

_LOG = logging.getLogger("shoal.ledger")
_LONGEST = 80


def tell_wait(what: str, who: str) -> None:
    """Say what is waited for, and who holds it."""
    _LOG.warning("Waiting to write to %s: %s holds it. Press Ctrl-C to stop waiting.", what, who)


def tell_answer(charge: int) -> None:
    """Say that the same question is being answered for someone else."""
    _LOG.warning("Waiting for the answer to the same question (charge %d).", charge)


@contextmanager
def telling(what: str, who: Callable[[], str]) -> Iterator[None]:
    """A wait that is said aloud if it is long; only for waits that have begun, since it costs a
    thread.
    """
    timer = Timer(SECONDS, lambda: tell_wait(what, who()))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def holder_of(file: int) -> str:
    """The process that has locked an open file, as far as the system tells."""
    if sys.platform == "linux":
        with suppress(OSError, ValueError, IndexError):
            inode = os.fstat(file).st_ino
            for line in Path("/proc/locks").read_text().splitlines():
                words = line.split()
                if words[1] == "FLOCK" and int(words[5].rpartition(":")[2]) == inode:
                    return _process(int(words[4]))
    return "another process"


def _process(number: int) -> str:
    """A process by its number and, where it may be read, its command."""
    with suppress(OSError):
        command = Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ")
        words = command.decode("utf-8", errors="replace").strip()
        if words:
            short = words if len(words) <= _LONGEST else f"{words[: _LONGEST - 3]}..."
            return f"process {number} ({short})"
    return f"process {number}"
