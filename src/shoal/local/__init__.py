"""Each person randomises before sending; this side designs the question and undoes the bias."""

from shoal.local.anchored_crosswise import AnchoredCrosswise, AnchoredShare
from shoal.local.answer_shares import Share, Shares
from shoal.local.client_randomness import number_below
from shoal.local.confidence_sequence import ConfidenceSequence
from shoal.local.design import Design, odds_in_words
from shoal.local.intervals import METHODS, interval_of
from shoal.local.odds import EvenOdds, Odds, TableOdds, odds_down
from shoal.local.one_bit import bit_worths, one_bit
from shoal.local.planning import (
    Plan,
    compare_designs,
    epsilon_for_margin,
    margin,
    people_for_exact_margin,
    people_for_margin,
    people_for_power,
    power,
)
from shoal.local.posterior import Posterior
from shoal.local.regression import Regression, regress
from shoal.local.subsets import Subsets
from shoal.local.survey_designs import (
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
from shoal.local.transition import TransitionMatrix
from shoal.local.two_samples import TwoSamples, TwoSampleShare
from shoal.local.weighted import WeightedShare, stratified_interval, weighted_share

__all__ = [
    "METHODS",
    "AnchoredCrosswise",
    "AnchoredShare",
    "ConfidenceSequence",
    "Design",
    "EvenOdds",
    "Odds",
    "Plan",
    "Posterior",
    "Regression",
    "Share",
    "Shares",
    "Subsets",
    "TableOdds",
    "TransitionMatrix",
    "TwoSampleShare",
    "TwoSamples",
    "WeightedShare",
    "bit_worths",
    "coins",
    "compare_designs",
    "crosswise",
    "epsilon_for_margin",
    "for_epsilon",
    "forced",
    "interval_of",
    "kary",
    "kuk",
    "mangat",
    "margin",
    "number_below",
    "odds_down",
    "odds_in_words",
    "one_bit",
    "people_for_exact_margin",
    "people_for_margin",
    "people_for_power",
    "power",
    "regress",
    "stratified_interval",
    "triangular",
    "unrelated",
    "warner",
    "weighted_share",
]
