"""A census in small: generated people on three levels, five tables that add up, totals known by law,
whole numbers, and how often intervals hold.

``python -m benchmarks.census --people 5000000 --engine duckdb --out census`` prints what it found;
with ``--out`` it writes the folder that `shoal publish` writes, with its report page.  CPU seconds
are those of this process; a session of Spark works in another one, so seconds of the clock are
printed too.
"""

from __future__ import annotations

import argparse
import time
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import shoal
from shoal.cli.publication_folder import write_folder
from shoal.workloads import JointTotals, KnownTotals
from shoal.workloads.joint_totals import sums_agree

REGIONS = 12
WORK = ["child", "pupil", "working", "seeking", "retired"]
SEXES = ["f", "m"]
AGES = 100


def places() -> dict[str, list[str]]:
    """Regions and their districts: 4 to 24 in each, 132 in all."""
    return {
        f"region {at:02}": [f"district {at:02}{n:02}" for n in range(4 + (at * 7) % 21)]
        for at in range(1, REGIONS + 1)
    }


def bands() -> dict[str, range]:
    """Ages in tens."""
    return {f"{low}-{low + 9}": range(low, low + 10) for low in range(0, AGES, 10)}


def hierarchies() -> list[shoal.Hierarchy]:
    """Country over regions over districts, and bands over ages."""
    regions = places()
    return [
        shoal.Hierarchy("district", region=regions, country={"country": list(regions)}),
        shoal.Hierarchy("age", band=bands()),
    ]


def wanted() -> list[Any]:
    """Five tables."""
    return [
        shoal.Marginals(["region", "sex", "age"]),
        shoal.Marginals(["district", "sex", "band"]),
        shoal.Marginals(["district", "work"]),
        shoal.Marginals(["country", "work", "age"]),
        shoal.Marginals(["region", "band", "work"]),
    ]


def people(count: int, seed: int = 1) -> pa.Table:
    """Rows of generated people; whether someone works depends on their age, and few are very old."""
    chance = np.random.default_rng(seed)
    districts = [name for listed in places().values() for name in listed]
    size = chance.pareto(1.2, len(districts)) + 0.2
    place = chance.choice(len(districts), count, p=size / size.sum())
    age = np.minimum(chance.gamma(3.2, 13, count).astype(np.int64), AGES - 1)
    luck = chance.random(count)
    work = np.select(
        [age < 6, age < 18, age >= 67, luck < 0.06, luck < 0.75], [0, 1, 4, 3, 2], default=4
    )
    return pa.table(
        {
            "district": pa.DictionaryArray.from_arrays(place.astype(np.int32), districts).cast(
                pa.string()
            ),
            "sex": pa.DictionaryArray.from_arrays(
                chance.integers(0, 2, count).astype(np.int32), SEXES
            ).cast(pa.string()),
            "age": age,
            "work": pa.DictionaryArray.from_arrays(work.astype(np.int32), WORK).cast(pa.string()),
        }
    )


def facts() -> dict[str, Any]:
    """The declared values."""
    return {
        "district": shoal.Choices([name for listed in places().values() for name in listed]),
        "sex": shoal.Choices(SEXES),
        "age": shoal.Range(0, AGES - 1),
        "work": shoal.Choices(WORK),
    }


def counted(rows: pa.Table, workload: Any) -> list[Any]:
    """The true tables, from the rows themselves."""
    domain = workload.domain
    places_of = [
        rows[name].combine_chunks().dictionary_encode()
        if rows[name].type == pa.string()
        else rows[name].to_numpy()
        for name in domain.names
    ]
    flat = np.zeros(len(rows), dtype=np.int64)
    for name, held in zip(domain.names, places_of, strict=True):
        listed = list(domain.values(name))
        if isinstance(held, pa.DictionaryArray):
            order = np.array([listed.index(each) for each in held.dictionary.to_pylist()])
            own = order[held.indices.to_numpy()]
        else:
            own = held
        flat = flat * len(listed) + own
    cells = np.bincount(flat, minlength=domain.cells(domain.names))
    table = cells.reshape(domain.shape(domain.names))
    found = []
    for query in workload.tables:
        away = tuple(at for at, name in enumerate(domain.names) if name not in query.columns)
        values: Any = table.sum(axis=away)
        for axis, each in enumerate(query.queries):
            values = each.apply(values, axis)
        found.append(values)
    return found


def released(source: Any, known: dict[str, Any], rho: str) -> Any:
    """All tables, for one charge."""
    held = shoal.private(
        source,
        name="people",
        protects=shoal.Row(),
        columns=facts(),
        required=list(facts()),
        budget=shoal.ZeroConcentrated(1),
    )
    asked = held.workload(wanted(), known=known, hierarchies=hierarchies())
    return asked.release(rho=rho)


def known_regions(rows: pa.Table) -> dict[str, Any]:
    """The number of people in each region, which is public by law here."""
    regions = {d: region for region, listed in places().items() for d in listed}
    counts = rows["district"].combine_chunks().dictionary_encode()
    by_district = np.bincount(counts.indices.to_numpy(), minlength=len(counts.dictionary))
    found = dict.fromkeys(places(), 0)
    for name, count in zip(counts.dictionary.to_pylist(), by_district.tolist(), strict=True):
        found[regions[name]] += count
    return {"region": found}


def known_bands(rows: pa.Table) -> dict[str, Any]:
    """The number of people in each band of ages, which is public by law here, too."""
    counts = np.bincount(rows["age"].to_numpy() // 10, minlength=AGES // 10)
    return {"band": dict(zip(bands(), counts.tolist(), strict=True))}


def known_by_law(rows: pa.Table) -> dict[str, Any]:
    """Totals of two tables, neither of which tells the other."""
    return known_regions(rows) | known_bands(rows)


def contradictions(tables: Any) -> int:
    """How many pairs of tables, or of a table and known totals, tell different sums of the same
    people.
    """
    domain = tables.plan.workload.used
    held = [
        KnownTotals(
            domain,
            tuple(zip(table.query.columns, table.query.queries, strict=True)),
            np.asarray(table.values),
        )
        for table in tables
    ]
    known = tables.known
    if known is not None:
        held += [known.first, known.second] if isinstance(known, JointTotals) else [known]
    return sum(not sums_agree(one, other) for one, other in combinations(held, 2))


def coverage(tables: Any, truth: list[Any]) -> float:
    """The share of cells whose 95 % interval holds the true count."""
    inside = cells = 0
    for table, true in zip(tables, truth, strict=True):
        low, high = table.intervals(confidence="0.95")
        inside += int(((low <= true) & (true <= high)).sum())
        cells += true.size
    return inside / cells


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.census", description=__doc__)
    parser.add_argument("--people", type=int, default=5_000_000)
    parser.add_argument("--engine", choices=["duckdb", "spark"], default="duckdb")
    parser.add_argument("--rho", default="0.05")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    rows = people(chosen.people)
    with TemporaryDirectory(prefix="census-") as folder:
        source = rows if chosen.engine == "duckdb" else _spark_frame(rows, Path(folder))
        start, clock = time.process_time(), time.perf_counter()
        found = released(source, known_by_law(rows), chosen.rho)
        print(
            f"released {len(found)} tables of {chosen.people:,} people from {chosen.engine}: "
            f"{_since(start):.1f} CPU s, {time.perf_counter() - clock:.1f} s"
        )
    whole = _whole(found, counted(rows, found.plan.workload))
    if chosen.out:
        write_folder(found, list(whole), chosen.out, "A census of generated people")
        print(f"the report is {chosen.out / 'index.html'}")


def _spark_frame(rows: pa.Table, folder: Path) -> Any:
    from pyspark.sql import SparkSession

    path = folder / "people.parquet"
    pq.write_table(rows, path)
    return SparkSession.builder.master("local[2]").getOrCreate().read.parquet(str(path))


def _whole(found: Any, truth: list[Any]) -> Any:
    """The tables in whole numbers; what they and the real numbers are worth is printed."""
    print(f"real numbers: 95 % intervals hold {coverage(found, truth):.4f} of the counts")
    start = time.process_time()
    whole = found.whole_numbers()
    print(f"whole numbers: {_since(start):.1f} CPU s for {whole.cells.size:,} cells")
    print(f"pairs of tables and known totals that contradict each other: {contradictions(whole)}")
    for table, real, true in zip(whole, found, truth, strict=True):
        errors = [float(np.sqrt(((each.values - true) ** 2).mean())) for each in (real, table)]
        print(
            f"  {table.name}: {true.size} cells, error expected {found.plan.rmse(table.name):.2f}, "
            f"real numbers {errors[0]:.2f}, whole numbers {errors[1]:.2f}, "
            f"least count {int(table.values.min())}"
        )
    start = time.process_time()
    held = coverage(whole, truth)
    print(f"whole numbers: 95 % intervals hold {held:.4f} of the counts, {_since(start):.1f} CPU s")
    return whole


def _since(start: float) -> float:
    return time.process_time() - start


if __name__ == "__main__":
    main()
