"""The picture of a released function: a line with a band, or a surface in colours."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.plots.extra import drawing
from shoal.plots.saving import Picture
from shoal.plots.theme import CONFIG, HEIGHT, SERIES, WIDTH

Reals = NDArray[np.float64]


def curve(
    points: Reals, values: Reals, width: Reals | None = None, *, x: str = "x", y: str = "value"
) -> Picture:
    """A function of one variable, with a band as wide as ``width`` on either side."""
    alt = drawing()
    band = np.zeros_like(values) if width is None else width
    rows = [
        {"x": float(at), "y": float(value), "low": float(value - far), "high": float(value + far)}
        for at, value, far in zip(points, values, band, strict=True)
    ]
    chart: Any = alt.Chart(alt.InlineData(values=rows))
    across = alt.X("x:Q", title=x, scale=alt.Scale(nice=False, zero=False))
    line = chart.mark_line(color=SERIES[0], strokeWidth=2.4).encode(
        x=across, y=alt.Y("y:Q", title=y, scale=alt.Scale(zero=False))
    )
    layers = [line]
    if width is not None:
        area = chart.mark_area(color=SERIES[0], opacity=0.2)
        layers = [area.encode(x=across, y=alt.Y("low:Q", title=y), y2="high:Q"), line]
    drawn = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)
    return Picture(drawn.configure(**CONFIG))


def surface(first: Reals, second: Reals, values: Reals) -> Picture:
    """A function of two variables, its values as colours."""
    alt = drawing()
    half = [(axis[1] - axis[0]) / 2 for axis in (first, second)]
    rows = [
        {
            "x": float(a - half[0]),
            "x2": float(a + half[0]),
            "y": float(b - half[1]),
            "y2": float(b + half[1]),
            "value": float(values[i, j]),
        }
        for i, a in enumerate(first)
        for j, b in enumerate(second)
    ]
    chart: Any = alt.Chart(alt.InlineData(values=rows))
    drawn = chart.mark_rect().encode(
        x=alt.X("x:Q", title="first", scale=alt.Scale(nice=False, zero=False)),
        x2="x2:Q",
        y=alt.Y("y:Q", title="second", scale=alt.Scale(nice=False, zero=False)),
        y2="y2:Q",
        color=alt.Color(
            "value:Q", scale=alt.Scale(scheme="viridis"), legend=alt.Legend(title="value")
        ),
    )
    return Picture(drawn.properties(width=HEIGHT, height=HEIGHT).configure(**CONFIG))
