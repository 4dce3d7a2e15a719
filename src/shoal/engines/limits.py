"""How much an engine that Shoal opens may take: public numbers, set before any row is read."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from shoal.errors import SchemaError, SourceError

SHARE = "80%"
"""How much of the machine's memory DuckDB may use by default."""

_MEMORY = re.compile(r"(?!0+(\.0+)? ?[KMGT])[0-9]{1,9}(\.[0-9]{1,3})? ?[KMGT]i?B|[1-9][0-9]?%")
_LONGEST = 10_000_000
_AGAIN = 0.05
"""Seconds after which an engine that did not stop is told to stop again."""


@dataclass(frozen=True)
class EngineLimits:
    """What DuckDB may take for a question: memory, such as 8GB or 50% of the machine's, and a time
    in seconds, if any.

    A question that needs more ends with `UnansweredError` after it was charged, as every failure of
    an engine does.  That a limit was hit can be seen, so choose limits that no question comes near,
    from the machine and never from the rows.

    >>> EngineLimits(memory="8GB", seconds=600)
    EngineLimits(memory='8GB', seconds=600)
    """

    memory: str | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        said = self.memory
        if said is not None and not (isinstance(said, str) and _MEMORY.fullmatch(said)):
            raise SchemaError(
                "the memory of an engine is not a size.",
                remedy="Give memory='8GB', or a share of the machine's: memory='50%'.",
            )
        seconds = self.seconds
        if seconds is not None and not (type(seconds) in (int, float) and 0 < seconds <= _LONGEST):
            raise SchemaError(
                f"the seconds of an engine are not a number above 0 and up to {_LONGEST:,}.",
                remedy="Give seconds=600, or leave the time without a limit.",
            )


NONE = EngineLimits()
"""No limit of time, and the usual share of memory."""


@contextmanager
def stopped_after(seconds: float | None, stop: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` when so many seconds have passed, until what is done here ends; it fails then,
    even if it was done.

    An engine can be told to stop between two statements, when that means nothing to it, so it is
    told again.
    """
    if seconds is None:
        yield
        return
    done, late = threading.Event(), threading.Event()

    def watch() -> None:
        if not done.wait(seconds):
            late.set()
            stop()
            while not done.wait(_AGAIN):
                stop()

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        done.set()
        watching.join()
    if late.is_set():
        raise SourceError(
            f"the engine needed more than {seconds} seconds.", remedy="Allow it more time."
        )
