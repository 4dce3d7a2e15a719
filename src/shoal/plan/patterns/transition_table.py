"""A pattern as one table: each state of the search and each kind of character give the next state.

An engine without a linear matcher walks through the table, one step a character.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from shoal.errors import ExpressionError
from shoal.plan.patterns.automaton import ACCEPTED, Automaton, automaton_of
from shoal.plan.patterns.letters import EVERY, WORD, Letters
from shoal.plan.patterns.syntax import Side

MOST_CELLS = 16_384
MOST_STEPS = 400_000
"""A table has at most so many cells, and takes at most about so many steps to be made; all tables
of a question take together no more steps than one may.
"""

_State = tuple[frozenset[int], Side] | None
"""The states of the automaton before a place and what stands there; None once it has accepted."""

_START: _State = (frozenset(), Side.OUTSIDE)


@dataclass(frozen=True)
class TransitionTable:
    """``cuts`` are the code points at which another kind of character begins, and ``kinds`` those
    kinds; ``cells[state * width + kind]`` is the next state.  States from ``accepting`` on say that
    the pattern is in the text.  ``steps`` is what it took to make it, its cells included.
    """

    cuts: tuple[int, ...]
    kinds: tuple[int, ...]
    cells: tuple[int, ...]
    start: int
    accepting: int
    steps: int

    @property
    def width(self) -> int:
        """How many kinds of characters there are."""
        return max(self.kinds) + 1


@lru_cache(maxsize=256)
def table_of(text: str) -> TransitionTable:
    """The table of a pattern.

    Guarantee: at most `MOST_CELLS` cells, made in about `MOST_STEPS` steps at most.
    Needs: a pattern that can be read.
    Edges: a pattern that needs more is refused.
    Reference: patterns.md, The table.
    """
    automaton = automaton_of(text)
    cuts, kinds, members = _kinds_of_characters(automaton)
    made = _Rows(automaton, cuts, kinds, members)
    rows = made.all()
    ending = {state: made.accepts(state) for state in rows}
    order = sorted(rows, key=lambda state: ending[state])
    number = {state: at for at, state in enumerate(order)}
    return TransitionTable(
        cuts,
        kinds,
        tuple(number[target] for state in order for target in rows[state]),
        number[_START],
        len(order) - sum(ending.values()),
        made.steps + len(order) * len(made.sides),
    )


def _kinds_of_characters(
    automaton: Automaton,
) -> tuple[tuple[int, ...], tuple[int, ...], dict[Letters, list[int]]]:
    """Where kinds of characters begin, which they are, and the kinds in each set: two characters
    are of one kind if the same sets hold them.
    """
    sets = sorted({letters for letters in automaton.reads if letters is not None})
    asked = [*sets, WORD] if automaton.asks_for_words else sets
    starts = {lo for letters in (EVERY, *asked) for lo, _ in letters}
    after = {hi + 1 for letters in asked for _, hi in letters}
    ends = {hi + 1: following for (_, hi), (following, _) in pairwise(EVERY)}
    last = EVERY[-1][1] + 1
    cuts = tuple(sorted(starts | {ends.get(cut, cut) for cut in after} - {last}))
    at = {cut: index for index, cut in enumerate(cuts)} | {last: len(cuts)}
    held: list[list[int]] = [[] for _ in cuts]
    for index, letters in enumerate(asked):
        for lo, hi in letters:
            for cell in held[at[lo] : at[ends.get(hi + 1, hi + 1)]]:
                cell.append(index)
    known: dict[tuple[int, ...], int] = {}
    kinds = tuple(known.setdefault(tuple(cell), len(known)) for cell in held)
    members: dict[Letters, list[int]] = {letters: [] for letters in sets}
    for sets_of_kind, kind in known.items():
        for index in sets_of_kind:
            if index < len(sets):
                members[sets[index]].append(kind)
    return cuts, kinds, members


class _Rows:
    """Finds every state that can be reached, with the row of its next states."""

    def __init__(
        self,
        automaton: Automaton,
        cuts: tuple[int, ...],
        kinds: tuple[int, ...],
        members: dict[Letters, list[int]],
    ) -> None:
        self.automaton = automaton
        self.members = members
        examples = {kind: cut for cut, kind in zip(cuts, kinds, strict=True)}
        self.sides = [automaton.side(examples[kind]) for kind in range(len(examples))]
        self.steps = 0

    def all(self) -> dict[_State, list[_State]]:
        rows: dict[_State, list[_State]] = {}
        waiting = [_START]
        while waiting:
            state = waiting.pop()
            if state not in rows:
                rows[state] = self.row(state)
                waiting += rows[state]
                if self.steps > MOST_STEPS or len(rows) * len(self.sides) > MOST_CELLS:
                    raise ExpressionError(
                        "the pattern needs too many states to be found in one pass over a text.",
                        remedy="Repeat fewer times after .* or a wide set, or use LIKE.",
                    )
        return rows

    def accepts(self, state: _State) -> bool:
        """Whether a text that ends here holds the pattern."""
        return state is None or ACCEPTED in self.reached(state, Side.OUTSIDE)

    def reached(self, state: tuple[frozenset[int], Side], after: Side) -> frozenset[int]:
        found, steps = self.automaton.walked(*state, after)
        self.steps += steps
        return found

    def row(self, state: _State) -> list[_State]:
        if state is None:
            return [None] * len(self.sides)
        reached = {side: self.reached(state, side) for side in dict.fromkeys(self.sides)}
        targets: list[set[int]] = [set() for _ in self.sides]
        for side, states in reached.items():
            for each in states - {ACCEPTED}:
                letters = self.automaton.reads[each]
                assert letters is not None
                self.steps += len(self.members[letters])
                for kind in self.members[letters]:
                    if self.sides[kind] is side:
                        targets[kind].add(self.automaton.exits[each][0][1])
        return [
            None if ACCEPTED in reached[side] else (frozenset(found), side)
            for side, found in zip(self.sides, targets, strict=True)
        ]
