"""A source whose words are written down beforehand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[Any]
ONES = (1 << 64) - 1


class ScriptExhaustedError(Exception):
    """More words were asked for than were written down."""


class Scripted:
    """Hands out the words of each width in order, then ``forever`` (or stops), and remembers
    requests.
    """

    private = False

    def __init__(
        self,
        u64: Iterable[int] = (),
        *,
        u32: Iterable[int] = (),
        u16: Iterable[int] = (),
        u8: Iterable[int] = (),
        forever: int | None = None,
    ) -> None:
        self.pools: dict[object, list[int]] = {}
        self.asked: list[tuple[str, int]] = []
        self._forever = forever
        written: dict[str, Words] = {
            "uint64": np.array(list(u64), dtype=np.uint64),
            "uint32": np.array(list(u32), dtype=np.uint32),
            "uint16": np.array(list(u16), dtype=np.uint16),
            "uint8": np.array(list(u8), dtype=np.uint8),
        }
        self._left = written

    def words(self, kind: type[np.unsignedinteger[Any]], count: int) -> Words:
        dtype = np.dtype(kind)
        self.asked.append((dtype.name, count))
        left = self._left[dtype.name]
        self._left[dtype.name] = left[count:]
        taken = left[:count].copy()
        if len(taken) == count:
            return taken
        if self._forever is None:
            raise ScriptExhaustedError(dtype.name)
        rest = np.full(count - len(taken), self._forever, dtype=np.uint64).astype(dtype)
        return np.concatenate([taken, rest])

    @property
    def left(self) -> int:
        """How many written words were not asked for."""
        return sum(len(words) for words in self._left.values())
