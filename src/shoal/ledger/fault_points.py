"""The steps of a durable commit, by name, so that tests can fail or die after each of them."""

from __future__ import annotations

from collections.abc import Callable

STEPS = ("begun", "decided", "written", "committed", "marked")
"""A transaction is open; every request of the batch is decided; its rows are written; they are
durable; the head says so.
"""

watch: Callable[[str], None] | None = None
"""Called after each step when it is set.  Only tests set it."""


def done(step: str) -> None:
    """Say that a step is done."""
    if watch is not None:
        watch(step)
