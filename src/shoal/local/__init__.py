"""Each person randomises before sending; this side designs the question and undoes the bias."""

from shoal.local.anchor import AnchoredCrosswise, AnchoredShare
from shoal.local.design import Design, odds_in_words
from shoal.local.designs import (
    coins,
    crosswise,
    for_epsilon,
    forced,
    kary,
    kuk,
    mangat,
    triangular,
    unrelated,
    warner,
)
from shoal.local.intervals import METHODS, interval_of
from shoal.local.odds import EvenOdds, Odds, TableOdds, odds_down
from shoal.local.shares import Share, Shares
from shoal.local.stream import number_below
from shoal.local.transition import TransitionMatrix
from shoal.local.two_samples import TwoSamples, TwoSampleShare

__all__ = [
    "METHODS",
    "AnchoredCrosswise",
    "AnchoredShare",
    "Design",
    "EvenOdds",
    "Odds",
    "Share",
    "Shares",
    "TableOdds",
    "TransitionMatrix",
    "TwoSampleShare",
    "TwoSamples",
    "coins",
    "crosswise",
    "for_epsilon",
    "forced",
    "interval_of",
    "kary",
    "kuk",
    "mangat",
    "number_below",
    "odds_down",
    "odds_in_words",
    "triangular",
    "unrelated",
    "warner",
]
