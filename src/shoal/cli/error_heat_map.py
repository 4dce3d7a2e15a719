"""The picture of errors on the page of a release."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.page import PagePicture
from shoal.workloads import ReleasedTable
from shoal.workloads.error_picture import error_picture


def error_heat_map(tables: Sequence[ReleasedTable]) -> PagePicture:
    """Half the length of 95 % intervals, cell by cell, in the order of the tables.

    Needs: standard errors in public numbers; nothing here reads the counts.
    """
    svg = error_picture([(table.name, table.half_widths("0.95")) for table in tables])
    return PagePicture(svg, "How far the cells of each table can be off, at 95 % confidence.")
