"""Lines that lie on top of each other: each of them is seen, and the picture says which they
are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from shoal import account, plots
from shoal.accounting import Account
from shoal.plots.coinciding import DASH, NEAR, Dashes, coinciding, dashes
from shoal.plots.measure_names import COLOURS, LOWER
from shoal.plots.points import Line, Point

GAUSSIANS = account("gaussian sigma=30 | x 1000")
LAPLACES = account("laplace scale=10 | x 100")
SAYS_SO = "Lines that coincide are drawn in alternating dashes: "


def as_it_is(point: Point) -> Point:
    return point


def parallel(distance: float) -> dict[str, Line]:
    return {"one": ((0, 0), (100, 0)), "other": ((0, distance), (50, distance), (100, distance))}


def drawn(dash: Dashes, pixel: int) -> bool:
    """Whether a line with these dashes has ink at a pixel of its length."""
    on, off = dash.pattern
    return (pixel + dash.offset) % (on + off) < on


def layers(chart: Any) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """The measure, the mark and the encoding of every line of a picture."""
    spec = chart.to_dict()
    for layer in spec["layer"]:
        rows = spec["datasets"][layer["data"]["name"]]
        if "measure" in rows[0]:
            yield rows[0]["measure"], layer["mark"], layer["encoding"]


def drawn_as(chart: Any) -> dict[str, Dashes]:
    """The dashes of each line, as the finished chart has them."""
    found = {}
    for name, mark, encoding in layers(chart):
        scale = encoding["strokeDash"]["scale"]
        on, off = scale["range"][scale["domain"].index(name)]
        found[name] = Dashes((on, off), mark["strokeDashOffset"])
    return found


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_every_one_of_the_lines_that_coincide_is_on_top_somewhere(count: int) -> None:
    names = [f"line {number}" for number in range(count)]
    found = dashes([names])
    on_top = [
        [name for name in names if drawn(found[name], pixel)][-1] for pixel in range(count * DASH)
    ]
    assert {name: on_top.count(name) for name in names} == dict.fromkeys(names, DASH)


def test_lines_coincide_if_they_are_nowhere_further_apart_than_can_be_seen() -> None:
    assert coinciding(parallel(NEAR), as_it_is) == [["one", "other"]]
    assert coinciding(parallel(1.1 * NEAR), as_it_is) == [["one"], ["other"]]


def test_a_line_that_goes_on_where_another_ends_does_not_coincide_with_it() -> None:
    lines: dict[str, Line] = {"short": ((0, 0), (50, 0)), "long": ((0, 0), (50, 0), (100, 0))}
    assert coinciding(lines, as_it_is) == [["short"], ["long"]]


def test_lines_that_part_do_not_coincide() -> None:
    lines: dict[str, Line] = {"one": ((0, 0), (100, 0)), "other": ((0, 0), (100, 5))}
    assert coinciding(lines, as_it_is) == [["one"], ["other"]]


def test_a_steep_line_is_compared_across_and_not_upwards() -> None:
    lines: dict[str, Line] = {"one": ((0, 0), (1, 100)), "other": ((0.5, 0), (1.5, 100))}
    assert coinciding(lines, as_it_is) == [["one", "other"]]


@pytest.mark.parametrize("draw", [plots.profile, plots.renyi_curve])
def test_lines_of_gaussians_that_coincide_are_each_on_top_somewhere(draw: Any) -> None:
    found = drawn_as(draw(GAUSSIANS, delta="1e-6"))
    pairs = {
        "profile": [("Gaussian", "loss distribution"), ("zero-concentrated", "Rényi")],
        "renyi_curve": [("Rényi", "zero-concentrated")],
    }[draw.__name__]
    for below, above in pairs:
        assert list(found).index(below) < list(found).index(above)
        assert drawn(found[below], 0)
        seen = [drawn(found[above], pixel) for pixel in range(2 * DASH)]
        assert seen.count(True) == seen.count(False) == DASH


@pytest.mark.parametrize(
    ("several", "pairs"),
    [
        (GAUSSIANS, SAYS_SO + "Gaussian and loss distribution; zero-concentrated and Rényi."),
        (LAPLACES, None),
    ],
    ids=["coinciding", "apart"],
)
def test_a_profile_says_which_of_its_lines_coincide(several: Account, pairs: str | None) -> None:
    below = plots.profile(several, delta="1e-6").to_dict()["title"]["subtitle"]
    assert below[1:] == ([pairs] if pairs else [])


def test_the_tightest_line_shows_on_both_sides_of_the_lower_end() -> None:
    width = {name: mark["strokeWidth"] for name, mark, _ in layers(plots.profile(LAPLACES))}
    assert width["loss distribution"] >= 3 * width[LOWER]
    assert all(width[name] > width[LOWER] for name in width if name != LOWER)


def test_lines_that_do_not_coincide_have_no_dashes() -> None:
    found = drawn_as(plots.profile(LAPLACES, delta="1e-6"))
    assert {name for name, dash in found.items() if dash == Dashes()} == set(COLOURS) - {LOWER}
