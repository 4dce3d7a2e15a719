"""The picture of an answer: bars, lines or points, each with where the number would be without its
noise.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from shoal.exact import Number, short_down
from shoal.plots.answer_points import AnswerData, Axis, Mark, Panel, Released
from shoal.plots.extra import drawing
from shoal.plots.saving import Picture
from shoal.plots.theme import CONFIG, HEIGHT, INK, SERIES, WIDTH

_BAR, _BAND = 0.82, 0.22


def answer(
    released: Released, column: str | None = None, *, confidence: Number | None = None
) -> Picture:
    """The released numbers of an answer with their intervals; of one column, or of all, one below
    another.

    Names and few whole numbers are bars, bins a histogram, moments and many numbers a line with a
    band, and an answer without keys is a point; further keys are colours.
    """
    alt = drawing()
    data = AnswerData.of(released, column=column, confidence=confidence)
    panels = [_drawn(panel, data, last=panel is data.panels[-1]) for panel in data.panels]
    chart = panels[0] if len(panels) == 1 else alt.vconcat(*panels, spacing=30)
    return Picture(chart.configure(**CONFIG))


def _drawn(panel: Panel, data: AnswerData, *, last: bool) -> Any:
    alt = drawing()
    draw = {
        Axis.NOTHING: _point,
        Axis.NAMES: _bars_across,
        Axis.STEPS: _bars_up,
        Axis.BINS: _histogram,
        Axis.NUMBERS: _line,
        Axis.MOMENTS: _line,
    }[panel.axis]
    words = _below(panel, data) if last or panel.left_out else ""
    by = " and ".join(key for key in (panel.key, panel.series) if key is not None)
    head = panel.column if panel.axis is Axis.NOTHING else f"{panel.column} by {by}"
    title = alt.TitleParams(head, **({"subtitle": words} if words else {}))
    return draw(panel).properties(title=title)


def _below(panel: Panel, data: AnswerData) -> str:
    told = f"{short_down(100 * data.confidence)}% intervals of the noise"
    shown = f"{told}; " if any(mark.low is not None for mark in panel.marks) else ""
    missing = f"; not drawn: {panel.left_out} without {panel.key}" if panel.left_out else ""
    return f"{shown}{data.price}{missing}"


def _data(panel: Panel) -> Any:
    alt = drawing()
    rows = [_row(mark) for mark in panel.marks]
    return alt.Chart(alt.InlineData(values=rows))


def _row(mark: Mark) -> dict[str, Any]:
    row = {name: value for name, value in asdict(mark).items() if value is not None}
    if mark.upto is not None and isinstance(mark.at, float):
        row["middle"] = (mark.at + mark.upto) / 2
    return row


def _colour(panel: Panel) -> dict[str, Any]:
    """The colours of a second key; without one every mark has the first colour."""
    alt = drawing()
    if panel.series is None:
        return {"color": alt.value(SERIES[0])}
    names = list(dict.fromkeys(mark.series for mark in panel.marks))
    colours = [SERIES[at % len(SERIES)] for at in range(len(names))]
    legend = alt.Legend(title=panel.series, symbolType="square", symbolStrokeWidth=0)
    scale = alt.Scale(domain=names, range=colours)
    return {"color": alt.Color("series:N", scale=scale, legend=legend, sort=None)}


def _ends(chart: Any, panel: Panel, **places: Any) -> list[Any]:
    """Error bars, where there are intervals."""
    if not any(mark.low is not None for mark in panel.marks):
        return []
    style = {"thickness": 1.4, "color": INK, "ticks": {"size": 7, "color": INK, "thickness": 1.4}}
    return [chart.mark_errorbar(**style).encode(**places)]


def _across(panel: Panel) -> dict[str, Any]:
    alt = drawing()
    return {"x": alt.X("low:Q", title=panel.column), "x2": "high:Q"}


def _up(panel: Panel) -> dict[str, Any]:
    alt = drawing()
    return {"y": alt.Y("low:Q", title=panel.column), "y2": "high:Q"}


def _standing(panel: Panel) -> Any:
    """The axis of bars: from 0, or the lowest that is drawn, to the highest, and no further
    down.
    """
    alt = drawing()
    drawn = [each for mark in panel.marks for each in (mark.value, mark.low, mark.high)]
    ends = [0.0, *(each for each in drawn if each is not None)]
    scale = alt.Scale(domain=[min(ends), max(ends) if max(ends) > min(ends) else 1], nice=False)
    return alt.Y("value:Q", title=panel.column, axis=alt.Axis(tickCount=6), scale=scale)


def _point(panel: Panel) -> Any:
    alt = drawing()
    chart = _data(panel)
    x = alt.X("value:Q", title=panel.column, scale=alt.Scale(zero=False, nice=True, padding=24))
    dot = chart.mark_point(size=130, filled=True, opacity=1, color=SERIES[0]).encode(x=x)
    return alt.layer(*_ends(chart, panel, **_across(panel)), dot).properties(width=WIDTH, height=44)


def _bars_across(panel: Panel) -> Any:
    alt = drawing()
    chart = _data(panel)
    y: dict[str, Any] = {"y": alt.Y("at:N", title=panel.key, sort=None)}
    if panel.series is not None:
        y["yOffset"] = alt.YOffset("series:N", sort=None)
    x = alt.X("value:Q", title=panel.column, axis=alt.Axis(tickCount=6))
    bars = chart.mark_bar(opacity=_BAR).encode(x=x, **y, **_colour(panel))
    several = len({mark.series for mark in panel.marks})
    step = alt.Step(30) if several == 1 else alt.Step(20, **{"for": "offset"})
    both = alt.layer(bars, *_ends(chart, panel, **y, **_across(panel)))
    return both.properties(width=WIDTH, height=step)


def _bars_up(panel: Panel) -> Any:
    alt = drawing()
    chart = _data(panel)
    x: dict[str, Any] = {
        "x": alt.X("at:O", title=panel.key, sort=None, axis=alt.Axis(labelAngle=0))
    }
    if panel.series is not None:
        x["xOffset"] = alt.XOffset("series:N", sort=None)
    y = _standing(panel)
    bars = chart.mark_bar(opacity=_BAR).encode(y=y, **x, **_colour(panel))
    both = alt.layer(bars, *_ends(chart, panel, **x, **_up(panel)))
    return both.properties(width=WIDTH, height=HEIGHT)


def _histogram(panel: Panel) -> Any:
    alt = drawing()
    chart = _data(panel)
    x = alt.X("at:Q", title=panel.key, scale=alt.Scale(zero=False, nice=False))
    y = _standing(panel)
    style = {"opacity": _BAR, "stroke": "white", "strokeWidth": 1}
    bars = chart.mark_bar(**style).encode(x=x, x2="upto:Q", y=y, y2=alt.datum(0), **_colour(panel))
    ends = _ends(chart, panel, x=alt.X("middle:Q"), **_up(panel))
    return alt.layer(bars, *ends).properties(width=WIDTH, height=HEIGHT)


def _line(panel: Panel) -> Any:
    alt = drawing()
    chart, colour = _data(panel), _colour(panel)
    x = alt.X("at:Q", title=panel.key, scale=alt.Scale(zero=False, nice=False))
    if panel.axis is Axis.MOMENTS:
        axis = alt.Axis(labelOverlap=True, tickCount=8)
        x = alt.X("at:T", title=panel.key, scale=alt.Scale(type="utc"), axis=axis)
    line = chart.mark_line(strokeWidth=2.2, point={"size": 28, "filled": True}).encode(
        x=x, y=alt.Y("value:Q", title=panel.column), **colour
    )
    if not any(mark.low is not None for mark in panel.marks):
        return line.properties(width=WIDTH, height=HEIGHT)
    band = chart.mark_area(opacity=_BAND).encode(x=x, **_up(panel), **colour)
    return alt.layer(band, line).properties(width=WIDTH, height=HEIGHT)
