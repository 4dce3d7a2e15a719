"""The law of a program that consumes random bits, by following every path it can take."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import count
from typing import Any, TypeVar

from shoal.auditing.exact.law import Law
from shoal.auditing.output_identity import told
from shoal.errors import DataError, RangeError
from shoal.exact import Number, closed_unit, non_negative, whole

Item = TypeVar("Item")
Path = tuple[tuple[int, Fraction], ...]
"""The ways taken, each with the mass of the path up to it."""


class _TooDeep(BaseException):
    """A path was left after as many draws as were allowed."""


class _Strayed(BaseException):
    """A path could not be gone again."""


class Bits:
    """Random draws that are followed instead of made; a program under the verifier takes all its
    randomness from here.

    Every draw is exact: a coin of chance 1/3 is one draw with two ways, not a loop of fair coins.
    """

    def __init__(self, path: Path, depth: int) -> None:
        self._path, self._depth = path, depth
        self.taken: list[tuple[int, Fraction]] = []
        self.mass = Fraction(1)
        self.open: list[Path] = []

    def coin(self) -> bool:
        """A fair coin."""
        return bool(self._draw([Fraction(1, 2), Fraction(1, 2)]))

    def bernoulli(self, chance: Number) -> bool:
        """A coin that shows True with this chance."""
        heads = closed_unit(chance, "chance")
        return bool(self._draw([1 - heads, heads]))

    def below(self, bound: int) -> int:
        """A uniform whole number from 0 to bound - 1."""
        size = whole(bound, "bound", at_least=1)
        return self._draw([Fraction(1, size)] * size)

    def choice(self, weights: Sequence[Number]) -> int:
        """A place, with chances in proportion to these weights."""
        parts = [non_negative(weight, "weight") for weight in weights]
        if not sum(parts):
            raise RangeError("all weights of a choice are 0.", remedy="Give at least one above 0.")
        return self._draw([part / sum(parts) for part in parts])

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items in random order, all orders equally likely."""
        left, order = list(items), []
        while left:
            order.append(left.pop(self.below(len(left))))
        return order

    def _draw(self, chances: list[Fraction]) -> int:
        place = len(self.taken)
        if place == self._depth:
            raise _TooDeep
        if place < len(self._path):
            way, mass = self._path[place]
            if way >= len(chances) or self.mass * chances[way] != mass:
                raise _Strayed
        else:
            way, *others = (each for each, chance in enumerate(chances) if chance)
            mass, here = self.mass * chances[way], tuple(self.taken)
            self.open.extend((*here, (each, self.mass * chances[each])) for each in others)
        self.taken.append((way, mass))
        self.mass = mass
        return way

    @property
    def left(self) -> bool:
        """Whether the path goes on where the program ended."""
        return len(self.taken) < len(self._path)


def law_of(
    mechanism: Callable[[Any, Bits], Hashable],
    data: Any,
    *,
    depth: int = 64,
    paths: int = 100_000,
) -> Law:
    """The exact law of ``mechanism(data, bits)``.

    Guarantee: every chance is exact, or lies between the two ends given; the likeliest paths are
        followed first, and what is left after ``depth`` draws on a path, or after so many
        ``paths``, is the law's ``rest``.
    Needs: the mechanism draws from ``bits`` only, and its outputs can be keys of a dict.
    Edges: an error is an output as well, by its type and its words: they are seen.  Outputs are
        told apart by type and value, floats by their bits: True is not 1, -0.0 is not 0.0, and all
        NaN are one.  A mechanism that does not draw the same again is refused.

    >>> def answer(truth, bits):
    ...     return truth if bits.bernoulli("3/4") else not truth
    >>> law_of(answer, True).low
    {True: Fraction(3, 4), False: Fraction(1, 4)}
    """
    deepest = whole(depth, "depth", at_least=1)
    chances: dict[Hashable, Fraction] = {}
    order, rest = count(), Fraction(0)
    waiting: list[tuple[Fraction, int, Path]] = [(Fraction(-1), next(order), ())]
    for _ in range(whole(paths, "paths", at_least=1)):
        if not waiting:
            break
        bits = Bits(heapq.heappop(waiting)[2], deepest)
        try:
            output = told(_output(mechanism, data, bits))
        except _TooDeep:
            rest += bits.mass
        except _Strayed:
            raise _elsewhere() from None
        else:
            if bits.left:
                raise _elsewhere()
            chances[output] = chances.get(output, Fraction(0)) + bits.mass
        for path in bits.open:
            heapq.heappush(waiting, (-path[-1][1], next(order), path))
    rest -= sum(mass for mass, _, _ in waiting)
    likeliest = sorted(chances, key=lambda output: -chances[output])
    return Law({output: chances[output] for output in likeliest}, rest=rest)


def _elsewhere() -> DataError:
    return DataError(
        "the mechanism drew otherwise when the same path was followed again, so its law cannot be worked out.",
        remedy="Let it take all randomness from bits, and keep nothing from one run to the next.",
    )


def _output(mechanism: Callable[[Any, Bits], Hashable], data: Any, bits: Bits) -> Hashable:
    try:
        return mechanism(data, bits)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is seen
        return f"{type(error).__name__}: {error}"
