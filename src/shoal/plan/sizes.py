"""The public limits on size: how long a text may be, and how much work one row may cause.

Every expression knows a bound on the length of its text (`length`), on the parts it consists of
once every column is replaced by what computes it (`parts`), and on the characters that are touched
to compute it in one row (`work`).  All three follow from the question and from declared facts,
never from rows, so a question that is too large is refused before it costs anything, and one row
cannot make the engine run out of memory or time (stability.md).
"""

from __future__ import annotations

from typing import NamedTuple

from shoal.errors import ExpressionError

LONGEST_READ = 4_096
"""Texts of a column that has no choices are cut to so many characters as they are read."""

LONGEST_TEXT = 65_536
"""An expression whose text could be longer is refused."""

LARGEST = 20_000
"""A question of more parts is refused; columns of sub-queries count as what computes them, as often
as they are used.
"""

MOST_WORK = 1 << 25
"""A question that could touch more characters than this in one row is refused."""

MOST_NODES, DEEPEST_ROWS = 1_000, 150
"""A question has at most so many tables, filters, selections, joins and unions, and so many on top
of one another.
"""

LONGEST_PATTERN = 1_000
"""A pattern of LIKE has at most so many characters."""


class WorkPerRow(NamedTuple):
    """The parts of an expression, and the characters touched to compute it in one row."""

    parts: int = 1
    work: int = 0

    def __add__(self, other: object) -> WorkPerRow:
        assert isinstance(other, WorkPerRow)
        return WorkPerRow(self.parts + other.parts, self.work + other.work)


ONE = WorkPerRow()
"""A column that is read, or a constant."""


def require_small(length: int, cost: WorkPerRow) -> None:
    """Refuse what could be too long a text, consist of too many parts, or be too much work in one
    row.
    """
    if length > LONGEST_TEXT:
        raise ExpressionError(
            f"a text could grow to {length:,} characters here; at most {LONGEST_TEXT:,} are allowed.",
            remedy="Cut the text first: LEFT(x, 100).",
        )
    require_little(cost)


def require_little(cost: WorkPerRow) -> None:
    """Refuse too many parts, or too much work in one row."""
    if cost.parts > LARGEST:
        raise ExpressionError(
            f"the question has more than {LARGEST:,} parts, counting a column of a sub-query as what computes it, "
            "as often as it is used.",
            remedy="Write it shorter, and use computed columns less often.",
        )
    if cost.work > MOST_WORK:
        raise ExpressionError(
            f"this could touch {cost.work:,} characters of text in one row; at most {MOST_WORK:,} are allowed.",
            remedy="Cut texts first: LEFT(x, 100).",
        )
