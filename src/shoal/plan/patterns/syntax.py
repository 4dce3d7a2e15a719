"""What a pattern is made of, once it is read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from shoal.plan.patterns.letters import Letters


class Side(Enum):
    """What stands on one side of a place in a text."""

    OUTSIDE = "outside"
    WORD = "word"
    OTHER = "other"


class Boundary(Enum):
    """A condition on a place between two characters."""

    START = r"\A"
    END = r"\z"
    WORD = r"\b"

    def holds(self, before: Side, after: Side) -> bool:
        """Whether a place with these sides is such a boundary."""
        match self:
            case Boundary.START:
                return before is Side.OUTSIDE
            case Boundary.END:
                return after is Side.OUTSIDE
            case Boundary.WORD:
                return (before is Side.WORD) != (after is Side.WORD)


@dataclass(frozen=True)
class Letter:
    """One character of a set."""

    letters: Letters


@dataclass(frozen=True)
class Series:
    """Parts one after the other; without parts it is the empty text."""

    parts: tuple[Pattern, ...]


@dataclass(frozen=True)
class Alternatives:
    """Any one of several parts."""

    parts: tuple[Pattern, ...]


@dataclass(frozen=True)
class Repetition:
    """A part at least so often, and at most so often; without limit if ``most`` is None."""

    part: Pattern
    least: int
    most: int | None
    lazy: bool = False


_CASES_APART = ord("a") - ord("A")
Pattern = Letter | Series | Alternatives | Repetition | Boundary


def size_of(pattern: Pattern) -> int:
    """Ranges of characters once repetitions are written out: what every automaton's size follows
    from.
    """
    match pattern:
        case Letter(letters):
            return len(letters)
        case Series(parts) | Alternatives(parts):
            return max(1, sum(map(size_of, parts)))
        case Repetition(part, least, most):
            return size_of(part) * max(1, least + 1 if most is None else most)
        case Boundary():
            return 1


def written(pattern: Pattern) -> str:
    """A pattern in signs that RE2 and Java read alike, without groups that are kept."""
    match pattern:
        case Letter(letters):
            # RE2 takes [Kk] for a folded letter, and among alternatives folds it by Unicode, so
            # that the sign of kelvin matches too.  What is repeated it leaves alone.
            return letters_written(letters) + ("{1}" if _is_one_letter(letters) else "")
        case Series(parts):
            return "".join(map(written, parts)) or "(?:)"
        case Alternatives(parts):
            return f"(?:{'|'.join(map(written, parts))})"
        case Repetition(part, least, most):
            return f"(?:{written(part)}){times_written(least, most)}"
        case Boundary():
            return pattern.value


def _is_one_letter(letters: Letters) -> bool:
    """Whether a set is one ASCII letter in both cases."""
    match letters:
        case ((upper, first_end), (lower, second_end)):
            return upper == first_end and lower == second_end and lower - upper == _CASES_APART
        case _:
            return False


def times_written(least: int, most: int | None) -> str:
    """How often a part comes, in braces or with the sign that everyone knows."""
    sign = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((least, most))
    return sign or f"{{{least},{'' if most is None else most}}}"


def letters_written(letters: Letters) -> str:
    """A set of characters by their code points, so that no sign in it means anything."""
    ranges = (rf"\x{{{lo:x}}}-\x{{{hi:x}}}" for lo, hi in letters)
    return f"[{''.join(ranges)}]"
