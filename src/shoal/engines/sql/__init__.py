"""What SQL engines share: expressions and relations as SQL that never fails on any data."""

from shoal.engines.sql.dialect import Dialect
from shoal.engines.sql.expressions import lowered
from shoal.engines.sql.layers import Layers, Piece
from shoal.engines.sql.relations import computed, names_of, persons_of, select
from shoal.engines.sql.shares import shares
from shoal.engines.sql.spread import distinct, splits, weights
from shoal.engines.sql.totals import cells, keys_of, row_values, totals

__all__ = [
    "Dialect",
    "Layers",
    "Piece",
    "cells",
    "computed",
    "distinct",
    "keys_of",
    "lowered",
    "names_of",
    "persons_of",
    "row_values",
    "select",
    "shares",
    "splits",
    "totals",
    "weights",
]
