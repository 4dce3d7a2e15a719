"""Each person randomises before sending; this side designs the question and undoes the bias."""

from shoal.local.odds import EvenOdds, Odds, TableOdds, odds_down
from shoal.local.shares import Shares
from shoal.local.stream import number_below
from shoal.local.transition import TransitionMatrix

__all__ = [
    "EvenOdds",
    "Odds",
    "Shares",
    "TableOdds",
    "TransitionMatrix",
    "number_below",
    "odds_down",
]
