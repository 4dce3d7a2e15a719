"""PipelineDP on its local backend, the fastest of its backends on one machine; noise is Laplace."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import pipeline_dp
import pyarrow.parquet as pq

from benchmarks.questions.data import ALL_AGES, ALL_SPEND
from benchmarks.questions.workloads import (
    DELTA,
    GROUPS,
    QUANTILES,
    ROWS_PER_GROUP,
    Act,
    Answers,
    Files,
    Workload,
)

Metrics = pipeline_dp.Metrics
METRICS = {
    "n": Metrics.COUNT,
    "total": Metrics.SUM,
    "mean": Metrics.MEAN,
    "persons": Metrics.PRIVACY_ID_COUNT,
    "spread": Metrics.VARIANCE,
} | {name: Metrics.PERCENTILE(100 * at) for name, at in QUANTILES.items()}
FIELDS = {
    "n": "count",
    "total": "sum",
    "mean": "mean",
    "persons": "privacy_id_count",
    "spread": "variance",
} | {name: f"percentile_{100 * at:g}" for name, at in QUANTILES.items()}


def prepare(workload: Workload, files: Files) -> Act:
    def ask(epsilon: float) -> Answers:
        accountant = pipeline_dp.NaiveBudgetAccountant(
            epsilon, DELTA if workload.selects else DELTA / 2
        )
        engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
        found = engine.aggregate(
            _rows(workload, files), _params(workload), _extractors(), _keys(workload)
        )
        accountant.compute_budgets()
        return {
            key: {column: float(getattr(cells, FIELDS[column])) for column in workload.columns}
            for key, cells in found
        }

    return ask


def _rows(workload: Workload, files: Files) -> Iterable[tuple[Any, ...]]:
    """Person, key, value, as PipelineDP wants them: one Python object per row."""
    value = "age" if workload.name == "quantiles" else "spend"
    key = "city" if workload.name == "regions" else workload.key
    read = pq.read_table(files.visits, columns=[c for c in ("user_id", key, value) if c])
    persons, values = (read[c].to_numpy().tolist() for c in ("user_id", value))
    keys = read[key].to_pylist() if key else [""] * len(persons)
    if workload.name == "regions":
        lines = pq.read_table(files.regions).to_pylist()
        known = {line["city"]: line["region"] for line in lines}
        keys = [known[city] for city in keys]
    return list(zip(persons, keys, values, strict=True))


def _keys(workload: Workload) -> list[str] | None:
    if workload.selects:
        return None
    return list(workload.keys) or [""]


def _params(workload: Workload) -> Any:
    low, high = ALL_AGES if workload.name == "quantiles" else ALL_SPEND
    bounds = {} if workload.name in {"persons", "count"} else {"min_value": low, "max_value": high}
    return pipeline_dp.AggregateParams(
        metrics=[METRICS[column] for column in workload.columns],
        noise_kind=pipeline_dp.NoiseKind.LAPLACE,
        max_partitions_contributed=GROUPS if workload.key else 1,
        max_contributions_per_partition=ROWS_PER_GROUP,
        **bounds,
    )


def _extractors() -> Any:
    return pipeline_dp.DataExtractors(
        privacy_id_extractor=operator.itemgetter(0),
        partition_extractor=operator.itemgetter(1),
        value_extractor=operator.itemgetter(2),
    )
