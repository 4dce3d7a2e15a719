"""The picture of an answer: bars, lines or points, each with where the number would be without its
noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from shoal.exact import Number, short_down
from shoal.plots.answer_points import AnswerData, Axis, Mark, Panel, Released
from shoal.plots.extra import drawing
from shoal.plots.saving import Picture
from shoal.plots.theme import CONFIG, HEIGHT, INK, QUIET, SERIES, WIDTH

_BAR, _BAND, _FAINT = 0.82, 0.22, 0.55
_BARS = (Axis.NAMES, Axis.STEPS, Axis.BINS)


def answer(
    released: Released,
    column: str | None = None,
    *,
    confidence: Number | None = None,
    width: int = WIDTH,
    words: bool = True,
) -> Picture:
    """The released numbers of an answer with their intervals; of one column, or of all, one below
    another.  Without ``words`` there is no line below the title, for pages that say it themselves.

    Names and few whole numbers are bars, bins a histogram, moments and many numbers a line with a
    band, and an answer without keys is a point; further keys are colours.
    """
    alt = drawing()
    data = AnswerData.of(released, column=column, confidence=confidence)
    panels = [
        _drawn(panel, _below(panel, data, last=panel is data.panels[-1]) if words else "")
        for panel in data.panels
    ]
    panels = [each.properties(width=width) for each in panels]
    chart = panels[0] if len(panels) == 1 else alt.vconcat(*panels, spacing=30)
    return Picture(chart.configure(**CONFIG))


def _drawn(panel: Panel, words: str) -> Any:
    alt = drawing()
    draw = {
        Axis.NOTHING: _point,
        Axis.NAMES: _bars_across,
        Axis.STEPS: _bars_up,
        Axis.BINS: _histogram,
        Axis.NUMBERS: _line,
        Axis.MOMENTS: _line,
    }[panel.axis]
    by = " and ".join(key for key in (panel.key, panel.series) if key is not None)
    head = panel.column if panel.axis is Axis.NOTHING else f"{panel.column} by {by}"
    title = alt.TitleParams(head, **({"subtitle": words} if words else {}))
    return draw(panel).properties(title=title)


def _below(panel: Panel, data: AnswerData, *, last: bool) -> str:
    """What is said below the title of a panel, and of all of them with the last."""
    faint = panel.axis in _BARS and bool(panel.faint)
    if not (last or panel.left_out or faint):
        return ""
    told = f"{short_down(100 * data.confidence)}% intervals of the noise"
    shown = f"{told}; " if any(mark.low is not None for mark in panel.marks) else ""
    missing = f"; not drawn: {panel.left_out} without {panel.key}" if panel.left_out else ""
    unclear = "; without a bar: the interval is at least as wide as the number" if faint else ""
    return f"{shown}{data.price}{missing}{unclear}"


def _data(marks: Sequence[Mark]) -> Any:
    alt = drawing()
    return alt.Chart(alt.InlineData(values=[_row(mark) for mark in marks]))


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


def _ends(marks: Sequence[Mark], *, faint: bool = False, **places: Any) -> list[Any]:
    """Error bars, where there are intervals."""
    if not any(mark.low is not None for mark in marks):
        return []
    ink, opacity = (QUIET, _FAINT) if faint else (INK, 1)
    style = {"thickness": 1.4, "color": ink, "opacity": opacity}
    ticks = {"size": 7, "color": ink, "thickness": 1.4, "opacity": opacity}
    return [_data(marks).mark_errorbar(**style, ticks=ticks, clip=faint).encode(**places)]


def _dots(panel: Panel, **places: Any) -> list[Any]:
    """Numbers that are unclear: a hollow dot, and the interval stands back."""
    if not panel.faint:
        return []
    style = {"size": 40, "filled": False, "opacity": _FAINT, "color": QUIET, "clip": True}
    dots = _data(panel.faint).mark_point(**style)
    return [dots.encode(**places)]


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
    return alt.Y("value:Q", title=panel.column, axis=alt.Axis(tickCount=6), scale=_scale(panel))


def _scale(panel: Panel) -> Any:
    """As far as the numbers with a bar reach: an interval that says nothing must not make the
    others small, and is cut off.
    """
    alt = drawing()
    lowest = [each for mark in panel.marks for each in (mark.value, mark.low)]
    reaching = panel.clear or panel.marks
    highest = [each for mark in reaching for each in (mark.value, mark.high)]
    low = min(0.0, *(each for each in lowest if each is not None))
    high = max(0.0, *(each for each in highest if each is not None))
    return alt.Scale(domain=[low, high if high > low else low + 1], nice=False)


def _point(panel: Panel) -> Any:
    alt = drawing()
    x = alt.X("value:Q", title=panel.column, scale=alt.Scale(zero=False, nice=True, padding=24))
    dots = _data(panel.marks).mark_point(size=130, filled=True, opacity=1, color=SERIES[0])
    dot = dots.encode(x=x)
    return alt.layer(*_ends(panel.marks, **_across(panel)), dot).properties(width=WIDTH, height=44)


def _bars_across(panel: Panel) -> Any:
    alt = drawing()
    y: dict[str, Any] = {"y": alt.Y("at:N", title=panel.key, sort=_order(panel))}
    if panel.series is not None:
        y["yOffset"] = alt.YOffset("series:N", sort=None)
    x = alt.X("value:Q", title=panel.column, axis=alt.Axis(tickCount=6), scale=_scale(panel))
    bars = _data(panel.clear).mark_bar(opacity=_BAR).encode(x=x, **y, **_colour(panel))
    several = len({mark.series for mark in panel.marks})
    step = alt.Step(30) if several == 1 else alt.Step(20, **{"for": "offset"})
    both = alt.layer(
        bars,
        *_ends(panel.clear, **y, **_across(panel)),
        *_ends(panel.faint, faint=True, **y, **_across(panel)),
        *_dots(panel, x=x, **y),
    )
    return both.properties(width=WIDTH, height=step)


def _bars_up(panel: Panel) -> Any:
    alt = drawing()
    x: dict[str, Any] = {
        "x": alt.X("at:O", title=panel.key, sort=_order(panel), axis=alt.Axis(labelAngle=0))
    }
    if panel.series is not None:
        x["xOffset"] = alt.XOffset("series:N", sort=None)
    y = _standing(panel)
    bars = _data(panel.clear).mark_bar(opacity=_BAR).encode(y=y, **x, **_colour(panel))
    both = alt.layer(
        bars,
        *_ends(panel.clear, **x, **_up(panel)),
        *_ends(panel.faint, faint=True, **x, **_up(panel)),
        *_dots(panel, y=y, **x),
    )
    return both.properties(width=WIDTH, height=HEIGHT)


def _order(panel: Panel) -> list[Any]:
    """The places in the order of the answer, with and without a bar."""
    return list(dict.fromkeys(mark.at for mark in panel.marks))


def _histogram(panel: Panel) -> Any:
    alt = drawing()
    x = alt.X("at:Q", title=panel.key, scale=alt.Scale(zero=False, nice=False, domain=_span(panel)))
    y = _standing(panel)
    style = {"opacity": _BAR, "stroke": "white", "strokeWidth": 1}
    chart = _data(panel.clear).mark_bar(**style)
    bars = chart.encode(x=x, x2="upto:Q", y=y, y2=alt.datum(0), **_colour(panel))
    middle = alt.X("middle:Q")
    ends = _ends(panel.clear, x=middle, **_up(panel))
    faint = _ends(panel.faint, faint=True, x=middle, **_up(panel))
    layers = alt.layer(bars, *ends, *faint, *_dots(panel, x=middle, y=y))
    return layers.properties(width=WIDTH, height=HEIGHT)


def _span(panel: Panel) -> list[float]:
    """From the first bin to the last, those without a bar included."""
    edges = [each for mark in panel.marks for each in (mark.at, mark.upto)]
    numbers = [each for each in edges if isinstance(each, float)]
    return [min(numbers), max(numbers)]


def _line(panel: Panel) -> Any:
    alt = drawing()
    chart, colour = _data(panel.marks), _colour(panel)
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
