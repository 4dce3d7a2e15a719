"""A name for each request: random, so that it tells nothing of who asked, when or how many did
before.
"""

from __future__ import annotations

from shoal.noise import one_below

_DIGITS = 16
HEADER = "X-Request-Id"


def request_id() -> str:
    """Sixteen hexadecimal digits, new for each request."""
    return f"{one_below(16**_DIGITS):0{_DIGITS}x}"
