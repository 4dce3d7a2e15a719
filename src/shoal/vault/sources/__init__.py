"""Where rows are: files, tables of DuckDB and what Spark reads, and which accounts pay for the
people in them.
"""

from shoal.vault.sources.data_source import DataSource, Overlap
from shoal.vault.sources.duckdb_source import DuckDBSource
from shoal.vault.sources.file_source import FileSource
from shoal.vault.sources.fingerprint import Fingerprint
from shoal.vault.sources.source_choice import source_from, source_of
from shoal.vault.sources.spark_source import SparkSource

__all__ = [
    "DataSource",
    "DuckDBSource",
    "FileSource",
    "Fingerprint",
    "Overlap",
    "SparkSource",
    "source_from",
    "source_of",
]
