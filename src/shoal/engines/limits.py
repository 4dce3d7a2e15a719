"""How much an engine that Shoal opens may take: public numbers, set before any row is read."""

from __future__ import annotations

import re
from dataclasses import dataclass

from shoal.errors import SchemaError

SHARE = "80%"
"""How much of the machine's memory DuckDB may use by default."""

_MEMORY = re.compile(r"(?!0+(\.0+)? ?[KMGT])[0-9]{1,9}(\.[0-9]{1,3})? ?[KMGT]i?B|[1-9][0-9]?%")
_LONGEST = 10_000_000


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
