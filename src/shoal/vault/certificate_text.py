"""What a certificate says, in words: what was asked, who is protected and how, and what it
costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from shoal.exact import short, short_up
from shoal.interpret import risk_of
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
    unit = "row" if certificate["protects"] == "each row" else "person"
    return _NEIGHBOURS[certificate["relation"]].format(unit=unit)


def cost_lines(certificate: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The cost in each measure, rounded up."""
    lines = []
    for measure, numbers in certificate["costs"].items():
        said = ", ".join(
            f"{name} {short_up(Fraction(number))}"
            for name, number in numbers.items()
            if name != "delta" or Fraction(number)
        )
        lines.append((_MEASURES.get(measure, measure), said))
    return lines


def noise_lines(certificate: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Each total: what it is, how far one unit moves it, and the law of its noise, in the total's
    own units.
    """
    return [
        (
            each["total"],
            short_up(Fraction(each["sensitivity"]) * Fraction(each["unit"])),
            _law(each),
        )
        for each in certificate["terms"]
    ]


def method(certificate: Mapping[str, Any], confidence: str = "95%") -> str:
    """The paragraph that stands beside published figures."""
    promise = promise_of(certificate)
    by_row = certificate["protects"] == "each row"
    say, beyond = (
        ("each row's say", "")
        if by_row
        else (
            "everyone's say",
            ", and people with more rows or groups than stated count for less in each",
        )
    )
    return (
        f"These figures were released with differential privacy. They protect {certificate['protects']}: data that differ by "
        f"{neighbours(certificate)} give answers that can hardly be told apart. The promise is {promise}. In words: "
        f"{risk_of(promise)} Random noise, drawn exactly from the laws in the certificate, was added to totals in which {say} is "
        f"bounded: values beyond the stated ranges are moved to the nearer end{beyond}. Intervals hold with {confidence} confidence each and cover the noise; they do not say how a sample "
        "stands for a population, nor what bounding changed."
    )


def _law(term: Mapping[str, str]) -> str:
    word, _, number = term["noise"].removesuffix(" units").rpartition(" ")
    if not word:
        return "none"
    return f"{word} {short(Fraction(number) * Fraction(term['unit']))}"
