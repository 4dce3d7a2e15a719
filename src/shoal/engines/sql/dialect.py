"""What one SQL engine spells in its own way, constants among it; everything else is shared.

A form has {0}, {1} for its arguments.  The default spellings are those most engines have.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.plan import Kind, Literal, Type, Value


@dataclass(frozen=True)
class Dialect:
    """The spellings of an engine.

    ``wide`` is an integer type of at least 126 bits, ``digits`` one for digits of text, of which
    larger ones than it holds are NULL; ``try_cast`` gives NULL for what does not fit; ``nearest``
    is the 64-bit integer nearest to a real, ties to even, NULL where none is; ``away`` is the
    nearest whole real, ties away from zero; ``divided`` truncates toward zero, and its result need
    only fit 64 bits; ``tenth`` is the same by 10, of ``digits``; ``anchored`` makes ``matches``
    look at a whole text; ``cut`` is text {0}, at most {1} letters of it, and costs next to nothing
    where the text is not longer; ``one_of_many``, where there is such a thing, is text {0} if it is
    one of the listed {1}, and else NULL; ``listed``, where joining is faster still, is a SELECT of
    the different values among {0}, named v; ``read_text`` is how the text of a kind is read once
    its form is known to be right; ``word``, where SUM holds 64 bits only, is how many bits of a
    number are added up at once (`totals.py`); ``canonical`` has the kinds of which two equal values
    could differ in looks, and what makes them one: reals lose the sign of a zero, texts their
    collation; ``together``, where windows over a person are faster than a join (`person_windows.py`), is a
    hint to keep the rows of one person, told apart by {0}, in one place; ``own`` has the functions
    that are written in a way of their own, as `LOWER_CALL` has the others.
    """

    types: dict[Kind, str]
    wide: str
    digits: str = ""
    try_cast: str = "TRY_CAST({0} AS {type})"
    nearest: str = "TRY_CAST({0} AS BIGINT)"
    away: str = "ROUND({0})"
    floor: str = "FLOOR({0})"
    ceil: str = "CEIL({0})"
    divided: str = "({0} // {1})"
    tenth: str = "({0} // 10)"
    finite: str = "ISFINITE({0})"
    matches: str = "REGEXP_FULL_MATCH({0}, {1})"
    anchored: str = "{0}"
    without_sign: str = "REGEXP_REPLACE({0}, '^[-+]', '')"
    days_between: str = "CAST({0} - {1} AS BIGINT)"
    day_at: str = "(DATE '1970-01-01' + CAST({0} AS INTEGER))"
    microseconds: str = "EPOCH_US({0})"
    moment_at: str = "MAKE_TIMESTAMP(CAST({0} AS BIGINT))"
    moment_of_day: str = "CAST({0} AS TIMESTAMP)"
    day_of_moment: str = "CAST({0} AS DATE)"
    starts_with: str = "STARTS_WITH({0}, {1})"
    ends_with: str = "SUFFIX({0}, {1})"
    trims: Mapping[str, str] = field(
        default_factory=lambda: {
            "trim": "TRIM({0}, ' ')",
            "ltrim": "LTRIM({0}, ' ')",
            "rtrim": "RTRIM({0}, ' ')",
        }
    )
    cut: str = "CASE WHEN STRLEN({0}) > {1} THEN LEFT({0}, {1}) ELSE {0} END"
    one_of_many: str = ""
    listed: str = ""
    read_text: Mapping[Kind, str] = field(default_factory=dict)
    word: int = 0
    together: str = ""
    canonical: Mapping[Kind, str] = field(default_factory=dict)
    own: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    escapes: dict[str, str] = field(default_factory=dict)

    def name(self, name: str) -> str:
        """A name, quoted so that nothing in it means anything."""
        return '"' + name.replace('"', '""') + '"'

    def one_of_equals(self, sql: str, kind: Kind) -> str:
        """A value so that all that are equal are the same: which one an engine shows then says
        nothing of a row.
        """
        return self.canonical.get(kind, "{0}").format(sql)

    def text(self, text: str) -> str:
        """A text constant, quoted so that nothing in it means anything."""
        for sign, written in self.escapes.items():
            text = text.replace(sign, written)
        return "'" + text.replace("'", "''") + "'"

    def moment(self, moment: dt.datetime) -> str:
        """A timestamp constant."""
        return f"TIMESTAMP '{moment.isoformat(sep=' ')}'"


def literal(constant: Literal, dialect: Dialect) -> str:
    """A literal of the plan."""
    return value(constant.value, constant.type, dialect)


def value(given: Value, kind: Type, dialect: Dialect) -> str:
    """A value of a type."""
    if given is None:
        return f"CAST(NULL AS {dialect.types[kind.kind]})"
    if isinstance(given, bool):
        return "TRUE" if given else "FALSE"
    if isinstance(given, str):
        return dialect.text(given)
    if isinstance(given, dt.datetime):
        return dialect.moment(given)
    if isinstance(given, dt.date):
        return f"DATE '{given.isoformat()}'"
    return real(given) if isinstance(given, float) else whole(given)


def real(number: float) -> str:
    """A double, by the shortest decimal that reads back as the same."""
    return f"CAST('{float(number)!r}' AS DOUBLE)"


def whole(number: int) -> str:
    return f"CAST({number} AS BIGINT)"
