"""`python -m scripts.fuzzing`: exit code 0 if nothing was found, 5 if something was."""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from itertools import count

from scripts.fuzzing.every import KINDS, case_of, seed_of
from scripts.fuzzing.report import as_json, printed
from scripts.fuzzing.running import progress, run
from scripts.fuzzing.together import run_together

NOTHING, FOUND = 0, 5


def main(arguments: Sequence[str] | None = None) -> int:
    """Read what is typed, run, print, and say how it ended."""
    asked = _reader().parse_args(arguments)
    warnings.simplefilter("ignore")
    began = time.monotonic()
    ends = None if asked.seconds is None else began + asked.seconds
    told = None if asked.json else progress
    if asked.processes > 1 and asked.seed is None:
        done = run_together(_seeds(asked), asked.processes, until=ends, told=told)
    else:
        done = run(_seeds(asked), until=ends, told=told, shrink=not asked.whole)
    seconds = time.monotonic() - began
    if not asked.json:
        print(file=sys.stderr)
    print(as_json(done, seconds) if asked.json else printed(done, seconds))
    return FOUND if done.findings else NOTHING


def _seeds(asked: argparse.Namespace) -> Iterator[int]:
    """One case, or as many as are asked for from a seed on, of all kinds or of one."""
    if asked.seed is not None:
        yield asked.seed
        return
    most = asked.cases if asked.cases is not None else None if asked.seconds else 2000
    given = 0
    if asked.kind is not None:
        for number in count() if most is None else range(most):
            yield seed_of(KINDS[asked.kind], number + asked.start)
        return
    for seed in count(asked.start):
        if most is not None and given >= most:
            return
        if asked.without and case_of(seed)[0].name in asked.without:
            continue
        given += 1
        yield seed


def _reader() -> argparse.ArgumentParser:
    reader = argparse.ArgumentParser(prog="python -m scripts.fuzzing", description=__doc__)
    reader.add_argument("--seconds", type=float, metavar="N", help="stop after so many seconds")
    reader.add_argument("--cases", type=int, metavar="N", help="stop after so many cases")
    reader.add_argument("--seed", type=int, metavar="N", help="check this one case")
    reader.add_argument("--start", type=int, default=0, metavar="N", help="begin with this seed")
    reader.add_argument("--kind", choices=list(KINDS), help="cases of one kind alone")
    reader.add_argument("--without", action="append", choices=list(KINDS), help="leave a kind out")
    reader.add_argument("--processes", type=int, default=1, metavar="N", help="share the cases out")
    reader.add_argument("--whole", action="store_true", help="do not make failing cases smaller")
    reader.add_argument("--json", action="store_true", help="print the summary as JSON")
    return reader


if __name__ == "__main__":
    sys.exit(main())
