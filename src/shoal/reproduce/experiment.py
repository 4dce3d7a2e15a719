"""An experiment of a source, done again: what it is called, where it stands, and what running it
gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shoal.page import Part


@dataclass(frozen=True)
class Effort:
    """How many repetitions to spend; a quick run does a few of them, to see that everything
    works.
    """

    quick: bool = False

    def times(self, many: int, *, least: int = 20) -> int:
        """So many repetitions, or a twentieth of them and at least ``least`` in a quick run."""
        return max(least, many // 20) if self.quick else many


@dataclass(frozen=True)
class Experiment:
    """One experiment, table, figure or worked example of the sources."""

    name: str
    title: str
    source: str
    run: Callable[[Effort], Sequence[Part]]
    corrections: tuple[int, ...] = ()
    """The numbers of the corrections that belong to it; see `shoal.reproduce.corrections`."""
