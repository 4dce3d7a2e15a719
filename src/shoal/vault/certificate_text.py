"""What a certificate says, in words: what was asked, who is protected and how, and what it
costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from shoal.exact import short, short_up
from shoal.measures import Approx, Measure, Pure, ZeroConcentrated

_NEIGHBOURS = {
    "add_remove": "one {unit} more or less",
    "change": "one {unit} with other data",
}
_MEASURES = {
    "Pure": "pure",
    "Approx": "approximate",
    "ZeroConcentrated": "zero-concentrated",
    "GaussianDP": "Gaussian",
}


def promise_of(certificate: Mapping[str, Any]) -> Measure:
    """What was asked for, as a promise; the delta of keys counts in."""
    cost = {name: Fraction(number) for name, number in certificate["cost"].items()}
    if "rho" in cost:
        return ZeroConcentrated(cost["rho"])
    delta = cost["delta"] + cost["failing"]
    return Approx(cost["epsilon"], delta) if delta else Pure(cost["epsilon"])


def neighbours(certificate: Mapping[str, Any]) -> str:
    """Which data the promise cannot tell apart."""
    return _NEIGHBOURS[certificate["relation"]].format(unit=_unit(certificate))


def cost_lines(certificate: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The cost in each measure: rounded up, and exactly."""
    lines = []
    for measure, numbers in certificate["costs"].items():
        shown = {
            name: Fraction(number)
            for name, number in numbers.items()
            if name != "delta" or Fraction(number)
        }
        rounded = ", ".join(f"{name} {short_up(number)}" for name, number in shown.items())
        exact = ", ".join(f"{name} {number}" for name, number in shown.items())
        lines.append((_MEASURES.get(measure, measure), rounded, exact))
    return lines


def noise_lines(certificate: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    """Each total: what it is, how far one unit moves it, and the law of its noise, in the total's
    own units; then the last two exactly.
    """
    lines = []
    for each in certificate.get("terms", []):
        moved = Fraction(each["sensitivity"]) * _unit_of(each)
        word, scale = _law(each)
        law = f"{word} {short(scale)}" if word else "none"
        exact = f"moves by {moved}; {word} {scale}" if word else f"moves by {moved}"
        lines.append((each["total"], short_up(moved), law, exact))
    return lines


def method(certificate: Mapping[str, Any], confidence: str = "95%") -> list[str]:
    """The paragraphs that stand below published figures: what was done, for whom, and what the
    intervals leave out.
    """
    by_row = certificate["protects"] == "each row"
    limits = (
        "How much one row can change a total is limited: values outside the declared ranges count "
        "as the nearer end of the range."
        if by_row
        else "How much one person can change a total is limited: people with more rows or groups "
        "than declared count for less in each, and values outside the declared ranges count as the "
        "nearer end of the range."
    )
    done = (
        "Random noise was added to the totals before anyone saw them. The noise is chosen so that "
        f"any one {_unit(certificate)} is hidden: with {neighbours(certificate)} in the data, the "
        "chance of any answer would change by a small factor only. This is called differential "
        "privacy. Epsilon measures that factor: the smaller, the stronger the protection. "
        f"What is protected is {certificate['protects']}."
    )
    left_out = (
        f"Intervals cover the noise with {confidence} confidence each. They do not cover these "
        "limits, nor how well the people in the data stand for others."
    )
    return [done, f"{limits} {left_out}"]


def _unit(certificate: Mapping[str, Any]) -> str:
    return "row" if certificate["protects"] == "each row" else "person"


def _law(term: Mapping[str, str]) -> tuple[str, Fraction]:
    """The words for a law of noise, and its scale in the total's own units; no words for none."""
    word, _, number = term["noise"].removesuffix(" units").rpartition(" ")
    if not word:
        return "", Fraction(0)
    return word, Fraction(number) * _unit_of(term)


def _unit_of(term: Mapping[str, str]) -> Fraction:
    """What a whole number of a total stands for; sums that a model is made of have no unit."""
    return Fraction(term.get("unit", "1"))
