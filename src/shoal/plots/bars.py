"""Two histograms, one above the other, and a bound beside a claim: drawings for pages about tests."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, NamedTuple

from shoal.plots.extra import drawing
from shoal.plots.theme import CONFIG, INK, SERIES

WIDTH, HEIGHT = 480, 120
_DARK, _LIGHT = SERIES[0], "#B9D3E6"
_BAD = SERIES[5]


class Bar(NamedTuple):
    """One place: its name or where it is, the share of outputs on d0 and on d1, and how much of it is in the event."""

    name: str
    place: tuple[float, float] | None
    first: float
    second: float
    inside: float


def two_histograms(bars: Sequence[Bar]) -> str:
    """Shares of outputs on both datasets over a common axis, the event in a darker colour, as SVG."""
    alt = drawing()
    panels = [
        _panel([_row(each, share) for each, share in zip(bars, shares, strict=True)], title)
        for title, shares in (("on d0", [each.first for each in bars]), ("on d1", [each.second for each in bars]))
    ]  # fmt: skip
    return _svg(alt.vconcat(*panels).resolve_scale(x="shared", y="shared"))


def _row(bar: Bar, share: float) -> dict[str, Any]:
    colour = _DARK if bar.inside > 0.5 else _LIGHT
    held: dict[str, Any] = {"share": share, "colour": colour, "none": 0}
    if bar.place is None:
        return {**held, "name": bar.name}
    return {**held, "from": bar.place[0], "to": bar.place[1]}


def _panel(rows: list[dict[str, Any]], title: str) -> Any:
    alt = drawing()
    chart = alt.Chart(alt.InlineData(values=rows))
    share = alt.Y("share:Q", title="share of outputs", axis=alt.Axis(tickCount=4))
    colour = alt.Color("colour:N", scale=None)
    if rows and "name" in rows[0]:
        sideways = alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=220))
        made = chart.mark_bar().encode(y=sideways, x=alt.X("share:Q", title="share of outputs"), color=colour)  # fmt: skip
        return made.properties(width=WIDTH, height=18 * len(rows), title=title)
    places = alt.X("from:Q", title="output", scale=alt.Scale(zero=False, nice=False))
    made = chart.mark_rect().encode(x=places, x2="to:Q", y=share, y2="none:Q", color=colour)
    return made.properties(width=WIDTH, height=HEIGHT, title=title)


def bound_against_claim(name: str, lower: float, claimed: float) -> str:
    """A bar as long as what is proven, and a line at what is claimed, as SVG."""
    alt = drawing()
    axis = alt.X("x:Q", title=name, scale=alt.Scale(zero=True, nice=True))
    bar = alt.Chart(alt.InlineData(values=[{"x": lower, "name": "proven"}])).mark_bar(
        color=_BAD if lower > claimed else SERIES[2], height=26
    )
    rule = alt.Chart(alt.InlineData(values=[{"x": claimed, "said": "claimed"}]))
    shown = bar.encode(x=axis, y=alt.Y("name:N", title=None))
    line = rule.mark_rule(color=INK, strokeWidth=2).encode(x=axis)
    word = rule.mark_text(color=INK, dy=-34, fontSize=12).encode(x=axis, text="said:N")
    return _svg(alt.layer(shown, line, word).properties(width=WIDTH, height=56))


def _svg(chart: Any) -> str:
    held = io.StringIO()
    chart.configure(**CONFIG).save(held, format="svg")
    return held.getvalue()
