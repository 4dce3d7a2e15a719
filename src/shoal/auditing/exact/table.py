"""Laws from a file: one JSON object with the chances of every output under every dataset.

``{"laws": {"yes": {"told yes": "3/4", "told no": "1/4"}, "no": {...}}, "pairs": [["yes", "no"]]}``.
Chances are fractions or decimals as text or numbers, or pairs [low, high]; pairs may be left out,
and then all datasets are neighbours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.auditing.exact.law import Law
from shoal.auditing.exact.worst_case_losses import Exact, verify
from shoal.errors import ShapeError


class _TwiceNamedError(Exception):
    """An object with one name twice."""


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _TwiceNamedError
    return found


def read_table(path: str | Path) -> Exact:
    """The laws of a JSON file."""
    try:
        given = json.loads(
            Path(path).read_text(encoding="utf-8"), parse_float=str, object_pairs_hook=_once_each
        )
    except _TwiceNamedError:
        raise ShapeError(
            f"the table {Path(path).name!r} has a name twice in one object, so that one of the two would be dropped.",
            remedy="List every dataset once, and under each every output once, with its whole chance.",
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise ShapeError(
            f"the table {Path(path).name!r} could not be read as JSON ({type(error).__name__}).",
            remedy='Give a file such as {"laws": {"x": {"a": "1/2", "b": "1/2"}, "y": {"a": "1/3", "b": "2/3"}}}.',
        ) from None
    return table_from_json(given)


def table_from_json(given: Any) -> Exact:
    """The same from what the file holds.

    >>> table_from_json({"laws": {"x": {"a": "1/2", "b": "1/2"}, "y": {"a": "1/3", "b": "2/3"}}}).ratio.exact
    Fraction(3, 2)
    """
    laws = given.get("laws") if isinstance(given, Mapping) else None
    if not isinstance(laws, Mapping) or not all(isinstance(law, Mapping) for law in laws.values()):
        raise ShapeError(
            "a table holds 'laws': for every dataset the chance of every output.",
            remedy='Write {"laws": {"x": {"a": "1/2", "b": "1/2"}, "y": {"a": "1/3", "b": "2/3"}}}.',
        )
    pairs = given.get("pairs")
    if pairs is not None and not (
        isinstance(pairs, list) and all(isinstance(p, list) and len(p) == 2 for p in pairs)
    ):
        raise ShapeError(
            "the pairs of a table are a list of two names each.",
            remedy='Write "pairs": [["x", "y"]], or leave them out.',
        )
    return verify(
        {str(name): Law(law) for name, law in laws.items()},
        None if pairs is None else [(str(one), str(two)) for one, two in pairs],
    )
