"""The ways from a bill to (epsilon, delta): one per measure, each by itself sound, tried side by
side.

A way is asked with the part of delta that failing masses leave.  To add one, make a `Way` and give
it to `add_way`; `Account` knows nothing of any of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from shoal.accounting.optimal_composition import pure_losses_delta_up, pure_losses_epsilon_up
from shoal.accounting.orders import best_order
from shoal.accounting.pricing import Bill, line_price, total_of
from shoal.accounting.quantities import CONCENTRATED, PURE, SQUARED_MU, Unit, divergence
from shoal.accounting.registry import kind_of
from shoal.exact import root_up
from shoal.measures import (
    Approx,
    Measure,
    Renyi,
    gaussian_delta_up,
    gaussian_epsilon_up,
    pure_delta_up,
    pure_epsilon_up,
    renyi_delta_up,
    renyi_epsilon_up,
    zero_concentrated_delta_up,
    zero_concentrated_epsilon_up,
)


@dataclass(frozen=True)
class Way:
    """How a bill becomes an epsilon at a delta, or a delta at an epsilon, in one measure.

    ``epsilon`` and ``delta`` are given the bill, the number to answer for and the spare delta of
    each shuffled release (`Unit.spare`); they answer None where the bill has no price in the
    measure.
    """

    measure: type[Measure]
    epsilon: Callable[[Bill, Fraction, Fraction], Fraction | None]
    delta: Callable[[Bill, Fraction, Fraction], Fraction | None]


_ways: dict[type[Measure], Way] = {}


def add_way(way: Way) -> None:
    """Let every account try one more way; one for each measure."""
    if way.measure in _ways:
        raise TypeError(f"there is already a way in {way.measure.__name__}.")
    _ways[way.measure] = way


def ways() -> tuple[Way, ...]:
    """All ways there are."""
    return tuple(_ways.values())


def _in_one_number(
    unit: Unit,
    epsilon: Callable[[Fraction, Fraction], Fraction],
    delta: Callable[[Fraction, Fraction], Fraction],
) -> Way:
    """A way whose measure is one number: add up, then convert."""

    def convert(
        lines: Bill, target: Fraction, spare: Fraction, by: Callable[[Fraction, Fraction], Fraction]
    ) -> Fraction | None:
        cost = total_of(lines, unit.with_spare(spare))
        return None if cost is None else by(cost, target)

    return Way(
        unit.measure,
        lambda lines, target, spare: convert(lines, target, spare, epsilon),
        lambda lines, target, spare: convert(lines, target, spare, delta),
    )


def _epsilons(lines: Bill, spare: Fraction) -> Counter[Fraction] | None:
    """How many pure releases of each epsilon a bill amounts to."""
    found: Counter[Fraction] = Counter()
    for line, times in lines.items():
        cost = line_price(line, PURE.with_spare(spare))
        if cost is None:
            return None
        found[cost] += times
    return found


def _optimal_epsilon(lines: Bill, delta: Fraction, spare: Fraction) -> Fraction | None:
    found = _epsilons(lines, spare)
    return None if found is None else pure_losses_epsilon_up(found, delta)


def _optimal_delta(lines: Bill, epsilon: Fraction, spare: Fraction) -> Fraction | None:
    found = _epsilons(lines, spare)
    return None if found is None else pure_losses_delta_up(found, epsilon)


_MOST_BENDS = 100
"""So many of the orders at which curves are stated are asked besides those that a search finds."""


def _bends(lines: Bill) -> list[Fraction]:
    """The orders at which the curves of a bill may bend, at most so many of the largest."""
    own = ((kind_of(line.event).orders, line.event) for line in lines)
    found = {order for orders, event in own if orders is not None for order in orders(event)}
    return sorted(found)[-_MOST_BENDS:]


def _renyi_epsilon(lines: Bill, delta: Fraction, spare: Fraction) -> Fraction | None:
    if delta == 0:
        return None

    def bound(order: Fraction) -> Fraction | None:
        cost = total_of(lines, divergence(order).with_spare(spare))
        return None if cost is None else renyi_epsilon_up(cost, order=order, delta=delta)

    found = best_order(bound, _bends(lines))
    return None if found is None else found[1]


def _renyi_delta(lines: Bill, epsilon: Fraction, spare: Fraction) -> Fraction | None:
    def bound(order: Fraction) -> Fraction | None:
        cost = total_of(lines, divergence(order).with_spare(spare))
        return None if cost is None else renyi_delta_up(cost, order=order, epsilon=epsilon)

    found = best_order(bound, _bends(lines))
    return None if found is None else found[1]


add_way(
    _in_one_number(
        PURE,
        lambda cost, delta: pure_epsilon_up(cost, delta=delta),
        lambda cost, epsilon: pure_delta_up(cost, at_epsilon=epsilon),
    )
)
add_way(Way(Approx, _optimal_epsilon, _optimal_delta))
add_way(
    _in_one_number(
        CONCENTRATED,
        lambda cost, delta: zero_concentrated_epsilon_up(cost, delta=delta),
        lambda cost, epsilon: zero_concentrated_delta_up(cost, epsilon=epsilon),
    )
)
add_way(Way(Renyi, _renyi_epsilon, _renyi_delta))
add_way(
    _in_one_number(
        SQUARED_MU,
        lambda square, delta: gaussian_epsilon_up(root_up(square), delta),
        lambda square, epsilon: gaussian_delta_up(root_up(square), epsilon),
    )
)
