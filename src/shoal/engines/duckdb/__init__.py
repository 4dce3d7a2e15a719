"""DuckDB: the engine for tables that fit a machine."""

from shoal.engines.duckdb.dialect import DUCKDB
from shoal.engines.duckdb.engine import DuckDB
from shoal.engines.duckdb.sources import DuckTable

__all__ = ["DUCKDB", "DuckDB", "DuckTable"]
