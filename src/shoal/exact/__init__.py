"""Rationals, grids and directed rounding: the only place where real arithmetic touches a
guarantee.
"""

from shoal.exact.grid import Grid, IntegerArray, not_finite
from shoal.exact.numeral import DECIMAL, TooFar, bounded_fraction, numeral, whole_numeral
from shoal.exact.range_ends import LARGEST_END, float_ends, read_ends, read_float_ends
from shoal.exact.rational import (
    Number,
    closed_unit,
    finite_float,
    non_negative,
    open_unit,
    out_of_range,
    positive,
    rational,
    truth_value,
    whole,
)
from shoal.exact.rational_text import exactly, short, short_down, short_up
from shoal.exact.real import (
    Real,
    at_precision,
    ball,
    decide,
    dyadic,
    exponent_of,
    float_down,
    float_up,
    floor_of,
    is_below,
    lower,
    precision_in_force,
    root_up,
    upper,
)
from shoal.exact.search import approximately, turning_point
from shoal.exact.shown import Shown, Shows, rounded, shown, shown_down, shown_up

__all__ = [
    "DECIMAL",
    "LARGEST_END",
    "Grid",
    "IntegerArray",
    "Number",
    "Real",
    "Shown",
    "Shows",
    "TooFar",
    "approximately",
    "at_precision",
    "ball",
    "bounded_fraction",
    "closed_unit",
    "decide",
    "dyadic",
    "exactly",
    "exponent_of",
    "finite_float",
    "float_down",
    "float_ends",
    "float_up",
    "floor_of",
    "is_below",
    "lower",
    "non_negative",
    "not_finite",
    "numeral",
    "open_unit",
    "out_of_range",
    "positive",
    "precision_in_force",
    "rational",
    "read_ends",
    "read_float_ends",
    "root_up",
    "rounded",
    "short",
    "short_down",
    "short_up",
    "shown",
    "shown_down",
    "shown_up",
    "truth_value",
    "turning_point",
    "upper",
    "whole",
    "whole_numeral",
]
