from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import cache

import pytest

HEAVY = [
    "altair",
    "duckdb",
    "fastapi",
    "hypothesis",
    "matplotlib",
    "pandas",
    "polars",
    "pyarrow",
    "pyspark",
    "pytest",
    "rich",
    "scipy",
    "sklearn",
    "sqlalchemy",
    "sqlglot",
    "torch",
    "typer",
]

REPORT = """
import sys, time
start = time.process_time()
import {module}
print(time.process_time() - start)
print(*sys.modules, sep="\\n")
"""


@cache
def import_alone(module: str) -> tuple[float, frozenset[str]]:
    """CPU seconds of an import in a process of its own, and the modules it left there."""
    done = subprocess.run(
        [sys.executable, "-c", REPORT.format(module=module)],
        check=True,
        capture_output=True,
        text=True,
    )
    seconds, *modules = done.stdout.splitlines()
    return float(seconds), frozenset(modules)


@pytest.mark.parametrize("heavy", HEAVY)
def test_importing_shoal_does_not_load(heavy: str) -> None:
    _, modules = import_alone("shoal")
    assert heavy not in modules


@pytest.mark.parametrize("heavy", sorted({*HEAVY, "numpy", "flint"} - {"rich", "typer"}))
def test_the_help_of_the_command_does_not_load(heavy: str) -> None:
    assert heavy not in loaded_by_help()


@cache
def loaded_by_help() -> frozenset[str]:
    """The modules of a process that printed the help of the command."""
    asked = "import sys; from shoal.cli import app; app(['--help'], standalone_mode=False); print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", asked], check=True, capture_output=True, text=True)
    assert "Usage: " in done.stdout
    return frozenset(done.stdout.splitlines())


def test_importing_shoal_loads_at_most_three_times_what_numpy_loads(
    record_property: Callable[[str, object], None],
) -> None:
    alone, numpy_modules = import_alone("numpy")
    together, modules = import_alone("shoal")
    record_property("cpu seconds of import numpy", alone)
    record_property("cpu seconds of import shoal", together)
    assert len(modules) <= 3 * len(numpy_modules)


def test_importing_shoal_prints_nothing_and_warns_of_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "import shoal"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout + done.stderr == ""
