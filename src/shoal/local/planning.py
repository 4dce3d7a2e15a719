"""How many people to ask, with which design: planned before anyone is asked."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from shoal.errors import CalibrationError
from shoal.exact import Number, closed_unit, open_unit, out_of_range, positive, whole
from shoal.local.design import Design
from shoal.local.intervals import binomial_ends, normal_chance, normal_point
from shoal.local.odds import LARGEST_DENOMINATOR
from shoal.local.survey_designs import for_epsilon

_MOST_PEOPLE = 10**9


def margin(
    design: Design, *, prevalence: Number, people: int, confidence: Number = "0.95"
) -> float:
    """Half of the expected width of the normal interval when so many people are asked.

    >>> from shoal.local import warner
    >>> round(margin(warner(), prevalence="0.1", people=3586), 4)
    0.03
    """
    risk = 1 - open_unit(confidence, "confidence")
    count = whole(people, "people", at_least=1)
    return normal_point(risk) * math.sqrt(_spread(design, prevalence) / count)


def people_for_margin(
    design: Design, *, prevalence: Number, margin: Number, confidence: Number = "0.95"
) -> int:
    """The fewest people with which the normal interval reaches at most ``margin`` to either side.

    >>> from shoal.local import forced
    >>> people_for_margin(forced("2/3"), prevalence="0.1", margin="0.03")
    1718
    """
    risk = 1 - open_unit(confidence, "confidence")
    reach = positive(margin, "margin")
    point = Fraction(normal_point(risk))
    return max(1, _few(math.ceil(point**2 * _spread(design, prevalence) / reach**2)))


def people_for_exact_margin(
    design: Design, *, prevalence: Number, margin: Number, confidence: Number = "0.95"
) -> int:
    """The fewest people, within 1 %, with which half of the exact interval is at most ``margin``,
    at the expected reply count.
    """
    risk, reach = 1 - open_unit(confidence, "confidence"), positive(margin, "margin")
    share = closed_unit(prevalence, "prevalence")
    told = design.floor + design.lean * share

    def half_width(people: int) -> Fraction:
        low, high = binomial_ends(round(told * people), people, risk)
        return (high - low) / (2 * abs(design.lean))

    people = people_for_margin(design, prevalence=share, margin=reach, confidence=confidence)
    while half_width(people) > reach:
        people = _few(people + max(1, people // 100))
    return people


def power(
    design: Design,
    *,
    prevalence: Number,
    other: Number,
    people: int,
    confidence: Number = "0.95",
    groups: bool = False,
) -> float:
    """The chance to notice, by a two-sided normal test, that the share is ``prevalence`` and not
    ``other``.

    With ``groups`` two groups of so many people each have these shares, and the test is that they
    are equal.
    """
    risk = 1 - open_unit(confidence, "confidence")
    count = whole(people, "people", at_least=1)
    shares = closed_unit(prevalence, "prevalence"), closed_unit(other, "other")
    spreads = [float(_spread(design, share)) / count for share in shares]
    gap = abs(float(shares[0] - shares[1]))
    if groups:
        pooled = 2 * float(_spread(design, (shares[0] + shares[1]) / 2)) / count
        scale, threshold = math.sqrt(sum(spreads)), normal_point(risk) * math.sqrt(pooled)
    else:
        scale, threshold = math.sqrt(spreads[0]), normal_point(risk) * math.sqrt(spreads[1])
    if scale == 0:
        return float(gap > threshold)
    return normal_chance((gap - threshold) / scale) + normal_chance((-gap - threshold) / scale)


def people_for_power(
    design: Design,
    *,
    prevalence: Number,
    other: Number,
    power: Number = "0.8",
    confidence: Number = "0.95",
    groups: bool = False,
) -> int:
    """The fewest people (in each group) with which `power` reaches the wanted one."""
    wanted = float(open_unit(power, "power"))
    if closed_unit(prevalence, "prevalence") == closed_unit(other, "other"):
        raise out_of_range("other", closed_unit(other, "other"), "another share than prevalence")

    def reached(people: int) -> bool:
        found = _power(
            design,
            prevalence=prevalence,
            other=other,
            people=people,
            confidence=confidence,
            groups=groups,
        )
        return found >= wanted

    high = 1
    while not reached(high):
        high = _few(2 * high)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


_power = power


def epsilon_for_margin(
    *, prevalence: Number, margin: Number, people: int, confidence: Number = "0.95"
) -> Design:
    """The most private design of Warner's kind with which so many people give at most this margin.

    >>> design = epsilon_for_margin(prevalence="0.1", margin="0.03", people=3586)
    >>> round(float(design.epsilon), 3)
    1.099
    """
    reach = positive(margin, "margin")

    def fits(design: Design) -> bool:
        return (
            people_for_margin(design, prevalence=prevalence, margin=reach, confidence=confidence)
            <= people
        )

    low, high = Fraction(1, 1000), Fraction(12)
    if not fits(for_epsilon(high)):
        raise CalibrationError(
            f"even at epsilon 12, nearly true answers, {people} people do not give this margin.",
            remedy="Ask more people, or allow a larger margin or a lower confidence.",
        )
    while high - low > Fraction(1, LARGEST_DENOMINATOR):
        middle = ((low + high) / 2).limit_denominator(10**9)
        low, high = (low, middle) if fits(for_epsilon(middle)) else (middle, high)
    return for_epsilon(high)


@dataclass(frozen=True)
class Plan:
    """One row of a comparison: a design, what a reply costs, and how many people a margin needs."""

    design: Design
    people: int
    exact_people: int
    factor: float
    """How many times more people than if all were asked directly."""


def compare_designs(
    designs: Iterable[Design], *, prevalence: Number, margin: Number, confidence: Number = "0.95"
) -> tuple[Plan, ...]:
    """Designs side by side for one wanted margin, cheapest in people first."""
    share = closed_unit(prevalence, "prevalence")
    direct = max(Fraction(1, 10**12), share * (1 - share))
    given = {"prevalence": share, "margin": margin, "confidence": confidence}
    plans = [
        Plan(
            design,
            people_for_margin(design, **given),
            people_for_exact_margin(design, **given),
            float(_spread(design, share) / direct),
        )
        for design in designs
    ]
    return tuple(sorted(plans, key=lambda plan: plan.people))


def _spread(design: Design, prevalence: Number) -> Fraction:
    """The variance of the estimate from one reply."""
    share = closed_unit(prevalence, "prevalence")
    return design.matrix.variances([1 - share, share], reports=1)[1]


def _few(people: int) -> int:
    if people > _MOST_PEOPLE:
        raise CalibrationError(
            "more than 10^9 people would be needed.",
            remedy="Choose a more truthful design, a wider margin or a larger difference.",
        )
    return people
