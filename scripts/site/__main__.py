"""``python -m scripts.site``: build the documentation into ``site/``, or fail and say why."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scripts.site.build import build
from scripts.site.checks import problems
from scripts.site.gather import ROOT


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.site", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "site", help="where the site goes")
    out: Path = parser.parse_args().out
    wrong = build(out)
    if wrong:
        print(wrong, file=sys.stderr)
        return 1
    found = problems(out)
    for each in found:
        print(each, file=sys.stderr)
    if not found:
        print(f"docs: open {out / 'index.html'}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
