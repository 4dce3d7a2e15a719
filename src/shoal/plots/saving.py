"""Pictures as files; the ending of the name says which kind."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import RangeError
from shoal.plots.extra import drawing

if TYPE_CHECKING:
    import altair as alt

ENDINGS = (".png", ".svg", ".html", ".json")
"""A picture in points, a picture in lines, a page that needs no network, the chart as data."""

_LESS = "\ue000less than\ue000"


def check_ending(path: str | Path) -> Path:
    """The path, if its ending names a kind of file a picture can be."""
    place = Path(path)
    if place.suffix.lower() not in ENDINGS:
        raise RangeError(
            f"a picture is written by the ending of its name; got {place.name!r}.",
            remedy=f"End the name with one of {', '.join(ENDINGS)}.",
        )
    return place


def save(chart: alt.TopLevelMixin, path: str | Path) -> Path:
    """Write a chart where the path says, and give back the path.

    Edges: a page carries everything it needs and loads nothing from elsewhere.
    """
    drawing()
    place = check_ending(path)
    match place.suffix.lower():
        case ".png":
            chart.save(str(place), format="png", scale_factor=2)
        case ".svg":
            chart.save(str(place), format="svg")
        case ".html":
            place.write_text(_page(chart), encoding="utf-8")
        case _:
            place.write_text(json.dumps(chart.to_dict(), indent=1), encoding="utf-8")
    return place


def _page(chart: Any) -> str:
    """A page by itself, in which no text of the chart can end the script that holds it."""
    alt = drawing()
    hidden = alt.Chart.from_dict(_hidden(chart.to_dict()))
    written: str = hidden.to_html(inline=True)
    return written.replace(json.dumps(_LESS)[1:-1], "\\u003c")


def _hidden(part: Any) -> Any:
    """A chart as data, with every "<" taken out of its texts."""
    if isinstance(part, dict):
        return {name: _hidden(value) for name, value in part.items()}
    if isinstance(part, list):
        return [_hidden(value) for value in part]
    return part.replace("<", _LESS) if isinstance(part, str) else part


@dataclass(frozen=True, repr=False)
class Picture:
    """A chart that shows itself in a notebook and is written by the ending of a name."""

    chart: Any

    def save(self, path: str | Path) -> Path:
        """Write it as a picture (.png, .svg), a page (.html) or data (.json); see `save`."""
        return save(self.chart, path)

    def svg(self) -> str:
        """The picture in lines, to be put into a page."""
        drawing()
        held = io.StringIO()
        self.chart.save(held, format="svg")
        return held.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """The chart as data."""
        made: dict[str, Any] = self.chart.to_dict()
        return made

    def __repr__(self) -> str:
        return "<picture: .save('name.png') writes it>"

    def _repr_mimebundle_(self, *given: Any, **options: Any) -> Any:
        return self.chart._repr_mimebundle_(*given, **options)
