"""How much one token may ask at a time; who asks more is told when to come back, and not charged."""

from __future__ import annotations

import math
from collections.abc import Callable
from threading import Lock
from time import monotonic

from shoal.server.failures import Refused

RATE = 50.0
"""Requests a second that one token may send, in the long run."""
BURST = 100.0
"""Requests that it may send at once after a pause."""
MOST_INSIDE = 6
"""Requests of one person that are worked on at a time."""
_MOST_HOLDERS = 10_000


class RequestLimits:
    """A bucket for each token: it fills at a rate, and every request takes one drop.

    >>> limits = RequestLimits(rate=1, burst=2, clock=lambda: 0.0)
    >>> limits.take("a"), limits.take("a"), limits.take("b")
    (None, None, None)
    >>> limits.take("a")
    Traceback (most recent call last):
        ...
    shoal.server.failures.Refused: this token asks more than 1 times a second.
    """

    def __init__(
        self,
        rate: float = RATE,
        burst: float = BURST,
        clock: Callable[[], float] = monotonic,
        *,
        most_inside: int = MOST_INSIDE,
    ) -> None:
        self.rate, self.burst, self._clock = rate, burst, clock
        self.most_inside = most_inside
        self._buckets: dict[str, tuple[float, float]] = {}
        self._inside: dict[str, int] = {}
        self._lock = Lock()

    def take(self, holder: str) -> None:
        """Take one drop, or refuse and say how long to wait."""
        if self.rate <= 0:
            return
        now = self._clock()
        with self._lock:
            level, since = self._buckets.pop(holder, (self.burst, now))
            level = min(self.burst, level + (now - since) * self.rate)
            enough = level >= 1
            self._buckets[holder] = (level - 1 if enough else level, now)
            while len(self._buckets) > _MOST_HOLDERS:
                del self._buckets[next(iter(self._buckets))]
        if not enough:
            raise busy(
                f"this token asks more than {self.rate:g} times a second.", (1 - level) / self.rate
            )

    def enter(self, person: str) -> None:
        """Count one more request of a person that is worked on, until `leave`; or refuse it."""
        with self._lock:
            count = self._inside.get(person, 0)
            if count < self.most_inside:
                self._inside[person] = count + 1
                return
        raise busy(f"{person!r} has {self.most_inside} requests under way.", 1)

    def leave(self, person: str) -> None:
        """One request of a person is done."""
        with self._lock:
            self._inside[person] -= 1
            if not self._inside[person]:
                del self._inside[person]


def busy(problem: str, seconds: float) -> Refused:
    """A refusal with the time after which it makes sense to ask again; nothing was charged."""
    wait = str(max(1, math.ceil(seconds)))
    remedy = f"Ask again in {wait} second{'s' * (wait != '1')}; nothing was charged."
    return Refused(429, "request-4", problem, remedy, headers={"Retry-After": wait})
