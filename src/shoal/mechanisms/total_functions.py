"""Whatever runs on private rows is total: it has a value for every row, and the value is all that
comes out.

A function that fails on some rows, or a check that refuses one value, tells its caller about those
rows before anything is paid for.  So a caller's function runs in `called`, where a failure becomes
a public value, and rows are read by `number_of` and `is_plain`, which know what to do with every
object there is.  Argument: total_functions.md.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections import UserString
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from types import FrameType, TracebackType
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ShapeError
from shoal.mechanisms.values import exact_real, is_integer, is_real, plain

Given = TypeVar("Given")
Found = TypeVar("Found")

_SCALARS = frozenset(np.sctypeDict.values())
_NUMBERS = frozenset(
    {int, float, *(each for each in _SCALARS if issubclass(each, np.integer | np.floating))}
) - {np.timedelta64}  # which numpy calls an integer
_PLAIN = frozenset(
    {str, bytes, bool, int, float, complex, Fraction, Decimal, date, datetime, type(None)}
)
_LETTERS = (str, bytes, bytearray, memoryview, UserString)
"""Sequences of letters or bytes, which are one value each."""
_DEEPEST = 8
"""Tuples within tuples: hashing a tuple that is nested without end stops the process itself."""


def called(
    function: Callable[[Given], Any],
    inputs: Iterable[Given],
    *,
    read: Callable[[Any], Found] | None = None,
    otherwise: Found,
) -> list[Found]:
    """``read(function(x))`` for each input, and ``otherwise`` wherever either of them raises
    anything at all.

    An interrupt from the keyboard goes on to the caller, without the words of whatever it
    interrupted.
    """
    found: list[Found] = []
    with _Interrupts() as interrupts, np.errstate(all="ignore"):
        for each in inputs:
            try:
                given = function(each)
                found.append(given if read is None else read(given))
            except BaseException:  # noqa: BLE001 - it may be about private rows
                found.append(otherwise)
            interrupts.pass_on()
    return found


class _Interrupts:
    """Tells an interrupt from the keyboard from a `KeyboardInterrupt` that the function raises by
    itself.

    Interrupts reach the main thread only, through the handler of the signal: Python's own, or one
    that the program, Spark or a notebook has put in its place. While the function runs, that
    handler is called from ours, which keeps what it raises, as it was before the function could add
    words to it.  A handler that the function installs is the function's own, and is gone when it
    returns.
    """

    def __enter__(self) -> Self:
        self._raised: BaseException | None = None
        self._said: tuple[tuple[Any, ...], BaseException | None, dict[str, Any]] = ((), None, {})
        self._handler: Callable[[int, FrameType | None], Any] | None = None
        self._ours = self._note
        if threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if callable(handler):  # otherwise no signal becomes an exception
                self._handler = handler
                signal.signal(signal.SIGINT, self._ours)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
        if error is not None:
            error.__context__ = None  # the failure of a function, where the signal came just then

    def _note(self, number: int, frame: FrameType | None) -> None:
        assert self._handler is not None
        try:
            self._handler(number, frame)
        except BaseException as error:
            self._raised = error
            self._said = error.args, error.__cause__, dict(vars(error))
            raise

    def pass_on(self) -> None:
        """What the handler raised goes on to the caller, whatever the function made of it."""
        if self._handler is not None and signal.getsignal(signal.SIGINT) is not self._ours:
            signal.signal(signal.SIGINT, self._ours)  # a later interrupt is the operator's again
        if self._raised is not None:
            self._raised.args, self._raised.__cause__, held = self._said
            vars(self._raised).clear()
            vars(self._raised).update(held)
            self._raised.__context__ = None
            raise self._raised.with_traceback(None)


def exact_number(value: Any) -> Fraction:
    """A number that a function gave, exactly; anything else raises, so call it where `called`
    reads.

    An array of one entry is that entry; a truth value is no number.
    """
    if isinstance(value, np.ndarray):
        (value,) = plain(value).reshape(-1).tolist()
    if is_integer(value):
        return Fraction(int(value))
    if not is_real(value):
        raise ShapeError("this is no number.", remedy="Give an int, a float or a Fraction.")
    above, below = exact_real(value).as_integer_ratio()
    return Fraction(int(above), int(below))


def exact_numbers(value: Any, size: int) -> list[Fraction | None]:
    """So many numbers, exactly, with None for an entry that is none; another number of them
    raises.
    """
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        listed = list(value)
    elif hasattr(value, "__array__"):
        held = value if isinstance(value, np.ndarray) else np.asarray(value)
        listed = plain(held).reshape(-1).tolist()
    else:
        listed = [value]
    if len(listed) != size:
        raise ShapeError(f"{size} numbers are needed.", remedy="Give that many.")
    return called(exact_number, listed, otherwise=None)


def number_of(row: Any) -> Any:
    """A row that is a plain number, as something with an exact value or as an infinity; None for
    every other row.

    Only the type itself counts, never what a subclass makes of it, so no code of the row runs.  NaN
    is no number.
    """
    kind = type(row)
    if kind is Decimal:
        with contextlib.suppress(Exception):
            return exact_real(row)
        return None
    if kind is Fraction:
        with contextlib.suppress(Exception):
            return Fraction(int(row.numerator), int(row.denominator))
        return None
    if kind not in _NUMBERS or row != row:  # noqa: PLR0124 - only a NaN is not itself
        return None
    return row


def floats_of(rows: NDArray[Any], columns: int) -> NDArray[np.float64]:
    """Rows of any objects as floats, one line of ``columns`` each; an entry that is no number is
    NaN.

    A row that has not as many entries is NaN throughout.  Numbers beyond the floats become
    infinities.
    """
    if rows.ndim != 1:
        flat = [_float_of(entry) for entry in rows.reshape(-1).tolist()]
        return np.array(flat, dtype=np.float64).reshape(rows.shape)
    found = np.full((len(rows), columns), np.nan)
    for place, row in enumerate(rows.tolist()):
        entries = row if type(row) in (list, tuple) else (row,)
        if len(entries) == columns:
            found[place] = [_float_of(entry) for entry in entries]
    return found


def _float_of(entry: Any) -> float:
    number = number_of(entry)
    if number is None:
        return float("nan")
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def is_plain(row: Any, kinds: frozenset[type] = frozenset(), *, depth: int = _DEEPEST) -> bool:
    """Whether a row is a plain value, one of the public ``kinds``, or a tuple of such, not too
    deeply nested.

    What is not can hold code of its own, or be so deep that looking at it fails.
    """
    kind = type(row)
    if kind is tuple:
        return depth > 0 and all(is_plain(each, kinds, depth=depth - 1) for each in row)
    return kind in _PLAIN or kind in kinds


def unwrapped(row: Any) -> Any:
    """A scalar of numpy as Python's own; every other row as it is."""
    return row.item() if type(row) in _SCALARS else row


def each_row(
    rows: Any, *, of: str = "row", flat: bool = False, among: tuple[type, ...] = (Sequence,)
) -> Iterable[Any]:
    """One item per row; what would be read as something else, or computes its rows while it is
    read, is refused by its type.

    A frame would give the names of its columns, a mapping its keys, a text its letters, and a set
    one item for equal rows.  ``flat`` refuses arrays whose rows are arrays too; ``among`` are the
    kinds of collections that are no arrays.
    """
    if isinstance(rows, Iterator):
        raise ShapeError(
            f"rows must be at hand before the release; got {type(rows).__name__}, which makes them on the way.",
            remedy="Make a list of them first: list(rows).",
        )
    if not _gives_rows(rows, among, flat=flat):
        raise ShapeError(
            f"rows must be a list or a one-dimensional array; got {type(rows).__name__}.",
            remedy=f"Give one {of} per row: a list such as list(rows), or one column of a frame such as frame['city'].",
        )
    found: Iterable[Any] = plain(rows) if isinstance(rows, np.ndarray) else rows
    return found


def _gives_rows(rows: Any, among: tuple[type, ...], *, flat: bool) -> bool:
    """Whether going through a collection meets its rows; only its type and its shape are looked
    at.
    """
    if isinstance(rows, _LETTERS) or hasattr(
        type(rows), "_fields"
    ):  # a tuple of named fields is one row
        return False
    shape = getattr(rows, "shape", None)
    if isinstance(rows, np.ndarray):
        return rows.ndim == 1 or (rows.ndim > 1 and not flat)
    return len(shape) == 1 if isinstance(shape, tuple) else isinstance(rows, among)


def apart(row: Any) -> Any:
    """A row by itself: an array that is a view would hand a function the rows of all others through
    its ``base``.
    """
    kind = type(row)  # not isinstance, which asks the row itself
    if issubclass(kind, np.ndarray):
        return np.array(row, subok=False)
    if issubclass(kind, np.void):
        return np.array(row)[()]
    return bytes(row) if kind is memoryview else row
