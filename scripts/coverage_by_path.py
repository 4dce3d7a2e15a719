"""Which source files have tests at their path, and which have none.

A path answers the question "which test covers this file?" in one of three ways:

* ``src/shoal/ledger/charge.py`` by ``tests/ledger/test_charge.py``, by a file that begins so
  (``test_charge_order.py``), or by a folder of its own, ``tests/ledger/charge/``;
* ``src/shoal/engines/sql/totals.py`` by a test of that name further up, ``test_totals.py`` of
  ``tests/engines/``, which holds files of one name in several folders to the same contract;
* ``src/shoal/limits/packing.py`` by the test file that is named after its folder:
  ``tests/limits/test_limits.py``.

A package's ``__init__.py`` only hands names on and is not counted.

    python -m scripts.coverage_by_path           # how many of each folder, and the files without
    python -m scripts.coverage_by_path ledger    # those of one folder
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE, TESTS = ROOT / "src" / "shoal", ROOT / "tests"


def source_files() -> list[Path]:
    """Every file of code, relative to the package."""
    found = (path.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))
    return sorted(path for path in found if path.name != "__init__.py")


def tests_of(path: Path) -> list[Path]:
    """The tests whose path says that they cover a source file."""
    name = path.stem.strip("_")
    found = [*_named(TESTS / path.parent, name), TESTS / path.parent / name]
    for folder in path.parent.parents:
        found += _named(TESTS / folder, name)
    return [each for each in found if each.exists()] or _of_folder(path.parent)


def _named(folder: Path, name: str) -> list[Path]:
    return [folder / f"test_{name}.py", *sorted(folder.glob(f"test_{name}_*.py"))]


def _of_folder(folder: Path) -> list[Path]:
    """The test file that has the name of a folder, in it or beside it."""
    named = f"test_{folder.name}.py"
    found = [TESTS / folder / named, TESTS / folder.parent / named]
    return [each for each in found if folder.name and each.exists()]


def main(arguments: Sequence[str]) -> None:
    chosen = [path for path in source_files() if path.as_posix().startswith(tuple(arguments) or "")]
    without = [path for path in chosen if not tests_of(path)]
    print(f"{len(chosen) - len(without)} of {len(chosen)} source files have tests at their path.")
    print()
    total, missing = (Counter(path.parts[0] for path in paths) for paths in (chosen, without))
    for folder in sorted(total):
        print(f"{folder:<24} {total[folder] - missing[folder]:>3} of {total[folder]:>3}")
    print()
    for path in without:
        print(path.as_posix())


if __name__ == "__main__":
    main(sys.argv[1:])
