"""The head of a ledger on a server, kept on the machine that asks: what this machine has seen, a
rollback must still have.

A server's ledger can be restored from a dump by whoever runs the server, so its head is kept
elsewhere: in two small files in a folder of the user.  One is found by the address, so a history
that was written anew at the same address is noticed; the other by the first entry of the journal,
so a copy at another address is.  `head.md` says what remains.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from shoal.errors import StorageError
from shoal.ledger.entry import digest
from shoal.ledger.head import Head, HeadFile


def state_folder() -> Path:
    """Where this user's programs keep what must last: ``$XDG_STATE_HOME/shoal``, by default
    ``~/.local/state/shoal``.
    """
    windows = os.environ.get("LOCALAPPDATA") if sys.platform == "win32" else None
    given = os.environ.get("XDG_STATE_HOME") or windows
    return (Path(given) if given else Path("~/.local/state").expanduser()) / "shoal"


class MachineHead(HeadFile):
    """The newest head that this user on this machine has seen of a ledger.

    A machine that comes new to a ledger has none, so a missing one is no alarm.
    """

    must_be_there = False

    def __init__(self, address: str, folder: Path | None = None) -> None:
        self._folder = folder or state_folder() / "heads"
        self._address = address
        self._by_origin: HeadFile | None = None
        super().__init__(self._folder / f"{digest(address)[:32]}.head")

    def anew(self) -> MachineHead:
        made = MachineHead(self._address, self._folder)
        if self._by_origin is not None:
            made._by_origin = HeadFile(self._by_origin.path)
        return made

    def follow(self, origin: str) -> None:
        """From now on keep the head under the first entry of the journal, too."""
        self._by_origin = HeadFile(self._folder / f"{digest(origin)[:32]}.head")

    def read(self) -> Head | None:
        heads = [super().read(), None if self._by_origin is None else self._by_origin.read()]
        return max((each for each in heads if each is not None), default=None)

    def write(self, head: Head, *, over: bool = False) -> None:
        super().write(head, over=over)
        if self._by_origin is not None:
            self._by_origin.write(head, over=over)

    def sync(self) -> None:
        super().sync()
        if self._by_origin is not None:
            self._by_origin.sync()

    def close(self) -> None:
        super().close()
        if self._by_origin is not None:
            self._by_origin.close()

    def _open(self) -> int:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return super()._open()
        except OSError as error:
            raise StorageError(
                f"this machine cannot keep the head of the ledger in {str(self._folder)!r}: {error.strerror}. "
                "Without it a server that is rolled back would not be noticed.",
                remedy="Set XDG_STATE_HOME to a folder that lasts and can be written, or say where to keep it: "
                'shoal.open(address, head="/var/lib/shoal/office.head").',
            ) from None
