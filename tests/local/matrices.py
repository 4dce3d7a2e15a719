"""Transition matrices of every kind, and the shared test vectors made from them."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

from shoal.local import EvenOdds, TransitionMatrix

VECTORS = Path(__file__).parent / "vectors.json"

MATRICES = {
    "coins": TransitionMatrix.for_truth("3/4", answers=("no", "yes")),
    "mirrored": TransitionMatrix.for_truth("1/5"),
    "forced": TransitionMatrix([["5/6", "1/6"], ["1/12", "11/12"]], answers=("no", "yes")),
    "one-sided": TransitionMatrix([["2/3", "1/3"], [0, 1]], answers=("no", "yes")),
    "three": TransitionMatrix.for_truth("1/2", size=3, answers=("red", "green", "blue")),
    "epsilon-1-of-10": TransitionMatrix.for_epsilon(1, size=10),
    "epsilon-60": TransitionMatrix.for_epsilon(60, size=3),
    "more-reports": TransitionMatrix(
        [["1/2", "1/4", "1/8", "1/8"], ["1/8", "1/8", "1/4", "1/2"], ["1/8", "1/2", "1/4", "1/8"]]
    ),
    "wide": TransitionMatrix(
        [[Fraction(3**70, 5**60), 1 - Fraction(3**70, 5**60)], ["1/2", "1/2"]]
    ),
    "skewed": TransitionMatrix(
        [["7/10", "2/10", "1/10"], ["1/10", "8/10", "1/10"], ["1/5", "1/5", "3/5"]]
    ),
    "uniform-of-two-bytes": TransitionMatrix.of_odds(EvenOdds(300, same=7, other=2)),
}


def bytes_for(name: str) -> bytes:
    """A stream anyone can make again: SHAKE-256 of the name."""
    return hashlib.shake_256(f"shoal test vector {name}".encode()).digest(1 << 14)


def vector(name: str) -> dict[str, Any]:
    """A definition, answers, the bytes that were taken and the reports they led to."""
    matrix, stream = MATRICES[name], BytesIO(bytes_for(name))
    answers = [number % matrix.odds.answers for number in range(60)]
    told = [matrix.report(answer, take=stream.read) for answer in answers]
    return {
        "name": name,
        "matrix": matrix.to_dict(),
        "answers": answers,
        "bytes": bytes_for(name)[: stream.tell()].hex(),
        "reports": told,
    }


def main() -> None:
    lines = [json.dumps(vector(name), separators=(",", ":")) for name in MATRICES]
    VECTORS.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
