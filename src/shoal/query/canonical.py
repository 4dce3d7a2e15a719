"""What decides the draws of a question, as text: two questions with the same text have one answer.

Names of columns, HAVING, ORDER BY and LIMIT come after the draws, so they are not part of it.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from shoal.plan import Aggregate, Key, Question, explain, text_of
from shoal.query.pricing import Priced


def canonical_of(made: Priced) -> str:
    """The plan, the request and the noise, in one line of JSON with sorted names."""
    body: dict[str, Any] = {
        "plan": canonical_plan(made.question),
        "request": str(made.request),
        "noise": made.law,
        "event": made.event().to_dict(),
        "ends": [[placed.place.side, str(placed.place.sure)] for placed in made.places],
    }
    if made.clipping is not None:
        body["clipped"] = True
    return json.dumps(body, sort_keys=True, separators=(",", ":"))


def canonical_plan(question: Question) -> dict[str, Any]:
    """Rows, keys and aggregates, without the names they are given."""
    return {
        "rows": explain(question.relation),
        "by": [_key(key) for key in question.keys],
        "release": [_aggregate(aggregate) for aggregate in question.aggregates],
    }


def _key(key: Key) -> str:
    return f"{text_of(key.expression)} ({str(key).rpartition(' (')[2]}"


def _aggregate(aggregate: Aggregate) -> dict[str, str]:
    said = {"statistic": str(aggregate.statistic)}
    if aggregate.argument is not None:
        said |= {"of": text_of(aggregate.argument), "type": str(aggregate.argument.type)}
    return said if aggregate.level is None else {**said, "at": str(Fraction(aggregate.level))}
