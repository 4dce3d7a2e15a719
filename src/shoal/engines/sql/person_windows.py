"""What a person has in all, beside each of their cells: for engines that keep the rows of a person
in one place.

Windows over persons then move no rows, and nobody is looked up: a1 and a2 are the sums of min(n, R)
and of its square over a person's groups, m is their number.  Of splits, n is the number of rows of
their cell.
"""

from __future__ import annotations

from shoal.plan import Person, Unit


def cells_beside(cells: str, persons: list[str], unit: Unit) -> str:
    """A SELECT of cells, with the sums of their person."""
    assert isinstance(unit, Person)
    counted = f"LEAST(n, {unit.rows_per_group})"
    over = f"OVER (PARTITION BY {', '.join(persons)})"
    sums = f"SUM({counted}) {over} AS a1, SUM({counted} * {counted}) {over} AS a2"
    return f"SELECT *, {sums}, COUNT(*) {over} AS m FROM ({cells})"


def splits_beside(splits: str, persons: list[str], keys: list[str], unit: Unit) -> str:
    """A SELECT of splits, with the size of their cell and the sums of their person.

    The split with the least value stands for its cell: a cell has each value once.  One order of
    rows serves all windows.
    """
    assert isinstance(unit, Person)
    cell = f"OVER (PARTITION BY {', '.join([*persons, *keys])})"
    if not keys:  # one cell is within every share
        return f"SELECT *, SUM(c) {cell} AS n FROM ({splits})"
    sized = f"SELECT *, SUM(c) {cell} AS n, MIN(v) {cell} AS least FROM ({splits})"
    # A person's sums count each cell once, although a cell has a split for each of its values.
    counted = f"CASE WHEN v = least THEN LEAST(n, {unit.rows_per_group}) ELSE 0 END"
    over = f"OVER (PARTITION BY {', '.join(persons)})"
    sums = f"SUM({counted}) {over} AS a1, SUM({counted} * {counted}) {over} AS a2"
    return f"SELECT {', '.join([*keys, *persons])}, v, c, n, {sums} FROM ({sized})"
