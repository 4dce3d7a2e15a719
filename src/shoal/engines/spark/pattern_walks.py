"""Regular expressions for Spark, whose own ones return to earlier places and can take time without
end: a walk through a table, one step a character.  Runs of one set of characters are given to it,
in a form that never returns.
"""

from __future__ import annotations

from shoal.engines.sql.dialect import Dialect
from shoal.engines.sql.expressions import SqlPiece
from shoal.engines.sql.functions import Lowered, quoted
from shoal.plan.functions.patterns import pattern_in
from shoal.plan.patterns import TransitionTable, run_of, table_of


def regexp_matches(it: Lowered) -> SqlPiece:
    """Whether the walk over all characters ends in an accepting state.

    States are held as the place of their row, so that one addition finds the cell.  No cell is
    out of the table, so nothing can fail.
    """
    table = table_of(pattern_in(it.call))
    letters = f"REGEXP_EXTRACT_ALL({{0}}, {quoted(it, '(?s).')}, 0)"
    cells = ",".join(str(target * table.width) for target in table.cells)
    held = f"CAST(SPLIT('{cells}', ',') AS ARRAY<INT>)"
    step = f"(s, c) -> ELEMENT_AT({held}, s + {_kind(table, it.dialect)})"
    walk = f"AGGREGATE({letters}, {table.start * table.width}, {step})"
    return it.form(f"({walk} >= {table.accepting * table.width})")


def _kind(table: TransitionTable, dialect: Dialect) -> str:
    """The kind of character c, from 1, by halving the ranges: their ends are compared by bytes,
    which is the order of code points.
    """

    def between(first: int, last: int) -> str:
        if len(set(table.kinds[first:last])) == 1:
            return str(table.kinds[first] + 1)
        middle = (first + last) // 2
        cut = dialect.text(chr(table.cuts[middle])).replace("{", "{{").replace("}", "}}")
        return f"IF(c < {cut}, {between(first, middle)}, {between(middle, last)})"

    return between(0, len(table.cuts))


def regexp_extract(it: Lowered) -> SqlPiece:
    """The first run, by a pattern that gives nothing back."""
    regular = run_of(pattern_in(it.call)).written(possessive=True)
    return it.form(f"REGEXP_EXTRACT({{0}}, {quoted(it, regular)}, 0)")


def regexp_replace(it: Lowered) -> SqlPiece:
    """Every run, replaced; a dollar in the new text means itself."""
    regular = run_of(pattern_in(it.call)).written(possessive=True)
    new = quoted(it, str(it.constant(2)).replace("$", "\\$"))
    return it.form(f"REGEXP_REPLACE({{0}}, {quoted(it, regular)}, {new})")
