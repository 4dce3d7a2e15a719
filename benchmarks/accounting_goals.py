"""The goals of the row *accounting*, and which compositions miss them."""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from benchmarks.accountants import Found
from benchmarks.measure import Cells, Goal

MOST_GAP, MOST_SECONDS, MOST_MEGABYTES = 1e-4, 0.2, 150
MOST_LOOSER, LEAST_FASTER, MOST_SLOWER = 1e-6, 5, 2

Answers = Mapping[str, Found]


def goals(ours: Answers, theirs: Answers) -> list[Goal]:
    """Each goal with its worst composition, and how many miss it."""
    made = [
        _worst("certified gap at most 0.0001", MOST_GAP, column(ours, "gap")),
        _worst("at most 0.2 CPU s", MOST_SECONDS, column(ours, "seconds"), " s"),
        _worst("at most 150 MB", MOST_MEGABYTES, column(ours, "megabytes"), " MB"),
    ]
    if any(theirs.values()):
        promise = "epsilon at most 0.000001 above dp-accounting's"
        made.append(_worst(promise, MOST_LOOSER, looser(ours, theirs), " above"))
        faster = speed(ours, theirs)
        promise = "at least 5 times as fast as dp-accounting in the median"
        made.append(Goal(promise, LEAST_FASTER, statistics.median(faster.values())))
        slower = {title: 1 / times for title, times in faster.items()}
        made.append(_worst("nowhere more than 2 times dp-accounting's CPU", MOST_SLOWER, slower, "x"))  # fmt: skip
    return made


def column(found: Answers, key: str) -> dict[str, float]:
    """One number of each composition that has it."""
    return {title: cells[key] for title, cells in found.items() if key in cells}


def looser(ours: Answers, theirs: Answers) -> dict[str, float]:
    """How far our epsilon lies above the peer's, where that is an upper bound at all."""
    return {
        title: ours[title]["epsilon"] - epsilon
        for title, epsilon in column(theirs, "epsilon").items()
        if "epsilon" in ours[title] and not below_the_truth(ours[title], epsilon)
    }


def below_the_truth(ours: Found, epsilon: float) -> bool:
    """Whether a number of a peer lies below the lower end that we certify."""
    if "gap" not in ours:
        return False
    return epsilon < max(ours["epsilon"] - ours["gap"], ours.get("lower", 0.0))


def speed(ours: Answers, theirs: Answers) -> dict[str, float]:
    """The peer's CPU time in ours; one that was ended counts with the time it had by then."""
    spent = {**column(theirs, "seconds"), **column(theirs, "over")}
    return {title: spent[title] / ours[title]["seconds"] for title in spent if ours[title]}


def _worst(promise: str, bound: float, cells: Cells, unit: str = "") -> Goal:
    worst = max(cells, key=cells.__getitem__)
    missed = sum(each > bound for each in cells.values())
    where = f"`{worst}`" + (f"; {missed} of {len(cells)} miss it" if missed else f"; of {len(cells)}")  # fmt: skip
    return Goal(promise, bound, cells[worst], unit, where=where, at_most=True)
