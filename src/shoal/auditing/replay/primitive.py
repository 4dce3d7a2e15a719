"""Somebody else's noise, made visible to a replay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from shoal.exact import Number
from shoal.mechanisms.witness import NoiseWitness, meet
from shoal.sensitivity import Norm, Sensitivity
from shoal.sensitivity.claims import Moves

Released = TypeVar("Released")


def primitive(
    noise: Callable[..., Released],
    *,
    sensitivity: Number | Sensitivity,
    norm: Norm | str = Norm.L1,
    name: str | None = None,
) -> Callable[..., Released]:
    """A function that adds noise to its first argument, for `replay`: outside a replay it is the
    function itself.

    Needs: the first argument is a number, or an array, list or tuple of numbers; ``sensitivity`` is
        what the noise was made for.

    >>> from shoal.auditing.replay import replay
    >>> theirs = primitive(lambda value: value + 0.25, sensitivity=1, name="their noise")
    >>> print(replay(lambda rows: theirs(sum(rows)), [([1, 2, 9], [1, 2])]).differences[0].found)
    the input in l1 moved by 9
    """
    declared = Sensitivity.read(sensitivity, norm=norm)
    called = name or getattr(noise, "__qualname__", type(noise).__qualname__)

    def seen(value: Any, *others: Any, **named: Any) -> Released:
        return meet(
            lambda: noise(value, *others, **named),
            lambda: NoiseWitness(called, (), value, Moves.of(declared)),
        )

    return seen
