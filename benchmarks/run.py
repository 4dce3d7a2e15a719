"""Run the rows and write what was found: ``python -m benchmarks.run [row ...] [--peers-only]``."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import re
from collections.abc import Callable
from pathlib import Path

from benchmarks import accounting, functions, ledger, noise, office, published_tables, selection
from benchmarks.learning import row as learning
from benchmarks.local import row as local
from benchmarks.measure import AT_LEAST_SECONDS, RUNS, Row
from benchmarks.peers_audit import row as audit
from benchmarks.questions import row as questions
from benchmarks.sections import merged
from benchmarks.spark import row as spark

ROWS: dict[str, Callable[..., Row]] = {
    "noise": noise.run,
    "selection": selection.run,
    "accounting": accounting.run,
    "questions": questions.run,
    "ledger": ledger.run,
    "office": office.run,
    "local": local.run,
    "functions": functions.run,
    "workloads": published_tables.run,
    "learning": learning.run,
    "audit": audit.run,
    "spark": spark.run,
}
PACKAGES = [
    "shoal",
    "numpy",
    "python-flint",
    "cryptography",
    "duckdb",
    "opendp",
    "diffprivlib",
    "scikit-learn",
    "dp-accounting",
    "prv-accountant",
    "sqlalchemy",
    "pyspark",
]
RESULTS = Path(__file__).parent / "RESULTS.md"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument(
        "rows",
        nargs="*",
        help=f"which rows to run: {', '.join(ROWS)}; all if none; others keep their sections",
    )
    parser.add_argument("--peers-only", action="store_true", help="leave Shoal itself out")
    parser.add_argument("--output", type=Path, default=RESULTS, help="where to write the results")
    chosen = parser.parse_args()
    unknown = sorted(set(chosen.rows) - set(ROWS))
    if unknown:
        parser.error(f"there is no row {', '.join(unknown)}; rows are: {', '.join(ROWS)}")
    names = chosen.rows or list(ROWS)
    found = [ROWS[name](with_ours=not chosen.peers_only) for name in names]
    before = chosen.output.read_text() if chosen.output.exists() else ""
    sections = [row.markdown() for row in found]
    titles = [name.capitalize() for name in ROWS]
    chosen.output.write_text(merged(before, head(), sections, titles))
    for row in found:
        for goal in row.goals:
            print(goal.line())
    print(f"written: {chosen.output}")


def head() -> str:
    versions = ", ".join(f"{name} {_version(name)}" for name in PACKAGES)
    return "\n".join(
        [
            "# Results",
            "",
            f"Written by `make bench`. Machine: {_processor()}, {os.cpu_count()} cores, {platform.system()}.",
            f"Python {platform.python_version()}; {versions}.",
            "",
            f"CPU time of the whole process; each number is the median of {RUNS} runs that take at least {AT_LEAST_SECONDS:g} s",
            "together, after one call that is not counted. Peers that would take minutes for a million are timed on fewer and",
            "counted per draw or per candidate: OpenDP's noise on 2000 at once, diffprivlib's selection on 10^4.",
            "A row that is run by itself replaces its own section; the others stay as an earlier run left them.",
            "Ledger: wall time, because it is the disk that is waited for.",
            "Accounting: the first answer of a fresh process, of Shoal's first seven the median of 3;",
            "CPU time without imports, peak memory with them. Answers of peers are kept in `benchmarks/.data`.",
            "Local: seconds of the peers, and of ours for unary reports, are counted up from fewer people; both grow with them.",
            "Questions: the peers have environments of their own, and what they were measured to need is kept in `benchmarks/.data`.",
            "Learning: the peers have environments of their own; scores are means, CPU is the median of all fits, of one thread.",
            "Audit: the peers have environments of their own; `PEERS.md` says in words what was seen.",
            "What is called unsafe draws rounded laws from bits that are not secret; it is here as the speed people are used to.",
        ]
    )


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "(not installed)"


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    found = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return found[1].strip() if found else platform.machine()


if __name__ == "__main__":
    main()
