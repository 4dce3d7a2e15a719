"""An automaton of a pattern, and the search with it: all its states at once, so that no text takes
longer than its length times the size of the pattern.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from shoal.plan.patterns.letters import WORD, Letters, holds
from shoal.plan.patterns.reading import pattern_of
from shoal.plan.patterns.syntax import (
    Alternatives,
    Boundary,
    Letter,
    Pattern,
    Repetition,
    Series,
    Side,
)

ACCEPTED = 0
"""The state in which the pattern was found."""


@dataclass(frozen=True)
class Automaton:
    """States by number.

    ``reads`` has the set of characters that a state reads, None if it reads none; ``exits`` where
    it leads, each with the boundary that must be there, if any; ``asks_for_words`` says whether it
    matters which characters belong to words.
    """

    reads: tuple[Letters | None, ...]
    exits: tuple[tuple[tuple[Boundary | None, int], ...], ...]
    start: int
    asks_for_words: bool

    def side(self, code: int) -> Side:
        """What a character is to the place beside it."""
        return Side.WORD if self.asks_for_words and holds(WORD, code) else Side.OTHER

    def reached(self, states: frozenset[int], before: Side, after: Side) -> frozenset[int]:
        """The reading states, and the accepted one, that are reached without reading at a place."""
        return self.walked(states, before, after)[0]

    def walked(
        self, states: frozenset[int], before: Side, after: Side
    ) -> tuple[frozenset[int], int]:
        """The same, and how many states and ways between them were looked at."""
        steps = 0
        found, waiting = set[int](), [*states, self.start]
        seen = set(waiting)
        while waiting:
            state = waiting.pop()
            steps += 1 + len(self.exits[state])
            if self.reads[state] is not None or state == ACCEPTED:
                found.add(state)
                continue
            for boundary, target in self.exits[state]:
                if target not in seen and (boundary is None or boundary.holds(before, after)):
                    seen.add(target)
                    waiting.append(target)
        return frozenset(found), steps

    def after_reading(self, states: frozenset[int], code: int) -> frozenset[int]:
        """Where reading states lead by a character."""
        return frozenset(
            self.exits[state][0][1]
            for state in states
            if (letters := self.reads[state]) is not None and holds(letters, code)
        )

    def finds(self, text: str) -> bool:
        """Whether some part of a text matches the pattern."""
        states, before = frozenset[int](), Side.OUTSIDE
        for letter in text:
            code = ord(letter)
            after = self.side(code)
            reached = self.reached(states, before, after)
            if ACCEPTED in reached:
                return True
            states, before = self.after_reading(reached, code), after
        return ACCEPTED in self.reached(states, before, Side.OUTSIDE)


class _Builder:
    """Builds states from the end of a pattern to its start."""

    def __init__(self) -> None:
        self.reads: list[Letters | None] = [None]
        self.exits: list[tuple[tuple[Boundary | None, int], ...]] = [()]

    def state(self, letters: Letters | None, *exits: tuple[Boundary | None, int]) -> int:
        self.reads.append(letters)
        self.exits.append(exits)
        return len(self.reads) - 1

    def before(self, pattern: Pattern, after: int) -> int:
        """The state from which a pattern leads to another state."""
        match pattern:
            case Letter(letters):
                return self.state(letters, (None, after))
            case Series(parts):
                for part in reversed(parts):
                    after = self.before(part, after)
                return after
            case Alternatives(parts):
                return self.state(None, *((None, self.before(part, after)) for part in parts))
            case Repetition(part, least, most):
                return self.repeated(part, least, most, after)
            case Boundary():
                return self.state(None, (pattern, after))

    def repeated(self, part: Pattern, least: int, most: int | None, after: int) -> int:
        start = after
        if most is None:
            start = self.state(None)
            self.exits[start] = ((None, self.before(part, start)), (None, after))
        for _ in range(0 if most is None else most - least):
            start = self.state(None, (None, self.before(part, start)), (None, after))
        for _ in range(least):
            start = self.before(part, start)
        return start


@lru_cache(maxsize=256)
def automaton_of(text: str) -> Automaton:
    """The automaton of a pattern."""
    builder = _Builder()
    start = builder.before(pattern_of(text), ACCEPTED)
    asks = any(each is Boundary.WORD for exits in builder.exits for each, _ in exits)
    return Automaton(tuple(builder.reads), tuple(builder.exits), start, asks)
