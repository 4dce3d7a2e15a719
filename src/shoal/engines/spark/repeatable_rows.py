"""Rows that are other rows whenever they are read are refused: no two questions would be of the
same table.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.engines.spark.connection import is_remote, told
from shoal.errors import SourceError

_SOME = {"GlobalLimit", "LocalLimit", "Offset", "Tail", "Sample"}
"""Steps that take some of the rows, by the order in which these come."""


def check_repeats(name: str, frame: Any) -> None:
    """Refuse a frame that draws at random, numbers its rows, or takes some of them as they come.

    Edges: the plan of a frame at the other end of Spark Connect is not known here; ranks among
    ties, other databases and functions that wrongly say they repeat themselves cannot be told.
    """
    if not is_remote(frame.sparkSession) and not told(lambda: _repeats(frame)):
        raise SourceError(
            f"the source of {name!r} need not be the same rows when it is read again: "
            "it draws at random, numbers rows, or takes some of them as they come.",
            remedy="Write the rows to a table first, or give frame.localCheckpoint().",
        )


def _repeats(frame: Any) -> bool:
    plan = frame._jdf.queryExecution().analyzed()  # noqa: SLF001 - it has no other name
    return bool(plan.deterministic()) and _SOME.isdisjoint(_steps(plan))


def _steps(plan: Any) -> Iterator[str]:
    """The names of the steps of a plan, those inside of views and of conditions too."""
    yield plan.nodeName()
    for others in (plan.children(), plan.subqueries()):
        below = others.iterator()
        while below.hasNext():
            yield from _steps(below.next())
