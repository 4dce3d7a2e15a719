"""A source opened as a curator opens it, with every name and type declared where that can be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import shoal
from shoal.measures import Approx
from shoal.plan import Choices, Range, Unit
from shoal.query import Private, private


def opened(
    source: object,
    *,
    protects: Unit,
    facts: Mapping[str, Range | Choices],
    kinds: Mapping[str, str],
    face: str,
) -> Private:
    """Private rows called ``data``; with the face ``sql``, DuckDB adds up by its own SQL."""
    if isinstance(source, str) and source.endswith(".csv"):
        source = shoal.CsvFile(source, dict(kinds))
    made = private(
        source, protects=protects, columns=facts, budget=Approx(100, "1e-3"), name="data"
    )
    if face == "sql":
        engine: Any = made._source.engine
        engine._most_rows = 0
    return made
