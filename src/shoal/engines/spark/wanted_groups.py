"""Of groups in the cluster those that are wanted, so that the others need not come to the
driver.
"""

from __future__ import annotations

from shoal.engines.spark.dialect import SPARK
from shoal.engines.sql import keys_of
from shoal.engines.sql.dialect import value
from shoal.plan import Spread


def only_wanted(sql: str, spread: Spread) -> str:
    """A SELECT of weights, of the keys that are wanted; these are sent along as constants."""
    if not (spread.only and spread.keys):
        return sql
    kinds = [key.type for key in spread.keys]
    lines = (
        ", ".join(value(each, kind, SPARK) for each, kind in zip(key, kinds, strict=True))
        for key in spread.only
    )
    names = keys_of(spread.bounded)
    same = " AND ".join(f"g.{name} <=> o.{name}" for name in names)
    listed = f"(VALUES {', '.join(f'({line})' for line in lines)}) AS o({', '.join(names)})"
    return f"SELECT g.* FROM ({sql}) AS g LEFT SEMI JOIN {listed} ON {same}"
