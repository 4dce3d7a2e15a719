"""The pictures and the table of docs/surveys.md, and the numbers in them."""

from __future__ import annotations

import warnings
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.local import (
    Design,
    Regression,
    TransitionMatrix,
    crosswise,
    for_epsilon,
    forced,
    people_for_margin,
    regress,
    triangular,
)
from shoal.noise.seam import seeded
from shoal.plots.extra import drawing
from shoal.plots.saving import Picture
from shoal.plots.theme import CONFIG, HEIGHT, INK, QUIET, SERIES, WIDTH

PREVALENCE = Fraction(1, 10)
MARGINS = {"2 points": "0.02", "3 points": "0.03", "5 points": "0.05"}
EPSILONS = [Fraction(number, 32) for number in [*range(8, 32, 2), *range(32, 129, 4)]]
NAMED = {"Warner 3/4, crosswise 1/4": crosswise("1/4"), "forced response 2/3": forced("2/3")}
COVARIATES = {
    "rate_marriage": "marriage rated higher",
    "age": "age",
    "yrs_married": "years married",
    "children": "children",
    "religious": "more religious",
}
ASKED: dict[str, Design | TransitionMatrix] = {
    "asked directly": TransitionMatrix([[1, 0], [0, 1]]),
    "forced response 2/3, epsilon 1.61": forced("2/3"),
    "Warner, epsilon 1": for_epsilon(1),
    "triangular 1/4, one-sided": triangular("1/4"),
}
TITLES = {
    "survey-people": "People needed for a margin",
    "survey-fair": "What goes with an affair",
}


def people_numbers() -> dict[str, list[list[float]]]:
    """People by epsilon for each margin, and the named designs at three points."""
    lines = {
        name: [
            [
                float(epsilon),
                people_for_margin(for_epsilon(epsilon), prevalence=PREVALENCE, margin=margin),
            ]
            for epsilon in EPSILONS
        ]
        for name, margin in MARGINS.items()
    }
    marks = {
        name: [
            [
                round(float(design.epsilon), 6),
                people_for_margin(design, prevalence=PREVALENCE, margin="0.03"),
            ]
        ]
        for name, design in NAMED.items()
    }
    return {**lines, **marks}


@cache
def fair() -> tuple[NDArray[np.int64], dict[str, NDArray[np.float64]]]:
    """Who had an affair in Fair's survey, and the covariates, each with mean 0 and deviation 1."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from statsmodels.datasets import fair as source  # noqa: PLC0415 - of the extra dev only

        data = source.load_pandas().data
    columns = {name: data[name].to_numpy(dtype=np.float64) for name in COVARIATES}
    scaled = {name: (each - each.mean()) / each.std() for name, each in columns.items()}
    return (data["affairs"] > 0).to_numpy(dtype=np.int64), scaled


def fair_regressions() -> dict[str, Regression]:
    """The same regression from true answers and from replies to three designs, with repeatable
    draws.
    """
    had, columns = fair()
    found = {}
    for name, design in ASKED.items():
        with seeded(f"docs {name}"):
            found[name] = regress(design, design.release(had), columns)
    return found


def fair_numbers() -> dict[str, list[list[float]]]:
    """Coefficient, lower and upper end, by covariate."""
    return {
        name: [
            [float(f"{value:.5g}"), *(float(f"{end:.5g}") for end in ends)]
            for value, ends in zip(each.coefficients[0][1:], each.interval()[0][1:], strict=True)
        ]
        for name, each in fair_regressions().items()
    }


def fair_table() -> str:
    """How the share and its interval look for each way to ask, as rows of a page."""
    had, _ = fair()
    lines = [
        f"| 6366 women, {100 * had.mean():.1f} % had an affair | estimate | 95 % interval | epsilon |",
        "|---|---|---|---|",
    ]
    for name, design in ASKED.items():
        matrix = design.matrix if isinstance(design, Design) else design
        with seeded(f"docs {name}"):
            found = matrix.estimate(design.release(had))
        share = list(found)[1]
        low, high = share.interval()
        price = f"{float(matrix.epsilon):.2f}" if matrix.ratio else "none holds"
        value = 100 * float(share.value)
        lines.append(
            f"| {name.split(', ')[0]} | {value:.1f} % | {100 * low:.1f} to {100 * high:.1f} | {price} |"
        )
    return "\n".join(lines)


def people_picture() -> Picture:
    alt = drawing()
    numbers = people_numbers()
    rows = [
        {"epsilon": x, "people": y, "margin": name} for name in MARGINS for x, y in numbers[name]
    ]
    marks = [{"epsilon": x, "people": y, "words": name} for name in NAMED for x, y in numbers[name]]
    x = alt.X(
        "epsilon:Q",
        title="epsilon of one reply",
        scale=alt.Scale(domain=[0, 4]),
        axis=alt.Axis(tickCount=8),
    )
    y = alt.Y(
        "people:Q",
        title="people to ask",
        scale=alt.Scale(type="log", domain=[100, 300_000], nice=False),
        axis=alt.Axis(format="~s", values=[100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000]),
    )
    colour = alt.Color(
        "margin:N", scale=alt.Scale(domain=list(MARGINS), range=list(SERIES[: len(MARGINS)]))
    )
    lines = _chart(rows).mark_line(strokeWidth=3).encode(x=x, y=y, color=colour)
    rings = _chart(marks).mark_point(size=90, fill="white", stroke=INK, strokeWidth=2.5, opacity=1)
    style: dict[str, Any] = {"align": "left", "dx": 10, "dy": -10, "fontSize": 13}
    rim = _chart(marks).mark_text(**style, stroke="white", strokeWidth=5, strokeJoin="round")
    words = [
        each.encode(x=x, y=y, text="words:N")
        for each in (rim, _chart(marks).mark_text(**style, color=INK))
    ]
    below = "95 % margins of Warner's design when a tenth says yes; other designs are marked at 3 points."
    chart = alt.layer(lines, rings.encode(x=x, y=y), *words).properties(
        width=WIDTH,
        height=HEIGHT,
        title=alt.TitleParams(TITLES["survey-people"], subtitle=below),
    )
    return Picture(chart.configure(**CONFIG))


def fair_picture() -> Picture:
    alt = drawing()
    rows = [
        {"covariate": label, "value": point[0], "low": point[1], "high": point[2], "asked": name}
        for name, points in fair_numbers().items()
        for label, point in zip(COVARIATES.values(), points, strict=True)
    ]
    names = list(ASKED)
    x_title = "change of the log-odds of an affair, for one standard deviation more"
    y = alt.Y(
        "covariate:N", title=None, sort=list(COVARIATES.values()), axis=alt.Axis(labelLimit=200)
    )
    shift = alt.YOffset("asked:N", sort=names)
    colour = alt.Color("asked:N", scale=alt.Scale(domain=names, range=list(SERIES[: len(names)])))
    bars = _chart(rows).mark_rule(strokeWidth=2.5)
    dots = _chart(rows).mark_point(size=60, filled=True, opacity=1)
    zero = _chart([{"zero": 0}]).mark_rule(color=QUIET, strokeDash=[3, 4])
    chart = alt.layer(
        zero.encode(x=alt.X("zero:Q", title=x_title)),
        bars.encode(x=alt.X("low:Q", title=x_title), x2="high:Q", y=y, yOffset=shift, color=colour),
        dots.encode(x=alt.X("value:Q", title=x_title), y=y, yOffset=shift, color=colour),
    ).properties(
        width=WIDTH,
        height=HEIGHT,
        title=alt.TitleParams(
            TITLES["survey-fair"],
            subtitle="95 % intervals of one regression on Fair's survey of 6366 women, asked in four ways.",
        ),
    )
    return Picture(chart.configure(**CONFIG))


def _chart(rows: list[dict[str, Any]]) -> Any:
    alt = drawing()
    return alt.Chart(alt.InlineData(values=rows))


PICTURES = {"survey-people": people_picture, "survey-fair": fair_picture}
NUMBERS = {"survey-people": people_numbers, "survey-fair": fair_numbers}
