"""How far one person moves the nodes of a binary tree over the steps of a stream.

The nodes are the intervals [j 2^l, (j + 1) 2^l) of steps that end by the last one.  A person who
takes part in the steps π moves a node by the number of these steps below it, so the squared
sensitivity is the largest sum of squared numbers.  The proofs stand in `participation.md`.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.accounting.participation import SquaredSensitivity, most_participations

MOST_WORK = 2 * 10**8
"""So many additions are made to find the worst steps; beyond, each level of the tree is bounded by
itself.
"""

_MOST_AT_ONCE = 10**7
_NEVER = -(1 << 50)

Table = NDArray[np.int64]
"""The largest sum of squares in a block of steps, by [number of participations, entry, exit]."""


def tree_square(steps: int, *, participations: int = 1, separation: int = 1) -> SquaredSensitivity:
    """The squared sensitivity of all nodes of a binary tree over so many steps.

    Guarantee: never below the largest sum over nodes of (participations below)², over all sets of
        at most ``participations`` steps, any two at least ``separation`` apart; exactly that where
        ``attained``.
    Needs: steps, participations, separation >= 1.
    Edges: one participation: the levels, floor(log2 steps) + 1.  Beyond `MOST_WORK` the bound of
        `level_bound`.
    Reference: Kairouz and others 2021, appendix D; `participation.md` has the proofs.

    >>> tree_square(1024), tree_square(8, participations=3, separation=3)
    (SquaredSensitivity(square=Fraction(11, 1), attained=True), SquaredSensitivity(square=Fraction(20, 1), attained=True))
    """
    count = most_participations(steps, participations, separation)
    if count == 1:
        return SquaredSensitivity(Fraction(steps.bit_length()), attained=True)
    entries = _entries(count, separation)
    levels = steps.bit_length() - separation.bit_length() + 1
    at_once = count * len(entries) ** 3
    if at_once > _MOST_AT_ONCE or levels * count * at_once > MOST_WORK:
        return SquaredSensitivity(Fraction(level_bound(steps, count, separation)), attained=False)
    return SquaredSensitivity(Fraction(_worst(steps, count, separation, entries)), attained=True)


def level_bound(steps: int, count: int, separation: int) -> int:
    """The sum over levels of the most that ``count`` participations can add up to there.

    Guarantee: a node over 2^l steps has at most c = ceil(2^l / b) below it, and a sum of squares of
        numbers up to c that add up to k is largest where all but one of those above 0 are c.
    """
    total = 0
    for level in range(steps.bit_length()):
        most = min(count, -(-(1 << level) // separation))
        full, rest = divmod(count, most)
        total += full * most**2 + rest**2
    return total


def _entries(count: int, separation: int) -> list[int]:
    """How many steps of a block can be barred by participations before it: 0, and what steps of b
    leave over.

    Blocks have 2^l <= b < 2^(l + 1) steps.  A participation as early as possible, at the entry x of
    a block, bars x + b
    - 2^l steps of the next; a block passed by lifts the bar by 2^l.
    """
    block = 1 << (separation.bit_length() - 1)
    found, newest = {0}, {0}
    for _ in range(count):
        behind = {max(0, entry - block) for entry in newest} | newest
        newest = {entry + separation - block for entry in behind if entry < block}
        newest |= {max(0, entry - block) for entry in newest}
        if newest <= found:
            break
        found |= newest
    return sorted(found)


def _worst(steps: int, count: int, separation: int, entries: list[int]) -> int:
    lowest = separation.bit_length() - 1
    table, tables = _lowest_table(lowest, separation, entries), {}
    for level in range(lowest, steps.bit_length()):
        if level > lowest:
            table = _joined(table, table, count)
            table += np.arange(len(table), dtype=np.int64)[:, None, None] ** 2
        tables[level] = table
    so_far: Table | None = None  # by [number of participations, 1, exit], from the first step on
    for level in range(steps.bit_length() - 1, lowest - 1, -1):
        if steps >> level & 1:
            block = tables[level]
            so_far = block[:, :1] if so_far is None else _joined(so_far, block, count)
    assert so_far is not None
    return _with_last_steps(so_far, steps % (1 << lowest), count, entries)


def _lowest_table(level: int, separation: int, entries: list[int]) -> Table:
    """A block of 2^l <= b steps has at most one participation, as early as it may be."""
    block, place = 1 << level, {entry: at for at, entry in enumerate(entries)}
    table = np.full((2, len(entries), len(entries)), _NEVER, dtype=np.int64)
    for entry, at in place.items():
        table[0, at, place[max(0, entry - block)]] = 0
        if entry < block and entry + separation - block in place:
            table[1, at, place[entry + separation - block]] = level + 1
    return table


def _joined(left: Table, right: Table, count: int) -> Table:
    """Two blocks side by side: the exit of the one is the entry of the other."""
    most = min(count, len(left) + len(right) - 2)
    joined = np.full((most + 1, left.shape[1], right.shape[2]), _NEVER, dtype=np.int64)
    for first in range(len(left)):
        second = right[: most + 1 - first]
        both = (left[first][None, :, :, None] + second[:, None, :, :]).max(axis=2)
        here = joined[first : first + len(second)]
        np.maximum(here, both, out=here)
    return np.maximum(joined, _NEVER)


def _with_last_steps(so_far: Table, rest: int, count: int, entries: list[int]) -> int:
    """The last steps are fewer than b, so at most one participation is among them; the first tree
    is the highest.
    """
    best = int(so_far.max())
    for at, entry in enumerate(entries):
        if entry < rest and len(so_far) > 0:
            before = int(so_far[:count, 0, at].max())
            best = max(best, before + _levels_above(entry, rest))
    return best


def _levels_above(entry: int, rest: int) -> int:
    """The levels of the first tree, of those over the binary digits of ``rest``, that ends behind
    the entry.
    """
    end = 0
    for level in range(rest.bit_length() - 1, -1, -1):
        end += rest & (1 << level)
        if rest >> level & 1 and entry < end:
            return level + 1
    return 0
