"""A page about a trained model: what it predicts, from which declared columns, and at which price.

Everything on it is public or was released; it can be given away with the model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from shoal.learning.coefficient_table import Coefficient
from shoal.learning.feature_columns import FeatureColumn
from shoal.page import Heading, Page, PageTable, Part, Words

_SHOWN = 8


def model_card(
    kind: str,
    *,
    columns: Sequence[FeatureColumn],
    target: FeatureColumn | None,
    cost: str,
    read_through: str,
    releases: Sequence[str],
    protects: str,
    coefficients: Sequence[Coefficient],
) -> Page:
    """The card of one model."""
    facts = [
        ["model", kind],
        ["predicts", "nothing" if target is None else f"{target.name}: {_values(target)}"],
        ["privacy cost", cost],
        ["protects", protects],
    ]
    parts: list[Part] = [
        Words(f"A {kind} trained with differential privacy, at {cost}.", "lead"),
        PageTable(["", ""], facts),
        Heading("Features"),
        Words(
            "Values were read by these declared facts alone; none was found in the rows.", "note"
        ),
        PageTable(
            ["column", "declared", "missing values"],
            [[each.name, _values(each), _missing(each)] for each in columns],
        ),
        Heading("What the rows were read through"),
        Words(read_through, "note"),
        PageTable(["what", "releases"], _grouped(releases), numbers=frozenset({1})),
    ]
    if coefficients:
        parts += [Heading("Coefficients"), _coefficient_part(coefficients)]
    parts += [
        Heading("What this card does not say"),
        Words(
            "How good the model is: score it on rows that it was not trained on (for private rows, "
            "with ClassifierScores). Values outside a declared range counted as its nearer end; "
            "ClippedShare tells how many rows that were, for a price of its own."
        ),
    ]
    return Page(f"Model card: {kind}", parts)


def _values(column: FeatureColumn) -> str:
    if column.ordered:
        return f"{float(column.low or 0):g} to {float(column.high or 0):g}"
    shown = ", ".join(str(each) for each in column.levels[:_SHOWN])
    more = len(column.levels) - _SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _missing(column: FeatureColumn) -> str:
    if not column.ordered:
        return "a level of their own"
    return "an indicator" if column.nullable else "the middle of the range"


def _grouped(releases: Sequence[str]) -> list[list[str]]:
    """Releases by name, numbers at the end left out."""
    counts: dict[str, int] = {}
    for each in releases:
        name = re.sub(r" \d+$", "", each)
        counts[name] = counts.get(name, 0) + 1
    return [[name, str(count)] for name, count in counts.items()]


def _coefficient_part(coefficients: Sequence[Coefficient]) -> PageTable:
    lines: list[list[Any]] = [
        [
            each.name,
            f"{each.estimate:.4g}" if each.identified else "not identified",
            f"{each.low:.4g} to {each.high:.4g}" if each.identified else "–",
        ]
        for each in coefficients
    ]
    return PageTable(["coefficient", "estimate", "95 % interval"], lines, numbers=frozenset({1, 2}))
