"""Pictures as files; the ending of the name says which kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import RangeError
from shoal.plots.extra import drawing

if TYPE_CHECKING:
    import altair as alt

ENDINGS = (".png", ".svg", ".html", ".json")
"""A picture in points, a picture in lines, a page that needs no network, the chart as data."""


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
            chart.save(str(place), format="html", inline=True)
        case _:
            place.write_text(json.dumps(chart.to_dict(), indent=1), encoding="utf-8")
    return place
