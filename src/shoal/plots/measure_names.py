"""What the measures are called where people read them, and their colours."""

from __future__ import annotations

MEASURES = {
    "LossDistribution": "loss distribution",
    "GaussianDP": "Gaussian",
    "Renyi": "Rényi",
    "ZeroConcentrated": "zero-concentrated",
    "Approx": "approximate",
    "Pure": "pure",
}
"""Every measure by the name of its class."""

COLOURS = {
    "loss distribution": "#0072B2",
    "Gaussian": "#009E73",
    "Rényi": "#D55E00",
    "zero-concentrated": "#CC79A7",
    "approximate": "#E69F00",
    "pure": "#56B4E9",
    "lower end of the bracket": "#1F2933",
}
"""Colours that people who see few of them can tell apart (Okabe and Ito 2008)."""

OTHER_COLOUR = "#7B8794"
LOWER = "lower end of the bracket"


def measure_in_words(name: str) -> str:
    """A measure in words; one that was added by somebody else is called what its class is
    called.
    """
    return MEASURES.get(name, name)
