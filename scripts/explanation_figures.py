"""The pictures of docs/what-is-dp.md, and the numbers in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from shoal import Geometric, Pure, account
from shoal.interpret import posterior_up
from shoal.noise.seam import seeded
from shoal.plots.extra import drawing
from shoal.plots.saving import Picture
from shoal.plots.theme import CONFIG, HEIGHT, INK, QUIET, SERIES, WIDTH

Numbers = dict[str, list[list[float]]]

TRUTH, RELEASES = 100, 200_000
WORLDS = {"with Maria": TRUTH, "without Maria": TRUTH - 1}
SHOWN = range(TRUTH - 8, TRUTH + 8)
ERROR_AT = [Fraction(number, 20) for number in (1, 2, 3, 4, 6, 8, 10, 14, 20, 30, 40, 60)]
EPSILONS = ("0.1", "0.5", "1", "2")
PRIORS = [Fraction(number, 50) for number in range(1, 50)]
COUNTS = [1, 5, 10, 20, 30, 40, 60, 80, 100]
BUDGET = 3
TITLES = {
    "dp-two-worlds": "The same table, with and without one person",
    "dp-error": "What accuracy costs",
    "dp-suspicion": "How far a suspicion can rise",
    "dp-many": "Many answers add up",
}


def two_worlds() -> Numbers:
    """The share of each answer, over many releases of the same count, in both worlds."""
    mechanism = Geometric.for_epsilon("0.5", sensitivity=1)
    found: Numbers = {}
    for name, true in WORLDS.items():
        with seeded(f"docs {name}"):
            counted = Counter(mechanism.release(np.full(RELEASES, true)).tolist())
        found[name] = [[at, counted[at] / RELEASES] for at in SHOWN]
    return found


def error() -> Numbers:
    """How far a count is off at most, with 95 % confidence, by epsilon."""
    return {
        "error": [
            [float(epsilon), Geometric.for_epsilon(epsilon, sensitivity=1).error("0.95")]
            for epsilon in ERROR_AT
        ]
    }


def suspicion() -> Numbers:
    """The most that a suspicion can become, by what it was."""
    return {
        f"epsilon {epsilon}": [
            [float(prior), round(float(posterior_up(Pure(epsilon), prior)), 6)] for prior in PRIORS
        ]
        for epsilon in EPSILONS
    }


def many() -> Numbers:
    """What answers of epsilon 0.1 cost together: as a plain sum, and as the accountant counts."""
    exact = [account(f"laplace scale=10 | x {count}").epsilon(delta="1e-6") for count in COUNTS]
    return {
        "plain sum": [[count, round(count / 10, 6)] for count in COUNTS],
        "Shoal's account": [
            [count, round(float(each.epsilon), 6)]
            for count, each in zip(COUNTS, exact, strict=True)
        ],
    }


NUMBERS: dict[str, Callable[[], Numbers]] = {
    "dp-two-worlds": two_worlds,
    "dp-error": error,
    "dp-suspicion": suspicion,
    "dp-many": many,
}


def worlds_picture(numbers: Numbers) -> Any:
    alt = drawing()
    rows = [
        {"answer": x, "share": y, "world": name} for name, each in numbers.items() for x, y in each
    ]
    return (
        _chart(rows)
        .mark_bar()
        .encode(
            x=alt.X("answer:O", title="the answer that is published", axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("world:N", sort=list(WORLDS)),
            y=alt.Y("share:Q", title="how often", axis=alt.Axis(format="%")),
            color=_colour("world", list(WORLDS), symbol="square"),
        )
    )


def error_picture(numbers: Numbers) -> Any:
    alt = drawing()
    rows = [{"epsilon": x, "error": y} for x, y in numbers["error"]]
    base = _chart(rows).encode(
        x=alt.X("epsilon:Q", title="epsilon that the answer costs"),
        y=alt.Y("error:Q", title="a count is off by at most"),
    )
    dots = base.mark_point(size=60, filled=True, color=SERIES[0], opacity=1)
    return base.mark_line(strokeWidth=3, color=SERIES[0]) + dots


def suspicion_picture(numbers: Numbers) -> Any:
    alt = drawing()
    rows = [
        {"before": x, "after": y, "epsilon": name}
        for name, each in numbers.items()
        for x, y in each
    ]
    lines = _chart(rows).mark_line(strokeWidth=3)
    same = _chart([{"before": at, "after": at} for at in (0, 1)])
    x = alt.X("before:Q", title="suspicion before", axis=alt.Axis(format="%"))
    y = alt.Y("after:Q", title="at most, after everything is published", axis=alt.Axis(format="%"))
    return alt.layer(
        same.mark_line(color=QUIET, strokeDash=[3, 4]).encode(x=x, y=y),
        lines.encode(x=x, y=y, color=_colour("epsilon", list(numbers))),
    )


def many_picture(numbers: Numbers) -> Any:
    alt = drawing()
    rows = [
        {"answers": x, "epsilon": y, "counted": name}
        for name, each in numbers.items()
        for x, y in each
    ]
    x = alt.X("answers:Q", title="answers of epsilon 0.1 each")
    y = alt.Y("epsilon:Q", title="epsilon of all of them together")
    colour = _colour("counted", list(numbers))
    lines = _chart(rows).mark_line(strokeWidth=3).encode(x=x, y=y, color=colour)
    wall = _chart([{"epsilon": BUDGET}]).mark_rule(color=INK, strokeDash=[6, 4]).encode(y=y)
    said = [{"epsilon": BUDGET, "answers": 100, "words": "a budget of 3: asking ends here"}]
    words = _chart(said).mark_text(align="right", dy=-10, fontSize=13, color=INK)
    return alt.layer(lines, wall, words.encode(x=x, y=y, text="words:N"))


_DRAWN: dict[str, tuple[Callable[[Numbers], Any], str]] = {
    "dp-two-worlds": (
        worlds_picture,
        "A count of 100, published 200,000 times at epsilon 0.5, and the same count without Maria.",
    ),
    "dp-error": (
        error_picture,
        "The error of a count, with 95 % confidence, for any number of people.",
    ),
    "dp-suspicion": (suspicion_picture, "Whatever else is known, and whoever looks."),
    "dp-many": (many_picture, "At delta 1e-6; the account is never more than the sum."),
}


def picture(name: str) -> Picture:
    """A picture, drawn from its numbers."""
    alt = drawing()
    draw, below = _DRAWN[name]
    chart = draw(NUMBERS[name]()).properties(
        width=WIDTH, height=HEIGHT, title=alt.TitleParams(TITLES[name], subtitle=below)
    )
    return Picture(chart.configure(**CONFIG))


def _chart(rows: list[dict[str, Any]]) -> Any:
    alt = drawing()
    return alt.Chart(alt.InlineData(values=rows))


def _colour(name: str, order: list[str], *, symbol: str = "stroke") -> Any:
    alt = drawing()
    scale = alt.Scale(domain=order, range=list(SERIES[: len(order)]))
    return alt.Color(f"{name}:N", scale=scale, title=None, legend=alt.Legend(symbolType=symbol))
