"""What peers were measured to need and to answer is kept beside the tables: it does not change when
Shoal does.

A figure is taken from there while the version of the peer and the measured code are the same;
remove the folder to measure everything anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.questions.data import CACHE
from benchmarks.questions.processes import Contestant, version

HERE = Path(__file__).parent


def kept(
    contestant: Contestant, what: str, measure: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    """A figure of a peer, measured if it is not kept; Shoal and the plain query are always
    measured.
    """
    if not contestant.is_peer:
        return measure()
    path = _path(contestant, what)
    if path.exists():
        found: dict[str, Any] = json.loads(path.read_text())
        return found
    found = measure()
    if "failed" in found:
        return found  # perhaps it goes better the next time
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found))
    return found


def is_kept(contestant: Contestant, what: str) -> bool:
    return contestant.is_peer and _path(contestant, what).exists()


def _path(contestant: Contestant, what: str) -> Path:
    sources = dict.fromkeys((
        HERE.parent / contestant.row / "contestants" / f"{contestant.module}.py",
        HERE / "contestants" / f"{contestant.module}.py",
        HERE / "workloads.py",
        HERE / "data.py",
        *(HERE.parent / contestant.row).glob("session.py"),
    ))  # fmt: skip
    code = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]
    words = "-".join(what.replace("^", "").split())
    name = contestant.place
    return CACHE / "peers" / f"{name}-{version(contestant)}-{code}-{words}.json"
