"""Two histograms, one above the other, and a bound beside a claim: drawings for pages about
tests.
"""

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
    """One place: its name or where it is, the share of outputs on d0 and on d1, and how much of
    either is in the event.
    """

    name: str
    place: tuple[float, float] | None
    first: float
    second: float
    inside: tuple[float, float]


def two_histograms(bars: Sequence[Bar], *, x: str = "output", y: str = "share of outputs") -> str:
    """Shares of outputs on both datasets over a common axis, what is in the event in a darker
    colour, as SVG.

    Edges: a bar that is partly in the event is dark in that part; what no bar holds is told of in
    the title.
    """
    alt = drawing()
    panels = [
        _panel(
            [
                row
                for each, share in zip(bars, shares, strict=True)
                for row in rows_of(each, share, each.inside[side])
            ],
            titled(f"on d{side}", shares),
            x,
            y,
        )
        for side, shares in enumerate(
            ([each.first for each in bars], [each.second for each in bars])
        )
    ]
    return _svg(alt.vconcat(*panels).resolve_scale(x="shared", y="shared"))


def titled(name: str, shares: Sequence[float]) -> str:
    """A title that says which share of all outputs is not among these.

    >>> titled("on d0", [0.5, 0.5]), titled("on d1", [0.5, 0.496])
    ('on d0', 'on d1 (0.4 % lie elsewhere)')
    """
    left = 1 - sum(shares)
    return name if left < 1e-9 else f"{name} ({100 * left:.2g} % lie elsewhere)"


def rows_of(bar: Bar, share: float, inside: float) -> list[dict[str, Any]]:
    """The dark part of a bar and the light one above it, each from where to where.

    >>> [(row["none"], row["share"]) for row in rows_of(Bar("a", None, 0.4, 0.5, (0.25, 0)), 0.4, 0.25)]
    [(0.0, 0.1), (0.1, 0.4)]
    """
    where: dict[str, Any] = {"name": bar.name}
    if bar.place is not None:
        where = {"from": bar.place[0], "to": bar.place[1]}
    edge = share * inside
    parts = [(0.0, edge, _DARK), (edge, share, _LIGHT)]
    held = [
        {**where, "none": low, "share": high, "colour": colour}
        for low, high, colour in parts
        if high > low
    ]
    return held or [{**where, "none": 0.0, "share": 0.0, "colour": _LIGHT}]


def _panel(rows: list[dict[str, Any]], title: str, x: str, y: str) -> Any:
    alt = drawing()
    chart = alt.Chart(alt.InlineData(values=rows))
    colour = alt.Color("colour:N", scale=None)
    if rows and "name" in rows[0]:
        sideways = alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=220))
        length = alt.X("none:Q", title=y)
        made = chart.mark_bar().encode(y=sideways, x=length, x2="share:Q", color=colour)
        return made.properties(
            width=WIDTH, height=18 * len({row["name"] for row in rows}), title=title
        )
    places = alt.X("from:Q", title=x, scale=alt.Scale(zero=False, nice=False))
    share = alt.Y("share:Q", title=y, axis=alt.Axis(tickCount=4))
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
