"""Lines and points as a drawing in a page."""

from __future__ import annotations

import io
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from shoal.page import PagePicture
from shoal.plots.extra import drawing
from shoal.plots.theme import CONFIG, SERIES

Points = Sequence[tuple[float, float]]
Spans = Sequence[tuple[float, float, float]]
"""Bars: where, from, to."""
Scale = Literal["linear", "log"]

WIDTH, HEIGHT = 480, 260
_DASHES = [6, 4]
_NONE: Mapping[str, Any] = {}


def lines(
    series: Mapping[str, Points],
    *,
    x: str,
    y: str,
    caption: str,
    scales: tuple[Scale, Scale] = ("linear", "linear"),
    marks: Mapping[str, Points] | None = None,
    spans: Mapping[str, Spans] | None = None,
    dashed: Collection[str] = (),
    shares: bool = False,
) -> PagePicture:
    """Named lines over common axes, with points of their own colour where ``marks`` are given.

    ``spans`` are upright bars, for errors.  Lines that are named in ``dashed`` are bounds rather
    than measurements; ``shares`` are written in per cent.
    """
    chart = _chart(
        series,
        x=x,
        y=y,
        scales=scales,
        marks=marks or {},
        spans=spans or {},
        dashed=dashed,
        shares=shares,
    )
    return PagePicture(_svg(chart), caption)


def side_by_side(
    panels: Mapping[str, Mapping[str, Points]], *, x: str, y: str, caption: str
) -> PagePicture:
    """Several small drawings with the same lines in the same colours, each with axes of its own."""
    alt = drawing()
    width = WIDTH * 2 // (3 * max(1, len(panels))) + 90
    made = [
        _chart(series, x=x, y=y).properties(title=title, width=width, height=HEIGHT * 2 // 3)
        for title, series in panels.items()
    ]
    return PagePicture(
        _svg(alt.hconcat(*made).resolve_scale(y="independent", color="independent")), caption
    )


def _chart(
    series: Mapping[str, Points],
    *,
    x: str,
    y: str,
    scales: tuple[Scale, Scale] = ("linear", "linear"),
    marks: Mapping[str, Points] = _NONE,
    spans: Mapping[str, Spans] = _NONE,
    dashed: Collection[str] = (),
    shares: bool = False,
) -> Any:
    alt = drawing()
    names = list(dict.fromkeys([*series, *marks]))
    colour = alt.Color(
        "series:N",
        scale=alt.Scale(domain=names, range=list(SERIES[: len(names)])),
        legend=_legend(names),
    )
    axes = {
        "x": alt.X(
            "x:Q",
            title=x,
            scale=alt.Scale(type=scales[0], nice=False),
            axis=_axis(scales[0], _places({**series, **marks})),
        ),
        "y": alt.Y(
            "y:Q",
            title=y,
            scale=alt.Scale(type=scales[1], zero=False),
            axis=alt.Axis(tickCount=6, format=".0%") if shares else _axis(scales[1]),
        ),
    }
    layers = [
        alt.Chart(alt.InlineData(values=_rows({name: points})))
        .mark_line(strokeWidth=2.2, **({"strokeDash": _DASHES} if name in dashed else {}))
        .encode(**axes, color=colour)
        for name, points in series.items()
        if points
    ]
    if spans:
        layers.append(
            alt.Chart(alt.InlineData(values=_bars(spans)))
            .mark_rule(strokeWidth=1.4)
            .encode(x=axes["x"], y=axes["y"], y2="y2:Q", color=colour)
        )
    if marks:
        layers.append(
            alt.Chart(alt.InlineData(values=_rows(marks)))
            .mark_point(size=50, filled=True, opacity=0.9)
            .encode(**axes, color=colour)
        )
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _legend(names: Sequence[str]) -> Any:
    """Names below the drawing, in one line if they are few and short."""
    alt = drawing()
    short = len(names) == 3 and all(len(name) <= 20 for name in names)
    made = alt.Legend(orient="bottom", columns=3 if short else 2, labelLimit=320)
    return made if len(names) > 1 else None


def _axis(scale: Scale, places: Sequence[float] = ()) -> Any:
    """Ticks at few places: powers of ten where the scale is logarithmic and several are in
    sight.
    """
    alt = drawing()
    if scale == "linear":
        return alt.Axis(tickCount=6)
    tens = range(-30, 31)
    seen = [
        10.0**ten
        for ten in tens
        if places and min(places) <= 1.001 * 10.0**ten and 10.0**ten <= 1.001 * max(places)
    ]
    return (
        alt.Axis(values=seen, format="~g") if len(seen) > 1 else alt.Axis(tickCount=5, format="~g")
    )


def _places(series: Mapping[str, Points]) -> list[float]:
    return [float(x) for points in series.values() for x, _ in points]


def _rows(series: Mapping[str, Points]) -> list[dict[str, Any]]:
    return [
        {"series": name, "x": float(x), "y": float(y)}
        for name, points in series.items()
        for x, y in points
    ]


def _bars(spans: Mapping[str, Spans]) -> list[dict[str, Any]]:
    return [
        {"series": name, "x": float(x), "y": float(low), "y2": float(high)}
        for name, bars in spans.items()
        for x, low, high in bars
    ]


def _svg(chart: Any) -> str:
    held = io.StringIO()
    chart.configure(**CONFIG).save(held, format="svg")
    return held.getvalue()
