"""Where two results differ, in words, and where nobody can say.

What is told apart is what a reader of the result can tell apart: types, shapes and values, down to
the bits of floats.  The text of a value is never taken for the value: it may be cut, or hide what
it is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

import numpy as np

from shoal.auditing.output_identity import has_equality, token
from shoal.auditing.replay.contents import contents, is_frame, told_by
from shoal.errors import DataError
from shoal.query import Answer

_BUILT_IN = (str, bytes, int, float, complex, list, tuple, dict, set, frozenset, np.ndarray)
"""Objects of classes derived from these have values, and may have attributes as well."""


class Apart(NamedTuple):
    """A place at which two results differ, or one at which they cannot be compared."""

    said: str
    known: bool
    """Whether it is a difference for sure."""


def apart(one: Any, two: Any) -> Apart | None:
    """The first sure difference of two results; else the first place that cannot be compared; None
    where they are alike.

    >>> apart({"n": 1}, {"n": 2}).said
    "the result['n'] has another value"
    >>> apart([1, 2], [1.0, 2]).said
    'the result[0] is of another type'
    >>> apart(iter([1]), iter([2]))
    Apart(said='the result is of a type that cannot be compared (list_iterator)', known=False)
    """
    walk, opened = _Walk(), None
    try:
        for each in walk.between(one, two, "the result"):
            if each.known:
                return each
            opened = opened or each
    except RecursionError:
        return Apart("the result lies too deep to be compared", known=False)
    return opened


class _Walk:
    """Through two results at once; pairs on the way down are not entered again."""

    def __init__(self) -> None:
        self._within: set[tuple[int, int]] = set()

    def between(self, one: Any, two: Any, at: str) -> Iterator[Apart]:
        if type(one) is not type(two):
            yield Apart(f"{at} is of another type", known=True)
            return
        pair = (id(one), id(two))
        if pair in self._within:
            return
        self._within.add(pair)
        try:
            yield from self._inside(one, two, at)
            if isinstance(one, _BUILT_IN) and getattr(one, "__dict__", None):
                yield from self._mappings(vars(one), vars(two), f"what hangs on {at}")
        finally:
            self._within.discard(pair)

    def _inside(self, one: Any, two: Any, at: str) -> Iterator[Apart]:
        if isinstance(one, Answer):
            yield from self._mappings(_told(one), _told(two), at)
        elif isinstance(one, np.ndarray):
            yield from self._arrays(one, two, at)
        elif is_frame(one):
            yield from self._mappings(told_by(one), told_by(two), at)
        elif isinstance(one, Mapping):
            yield from self._mappings(one, two, at)
        elif isinstance(one, list | tuple):
            yield from self._sequences(one, two, at)
        elif isinstance(one, AbstractSet):
            yield from _sets(one, two, at)
        else:
            yield from self._objects(one, two, at)

    def _arrays(self, one: Any, two: Any, at: str) -> Iterator[Apart]:
        if one.dtype != two.dtype:
            yield Apart(
                f"{at} is an array of {one.dtype} on one side, of {two.dtype} on the other",
                known=True,
            )
        elif one.shape != two.shape:
            yield Apart(f"{at} has another shape", known=True)
        elif isinstance(one, np.ma.MaskedArray):
            yield from self._arrays(
                np.ma.getmaskarray(one), np.ma.getmaskarray(two), f"the mask of {at}"
            )
            yield from self._arrays(one.data, two.data, at)
        elif one.dtype.kind in "OV":
            yield from self.between(one.tolist(), two.tolist(), at)
        elif not _same_numbers(one, two):
            yield Apart(f"{at} has other values", known=True)

    def _mappings(self, one: Mapping[Any, Any], two: Mapping[Any, Any], at: str) -> Iterator[Apart]:
        keys = list(self._sequences(list(one), list(two), f"the keys of {at}"))
        if any(each.known for each in keys):
            yield Apart(f"{at} has other keys, or the same in another order", known=True)
            return
        yield from keys
        for key, a, b in zip(one, one.values(), two.values(), strict=True):
            yield from self.between(a, b, f"{at}[{key!r}]")

    def _sequences(self, one: Any, two: Any, at: str) -> Iterator[Apart]:
        if len(one) != len(two):
            yield Apart(f"{at} has another length", known=True)
            return
        for place, (a, b) in enumerate(zip(one, two, strict=True)):
            yield from self.between(a, b, f"{at}[{place}]")

    def _objects(self, one: Any, two: Any, at: str) -> Iterator[Apart]:
        """By what the objects hold where that can be seen, else by type and value."""
        held = contents(one)
        if held is None:
            yield from _closed(one, two, at)
            return
        found = list(self._mappings(held, contents(two) or {}, at))
        if not found and _equal(one, two) is False:
            found = [Apart(f"{at} holds the same, but says that it is not equal", known=False)]
        yield from found


def _closed(one: Any, two: Any, at: str) -> Iterator[Apart]:
    """Of values that cannot be looked into."""
    try:
        same: bool | None = bool(token(one) == token(two))
    except DataError:
        same = _equal(one, two)
    except Exception:  # noqa: BLE001 - an equality that fails says nothing
        same = None
    if same is False:
        yield Apart(f"{at} has another value", known=True)
    elif same is None and one is not two:
        yield Apart(
            f"{at} is of a type that cannot be compared ({type(one).__name__})", known=False
        )


def _equal(one: Any, two: Any) -> bool | None:
    """What the two say of each other; None where they have no equality but that of place, or it
    gives no plain answer.
    """
    if not has_equality(one):
        return None
    try:
        same = one == two
    except Exception:  # noqa: BLE001 - an equality that fails says nothing
        return None
    return bool(same) if isinstance(same, bool | np.bool_) else None


def _same_numbers(one: Any, two: Any) -> bool:
    if one.dtype.kind == "c":
        return _same_numbers(one.real, two.real) and _same_numbers(one.imag, two.imag)
    if one.dtype.kind == "f" and not np.array_equal(_signs(one), _signs(two)):
        return False
    return bool(np.array_equal(one, two, equal_nan=one.dtype.kind in "fmM"))


def _signs(numbers: Any) -> Any:
    return np.signbit(numbers) & ~np.isnan(numbers)


def _sets(one: Any, two: Any, at: str) -> Iterator[Apart]:
    try:
        same = {token(each) for each in one} == {token(each) for each in two}
    except DataError:
        yield Apart(f"{at} holds things that cannot be compared", known=False)
        return
    if not same:
        yield Apart(f"{at} has other members", known=True)


def _told(answer: Answer) -> dict[str, Any]:
    """All that an answer tells: its table with intervals, its notes and its certificate."""
    table = answer.to_arrow()
    return {
        "columns": {name: table[name].to_pylist() for name in table.column_names},
        "types": [str(field.type) for field in table.schema],
        "notes": list(answer.notes),
        "price": answer.price,
        "text": str(answer),
    }
