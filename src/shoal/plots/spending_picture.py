"""The picture of an account: what was spent in all after each release, by whom, and the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from shoal.plots.extra import drawing
from shoal.plots.saving import Picture
from shoal.plots.theme import CONFIG, INK, QUIET, SERIES, WIDTH

_HEIGHT = 240


@dataclass(frozen=True)
class SpentAfter:
    """One release: when it was made, by whom, and what was spent in all after it."""

    time: str
    by: str
    spent: float


def spending(
    points: Sequence[SpentAfter], *, budget: float, unit: str, width: int = WIDTH
) -> Picture:
    """A line that rises with every release, a dot for each in the colour of who asked, and the
    budget above it.
    """
    alt = drawing()
    rows = [{**asdict(each), "time": each.time[:19] + "Z"} for each in points]
    start = {"time": rows[0]["time"], "spent": 0.0}
    axis = alt.Axis(labelOverlap=True, tickCount=4, format=_form(points))
    x = alt.X("time:T", title="time (UTC)", scale=alt.Scale(type="utc", padding=12), axis=axis)
    y = alt.Y("spent:Q", title=f"{unit} spent in all", scale=alt.Scale(domainMin=0))
    line = (
        alt.Chart(alt.InlineData(values=[start, *rows]))
        .mark_line(interpolate="step-after", strokeWidth=2, color=QUIET)
        .encode(x=x, y=y)
    )
    names = sorted({each.by for each in points})
    scale = alt.Scale(domain=names, range=[SERIES[at % len(SERIES)] for at in range(len(names))])
    legend = alt.Legend(
        title="asked by", symbolType="circle", symbolStrokeWidth=0, orient="bottom", columns=4
    )
    dots = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_point(size=70, filled=True, opacity=1)
        .encode(x=x, y=y, color=alt.Color("by:N", scale=scale, legend=legend))
    )
    layers: list[Any] = [line, dots, *_budget(budget, unit)]
    return Picture(alt.layer(*layers).properties(width=width, height=_HEIGHT).configure(**CONFIG))


def _form(points: Sequence[SpentAfter]) -> str:
    """How moments are written: by the hour within one day, else by the day."""
    days = {each.time[:10] for each in points}
    return "%H:%M" if len(days) == 1 else "%d %b %Y"


def _budget(budget: float, unit: str) -> list[Any]:
    """A dashed line at what may be spent, with a word on it."""
    alt = drawing()
    chart = alt.Chart(
        alt.InlineData(values=[{"spent": budget, "word": f"budget: {unit} {budget:g}"}])
    )
    at = alt.Y("spent:Q")
    rule = chart.mark_rule(strokeDash=[6, 4], strokeWidth=1.5, color=INK).encode(y=at)
    word = chart.mark_text(align="left", dx=4, dy=-8, color=INK, fontSize=12)
    return [rule, word.encode(y=at, x=alt.value(0), text="word:N")]
