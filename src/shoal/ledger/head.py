"""The head: how long the journal is and its last hash, kept beside the file, so that an old copy
gives itself away.

`head.md` argues why a crash is never taken for tampering.  The file has two slots of 512 bytes,
written in turn; one that was torn by a loss of power does not have its checksum, and the other one
holds.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import NamedTuple
from weakref import WeakSet

from shoal.errors import ShapeError
from shoal.ledger.entry import NOTHING_BEFORE, digest
from shoal.ledger.lock_notice import holder_of, telling

if sys.platform != "win32":
    import fcntl

_SLOT = 512
_WORD = "shoal-head-1"
_SYNC_SECONDS = 1
_HASH = re.compile("[0-9a-f]{64}")

_every: WeakSet[HeadFile] = WeakSet()


def _close_in_child() -> None:
    """A forked child must not hold the lock of its parent, who may die holding it."""
    for each in list(_every):
        each.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_in_child)


class Head(NamedTuple):
    """So many entries, the last of which has this hash."""

    number: int
    hash: str

    def __str__(self) -> str:
        return f"{self.number}:{self.hash}"

    @classmethod
    def read(cls, text: str) -> Head:
        """A head as it is printed: the number of an entry, a colon, and its hash."""
        number, _, chained = text.strip().partition(":")
        if not (number.isascii() and number.isdecimal()) or not _HASH.fullmatch(chained):
            raise ShapeError(
                f"{text[:80]!r} is not a head.",
                remedy="Give it as shoal verify prints it: a number, a colon and 64 digits of a hash.",
            )
        return cls(int(number), chained)


EMPTY = Head(0, NOTHING_BEFORE)


class HeadFile:
    """The head of one ledger on disk; while it is locked nobody else writes to the ledger.

    The lock is the kernel's: it is fair, costs no polling, and ends with the process that holds it.
    """

    must_be_there = True
    """Whether a journal of several entries without this head is an alarm."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None
        self._last: tuple[bytes, Head | None] = (b"", None)
        self._synced = monotonic()
        _every.add(self)

    def anew(self) -> HeadFile:
        """The same head, with nothing open."""
        return HeadFile(self.path)

    def read(self) -> Head | None:
        """The newest head that was written whole; None where there is none."""
        if self._file is not None:
            slots = os.pread(self._file, 2 * _SLOT, 0)
        elif self.path.exists():
            slots = self.path.read_bytes()
        else:
            return None
        if slots != self._last[0]:
            found = [_read(slots[:_SLOT]), _read(slots[_SLOT:])]
            heads = [head for head in found if head is not None]
            self._last = slots, max(heads, key=lambda head: head.number, default=None)
        return self._last[1]

    def write(self, head: Head, *, over: bool = False) -> None:
        """Say how far the journal reaches now.

        It is in the hands of the operating system when this returns, and so survives the end of the
        process; the disk is waited for once a second at most.  ``over`` clears the other slot too,
        which may say more, and waits in any case.
        """
        file = self._open()
        text = f"{_WORD} {head.number} {head.hash}"
        slot = f"{text} {digest(text)[:16]}\n".ljust(_SLOT).encode()
        if over:
            os.pwrite(file, slot + slot, 0)
            self.sync()
            return
        place = _SLOT * (head.number % 2)
        os.pwrite(file, slot, place)
        if monotonic() - self._synced > _SYNC_SECONDS:
            self.sync()
        slots = self._last[0]
        if len(slots) == 2 * _SLOT:
            self._last = slots[:_SLOT] + slot if place else slot + slots[_SLOT:], head

    def sync(self) -> None:
        """Wait until the head is on disk."""
        if self._file is not None:
            os.fsync(self._file)
            self._synced = monotonic()

    def lock(self) -> None:
        """Wait for the turn of this process, and say for whom if that is long; Windows leaves the
        waiting to SQLite.
        """
        if sys.platform == "win32":
            return
        file = self._open()
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with telling(repr(self.path.name.removesuffix(".head")), lambda: holder_of(file)):
                fcntl.flock(file, fcntl.LOCK_EX)

    def unlock(self) -> None:
        """End the turn of this process."""
        if sys.platform != "win32" and self._file is not None:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _open(self) -> int:
        if self._file is None:
            self._file = _opened(self.path)
        return self._file


def _opened(path: Path) -> int:
    is_new = not path.exists()
    file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    if is_new:
        with suppress(OSError):  # not every system lets a directory be opened
            _sync_directory(path.parent)
    return file


def _sync_directory(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _read(slot: bytes) -> Head | None:
    parts = slot.decode("ascii", errors="replace").split()
    if len(parts) != 4 or parts[0] != _WORD or not parts[1].isdecimal():
        return None
    if digest(" ".join(parts[:3]))[:16] != parts[3]:
        return None
    return Head(int(parts[1]), parts[2])
