"""Suggested bounds: a private histogram by magnitude, and the smallest range that holds nearly all
of it.

The histogram is a question like any other: rows counted by a key whose values are known, with the
noise, the price and the proof that such counts have.  The range follows from released counts alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from shoal.errors import ExpressionError
from shoal.plan import (
    After,
    Aggregate,
    Column,
    Key,
    Query,
    Range,
    Ref,
    Scan,
    Statistic,
    Table,
    known_values,
    name_of,
)
from shoal.query.answer import Answer
from shoal.query.magnitudes import Magnitudes

_BUCKET, _ROWS = "bucket", "n"


@dataclass(frozen=True, repr=False)
class SuggestedBounds:
    """A range for a column, found for a price.  Everything here follows from released counts.

    ``range`` is None if no bucket stood out of the noise.  ``share`` is about the share of rows, of
    those that stood out, whose value lies in it; ``least`` is about the number of rows a bucket
    needs to stand out.
    """

    column: str
    range: Range | None
    share: float
    least: float
    answer: Answer

    @property
    def price(self) -> str:
        """What it cost."""
        return self.answer.price

    def __str__(self) -> str:
        if self.range is None:
            return (
                f"{self.column}: no range stood out; about {self.least:,.0f} rows of one magnitude are needed "
                f"({self.price}). Ask with more."
            )
        return (
            f"{self.column}: {self.range} holds about {self.share:.1%} of the rows ({self.price}). "
            f"State it: stating(columns={{{self.column!r}: shoal.{self.range}}})"
        )

    __repr__ = __str__


def magnitudes_asked(table: Table, column: Column) -> Query:
    """The question how many rows there are of each magnitude of a column, as it is in the source.

    What is stated of the column is left aside: with a range applied, what lies outside would be
    counted at its ends, and the suggestion could never leave it.
    """
    if not column.type.numeric:
        raise ExpressionError(
            f"bounds are suggested for numbers; column {name_of(column.name)} is {column.type}.",
            remedy="State a Range of dates, or Choices of text, from what you know.",
        )
    plain = replace(column, nullable=True, span=None, choices=None)
    others = tuple(plain if each.name == column.name else each for each in table.columns)
    rows = Scan(replace(table, columns=others))
    bucket = Magnitudes(column.type).expression(Ref(plain))
    key = Key(_BUCKET, bucket, known_values(bucket))
    count = Aggregate(_ROWS, Statistic.COUNT_ROWS)
    after = After(((_BUCKET, Ref(key.column)), (_ROWS, Ref(count.column))))
    return Query(rows, (key,), (count,), after)


def bounds_from(answer: Answer, name: str, column: Column, share: Fraction) -> SuggestedBounds:
    """The smallest range that holds this share of the rows in buckets that stand out.

    A bucket stands out if its interval, which holds at once with all others, lies above 0.
    """
    ends = answer.interval(_ROWS, simultaneous=True)
    least = max((each.hi - each.lo for each in ends), default=0.0)
    counts = {
        bucket: count
        for (bucket, count), each in zip(answer.rows, ends, strict=True)
        if isinstance(bucket, int) and isinstance(count, int) and each.lo > 0
    }
    kept = _trimmed(counts, share)
    if not kept:
        return SuggestedBounds(name, None, 0.0, least, answer)
    sizes = Magnitudes(column.type)
    lo, hi = sizes.ends(min(kept))[0], sizes.ends(max(kept))[1]
    held = sum(kept.values()) / sum(counts.values())
    return SuggestedBounds(name, Range(lo, hi), held, least, answer)


def _trimmed(counts: dict[int, int], share: Fraction) -> dict[int, int]:
    """Buckets without those at the ends that together hold less than is to be left out."""
    kept, spare = dict(sorted(counts.items())), (1 - share) * sum(counts.values())
    while len(kept) > 1:
        end = min(min(kept), max(kept), key=lambda bucket: kept[bucket])
        if kept[end] > spare:
            break
        spare -= kept.pop(end)
    return kept
