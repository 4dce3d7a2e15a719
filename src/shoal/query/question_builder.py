"""A question built step by step: the same plan that SQL gives, without a SELECT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shoal.errors import ExpressionError, UnknownNameError
from shoal.exact import Number
from shoal.plan import Filter, Rows, Scan, name_of
from shoal.query.ask import Ask
from shoal.query.detail import Detail
from shoal.query.frame_verbs import FrameVerbs
from shoal.query.payment import Askable
from shoal.query.publication import Publication
from shoal.query.training import Learnable, Training
from shoal.sql import expression, outputs, relation
from shoal.workloads import Hierarchy, WantedTables


@dataclass(frozen=True)
class Building(FrameVerbs):
    """Rows, and the keys they will be grouped by; each step gives a new one.

    Conditions, keys and aggregates are texts of SQL expressions; `FrameVerbs` has the aggregates
    that dataframes have a word for.
    """

    held: Askable
    rows: Rows
    keys: tuple[tuple[str, str], ...] = ()
    steps: str = ""

    @classmethod
    def of(cls, held: Askable, name: str) -> Building:
        if name not in held.tables:
            raise UnknownNameError(
                f"there is no table {str(name)[:40]!r}.",
                remedy=f"The tables are: {', '.join(held.tables)}.",
            )
        return cls(held, Scan(held.tables[name]), (), f"table({name!r})")

    def where(self, condition: str) -> Building:
        """The rows for which a condition is true."""
        made = Filter(self.rows, expression(condition, self.rows))
        return replace(self, rows=made, steps=f"{self.steps}.where({condition!r})")

    def join(self, table: str, *, using: str) -> Building:
        """Each row with the rows of a public table that agree with it in a column."""
        if not isinstance(self.rows, Scan):
            raise ExpressionError(
                "join comes before where.", remedy="Write table(...).join(...).where(...)."
            )
        other = Building.of(self.held, table).rows
        left, right, column = (name_of(each) for each in (self.rows.table.name, table, using))
        listed = [f"{left}.{name_of(each.name)}" for each in self.rows.columns]
        listed += [f"{right}.{name_of(c.name)}" for c in other.columns if c.name != using]
        sql = f"SELECT {', '.join(listed)} FROM {left} JOIN {right} USING ({column})"  # noqa: S608 - our own plan
        made = relation(sql, self.held.tables)
        return replace(self, rows=made, steps=f"{self.steps}.join({table!r}, using={using!r})")

    def group_by(self, *keys: str, **named: str) -> Building:
        """The keys of the groups, by themselves or under a name: columns, or expressions of SQL."""
        known = {column.name for column in self.rows.columns}
        asked = ((key, key) for key in keys)
        texts = (
            (name, name_of(key) if key in known else key) for name, key in (*asked, *named.items())
        )
        listed = (*self.keys, *texts)
        return replace(self, keys=listed, steps=f"{self.steps}.group_by{(*keys, *named.values())}")

    groupby = group_by

    def _built(self) -> Building:
        return self

    def workload(
        self,
        wanted: Sequence[WantedTables] | WantedTables,
        *,
        known: Mapping[Any, Any] | int | None = None,
        hierarchies: Sequence[Hierarchy] = (),
    ) -> Publication:
        """Many tables of these rows, to be published together; `Publication` says what they need.

        ``hierarchies`` are levels above columns, such as ``[shoal.Hierarchy("district",
        region={"north": ["n1", "n2"]})]``; tables name them as they name columns.

        ``known`` are totals that are public already, such as ``{"region": {"north": 1200, ...}}``.
        They are not protected, and `ReleasedTables.whole_numbers` keeps them exactly.
        """
        if self.keys:
            raise ExpressionError(
                "group_by and workload were both asked for.",
                remedy="Leave group_by out: each table of a workload names its columns.",
            )
        lines = ", ".join(map(str, [wanted] if isinstance(wanted, WantedTables) else wanted))
        text = f"{self.steps}.workload([{lines}])"
        return Publication(self.held, self.rows, wanted, text, known=known, hierarchies=hierarchies)

    def detail(
        self,
        hierarchy: Hierarchy,
        *,
        least: Number,
        by: Sequence[str] = (),
        share: Number = "0.1",
    ) -> Detail:
        """A table by the column of a hierarchy, as fine as its counts allow: groups of at least
        ``least`` rows, by a noisy count, are told member by member, and smaller ones as one.

        ``by`` are columns beside it, and ``share`` is the part of the cost that goes to deciding.
        """
        if self.keys or not isinstance(hierarchy, Hierarchy):
            raise ExpressionError(
                "detail needs a hierarchy, and no group_by.",
                remedy="Write table('people').detail(shoal.Hierarchy('district', region={...}), "
                "least=200, by=['sex']).",
            )
        text = f"{self.steps}.detail({hierarchy.column!r}, least={least}, by={list(by)!r}, share={share})"
        return Detail(self.held, self.rows, hierarchy, text, least=least, by=by, share=share)

    def learn(
        self,
        model: Learnable,
        *,
        target: str | None = None,
        features: Sequence[str] | None = None,
        epsilon: Number | None = None,
        rho: Number | None = None,
        key: str | None = None,
    ) -> Any:
        """A model of `shoal.learning`, trained on these rows.

        ``features`` are columns with declared ranges or choices: by default all but the target and
        the columns that name a person.  With ``epsilon`` (or ``rho``) the budget is charged and the
        trained model is given; without a price, the `Training`, which can be previewed.
        """
        if self.keys:
            raise ExpressionError(
                "group_by and learn were both asked for.",
                remedy="Leave group_by out, and name its columns among the features.",
            )
        listed = "" if features is None else f", features={list(features)!r}"
        text = f"{self.steps}.learn({type(model).__name__}, target={target!r}{listed})"
        training = Training(
            self.held, self.rows, model, target=target, features=features, text=text
        )
        if epsilon is None and rho is None:
            return training
        return training.release(epsilon=epsilon, rho=rho, key=key)

    def agg(
        self,
        *,
        having: str | None = None,
        weights: Mapping[str, Any] | None = None,
        intervals: Number | None = None,
        **shown: str,
    ) -> Ask:
        """The question: what is to be known of each group, under a name."""
        made = outputs(self.rows, by=dict(self.keys), show=shown, having=having)
        listed = ", ".join(f"{name}={text!r}" for name, text in shown.items())
        return Ask(self.held, made, f"{self.steps}.agg({listed})", weights, intervals)
