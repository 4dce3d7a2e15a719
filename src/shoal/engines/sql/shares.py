"""How persons spread over groups, as SQL: cells into persons, and persons of one kind into a
number.
"""

from __future__ import annotations

from shoal.engines.sql.relations import persons_of
from shoal.plan import Bounded


def shares(bounded: Bounded, made: str) -> str:
    """The SELECT over a table of cells: a number of groups, the most rows in one, how many persons
    are so.
    """
    by = ", ".join(persons_of(bounded.relation))
    each = f"SELECT COUNT(*) AS m, MAX(n) AS r FROM {made} GROUP BY {by}"
    return f"SELECT m, r, COUNT(*) FROM ({each}) GROUP BY m, r"
