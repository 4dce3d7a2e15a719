"""What a caller's function can do on one row, and what a row can be that no door expects."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

POISON = -77
"""The row at which a caller's function does something else."""


class Stop(BaseException):
    """What no ``except Exception`` holds."""


def _raises(error: BaseException) -> Callable[[], Any]:
    def act() -> Any:
        raise error

    return act


ACTS: Mapping[str, Callable[[], Any]] = {
    "raises ValueError": _raises(ValueError("patient 17 has HIV")),
    "raises ZeroDivisionError": lambda: 1 // 0,
    "raises a BaseException": _raises(Stop("patient 17")),
    "raises KeyboardInterrupt": _raises(KeyboardInterrupt("patient 17")),
    "raises SystemExit": _raises(SystemExit("patient 17")),
    "gives NaN": lambda: float("nan"),
    "gives infinity": lambda: float("inf"),
    "gives None": lambda: None,
    "gives text": lambda: "HIV",
    "gives a huge integer": lambda: 10**400,
    "gives a whole number": lambda: 3,
    "gives two numbers": lambda: [1.0, 2.0],
    "gives nothing": list,
    "gives an array of no shape": lambda: np.float64(0.5),
    "gives a complex number": lambda: 1 + 2j,
    "gives truth": lambda: True,
    "gives a mapping": lambda: {"a": 1},
    "gives a function": lambda: lambda _: float("nan"),
}


class _Odd:
    """A value that answers nothing about itself."""

    def __repr__(self) -> str:
        raise ValueError("HIV")

    def __hash__(self) -> int:
        raise ValueError("HIV")

    def __eq__(self, other: object) -> bool:
        raise ValueError("HIV")


class _OddText(str):
    """A text that cannot be looked up."""

    __slots__ = ()

    def __hash__(self) -> int:
        raise ValueError("HIV")

    def __eq__(self, other: object) -> bool:
        raise ValueError("HIV")


class OddKey:
    """A category that gives itself a place in a table, and fails when it is looked for there."""

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        raise ValueError("HIV")


def _deep(depth: int) -> Any:
    value: Any = ()
    for _ in range(depth):
        value = (value,)
    return value


ODD: Mapping[str, Callable[[], Any]] = {
    "a huge integer": lambda: 10**5000,
    "a deep tuple": lambda: _deep(5000),
    "a lone surrogate": lambda: "\ud800",
    "None": lambda: None,
    "NaN": lambda: float("nan"),
    "an object of its own": _Odd,
    "a text of its own": lambda: _OddText("tea"),
    "a key of its own": OddKey,
    "a list": lambda: [1],
    "text": lambda: "HIV",
    "three numbers": lambda: (0, 1, 2),
    "a huge pair": lambda: (10**400, 1),
    "infinities": lambda: (float("inf"), 1),
}


INTERRUPTED = "is interrupted"
"""The operator presses Ctrl-C just while the function runs: no act of the function, so it is none
of `ACTS`.
"""


def poisoned(rows: Any, act: str, plain: Any) -> Any:
    """What a caller's function gives: something plain, unless it can reach the poison from what it
    is handed.
    """
    if POISON not in _reached(rows):
        return plain
    return signal.raise_signal(signal.SIGINT) if act == INTERRUPTED else ACTS[act]()


def _reached(rows: Any) -> Iterator[Any]:
    """All values in these rows, and in the arrays that they are views of."""
    if isinstance(rows, np.ndarray):
        yield from rows.reshape(-1).tolist()
        yield from _reached(rows.base)
    elif isinstance(rows, list | tuple):
        for each in rows:
            yield from _reached(each)
    else:
        yield rows
