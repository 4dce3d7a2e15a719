"""A transition matrix in writing; transition.md says what each field means."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from shoal.errors import RangeError
from shoal.local.client_randomness import bits_below
from shoal.local.odds import EvenOdds, Odds, TableOdds

FORM = "shoal.local.transition"
VERSION = 1


def written(answers: Sequence[str], reports: Sequence[str], odds: Odds) -> dict[str, Any]:
    """Names and weights as plain values; numbers that carry odds are texts of decimal digits."""
    weights: dict[str, Any] = (
        {"same": str(odds.same), "other": str(odds.other)}
        if isinstance(odds, EvenOdds)
        else {"rows": [[str(each) for each in odds.row(x)] for x in range(odds.answers)]}
    )
    return {
        "form": FORM,
        "version": VERSION,
        "answers": list(answers),
        "reports": list(reports),
        "total": str(odds.total),
        "bits": bits_below(odds.total),
        **weights,
    }


def read(text: str) -> tuple[Odds, dict[str, Any]]:
    """The weights and the names in a text; whether all its parts agree is for the caller to
    check.
    """
    try:
        found = json.loads(text)
        names = {part: _texts(found[part]) for part in ("answers", "reports")}
        if "rows" in found:
            rows = tuple(tuple(_integer(weight) for weight in row) for row in found["rows"])
            return TableOdds(rows), names
        weights = _integer(found["same"]), _integer(found["other"])
        return EvenOdds(len(names["answers"]), *weights), names
    except (KeyError, TypeError, json.JSONDecodeError):
        raise unreadable() from None


def unreadable() -> RangeError:
    """The text is no matrix, or contradicts itself."""
    return RangeError(
        f"the text is not a transition matrix of version {VERSION}, or its parts disagree.",
        remedy="Give what to_json wrote, unchanged.",
    )


def _texts(names: object) -> list[str]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise TypeError(names)
    return names


def _integer(text: object) -> int:
    if not isinstance(text, str) or not (text.isascii() and text.isdecimal()) or len(text) > 4000:
        raise TypeError(text)
    return int(text)
