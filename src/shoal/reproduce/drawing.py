"""Lines, bands and points as a drawing in a page."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from shoal.page import Picture
from shoal.plots.extra import drawing
from shoal.plots.theme import CONFIG, SERIES

Points = Sequence[tuple[float, float]]
Scale = Literal["linear", "log"]

WIDTH, HEIGHT = 480, 260


def lines(
    series: Mapping[str, Points],
    *,
    x: str,
    y: str,
    caption: str,
    scales: tuple[Scale, Scale] = ("linear", "linear"),
    marks: Mapping[str, Points] | None = None,
) -> Picture:
    """Named lines over common axes, with points of their own colour where ``marks`` are given."""
    return Picture(_svg(_chart(series, x, y, scales, marks or {})), caption)


def side_by_side(
    panels: Mapping[str, Mapping[str, Points]], *, x: str, y: str, caption: str
) -> Picture:
    """Several small drawings with the same lines in the same colours, each with axes of its own."""
    alt = drawing()
    width = WIDTH * 2 // (3 * max(1, len(panels))) + 90
    made = [
        _chart(series, x, y, ("linear", "linear"), {}).properties(
            title=title, width=width, height=HEIGHT * 2 // 3
        )
        for title, series in panels.items()
    ]
    return Picture(
        _svg(alt.hconcat(*made).resolve_scale(y="independent", color="independent")), caption
    )


def _chart(
    series: Mapping[str, Points], x: str, y: str, scales: tuple[Scale, Scale], marks: Mapping[str, Points]
) -> Any:  # fmt: skip
    alt = drawing()
    names = list(dict.fromkeys([*series, *marks]))
    colour = alt.Color(
        "series:N",
        scale=alt.Scale(domain=names, range=list(SERIES[: len(names)])),
        legend=alt.Legend(orient="bottom", columns=2, labelLimit=320) if len(names) > 1 else None,
    )
    axes = {
        "x": alt.X(
            "x:Q", title=x, scale=alt.Scale(type=scales[0], nice=False), axis=_axis(scales[0])
        ),
        "y": alt.Y(
            "y:Q", title=y, scale=alt.Scale(type=scales[1], zero=False), axis=_axis(scales[1])
        ),
    }
    layers = []
    if series:
        layers.append(
            alt.Chart(alt.InlineData(values=_rows(series)))
            .mark_line(strokeWidth=2.2)
            .encode(**axes, color=colour)
        )
    if marks:
        layers.append(
            alt.Chart(alt.InlineData(values=_rows(marks)))
            .mark_point(size=50, filled=True, opacity=0.9)
            .encode(**axes, color=colour)
        )
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _axis(scale: Scale) -> Any:
    """Ticks at few places: powers of ten where the scale is logarithmic."""
    alt = drawing()
    return alt.Axis(tickCount=5, format="~g") if scale == "log" else alt.Axis(tickCount=6)


def _rows(series: Mapping[str, Points]) -> list[dict[str, Any]]:
    return [
        {"series": name, "x": float(x), "y": float(y)}
        for name, points in series.items()
        for x, y in points
    ]


def _svg(chart: Any) -> str:
    held = io.StringIO()
    chart.configure(**CONFIG).save(held, format="svg")
    return held.getvalue()
