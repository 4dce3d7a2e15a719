"""What SQL engines share: expressions and relations as SQL that never fails on any data."""

from shoal.engines.sql.dialect import Dialect
from shoal.engines.sql.expressions import Layers, SqlPiece, lowered
from shoal.engines.sql.relations import computed, counted, names_of, persons_of, select
from shoal.engines.sql.shares import shares
from shoal.engines.sql.spread import distinct, split_values, splits, weight_words, weights
from shoal.engines.sql.totals import (
    cells,
    count_of_words,
    keys_of,
    most_added,
    number_of,
    row_values,
    size_of,
    totals,
)

__all__ = [
    "Dialect",
    "Layers",
    "SqlPiece",
    "cells",
    "computed",
    "count_of_words",
    "counted",
    "distinct",
    "keys_of",
    "lowered",
    "most_added",
    "names_of",
    "number_of",
    "persons_of",
    "row_values",
    "select",
    "shares",
    "size_of",
    "split_values",
    "splits",
    "totals",
    "weight_words",
    "weights",
]
