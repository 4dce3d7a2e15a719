"""Draws accounts: the profile, what a tester can do, and the Rényi curve; the extra `plots` draws them.

A function takes an account and gives a chart; `save` writes it as a picture, a page or data.
"""

from shoal.plots.charts import every_curve, profile, renyi_curve, trade_off
from shoal.plots.points import ProfileData, RenyiData, TradeOffData
from shoal.plots.saving import save

__all__ = [
    "ProfileData",
    "RenyiData",
    "TradeOffData",
    "every_curve",
    "profile",
    "renyi_curve",
    "save",
    "trade_off",
]
