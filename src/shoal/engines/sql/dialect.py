"""What one SQL engine spells in its own way; everything else is shared.

A form has {0}, {1} for its arguments.  The default spellings are those most engines have.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from shoal.plan import Kind


@dataclass(frozen=True)
class Dialect:
    """The spellings of an engine.

    ``wide`` is an integer type of at least 126 bits; ``try_cast`` gives NULL for what does not fit,
    and rounds a real to the nearest integer, ties to even; ``divided`` truncates toward zero;
    ``one_of_many``, where there is such a thing, is text {0} if it is one of the listed {1}, and else NULL;
    ``listed``, where joining is faster still, is a SELECT of the different values among {0}, named v.
    """

    types: dict[Kind, str]
    wide: str
    try_cast: str = "TRY_CAST({0} AS {type})"
    divided: str = "({0} // {1})"
    finite: str = "ISFINITE({0})"
    matches: str = "REGEXP_FULL_MATCH({0}, {1})"
    without_sign: str = "REGEXP_REPLACE({0}, '^[-+]', '')"
    days_between: str = "CAST({0} - {1} AS BIGINT)"
    day_at: str = "(DATE '1970-01-01' + CAST({0} AS INTEGER))"
    microseconds: str = "EPOCH_US({0})"
    moment_at: str = "MAKE_TIMESTAMP(CAST({0} AS BIGINT))"
    ends_with: str = "SUFFIX({0}, {1})"
    one_of_many: str = ""
    listed: str = ""
    escapes: dict[str, str] = field(default_factory=dict)

    def name(self, name: str) -> str:
        """A name, quoted so that nothing in it means anything."""
        return '"' + name.replace('"', '""') + '"'

    def text(self, text: str) -> str:
        """A text constant, quoted so that nothing in it means anything."""
        for sign, written in self.escapes.items():
            text = text.replace(sign, written)
        return "'" + text.replace("'", "''") + "'"
