"""How the error of a number falls with the budget, and where one choice stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.plots.extra import drawing
from shoal.plots.saving import Picture
from shoal.plots.theme import CONFIG, HEIGHT, INK, SERIES, WIDTH


def error_curve(
    points: Sequence[tuple[float, float]],
    chosen: tuple[float, float],
    *,
    x: str,
    y: str,
    title: str,
    subtitle: str,
) -> Picture:
    """A line through budgets and errors, both on scales of powers, and a dot at the choice.

    Edges: the extra `plots` is needed, and loaded here.
    """
    alt = drawing()
    rows = [{"x": at, "y": error} for at, error in points]
    across = alt.X("x:Q", title=x, scale=alt.Scale(type="log", nice=False), axis=_axis(points, 0))
    up = alt.Y("y:Q", title=y, scale=alt.Scale(type="log", nice=False), axis=_axis(points, 1))
    line: Any = alt.Chart(alt.InlineData(values=rows)).mark_line(color=SERIES[0], strokeWidth=2.4)
    dot: Any = alt.Chart(alt.InlineData(values=[{"x": chosen[0], "y": chosen[1]}]))
    layers = [
        line.encode(x=across, y=up),
        dot.mark_point(color=SERIES[5], filled=True, size=110, opacity=1).encode(x=across, y=up),
        dot.mark_text(text="this choice", dx=10, dy=-10, align="left", color=INK).encode(
            x=across, y=up
        ),
    ]
    drawn = alt.layer(*layers).properties(
        width=WIDTH, height=HEIGHT, title={"text": title, "subtitle": subtitle}
    )
    return Picture(drawn.configure(**CONFIG))


def _axis(points: Sequence[tuple[float, float]], place: int) -> Any:
    """Ticks at 1, 2 and 5 times the powers of ten that are in sight."""
    seen = [point[place] for point in points]
    steps = [each * 10.0**ten for ten in range(-12, 13) for each in (1, 2, 5)]
    return drawing().Axis(values=[each for each in steps if min(seen) <= each <= max(seen)])
