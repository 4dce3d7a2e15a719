"""Which engine reads some sources: Spark if one of them is Spark's, DuckDB otherwise; and the end
of an engine.
"""

from __future__ import annotations

from collections.abc import Mapping

from shoal.engines.duckdb import DuckDB, DuckTable
from shoal.engines.engine import Engine
from shoal.engines.limits import NONE, EngineLimits
from shoal.engines.source_reading import is_spark_frame
from shoal.engines.spark import Spark
from shoal.engines.spark.running import Progress
from shoal.engines.spark.sources import SparkTable
from shoal.errors import SourceError


def engine_over(
    sources: Mapping[str, object], progress: Progress | None = None, limits: EngineLimits = NONE
) -> DuckDB | Spark:
    """The engine for some sources, all of which it reads; ``progress`` is told where that takes
    long.
    """
    if not any(map(is_sparks, sources.values())):
        return DuckDB(sources, limits=limits)
    if limits != NONE:
        raise SourceError(
            "limits are those of DuckDB; what Spark may take is set where it runs.",
            remedy="Leave limits out, and set spark.executor.memory and spark.driver.memory.",
        )
    for name, source in sources.items():
        if isinstance(source, DuckTable):
            raise SourceError(
                f"{name!r} is a table of DuckDB, and is to be read together with one of Spark.",
                remedy="Write it to Parquet where the cluster can read it.",
            )
    return Spark(sources, progress=progress)


def is_sparks(source: object) -> bool:
    """Whether a source is one that only Spark reads."""
    return isinstance(source, SparkTable) or is_spark_frame(source)


def close(engine: Engine) -> None:
    """Drop what an engine keeps outside of this process; one that keeps nothing there ends when
    nobody holds it.
    """
    if isinstance(engine, Spark):
        engine.close()
