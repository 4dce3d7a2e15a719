"""The drawings of reports, as SVG."""

from __future__ import annotations

import io
from collections.abc import Sequence

from shoal.errors import RangeError
from shoal.measures import ZeroConcentrated
from shoal.plots import Picture, SpentAfter
from shoal.plots import answer as draw
from shoal.plots import spending as draw_spending
from shoal.query.stored_answer import Kept
from shoal.vault.accounts.spending import AccountSpending, amount_of
from shoal.vault.releases import Release

_WIDTH = 380
"""Narrow enough that a phone shows the letters at a size that can be read."""


def answer_pictures(releases: Sequence[Release]) -> dict[int, str]:
    """A drawing of every answer that has numbers, by the number of its release."""
    found = {}
    for each in releases:
        if each.answer is None or "columns" not in each.answer:
            continue
        try:
            found[each.number] = _svg(
                draw(Kept(each.answer), width=_WIDTH, words=False), f"r{each.number}"
            )
        except RangeError:  # an answer without rows, or without a number
            continue
    return found


def spending_pictures(spendings: Sequence[AccountSpending]) -> dict[str, str]:
    """A drawing of how each account was spent, by its name."""
    found = {}
    for at, each in enumerate(spendings):
        if not each.points:
            continue
        unit = "rho" if isinstance(each.account.budget, ZeroConcentrated) else "epsilon"
        points = [SpentAfter(one.time, one.by, amount_of(one.spent)) for one in each.points]
        budget = amount_of(each.account.budget)
        picture = draw_spending(points, budget=budget, unit=unit, width=_WIDTH)
        found[each.account.name] = _svg(picture, f"a{at}")
    return found


def _svg(picture: Picture, name: str) -> str:
    """The drawing, with ids of its own: several stand on one page."""
    held = io.StringIO()
    picture.chart.save(held, format="svg")
    drawn = held.getvalue()
    return drawn.replace('id="clip', f'id="{name}-clip').replace("url(#clip", f"url(#{name}-clip")
