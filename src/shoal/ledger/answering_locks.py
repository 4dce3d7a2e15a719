"""Who is still answering a charge: a lock of the operating system, which ends with its process.

Whoever is charged locks one byte of a file beside the ledger, that of the number of the charge, until
the charge is settled; and writes into it which attempt it is.  The system lets go of the lock when the
process ends, however it ends.  So a charge whose byte says this attempt, and is not locked, has nobody
who answers it: it can be taken up at once, and need not wait until everybody's patience is over.

Guarantee: none of the ledger rests on it.  Of several attempts at a charge only the last can be
    stored, and only what is stored is shown (`Charge.answered`), whenever it was taken up.  A lock
    only says when to take up: a false "gone" wastes the work of whoever is alive.
Needs: a file of this machine, and locks of open files (Linux).  Elsewhere, and on PostgreSQL, nobody
    is ever known to be gone, and patience decides.
Edges: a process that dies between its commit and its lock is not known to be gone.  A fork that
    never uses the ledger keeps the locks of its parent.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock

try:
    import fcntl

    _SET, _GET = fcntl.F_OFD_SETLK, fcntl.F_OFD_GETLK
    _FREE, _MINE = fcntl.F_UNLCK, fcntl.F_WRLCK
except (ImportError, AttributeError):  # not Linux
    _SET = _GET = _FREE = _MINE = -1

_SHAPE = "hhqqi4x"
"""A lock as the system has it: its kind, from where, the first byte, how many, and no process."""
_MARKS = 255


def locks_path(path: Path) -> Path:
    """Where the locks of a ledger in a file are: beside it."""
    return path.with_name(path.name + ".answering")


class AnsweringLocks:
    """The charges that one open ledger answers, and whether those of others have somebody."""

    def __init__(self, path: Path | None) -> None:
        self._path = path if _SET != -1 else None
        self._file: int | None = None
        self._held: set[int] = set()
        self._lock = Lock()

    def hold(self, charge: int, attempt: int) -> Callable[[], None]:
        """Let others see that a charge is being answered, until what is returned is called; where
        that is not possible, nothing happens.
        """
        with suppress(OSError), self._lock:
            file = self._opened(make=True)
            if file is not None:
                self._held.add(charge)
                _lock(file, charge, _MINE)
                os.pwrite(file, _mark(attempt), charge)
        return lambda: self._let_go(charge)

    def is_gone(self, charge: int, attempt: int) -> bool:
        """Whether somebody answered a charge at this attempt, and surely does so no longer."""
        with suppress(OSError), self._lock:
            file = None if charge in self._held else self._opened(make=False)
            if file is not None and os.pread(file, 1, charge) == _mark(attempt):
                return _is_free(file, charge)
        return False

    def close(self) -> None:
        """Let go of all; nobody answers with a ledger that is closed."""
        with self._lock:
            if self._file is not None:
                with suppress(OSError):
                    os.close(self._file)
            self._file = None
            self._path = None
            self._held.clear()

    def abandon(self) -> None:
        """Forget the locks of the process that this one was forked from, which keeps them."""
        if self._file is not None:
            with suppress(OSError):
                os.close(self._file)

    def _let_go(self, charge: int) -> None:
        with suppress(OSError), self._lock:
            if self._file is not None and charge in self._held:
                _lock(self._file, charge, _FREE)
                self._held.discard(charge)

    def _opened(self, *, make: bool) -> int | None:
        if self._file is None and self._path is not None:
            flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | (os.O_CREAT if make else 0)
            with suppress(FileNotFoundError):
                self._file = os.open(self._path, flags, 0o600)
        return self._file


def _mark(attempt: int) -> bytes:
    return bytes([1 + attempt % _MARKS])


def _lock(file: int, charge: int, kind: int) -> None:
    fcntl.fcntl(file, _SET, struct.pack(_SHAPE, kind, os.SEEK_SET, charge, 1, 0))


def _is_free(file: int, charge: int) -> bool:
    asked = struct.pack(_SHAPE, _MINE, os.SEEK_SET, charge, 1, 0)
    found: int = struct.unpack(_SHAPE, fcntl.fcntl(file, _GET, asked))[0]
    return found == _FREE
