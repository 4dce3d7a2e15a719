"""An entry of the journal: frozen, numbered, and chained to the one before by its hash.

The hash of an entry is SHA-256 over these lines, joined by line feeds: ``shoal-entry 1``, its
number, the hash of the entry before (64 zeros for the first), its kind, its time, and its body as
canonical JSON (sorted names, no spaces, ASCII).  No line can hold a line feed, so the bytes say
which entry they are.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from time import time_ns
from typing import Any, NamedTuple

from shoal.errors import ShapeError, TamperedError

NOTHING_BEFORE = "0" * 64
"""What stands for the hash of the entry before the first."""

BEGUN, ACCOUNT, BUDGET = "begun", "account", "budget"
CHARGE, ANSWERED, FAILED, LEFT, RESUMED = "charge", "answered", "failed", "left", "resumed"
REPEATED = "repeated"
ALARM, ACCEPTED = "alarm", "accepted"
OWN_KINDS = (
    *(BEGUN, ACCOUNT, BUDGET, CHARGE, ANSWERED, FAILED, LEFT, RESUMED),
    *(REPEATED, ALARM, ACCEPTED),
)
"""The kinds the ledger writes itself; all others are facts that it only keeps."""


class Entry(NamedTuple):
    """One line of the journal.

    ``caller``, ``key`` and ``same`` repeat what the body of a charge says, and ``of`` is the number
    of the charge that an outcome settles; they are kept beside the body so that they can be looked
    up.
    """

    number: int
    previous: str
    kind: str
    time: str
    text: str
    hash: str
    caller: str | None = None
    key: str | None = None
    same: str | None = None
    of: int | None = None

    @property
    def body(self) -> dict[str, Any]:
        """What the entry says; one whose hash is not that of the rest is not believed."""
        if not self.is_whole:
            raise TamperedError(
                f"entry {self.number} of the journal was changed after it was written.",
                remedy="Run verify, which says what is wrong.",
            )
        return self.unchecked

    @property
    def unchecked(self) -> dict[str, Any]:
        """What the entry says, whether it was changed or not: for those who look for what is
        wrong.
        """
        read: dict[str, Any] = json.loads(self.text)
        return read

    @property
    def fact(self) -> Any:
        """What was recorded, for an entry that `Ledger.record` made."""
        return self.body["fact"]

    @property
    def is_whole(self) -> bool:
        """Whether the hash is that of the rest."""
        return self.hash == hash_of(self.number, self.previous, self.kind, self.time, self.text)


def hash_of(number: int, previous: str, kind: str, time: str, text: str) -> str:
    """The hash that an entry must have."""
    return sha256(
        f"shoal-entry 1\n{number}\n{previous}\n{kind}\n{time}\n{text}".encode()
    ).hexdigest()


def canonical(body: Any, name: str = "body") -> str:
    """Canonical JSON: equal values give equal text; NaN and what is not JSON is refused."""
    try:
        text = _write(body)
    except (TypeError, ValueError, RecursionError):
        raise ShapeError(
            f"{name} must be plain JSON: text, finite numbers, truth values, lists and mappings.",
            remedy="Write exact numbers as text, such as '1/10'.",
        ) from None
    return text


def digest(text: str) -> str:
    """The SHA-256 of a text, in hexadecimal."""
    return sha256(text.encode()).hexdigest()


def now() -> str:
    """The time as entries write it: UTC, to the microsecond."""
    seconds, nanoseconds = divmod(time_ns(), 1_000_000_000)
    return f"{_second(seconds)}.{nanoseconds // 1000:06d}+00:00"


@lru_cache(maxsize=4)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


_write = json.JSONEncoder(
    sort_keys=True,
    separators=(",", ":"),
    ensure_ascii=True,
    allow_nan=False,
    # A value that holds itself ends in a RecursionError, which `canonical` refuses; looking for one
    # in every body would cost time.
    check_circular=False,
).encode
# Every option is written out, because hashes of old entries hang on the bytes: a default of the
# standard library may change.  tests/ledger/golden/entries.json holds texts and hashes that must
# stay.
