"""The tables of the row *accounting*: one line a composition, what misses a goal in bold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from benchmarks.accountants import Found
from benchmarks.accounting_goals import (
    MOST_GAP,
    MOST_LOOSER,
    MOST_MEGABYTES,
    MOST_SECONDS,
    MOST_SLOWER,
    below_the_truth,
)
from benchmarks.measure import quantity

HEAD = ("Composition @ delta", "epsilon", "dp-accounting", "gap", "CPU s", "dp-accounting", "MB", "dp-accounting")  # fmt: skip


def wide_table(ours: Mapping[str, Found], theirs: Mapping[str, Found]) -> str:
    """Epsilon, certified gap, CPU seconds and megabytes, ours and the peer's side by side."""
    titles = list(ours or theirs)
    lines = [_line(title, ours.get(title, {}), theirs.get(title, {})) for title in titles]
    return _markdown(HEAD, lines)


def reference_table(name: str, found: Mapping[str, Found]) -> str:
    """A peer that was asked the reference workloads only."""
    head = (f"{name}, an error of 0.01 allowed", "epsilon", "CPU s", "MB")
    lines = [
        [_code(title), _epsilon(each), _seconds(each), _plain(each, "megabytes")]
        for title, each in found.items()
    ]
    return _markdown(head, lines)


def _line(title: str, ours: Found, theirs: Found) -> list[str]:
    theirs_epsilon = theirs.get("epsilon", math.inf)
    invalid = below_the_truth(ours, theirs_epsilon) if ours else False
    loose = bool(ours) and not invalid and ours["epsilon"] - theirs_epsilon > MOST_LOOSER
    slowest = min(MOST_SECONDS, MOST_SLOWER * theirs.get("seconds", math.inf))
    return [
        _code(title),
        _bold(_epsilon(ours), loose),
        _epsilon(theirs) + (" †" if invalid else ""),
        _bold(_plain(ours, "gap"), ours.get("gap", 0) > MOST_GAP),
        _bold(_seconds(ours), ours.get("seconds", 0) > slowest),
        _seconds(theirs),
        _bold(_plain(ours, "megabytes"), ours.get("megabytes", 0) > MOST_MEGABYTES),
        _plain(theirs, "megabytes"),
    ]


def _markdown(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = "|---|" + "---:|" * (len(head) - 1)
    rows = ["| " + " | ".join(cells) + " |" for cells in (head, *lines)]
    return "\n".join([rows[0], rule, *rows[1:]])


def _code(title: str) -> str:
    escaped = title.replace("|", "\\|")
    return f"`{escaped}`"


def _bold(text: str, wrong: bool) -> str:  # noqa: FBT001
    return f"**{text}**" if wrong else text


def _epsilon(found: Found) -> str:
    if "epsilon" not in found:
        return "–"
    return f"{found['epsilon']:.8g}" if math.isfinite(found["epsilon"]) else "infinite"


def _seconds(found: Found) -> str:
    return f"over {found['over']:g}" if "over" in found else _plain(found, "seconds")


def _plain(found: Found, key: str) -> str:
    return quantity(found[key]) if key in found else "–"
