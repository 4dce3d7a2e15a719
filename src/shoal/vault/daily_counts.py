"""The question behind a stream: how many rows each day has, of which one person adds a bounded
number over all days.

Of a person the first rows count, in the order of their days, as many as the person's share allows.
So what a day counts never depends on later days, and rows that come late never take back what was
counted up to a day.
Proof: src/shoal/workloads/streams.md, *Persons*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from shoal.errors import InternalError, SchemaError
from shoal.plan import Bounded, Kind, Person, Selected, Table, count_of, name_of, written
from shoal.query.keys import values_of_key
from shoal.query.payment import Askable, QuestionSource
from shoal.sensitivity import Norm
from shoal.sql import question


@dataclass(frozen=True, eq=False)
class DailyCounts:
    """Counts of the rows of one dataset by a column of days.

    ``share`` is how many rows of a person count over all days; without one, as many as the dataset
    allows now.
    """

    held: Askable
    dataset: str
    by: str
    share: int | None = None

    @cached_property
    def reach(self) -> int:
        """How many rows of one unit count, over all days."""
        unit = self._table.protects
        if not isinstance(unit, Person):
            return 1
        return self.share or unit.groups * unit.rows_per_group

    @property
    def _table(self) -> Table:
        found = self.held.tables.get(self.dataset)
        if found is None or found.protects is None:
            raise SchemaError(
                f"there is no private dataset {self.dataset[:40]!r}.",
                remedy="Name one that is registered: shoal list.",
            )
        return found

    @cached_property
    def _asked(self) -> Any:
        """The question, on rows of which a person has no more than the share."""
        table = self._table
        tables: Mapping[str, Table] = self.held.tables
        day, place = name_of(self.by), name_of(self.dataset)
        # Rows without a day of the stream must not use up a person's share: one that came late
        # would take back what was counted.
        within = f"{day} >= {_literal(self.days[0])} AND {day} <= {_literal(self.days[-1])}"
        rows = f"SELECT {day} FROM {place} WHERE {within}"  # noqa: S608 - names are quoted
        if isinstance(table.protects, Person):
            # a person's rows fit these shares as they are, so that no count is scaled
            unit = table.protects.with_shares(self.reach, self.reach)
            tables = {**tables, self.dataset: replace(table, protects=unit)}
            nth = self._free_name()
            who = ", ".join(map(name_of, unit.columns))
            shown = ", ".join(dict.fromkeys([*map(name_of, unit.columns), day]))
            number = f"ROW_NUMBER() OVER (PARTITION BY {who} ORDER BY {day}) AS {nth}"
            inner = f"SELECT {shown}, {number} FROM {place} WHERE {within}"  # noqa: S608 - names are quoted
            rows = f"SELECT {day} FROM ({inner}) AS t WHERE {nth} <= {self.reach}"  # noqa: S608 - names are quoted
        text = f"SELECT {day}, COUNT(*) AS n FROM ({rows}) AS t GROUP BY {day}"  # noqa: S608 - names are quoted
        return question(text, tables)

    def _free_name(self) -> str:
        taken = {str(column.name).lower() for column in self._table.columns}
        name = "nth"
        while name in taken:
            name += "_"
        return name

    @cached_property
    def source(self) -> QuestionSource:
        """Where the rows are, and who pays."""
        return self.held.source_for([self.dataset])

    @property
    def relation(self) -> Any:
        """The rows that are counted."""
        return self._asked.relation

    @cached_property
    def _key(self) -> Any:
        """The column of days, and what is declared of it."""
        _ = self._table
        day, place = name_of(self.by), name_of(self.dataset)
        text = f"SELECT {day}, COUNT(*) AS n FROM {place} GROUP BY {day}"  # noqa: S608 - names are quoted
        (key,) = question(text, self.held.tables).keys
        return key

    @cached_property
    def days(self) -> tuple[Any, ...]:
        """Every declared day, in order."""
        key = self._key
        if isinstance(key.known, Selected) or key.expression.type.kind not in (
            Kind.DATE,
            Kind.INTEGER,
        ):
            raise SchemaError(
                f"the days of a stream must be declared; {self.by[:40]!r} has no range of dates or "
                "whole numbers.",
                remedy=f"State it: columns={{{self.by[:40]!r}: shoal.Range(first, last)}}.",
            )
        found = values_of_key(key, self.source.engine, self.source.tables)
        return tuple(sorted(each for each in found if each is not None))

    @property
    def labels(self) -> tuple[Any, ...]:
        """The days as they are shown."""
        return tuple(written(each, self._key.expression.type) for each in self.days)

    def explained(self) -> str:
        """The steps of the question."""
        return str(self._asked.explain())

    @cached_property
    def bounded(self) -> Bounded:
        """What is read: counts by day, in which a person's rows fit as they are."""
        (key,) = self._asked.keys
        days = len(self.days) + 1
        return Bounded(self._asked.relation, (key.expression,), (count_of(),), Norm.L1, days)

    def read(self) -> list[int]:
        """The count of each day, exactly.  Private: only what gets noise may ask for it."""
        bounded = self.bounded
        worth = bounded.worth(count_of())
        found: dict[Any, int] = {}
        for part in self.source.engine.parts(bounded):
            for (day,), (count,) in part.items():
                exact = count * worth
                if exact.denominator != 1:
                    raise InternalError(
                        "a daily count was scaled.", remedy="Please report it with the question."
                    )
                found[day] = int(exact)
        return [found.get(day, 0) for day in self.days]


def _literal(day: Any) -> str:
    """A day as SQL has it."""
    return f"DATE '{day.isoformat()}'" if hasattr(day, "isoformat") else str(int(day))
