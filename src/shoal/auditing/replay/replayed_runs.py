"""Run a program on neighbours with recorded randomness, and report everything that differs and must
not.

A program keeps its promise if it touches the data only through noises whose inputs move by at most
what each was told, and does all the rest alike.  So, when the outputs of all noises are held fixed,

* the same noises must be asked for, in the same order, with the same parameters;
* the input of each must move by at most its declared sensitivity, in its norm and for its relation;
* draws outside the noises must be the same;
* what is returned must be the same, in type, shape and value, and so must every error, to the
  letter.

Each difference is a proof, for the pair at hand, that the promise as it was declared does not hold;
no chance is involved.  Two kinds refute nothing: "draws", which is a hint, and "open", where
something could not be compared: a result of a type that cannot be looked into, or noise that was
drawn in a thread that knows nothing of the replay.  That nothing was found proves nothing about
other pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.auditing.replay.differences import apart
from shoal.auditing.replay.recorder import Met, Parted, Player, Recorder, named
from shoal.auditing.verdict import Verdict
from shoal.exact import short, whole
from shoal.mechanisms.witness import NoiseWitness
from shoal.noise import seam
from shoal.noise.source import handed_out
from shoal.sensitivity import Relation
from shoal.sensitivity.claims import Movement, Moves, numbers

HINT, OPEN = "draws", "open"
HINTS = frozenset((HINT, OPEN))
"""The kinds of difference that refute nothing by themselves."""


@dataclass(frozen=True)
class ReplayDifference:
    """One thing that differs between the runs on a pair.

    ``kind`` is "moved" (the input of a noise), "noise" (another sequence of noises), "draws",
    "result", "error", "relation" or "open" (what could not be compared); ``share`` is how much of
    what was declared a movement uses.
    """

    kind: str
    pair: int
    place: str
    declared: str
    found: str
    share: Fraction = Fraction(0)

    def __str__(self) -> str:
        return f"pair {self.pair}, {self.place}: declared {self.declared}; found {self.found}"


@dataclass(frozen=True)
class ReplayResult:
    """What came of playing pairs of neighbours."""

    pairs: int
    noises: int
    worst: Fraction
    """The largest movement seen, as a share of what was declared."""
    differences: tuple[ReplayDifference, ...]
    errors: int
    """On how many pairs both sides ended in the same error."""

    @property
    def verdict(self) -> Verdict:
        """The verdict, for reports."""
        found = f"{self.noises} inputs of noises on {self.pairs} pairs moved by at most {short(self.worst)} of what was declared."
        against = [each for each in self.differences if each.kind != OPEN]
        unclear = [each for each in self.differences if each.kind == OPEN]
        if against:
            count = len(against)
            found = f"{count} difference{'s' * (count > 1)}; the first: {against[0]}."
        elif unclear:
            found = f"{len(unclear)} of {self.pairs} pairs could not be compared and are open; the first: {unclear[0]}."
        if not self.noises and not self.differences:
            found = f"no noise was drawn on {self.pairs} pairs, and nothing differed."
        return Verdict(
            test="record-play",
            claim="inputs of noises move by at most what is declared, and nothing else depends on the data",
            refuted=any(each.kind not in HINTS for each in self.differences),
            confidence=None,
            p_value=None,
            found=found,
            figures=(
                ("pairs", self.pairs),
                ("inputs compared", self.noises),
                ("largest share of what was declared", float(self.worst)),
                ("differences", len(against)),
                ("left open", len(unclear)),
                ("pairs that ended in the same error", self.errors),
            ),
        )


def replay(
    run: Callable[[Any], Any],
    pairs: Iterable[tuple[Any, Any]],
    *,
    relation: Relation | str | None = None,
    group: int = 1,
    repeats: int = 1,
    seed: int | str = 0,
) -> ReplayResult:
    """Record ``run`` on the first of each pair and play it on the second.

    Guarantee: every difference is real, for the pair at hand: an input moves further than was
        declared, or the two runs can be told apart though the outputs of all noises are the same.
        "draws" is a hint, as nobody sees how many numbers are drawn outside noises, and "open" says
        that nothing could be compared.
    Needs: ``run`` is repeatable but for Shoal's noise and for noises wrapped by `primitive`;
        questions are asked with `Ask.rehearse`.  The pairs differ by at most ``group`` steps of
        ``relation``, where it is given.
    Edges: a noise declared for another relation is reported; under change one declared for
        add/remove may move twice as far.  With ``repeats`` every pair is played with as many
        different outputs.  Noise is seen in the thread that runs and in those started with a copy
        of its context; a pair with noise from another thread is left open.  A single draw that an
        older thread made ahead is not noticed, so a program that hands work to threads kept from
        earlier may be refuted wrongly: let it start its own.

    >>> import shoal
    >>> honest = shoal.Laplace.for_epsilon(1, sensitivity=1)
    >>> replay(lambda rows: honest.release(len(rows)), [([1, 2], [1])]).verdict.refuted
    False
    >>> print(replay(lambda rows: honest.release(sum(rows)), [([1, 2], [1])]).differences[0].found)
    the input in l1 moved by 2
    """
    neighbours = None if relation is None else Relation.read(relation, "relation")
    steps = whole(group, "group", at_least=1)
    seen, times = _ReplayTotals(), whole(repeats, "repeats", at_least=1)
    playing = _Playing(run, neighbours, steps, seen)
    kept: list[_Recorded] = []
    for one, two in pairs:
        if not kept or kept[0].data is not one:
            kept = [playing.recorded(one, f"{seed} {again}") for again in range(times)]
        for recorded in kept:
            playing.play(recorded, two)
        seen.pairs += 1
    return ReplayResult(seen.pairs, seen.noises, seen.worst, tuple(seen.differences), seen.errors)


class _ReplayTotals:
    def __init__(self) -> None:
        self.pairs = self.noises = self.errors = 0
        self.worst = Fraction(0)
        self.differences: list[ReplayDifference] = []


@dataclass(frozen=True)
class _Ending:
    """How a run ended: with a result or with an error."""

    result: Any
    error: Exception | None
    unseen: bool = False
    """Whether secret noise was drawn meanwhile, which no replay sees."""


@dataclass(frozen=True)
class _Recorded:
    """A run that was recorded; one dataset may have many neighbours."""

    data: Any
    source: Recorder
    ending: _Ending


class _Playing:
    """Recordings, and what came of playing them on neighbours."""

    def __init__(
        self, run: Callable[[Any], Any], relation: Relation | None, group: int, seen: _ReplayTotals
    ) -> None:
        self._run, self._relation, self._group, self._seen = run, relation, group, seen

    def recorded(self, data: Any, seed: str) -> _Recorded:
        source = Recorder(seed)
        return _Recorded(data, source, self._ending(source, data))

    def play(self, recorded: _Recorded, two: Any) -> None:
        recording, first = recorded.source, recorded.ending
        player = Player(recording)
        second = self._ending(player, two)
        if first.unseen or second.unseen:
            self._tell(
                OPEN, "in another thread", "noise that the replay sees", "secret noise was drawn"
            )
            return
        self._seen.differences.extend(self._moved(player))
        if player.parted is not None:
            self._tell("noise", f"noise {len(player.met) + 1}", "the same noise", player.parted)
            return
        if recording.drawn != player.drawn:
            self._tell(HINT, "outside the noises", "the same draws", "others were made")
        self._compare(first, second)
        if first.error is None and second.error is None and len(player.met) < len(recording.met):
            left = named(recording.met[len(player.met)].meeting)
            self._tell(
                "noise",
                f"noise {len(player.met) + 1}",
                "the same noise",
                f"{left} was asked for by one of the two only",
            )

    def _ending(self, source: Recorder, data: Any) -> _Ending:
        with seam.use(source):
            before, result, raised = handed_out(), None, None
            try:
                result = self._run(data)
            except Parted:
                pass
            except Exception as error:  # noqa: BLE001 - whatever it is, the other run must end alike
                raised = error
            return _Ending(result, raised, unseen=handed_out() != before)

    def _moved(self, player: Player) -> Iterator[ReplayDifference]:
        """Every input that moved too far, and the largest share of what was allowed."""
        ways: dict[int, Fraction] = {}
        for number, (before, after) in enumerate(player.both()):
            self._seen.noises += 1
            place = f"noise {number + 1}, {named(before.meeting)} at {before.place}"
            try:
                movements = self._movements(before, after)
                turned = _turned(before.meeting, after.meeting, ways)
            except (ValueError, OverflowError, TypeError):
                yield self._difference("moved", place, "numbers", "an input that is no number")
                continue
            if movements is None:
                declared = f"neighbours under {before.meeting.claim.relation}"
                yield self._difference("relation", place, declared, f"pairs under {self._relation}")
                continue
            for each in (*movements, *turned):
                self._seen.worst = max(self._seen.worst, each.share)
                if not each.within:
                    allowed = f"at most {short(each.allowed)}"
                    found = f"{each.what} moved by {short(each.far)}"
                    yield self._difference("moved", place, allowed, found, each.share)

    def _movements(self, before: Met, after: Met) -> list[Movement] | None:
        """How far an input moved; None where it moved at all and was declared for other
        neighbours.
        """
        times, declared = self._group, before.meeting.claim.relation
        if self._relation is Relation.CHANGE and declared is Relation.ADD_REMOVE:
            times *= 2
        found = list(
            before.meeting.claim.check(
                before.meeting.given,
                after.meeting.given,
                other=after.meeting.claim,
                output=before.output,
                times=times,
            )
        )
        other = self._relation is Relation.ADD_REMOVE and declared is Relation.CHANGE
        return None if other and any(each.far for each in found) else found

    def _compare(self, first: _Ending, second: _Ending) -> None:
        one, two = first.error, second.error
        if one is None and two is None:
            found = apart(first.result, second.result)
            if found:
                self._tell(
                    "result" if found.known else OPEN, "at the end", "the same result", found.said
                )
        elif one is None or two is None:
            raised = one if two is None else two
            self._tell(
                "error",
                "at the end",
                "the same ending",
                f"{type(raised).__name__} on one side only",
            )
        elif (type(one), str(one)) != (type(two), str(two)):
            self._tell(
                "error", "at the end", "the same error", f"{type(one).__name__} with other words"
            )
        else:
            self._seen.errors += 1

    def _tell(self, kind: str, place: str, declared: str, found: str) -> None:
        self._seen.differences.append(self._difference(kind, place, declared, found))

    def _difference(
        self, kind: str, place: str, declared: str, found: str, share: Fraction = Fraction(0)
    ) -> ReplayDifference:
        return ReplayDifference(kind, self._seen.pairs, place, declared, found, share)


def _turned(
    before: NoiseWitness, after: NoiseWitness, ways: dict[int, Fraction]
) -> Iterator[Movement]:
    """Inputs of one run that were said to move all the same way, and did not."""
    claim = before.claim
    if not isinstance(claim, Moves) or not claim.monotone or claim.run is None:
        return
    (moved,) = (a - b for a, b in zip(numbers(after.given), numbers(before.given), strict=True))
    if not ways.get(claim.run):
        ways[claim.run] = moved
    if moved * ways[claim.run] < 0:
        yield Movement("against the common direction", abs(moved), Fraction(0), within=False)
