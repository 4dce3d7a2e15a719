"""The experiments of the sources, done again: run them, and read what they give beside what was
printed.

Everything is drawn from a seed, on made-up people, so that a run can be repeated to the last digit.
"""

from shoal.reproduce.bernstein import BERNSTEIN
from shoal.reproduce.choices import CHOICES
from shoal.reproduce.composing import COMPOSING
from shoal.reproduce.corrections import CORRECTIONS, Correction
from shoal.reproduce.experiment import Effort, Experiment
from shoal.reproduce.histograms import COUNTING, LOCAL_OR_CENTRAL
from shoal.reproduce.means import MEANS
from shoal.reproduce.numeric_mechanisms import GAUSSIAN, LAPLACE
from shoal.reproduce.polls import POLLS
from shoal.reproduce.renyi import RENYI
from shoal.reproduce.report import ExperimentOutcome, report, run
from shoal.reproduce.uniform_theta import UNIFORM

EXPERIMENTS = {
    each.name: each
    for each in (
        POLLS,
        LOCAL_OR_CENTRAL,
        UNIFORM,
        COUNTING,
        MEANS,
        COMPOSING,
        CHOICES,
        RENYI,
        LAPLACE,
        GAUSSIAN,
        BERNSTEIN,
    )
}
"""Every experiment by its name, in the order of the report."""

__all__ = [
    "CORRECTIONS",
    "EXPERIMENTS",
    "Correction",
    "Effort",
    "Experiment",
    "ExperimentOutcome",
    "report",
    "run",
]
