"""What was worked out about a question from public facts alone, kept for whoever asks it again.

A page previews one question at many prices, and many times at one.  The same terms have the same
noise, the same errors and the same event; whether they fit the budget is looked up each time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar

_Found = TypeVar("_Found")
_MOST = 64


class WorkedOut:
    """Values by the terms that they follow from, the last used of them; threads may share it.

    >>> known = WorkedOut()
    >>> known.of("epsilon 1", lambda: 42), known.of("epsilon 1", lambda: 43)
    (42, 42)
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, Any] = {}
        self._lock = Lock()

    def of(self, terms: Hashable, work_out: Callable[[], _Found]) -> _Found:
        """What follows from some terms; worked out if it is not known, and kept."""
        with self._lock:
            if terms in self._kept:
                known: _Found = self._kept.pop(terms)
                self._kept[terms] = known  # the last used stands last
                return known
        found = work_out()
        with self._lock:
            self._kept[terms] = found
            while len(self._kept) > _MOST:
                del self._kept[next(iter(self._kept))]
        return found
