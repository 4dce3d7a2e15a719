"""Candidates and their scores, as selection mechanisms take them.

The candidates must be fixed before the data are seen.  What can be recognised as read off the data,
such as a `Counter` that holds only what occurred, is refused; the rest is the caller's word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import CandidatesError, ShapeError
from shoal.exact import not_finite
from shoal.mechanisms.values import exact_real, is_integer, is_real, plain

Scored = NDArray[Any] | Sequence[Any] | Mapping[Any, Any]


def read(
    scores: Scored, candidates: Sequence[Hashable] | None
) -> tuple[NDArray[Any], Sequence[Hashable]]:
    """The scores as an exact array, and the name of each candidate (its place where none were
    given).
    """
    if isinstance(scores, Mapping):
        if isinstance(scores, Counter):
            raise CandidatesError(
                "a Counter holds only what occurs in the data, so its keys already tell who is in them.",
                remedy="Give all candidates that could have occurred, with 0 for those that did not.",
            )
        if candidates is not None:
            raise CandidatesError(
                "candidates were given twice: as keys of the scores and by themselves.",
                remedy="Give the scores as a mapping, or as an array next to candidates=.",
            )
        scores, candidates = list(scores.values()), list(scores)
    numbers = _exact(scores)
    names = range(len(numbers)) if candidates is None else _listed(candidates)
    _check(numbers, names)
    return numbers, names


def _listed(candidates: Sequence[Hashable]) -> Sequence[Hashable]:
    try:
        names = list(candidates)
        repeated = len(set(names)) != len(names)
    except TypeError:
        raise CandidatesError(
            "candidates must be a list of names that can be keys of a dict.",
            remedy="Give candidates as a list of texts, numbers or tuples, in the order of the scores.",
        ) from None
    nameless = any(name != name for name in names)  # noqa: PLR0124 - only a NaN is not itself
    if repeated or nameless or isinstance(candidates, AbstractSet):
        raise CandidatesError(
            "some candidates are given more than once, have no name of their own (NaN), or no order.",
            remedy="Give each candidate once, in the order of the scores.",
        )
    return names


def _check(numbers: NDArray[Any], names: Sequence[Hashable]) -> None:
    if len(numbers) != len(names):
        raise ShapeError(
            f"{len(numbers)} scores were given for {len(names)} candidates.",
            remedy="Give one score per candidate.",
        )
    if not len(names):
        raise CandidatesError(
            "there are no candidates to choose from.",
            remedy="Give at least one candidate; with none that is sure to exist, add 'none of them'.",
        )


def _exact(scores: NDArray[Any] | Sequence[Any]) -> NDArray[Any]:
    """int64, float64, or an array of Python's integers and fractions: whatever holds the scores
    exactly.
    """
    array = plain(scores) if isinstance(scores, np.ndarray) else _from_sequence(scores)
    if array.ndim != 1:
        raise ShapeError(
            f"scores of {array.ndim} dimensions were given.",
            remedy="Give one score per candidate, in one dimension.",
        )
    if array.dtype.kind == "f" and array.dtype.itemsize <= 8:
        if not np.isfinite(array).all():
            raise not_finite()
        return array.astype(np.float64, copy=False)
    if array.dtype.kind == "i" or (array.dtype.kind == "u" and array.dtype.itemsize < 8):
        return array.astype(np.int64, copy=False)
    if array.dtype.kind in "fuO":
        exact = np.empty(array.shape, dtype=object)
        exact[...] = np.frompyfunc(_one, 1, 1)(array)
        return exact
    raise ShapeError(
        f"scores must be numbers; got an array of {array.dtype}.",
        remedy="Give scores as integers, floats or Fractions.",
    )


def _from_sequence(scores: Sequence[Any]) -> NDArray[Any]:
    """A list of machine numbers as numpy has it; anything wider or mixed as objects."""
    if not isinstance(scores, Iterable) or isinstance(scores, AbstractSet | str | bytes):
        raise ShapeError(
            f"scores must be a list, a numpy array or a mapping; got {type(scores).__name__}.",
            remedy="Give one score per candidate, in the order of the candidates.",
        )
    listed = list(scores)
    kinds = {type(score) for score in listed}
    if kinds <= {float} or (
        kinds <= {int} and all(-(1 << 63) <= each < 1 << 63 for each in listed)
    ):
        return np.array(listed, dtype=np.int64 if kinds == {int} else np.float64)
    return np.fromiter(listed, dtype=object, count=len(listed))


def _one(score: Any) -> Fraction:
    if is_integer(score):
        return Fraction(int(score))
    if not is_real(score):
        raise ShapeError(
            "scores must be numbers.", remedy="Give scores as integers, floats or Fractions."
        )
    real = exact_real(score)
    if not isinstance(real, Fraction) and not np.isfinite(real):
        raise not_finite()
    return Fraction(*real.as_integer_ratio())
