"""Measure the tests that `make quick` could run, and list those that take too long for it.

Each folder has a process of its own. A test counts with the processor time of what it runs, with
all the items that `make quick` would run of it. The list is `tests/left_out_of_quick.txt`.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HEAVY = "audit or slow or spark or browser or postgres"
PLACE = "SHOAL_QUICK_TIMES"
HEAD = """\
# Tests that take {most} s of processor time or more, which `make quick` leaves out.
# Written by python -m scripts.quick_tests.
"""


def _used() -> float:
    """Processor seconds of this process, and of those it started and saw end."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """As a plugin: write down what each item took."""
    before = _used()
    result = yield
    with Path(os.environ[PLACE]).open("a", encoding="utf-8") as out:
        out.write(json.dumps([item.nodeid.partition("[")[0], _used() - before]) + "\n")
    return result


def _folders() -> list[str]:
    tests = ROOT / "tests"
    inside = {path.relative_to(ROOT).parts[1] for path in tests.rglob("test_*.py")}
    return [f"tests/{name}" for name in sorted(inside)]


def measured() -> Counter[str]:
    """Test -> processor seconds in `make quick`, if it were not left out."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "times"
        place.touch()
        for each in _folders():
            print(each, flush=True)
            chosen = ["--quick", "--quick-all", "-m", f"not ({HEAVY})", each]
            subprocess.run(  # noqa: S603 - the tests of this repository
                [sys.executable, "-m", "pytest", "-n", "0", "-p", "scripts.quick_tests", *chosen],
                cwd=ROOT,
                env={**os.environ, PLACE: str(place)},
                check=False,
            )
        found: Counter[str] = Counter()
        for line in place.read_text(encoding="utf-8").splitlines():
            name, seconds = json.loads(line)
            found[name] += seconds
    return found


def main() -> None:
    """Write the list."""
    from tests.quick import LIST, MOST_SECONDS  # noqa: PLC0415 - not in the processes of pytest

    found = measured()
    slow = sorted(name for name, seconds in found.items() if seconds >= MOST_SECONDS)
    LIST.write_text(HEAD.format(most=MOST_SECONDS) + "".join(f"{name}\n" for name in slow))
    kept = sum(seconds for seconds in found.values() if seconds < MOST_SECONDS)
    print(f"{len(slow)} of {len(found)} tests left out; the others take {kept:.0f} s")


if __name__ == "__main__":
    main()
