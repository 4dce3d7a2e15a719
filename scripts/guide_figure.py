"""The picture of docs/which-epsilon.md: how the error of a count falls with the budget."""

from __future__ import annotations

import shoal
from shoal.plots.saving import Picture

NAME = "error-against-budget"
TITLE = "Error against budget"
ASKED = {"people": 5000, "within": 20, "questions": 10}


def drawn() -> Picture:
    """The picture, which needs no noise and is the same each time."""
    return shoal.guide(**ASKED).plot()
