"""A picture of how far the cells of each table can be off: one row for each table, darker where
errors are larger.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import log

import numpy as np

from shoal.workloads.column_queries import Floats

_STRIPS = 60
_ROW, _NAMES, _WIDTH = 26, 230, 420
_MOST = 40
"""A picture has so many tables; the page lists all."""


def error_picture(tables: Sequence[tuple[str, Floats]]) -> str:
    """An SVG picture of tables, each with half the lengths of its intervals, cell by cell.

    Needs: public numbers, and at least one table; nothing here reads the counts.
    """
    shown = tables[:_MOST]
    rows = [_strips(half) for _, half in shown]
    least = min(float(row.min()) for row in rows)
    most = max(float(row.max()) for row in rows)
    parts = []
    for at, ((name, half), row) in enumerate(zip(shown, rows, strict=True)):
        top = at * _ROW + 4
        parts.append(
            f'<text x="{_NAMES - 8}" y="{top + 14}" text-anchor="end">{_short(name)}</text>'
        )
        width = _WIDTH / len(row)
        parts += [
            f'<rect x="{_NAMES + k * width:.1f}" y="{top}" width="{width + 0.5:.1f}" '
            f'height="{_ROW - 6}" fill="{_shade(float(value), least, most)}"/>'
            for k, value in enumerate(row)
        ]
        parts.append(f'<text x="{_NAMES + _WIDTH + 8}" y="{top + 14}">{_range(half)}</text>')
    height = len(shown) * _ROW + 8
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_NAMES + _WIDTH + 130} {height}" '
        f'width="{_NAMES + _WIDTH + 130}" height="{height}" font-family="sans-serif" '
        f'font-size="13" fill="#222">{"".join(parts)}</svg>'
    )


def _strips(half_widths: Floats) -> Floats:
    """Half widths along the table, at most so many; each is the largest of its part."""
    half = np.ravel(half_widths)
    parts = np.array_split(half, min(_STRIPS, half.size))
    return np.array([float(part.max()) for part in parts])


def _shade(value: float, least: float, most: float) -> str:
    """From light to dark blue, by the logarithm of the error."""
    if value <= 0:
        return "#ffffff"
    low = max(least, most * 1e-3, 1e-9)
    share = 0.0 if most <= low else max(0.0, log(value / low) / log(most / low))
    light, dark = (222, 235, 247), (8, 69, 148)
    mixed = (round(a + (b - a) * share) for a, b in zip(light, dark, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _range(half: Floats) -> str:
    """The least and the largest of all cells, not of the strips."""
    low, high = f"{half.min():,.1f}", f"{half.max():,.1f}"
    return f"±{low}" if low == high else f"±{low} to {high}"


def _short(name: str) -> str:
    return escape(name if len(name) <= 32 else f"{name[:31]}…")
