"""What every relation has, whatever it does to rows: size, depth, and columns of expressions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from shoal.errors import RelationError
from shoal.plan.declared_table import Unit
from shoal.plan.expression import Expression, Ref, columns_of
from shoal.plan.facts import Column
from shoal.plan.meaning import values_of
from shoal.plan.sizes import DEEPEST_ROWS, MOST_NODES
from shoal.plan.types import Kind, Type

if TYPE_CHECKING:
    from shoal.plan.relation import Rows

Stability = Mapping[str, int | None]
"""Per private table: how many rows of the output one of its rows can change; None if there is no
bound.
"""

MOST_LISTED = 1000


class RowsNode(ABC):
    """What every relation but a scan has: the number of nodes it consists of, and how deep they are
    nested.

    A common table expression that is used twice counts twice, so both are bounded before anything
    walks the tree.
    """

    @property
    @abstractmethod
    def sources(self) -> tuple[Rows, ...]:
        """The relations that this one reads."""

    @cached_property
    def nodes(self) -> int:
        return 1 + sum(source.nodes for source in self.sources)

    @cached_property
    def depth(self) -> int:
        return 1 + max(source.depth for source in self.sources)

    def __post_init__(self) -> None:
        if self.nodes > MOST_NODES or self.depth > DEEPEST_ROWS:
            raise RelationError(
                f"the question has more than {MOST_NODES} steps, or more than {DEEPEST_ROWS} one after the other; "
                "a table expression counts as often as it is used.",
                remedy="Use fewer sub-queries, joins and unions.",
            )


@dataclass(frozen=True)
class OverOne(RowsNode):
    """A relation over one other, whose unit and stability it keeps."""

    source: Rows

    @property
    def protects(self) -> Unit | None:
        return self.source.protects

    @property
    def person(self) -> tuple[Type, ...]:
        return self.source.person

    @property
    def stability(self) -> Stability:
        return self.source.stability

    @property
    def sources(self) -> tuple[Rows, ...]:
        return (self.source,)


def column_of(name: str, expression: Expression) -> Column:
    """The column that an expression makes, with what is known of its values."""
    if isinstance(expression, Ref):
        return replace(expression.column, name=name)
    choices = None
    if all(column.choices is not None for column in columns_of(expression)):
        choices = values_of(expression, most=MOST_LISTED)
    return Column(
        name,
        expression.type,
        expression.nullable,
        expression.span,
        choices,
        longest=expression.length if expression.type.kind is Kind.TEXT else None,
        cost=expression.cost,
    )
