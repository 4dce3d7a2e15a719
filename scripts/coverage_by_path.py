"""Which source files have tests at the same path, and which have none.

``src/shoal/ledger/charge.py`` is answered by ``tests/ledger/test_charge.py``, by a file that begins
so (``test_charge_order.py``), or by tests of its own folder alone: ``tests/ledger/charge/``. A
package's ``__init__.py`` only hands names on and is not counted.

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
    folder, name = TESTS / path.parent, path.stem.strip("_")
    exact = [folder / f"test_{name}.py", *sorted(folder.glob(f"test_{name}_*.py"))]
    return [found for found in [*exact, folder / name] if found.exists()]


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
