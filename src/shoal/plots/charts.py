"""The pictures of an account; each draws the numbers of `points` and nothing else."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shoal.accounting import Account
from shoal.errors import PriceError
from shoal.exact import Number, short, short_up
from shoal.plots.coinciding import Dashes, coinciding, dashes
from shoal.plots.extra import drawing
from shoal.plots.measure_names import COLOURS, LOWER, OTHER_COLOUR, measure_in_words
from shoal.plots.points import Line, Point, ProfileData, RenyiData, TradeOffData
from shoal.plots.theme import CONFIG, FAINT, HEIGHT, INK, QUIET, WIDTH

if TYPE_CHECKING:
    import altair as alt

DELTA = Fraction(1, 10**6)
"""The delta at which a picture has its mark unless another is given; the picture says so."""


_DOTS = Dashes((3, 4))
_DOTTED, _UNDER_DOTS, _ALONE = 1.3, 4.2, 2.6
"""Widths: the lower end lies on the tightest line, which is wide enough to show on both sides of
it.
"""


@dataclass(frozen=True)
class _Frame:
    """What the two directions of a picture are called, what they show and how far they reach."""

    names: tuple[str, str]
    axes: tuple[Any, Any]
    reach: tuple[tuple[float, float], tuple[float, float]]
    logarithmic: tuple[bool, bool]

    def place(self, point: Point) -> Point:
        """Where a point is drawn, in pixels."""
        across, up = (
            _share(at, reach, logarithmic=logarithmic)
            for at, reach, logarithmic in zip(point, self.reach, self.logarithmic, strict=True)
        )
        return WIDTH * across, HEIGHT * up


def profile(account: Account, *, delta: Number = DELTA) -> alt.TopLevelMixin:
    """Delta by epsilon, in every measure in which the events have a price, with the point asked
    about marked.
    """
    return _finished(_profile(ProfileData.of(account, delta=delta)))


def trade_off(account: Account, *, delta: Number = DELTA) -> alt.TopLevelMixin:
    """The errors that anyone must make who tries to tell whether a person is in the data."""
    return _finished(_trade_off(TradeOffData.of(account, delta=delta)))


def renyi_curve(account: Account, *, delta: Number = DELTA) -> alt.TopLevelMixin:
    """The Rényi divergence by order, with the order marked that gives the least epsilon at
    delta.
    """
    return _finished(_renyi(RenyiData.of(account, delta=delta)))


def every_curve(account: Account, *, delta: Number = DELTA) -> alt.TopLevelMixin:
    """All three, one below another; the Rényi curve is left out where the events have none."""
    alt = drawing()
    parts = [
        _profile(ProfileData.of(account, delta=delta)),
        _trade_off(TradeOffData.of(account, delta=delta)),
    ]
    with contextlib.suppress(PriceError):
        parts.append(_renyi(RenyiData.of(account, delta=delta)))
    return _finished(
        alt.vconcat(*parts, spacing=40).resolve_scale(color="independent", strokeDash="independent")
    )


def _profile(data: ProfileData) -> Any:
    alt = drawing()
    right = max(epsilon for line in data.lines.values() for epsilon, _ in line)
    least = min(delta for line in data.lines.values() for _, delta in line if delta > 0)
    x = alt.X(
        "epsilon:Q",
        title="epsilon: how much more likely an answer may become, as a logarithm",
        scale=alt.Scale(domain=[0, right], nice=False),
    )
    y = alt.Y(
        "delta:Q",
        title="delta: the chance that is left out",
        scale=alt.Scale(type="log", domain=[least, 1], clamp=True, nice=False),
        axis=alt.Axis(labelExpr="datum.value >= 1 ? '1' : format(datum.value, '~e')", tickCount=6),
    )
    frame = _Frame(("epsilon", "delta"), (x, y), ((0, right), (least, 1)), (False, True))
    groups = coinciding(data.lines, frame.place)
    lines = {**data.lines, **({LOWER: data.lower} if data.lower else {})}
    layers = _lines(lines, frame, groups)
    words = f"epsilon {short_up(data.best.epsilon, digits=4)} at delta {short(data.best.delta)}"
    mark = {"epsilon": float(data.best.epsilon), "delta": float(data.best.delta)}
    layers += _ring(mark, (x, y)) + _label({**mark, "words": words}, (x, y), "right", -12, 16)
    tightest = measure_in_words(data.best.measure)
    below = f"Each line is an upper bound of the same truth; {tightest} is the tightest."
    return _titled(alt.layer(*layers), "The privacy profile", below, *_together(groups))


def _trade_off(data: TradeOffData) -> Any:
    alt = drawing()
    share = {"scale": alt.Scale(domain=[0, 1]), "axis": alt.Axis(format=".0%", tickCount=5)}
    accused = "false alarms: how often a tester accuses someone who is not in the data"
    x = alt.X("alarms:Q", title=accused, **share)
    y = alt.Y("missed:Q", title="missed: how often someone who is stays unseen", **share)
    names = "alarms", "missed"
    rows = _rows(data.line, *names)
    blind = _rows(((0.0, 1.0), (1.0, 0.0)), *names)
    mark, text_at = dict(zip(names, data.mark, strict=True)), {"alarms": 0.36, "missed": 0.92}
    words = (
        f"{100 * data.mark[0]:.0f} % false alarms, at least {_percent_down(data.mark[1])} missed"
    )
    blue = COLOURS["loss distribution"]
    layers = [
        _chart(rows).mark_area(color=FAINT, opacity=0.8).encode(x=x, y=y),
        _chart(blind).mark_line(color=QUIET, strokeDash=[3, 4], strokeWidth=1.5).encode(x=x, y=y),
        _chart(rows).mark_line(color=blue, strokeWidth=3).encode(x=x, y=y),
        _chart([mark, text_at]).mark_line(color=INK, strokeWidth=1).encode(x=x, y=y),
        *_ring(mark, (x, y)),
        *_label({**text_at, "words": words}, (x, y), "left", 5, 0),
        *_label({"alarms": 0.6, "missed": 0.44, "words": "without the release"}, (x, y), "left"),
    ]
    below = (
        "No test lies in the grey: who accuses rarely must miss often. "
        f"The promise is epsilon {short_up(data.best.epsilon, digits=4)} at delta {short(data.best.delta)}."
    )
    return _titled(alt.layer(*layers), "What a tester can do", below)


def _renyi(data: RenyiData) -> Any:
    alt = drawing()
    values = [value for _, value in (*data.line, *data.straight) if value > 0]
    first, last = data.line[0][0], data.line[-1][0]
    x = alt.X(
        "order:Q",
        title="order: how much large losses weigh",
        scale=alt.Scale(type="log", nice=False, domain=[first, last]),
        axis=alt.Axis(values=_round_numbers(first, last), format="~g"),
    )
    y = alt.Y(
        "divergence:Q",
        title="Rényi divergence",
        scale=alt.Scale(type="log", nice=False, domain=[min(values), max(values)]),
        axis=alt.Axis(format="~g", values=_round_numbers(min(values), max(values))),
    )
    lines = {"Rényi": data.line, **({"zero-concentrated": data.straight} if data.straight else {})}
    reach = ((first, last), (min(values), max(values)))
    frame = _Frame(("order", "divergence"), (x, y), reach, (True, True))
    groups = coinciding(lines, frame.place)
    layers = _lines(lines, frame, groups)
    words = (
        f"best order for delta {short(data.best.delta)}: {short(Fraction(f'{data.mark[0]:.3g}'))}"
    )
    mark = dict(zip(("order", "divergence"), data.mark, strict=True))
    side = ("left", 12) if data.mark[0] < 30 else ("right", -12)
    layers += _ring(mark, (x, y)) + _label({**mark, "words": words}, (x, y), *side, 16)
    below = f"At the marked order it says epsilon {short_up(data.best.epsilon, digits=4)} at delta {short(data.best.delta)}."
    return _titled(alt.layer(*layers), "The Rényi curve", below, *_together(groups))


def _lines(lines: Mapping[str, Line], frame: _Frame, groups: Sequence[Sequence[str]]) -> list[Any]:
    """Lines by name; those that coincide share the length in dashes, so that each of them is
    seen.
    """
    alt = drawing()
    domain, dashed = list(lines), {**dashes(groups), LOWER: _DOTS}
    colours = [COLOURS.get(name, OTHER_COLOUR) for name in domain]
    patterns = [list(dashed[name].pattern) for name in domain]
    colour = alt.Color("measure:N", scale=alt.Scale(domain=domain, range=colours))
    dash = alt.StrokeDash("measure:N", scale=alt.Scale(domain=domain, range=patterns))
    return [
        _chart(_rows(line, *frame.names, measure=name))
        .mark_line(
            clip=True,
            strokeWidth=_DOTTED if name == LOWER else _UNDER_DOTS if name in groups[0] else _ALONE,
            strokeCap="butt",
            strokeDashOffset=dashed[name].offset,
        )
        .encode(x=frame.axes[0], y=frame.axes[1], color=colour, strokeDash=dash)
        for name, line in lines.items()
    ]


def _together(groups: Sequence[Sequence[str]]) -> list[str]:
    """A sentence about the lines that coincide, if any do."""
    shared = [" and ".join(group) for group in groups if len(group) > 1]
    return [f"Lines that coincide are drawn in alternating dashes: {'; '.join(shared)}."] * bool(
        shared
    )


def _share(at: float, reach: tuple[float, float], *, logarithmic: bool) -> float:
    """How far along an axis a number lies; what is beyond its ends is drawn at them."""
    low, high = reach
    inside = min(high, max(low, at))
    if logarithmic:
        low, high, inside = math.log(low), math.log(high), math.log(inside)
    return (inside - low) / (high - low) if high > low else 0.0


def _ring(at: dict[str, float], axes: tuple[Any, Any]) -> list[Any]:
    ring = _chart([at]).mark_point(size=110, fill="white", stroke=INK, strokeWidth=2.5, opacity=1)
    return [ring.encode(x=axes[0], y=axes[1])]


def _label(
    row: dict[str, Any], axes: tuple[Any, Any], align: str, dx: int = 0, dy: int = 0
) -> list[Any]:
    """Words at a point, with a white rim that keeps them readable over lines."""
    style: dict[str, Any] = {"align": align, "dx": dx, "dy": dy, "fontSize": 13}
    drawn = _chart([row])
    rim = drawn.mark_text(**style, stroke="white", strokeWidth=4, strokeJoin="round")
    text = drawn.mark_text(**style, color=INK)
    return [each.encode(x=axes[0], y=axes[1], text="words:N") for each in (rim, text)]


def _round_numbers(low: float, high: float) -> list[float]:
    """Powers of ten between two numbers, and their double and fivefold where these are few."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if high < 1000 * low else (1,)
    found = (each * 10.0**power for power in powers for each in steps)
    return [each for each in found if low <= each <= high]


def _chart(rows: list[dict[str, Any]]) -> Any:
    alt = drawing()
    return alt.Chart(alt.InlineData(values=rows))


def _rows(line: Line, x: str, y: str, **more: str) -> list[dict[str, Any]]:
    return [{x: first, y: second, **more} for first, second in line]


def _titled(chart: Any, title: str, *below: str) -> Any:
    alt = drawing()
    return chart.properties(
        width=WIDTH, height=HEIGHT, title=alt.TitleParams(title, subtitle=list(below))
    )


def _finished(chart: Any) -> alt.TopLevelMixin:
    finished: alt.TopLevelMixin = chart.configure(**CONFIG)
    return finished


def _percent_down(share: float) -> str:
    return f"{int(1000 * share) / 10:g} %"
