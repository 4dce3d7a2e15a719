"""Functions of doubles that numpy lacks: normal and binomial laws, and lengths of quick Fourier
transforms.
"""

from shoal.floats.binomial_law import at_least_near, binomial_mass, chance_of
from shoal.floats.fourier import quick_length
from shoal.floats.normal_law import normal_below

__all__ = ["at_least_near", "binomial_mass", "chance_of", "normal_below", "quick_length"]
