"""A question is a tree of frozen nodes that knows its schema and stability and can explain itself before it runs."""

from shoal.plan.bounded_totals import WHOLE, Bounded, factor_for_groups, factor_for_rows
from shoal.plan.explain import explain
from shoal.plan.expression import Call, Expression, Literal, Ref, call, cast, columns_of, substitute
from shoal.plan.facts import (
    Choices,
    Column,
    Range,
    Span,
    check_text,
    column,
    fact_of,
    facts_of,
    made_true,
)
from shoal.plan.functions import FUNCTIONS, Function
from shoal.plan.id_spaces import IdSpace
from shoal.plan.meaning import check_size, evaluate, range_of, values_of
from shoal.plan.multiplicity import rows_per_key
from shoal.plan.printing import name_of, text_of
from shoal.plan.protected_unit import Person, Row, Unit
from shoal.plan.question import (
    After,
    Aggregate,
    FromTable,
    Key,
    Known,
    Listed,
    Order,
    Query,
    Selected,
    Statistic,
    known_values,
)
from shoal.plan.relation import (
    Filter,
    PersonJoin,
    Project,
    PublicJoin,
    Rows,
    Scan,
    Stability,
    Table,
    UnionAll,
    tables_of,
)
from shoal.plan.spread import Spread, distinct_of, points_of
from shoal.plan.terms import (
    BY_PERSON,
    PERSONS,
    Quantity,
    Term,
    count_of,
    squares_of,
    sum_of,
    votes_of,
)
from shoal.plan.types import (
    BOOLEAN,
    DATE,
    INTEGER,
    REAL,
    TEXT,
    TIMESTAMP,
    Kind,
    Type,
    common_type,
    decimal,
    type_named,
)
from shoal.plan.values import Value, number_of, read, value_at, written

__all__ = [
    "BOOLEAN", "BY_PERSON", "DATE", "FUNCTIONS", "INTEGER", "PERSONS", "REAL", "TEXT", "TIMESTAMP", "WHOLE",
    "After", "Aggregate", "Bounded", "Call", "Choices", "Column", "Expression", "Filter",
    "FromTable", "Function", "IdSpace", "Key", "Kind", "Known", "Listed", "Literal", "Order", "Person",
    "PersonJoin", "Project", "PublicJoin", "Quantity", "Query", "Range", "Ref", "Row", "Rows",
    "Scan", "Selected", "Span", "Spread", "Stability", "Statistic", "Table", "Term", "Type", "UnionAll",
    "Unit", "Value", "call", "cast", "check_size", "check_text", "column", "columns_of", "common_type", "count_of", "decimal", "distinct_of",
    "evaluate", "explain", "fact_of", "factor_for_groups", "factor_for_rows", "facts_of", "known_values", "made_true",
    "name_of", "number_of", "points_of", "range_of", "read", "rows_per_key", "squares_of", "substitute",
    "sum_of", "tables_of", "text_of", "type_named", "value_at", "values_of", "votes_of", "written",
]  # fmt: skip
