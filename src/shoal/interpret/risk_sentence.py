"""The one sentence on a promise that people remember: how far a belief about a person can move."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.errors import ConversionError
from shoal.interpret.explanation import explain
from shoal.interpret.profiles import Promise


def risk_of(promise: Promise) -> str:
    """How far a belief about one person can move, in one sentence.

    >>> from shoal.measures import Pure
    >>> print(risk_of(Pure(1)))
    a suspicion of 50 % rises to at most 73.2 % and falls to no less than 26.8 %, whatever is released.
    """
    try:
        sentences: Sequence[str] = explain(promise).sentences
    except ConversionError:
        return "nothing is promised."
    found = next((each for each in sentences if each.startswith("A suspicion")), sentences[-1])
    return found[0].lower() + found[1:]
