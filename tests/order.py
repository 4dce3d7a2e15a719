"""The order in which tests run: what takes long comes first, and each process begins with another
kind of it.

`pytest -n 3 --dist worksteal` cuts the list into as many parts as there are processes, and each
process runs its part in order; when it is done, it takes the second half of the longest part that
is left. So a kind at the head of a part is run by one process: Java is started once, and Chromium
once. Spark, a browser and a database are waited for, so three processes keep two processors busy.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

HEAVY = ("spark", "browser", "slow", "postgres")
"""Markers of the tests that `make quick` leaves out, those that take longest first."""


def processes(config: pytest.Config) -> int:
    """How many processes share the tests."""
    told: dict[str, int] = getattr(config, "workerinput", {})
    return told.get("workercount", 1)


def arranged(items: Sequence[pytest.Item], parts: int) -> list[pytest.Item]:
    """The same items, with the heavy kinds at the heads of the parts, in turn."""
    kinds: list[list[pytest.Item]] = [[] for _ in HEAVY]
    light: list[pytest.Item] = []
    for item in items:
        own = (kinds[at] for at, name in enumerate(HEAVY) if item.get_closest_marker(name))
        next(own, light).append(item)
    heads = [[item for kind in kinds[part::parts] for item in kind] for part in range(parts)]
    left = iter(light)
    found: list[pytest.Item] = []
    for size, head in zip(sizes(len(items), parts), heads, strict=True):
        found += head
        found += [item for _, item in zip(range(size - len(head)), left, strict=False)]
    return [*found, *left]


def sizes(count: int, parts: int) -> list[int]:
    """The lengths of the parts into which xdist cuts a list."""
    made: list[int] = []
    for done in range(parts):
        made.append((count - sum(made)) // (parts - done))
    return made
