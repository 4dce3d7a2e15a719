"""Draws answers, functions, and accounts: the profile, what a tester can do, the Rényi curve; the
extra `plots` draws them.

A function takes an account and gives a chart; `save` writes it as a picture, a page or data.
`answer` takes an answer and gives a `Picture`, which saves itself; `spending` draws how a budget was
spent; `curve` and `surface` take points and values.
"""

from shoal.plots.answer_points import AnswerData
from shoal.plots.answers import answer
from shoal.plots.charts import every_curve, profile, renyi_curve, trade_off
from shoal.plots.error_curve import error_curve
from shoal.plots.function_picture import curve, surface
from shoal.plots.points import ProfileData, RenyiData, TradeOffData
from shoal.plots.saving import Picture, save
from shoal.plots.spending_picture import SpentAfter, spending

__all__ = [
    "AnswerData",
    "Picture",
    "ProfileData",
    "RenyiData",
    "SpentAfter",
    "TradeOffData",
    "answer",
    "curve",
    "error_curve",
    "every_curve",
    "profile",
    "renyi_curve",
    "save",
    "spending",
    "surface",
    "trade_off",
]
