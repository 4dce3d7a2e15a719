"""Two runs beside each other: the inputs of every noise against its claim, and the names of keys to
the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from scripts.fuzzing.case import Ending, Finding, ending, endings_apart
from shoal.auditing.replay.recorder import Met, Parted, Player, Recorder, named
from shoal.exact import short
from shoal.noise import seam
from shoal.sensitivity import Norm, Relation
from shoal.sensitivity.claims import Answers, Moves


@dataclass(frozen=True)
class Recorded:
    """A run on one side, with every noise that it asked for."""

    recorder: Recorder
    ending: Ending


def recorded(run: Callable[[], Any], seed: int | str = 0) -> Recorded:
    """Run one side, and write its noises down."""
    return _run(Recorder(seed), run)


def played(first: Recorded, run: Callable[[], Any]) -> Recorded:
    """Run the other side with the outputs of the first; nothing is drawn anew."""
    return _run(_Player(first.recorder), run)


class _Player(Player):
    """Plays outputs back without drawing any: what would be drawn is nobody's to see."""

    def _released(self, draw: Callable[[], Any]) -> Any:
        del draw


def _run(recorder: Recorder, run: Callable[[], Any]) -> Recorded:
    with seam.use(recorder):
        found = ending(lambda: _unless_parted(run))
    return Recorded(recorder, found)


def _unless_parted(run: Callable[[], Any]) -> Any:
    try:
        return run()
    except Parted:
        return None


def apart(first: Recorded, second: Recorded, relation: Relation) -> list[Finding]:
    """All that tells the two sides apart, though every noise gave both the same."""
    player = second.recorder
    assert isinstance(player, Player)
    found = list(_endings(first, second, player))
    for number, (before, after) in enumerate(player.both(), start=1):
        place = f"noise {number}, {named(before.meeting)[:80]}"
        found += _others(before, after, place)
        found += _names(before, after, place)
        found += _moved(before, after, place, relation)
    return found


def _endings(first: Recorded, second: Recorded, player: Player) -> Iterator[Finding]:
    if player.parted is not None:
        yield Finding("noise", player.parted[:300])
        return
    yield from endings_apart(first.ending, second.ending)
    both = first.ending.answered and second.ending.answered
    if both and len(player.met) != len(first.recorder.met):
        yield Finding("noise", "one side asked for more noises than the other")
    if both and _shown(first.ending.result) != _shown(second.ending.result):
        yield Finding("result", "the answers differ, though every noise gave the same")


def _shown(result: Any) -> Any:
    """A result by its text, in which zeros have signs and types show."""
    return result.shown if hasattr(result, "shown") else _spelled(result)


def _spelled(value: Any) -> str:
    try:
        return repr(value)
    except (ValueError, RecursionError) as error:
        return f"nothing that can be written ({type(error).__name__})"


def _moved(before: Met, after: Met, place: str, relation: Relation) -> Iterator[Finding]:
    if _still(before, after):
        return
    declared = before.meeting.claim.relation
    times = 2 if relation is Relation.CHANGE and declared is Relation.ADD_REMOVE else 1
    try:
        moves = list(
            before.meeting.claim.check(
                before.meeting.given,
                after.meeting.given,
                other=after.meeting.claim,
                output=before.output,
                times=times,
            )
        )
    except (ValueError, OverflowError, TypeError) as error:
        yield Finding("moved", f"{place}: its input is no number ({type(error).__name__})")
        return
    for each in moves:
        if not each.within:
            yield Finding(
                "moved",
                f"{place}: {each.what} moved by {short(each.far)}, claimed {short(each.allowed)}",
            )


def _others(before: Met, after: Met, place: str) -> Iterator[Finding]:
    """Where each person answers for themselves, one person's change changes one answer."""
    if not isinstance(before.meeting.claim, Answers):
        return
    mine, theirs = (list(met.meeting.given) for met in (before, after))
    changed = sum(not np.array_equal(a, b) for a, b in zip(mine, theirs, strict=False))
    if len(mine) == len(theirs) and changed > 1:
        yield Finding(
            "moved", f"{place}: the answers of {changed} people changed, and one person did"
        )


def _still(before: Met, after: Met) -> bool:
    """Whether whole numbers moved within an L1 or L2 claim, found without fractions; False where
    that is not plain.
    """
    claim, mine, theirs = before.meeting.claim, before.meeting.given, after.meeting.given
    if not isinstance(claim, Moves) or claim.monotone or claim.block != 1:
        return False
    try:
        moved = [int(a) - int(b) for a, b in zip(theirs, mine, strict=True) if a != b]
    except (TypeError, ValueError, OverflowError):
        return False
    if any(int(a) != a for a in (*mine[:1], *theirs[:1])):
        return False
    if claim.sensitivity.norm is Norm.L1:
        return sum(map(abs, moved)) <= claim.steps
    return claim.sensitivity.norm is Norm.L2 and sum(m * m for m in moved) <= claim.steps**2


def _names(before: Met, after: Met, place: str) -> Iterator[Finding]:
    """Keys that both sides have must be called the same: equal ones may not differ in type or
    sign.
    """
    mine, theirs = before.meeting.given, after.meeting.given
    if not isinstance(mine, Mapping) or not isinstance(theirs, Mapping):
        return
    spelled = {key: _spelled(key) for key in theirs}
    for key in mine:
        if key in spelled and spelled[key] != _spelled(key):
            yield Finding("key names", f"{place}: {key!r} on one side, {spelled[key]} on the other")
            return
