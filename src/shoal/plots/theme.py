"""How our pictures look: plain, quiet, the same everywhere."""

from __future__ import annotations

from typing import Any

INK, QUIET, FAINT = "#1F2933", "#52606D", "#E4E7EB"
FONT = "Helvetica Neue, Helvetica, Arial, DejaVu Sans, sans-serif"
WIDTH, HEIGHT = 560, 330
SERIES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#7B8794", "#F0E442")
"""Colours of series that people who see few of them can tell apart (Okabe and Ito 2008)."""

CONFIG: dict[str, Any] = {
    "background": "white",
    "font": FONT,
    "padding": 16,
    "view": {"stroke": None},
    "title": {
        "anchor": "start",
        "color": INK,
        "fontSize": 17,
        "fontWeight": 600,
        "offset": 14,
        "subtitleColor": QUIET,
        "subtitleFontSize": 13,
        "subtitlePadding": 6,
    },
    "axis": {
        "domainColor": "#9AA5B1",
        "gridColor": FAINT,
        "labelColor": QUIET,
        "labelFlush": False,
        "labelFontSize": 12,
        "labelPadding": 5,
        "tickColor": "#9AA5B1",
        "titleColor": INK,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
        "titlePadding": 10,
    },
    "legend": {
        "labelColor": INK,
        "labelFontSize": 12.5,
        "labelLimit": 240,
        "orient": "right",
        "symbolSize": 260,
        "symbolStrokeWidth": 3,
        "symbolType": "stroke",
        "title": None,
    },
}
