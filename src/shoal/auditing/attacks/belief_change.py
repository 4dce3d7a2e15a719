"""Believing: a Bayesian who knows everything but one bit, and how far a release can move them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.attacks.attack import EPSILON, Attack, Result, Score
from shoal.auditing.attacks.ceiling import BARE, CEILING, SHOAL, by_epsilon, epsilons, pure_coin_up
from shoal.auditing.attacks.repeated_runs import counted
from shoal.exact import float_up
from shoal.interpret import posterior_interval
from shoal.measures import Pure
from shoal.noise import uniform_below
from shoal.page import Heading, PageTable, Part, Words
from shoal.plots.lines import lines
from shoal.reproduce import Effort
from shoal.reproduce.made_up import uniforms
from shoal.reproduce.number_format import percent

PRIORS = ("0.01", "0.05", "0.1", "0.25", "0.5", "0.75", "0.9", "0.99")
SEEN = 60
"""So many posteriors of each prior are drawn as points."""

Beliefs = NDArray[np.float64]


def posteriors(prior: float, answers: NDArray[np.int64], epsilon: float) -> Beliefs:
    """Bayes' rule, exactly: a noisy count of epsilon favours 1 over 0 by e^epsilon above the
    middle, and by as much 0 below.
    """
    odds = prior / (1 - prior) * np.exp(epsilon * np.where(answers >= 1, 1.0, -1.0))
    return np.asarray(odds / (1 + odds))


def _beliefs(prior: float, epsilon: Fraction, runs: int) -> tuple[NDArray[np.bool_], Beliefs]:
    """What is true, by the prior, and what is believed after one noisy count of it."""
    truth = uniforms(runs) < prior
    answers = counted(truth.astype(np.int64), epsilon, queries=1)
    return truth, posteriors(prior, answers, float(epsilon))


def _score(truth: NDArray[np.bool_], beliefs: Beliefs) -> Score:
    return Score.of((beliefs > 0.5) == truth)


def _path(epsilon: Fraction, answers: int) -> list[tuple[float, float]]:
    """A belief as answers come in that each cost epsilon; the bit is 1."""
    seen = counted(np.ones(answers, dtype=np.int64), epsilon, queries=1)
    steps = np.cumsum(np.where(seen >= 1, 1, -1))
    after = 1 / (1 + np.exp(-float(epsilon) * steps))
    return [(0, 0.5), *((at + 1, float(each)) for at, each in enumerate(after))]


def _ceilings(epsilon: Fraction, answers: int) -> list[tuple[float, float]]:
    most = [(at, pure_coin_up(float(epsilon * at))) for at in range(1, answers + 1)]
    return [(0, 0.5), *most]


def _run(effort: Effort) -> Result:
    runs = effort.times(40_000, least=400)
    scores = {
        each: _score(*_beliefs(0.5, each, runs)) for each in epsilons("0.2", "0.5", 1, 2, 5, 10)
    }
    exact = uniform_below(2, runs) == 1
    without = _score(exact, exact.astype(np.float64))
    rows, low, high, seen = [], [], [], []
    for prior in PRIORS:
        _, after = _beliefs(float(prior), EPSILON, runs)
        floor, ceiling = posterior_interval(Pure(EPSILON), prior)
        at = float(prior)
        low.append((at, float(floor)))
        high.append((at, float_up(ceiling)))
        seen += [(at, float(each)) for each in after[:SEEN]]
        rows.append(
            [
                percent(at),
                f"{100 * after.min():.2f} %",
                f"{100 * after.max():.2f} %",
                f"{100 * float(floor):.2f} %",
                f"{100 * float(ceiling):.2f} %",
                percent(1.0),
            ]
        )
    several = 50
    parts: list[Part] = [
        Words(
            "The Bayesian knows everybody else, believes with some probability that the target has the trait, sees Shoal's noisy count of epsilon 0.1 and applies Bayes' rule. An exact count would take any belief to 0 or 100 %. "
            "After Shoal's, odds move by a factor e^0.1 = 1.105 one way or the other, which is as far as the promise lets them: the floor and the ceiling are met, not passed."
        ),
        PageTable(
            [
                "belief before",
                "least seen after",
                "most seen after",
                "floor",
                "ceiling",
                "after an exact count, if true",
            ],
            rows,
            frozenset(range(6)),
        ),
        lines(
            {SHOAL: [], BARE: [(at, 1.0) for at, _ in high], CEILING: high, "floor": low},
            marks={SHOAL: seen},
            x="belief before",
            y="belief after",
            dashed=(CEILING, "floor"),
            shares=True,
            caption="Belief: before and after Shoal's count of epsilon 0.1, between the floor and the ceiling; without Shoal, if it is true.",
        ),
        Heading("One answer after another", 3),
        lines(
            {
                **{
                    f"{name} Bayesian": _path(EPSILON, several)
                    for name in ("one", "another", "a third")
                },
                CEILING: _ceilings(EPSILON, several),
            },
            x="answers, epsilon 0.1 each",
            y="belief",
            dashed=(CEILING,),
            shares=True,
            caption="Belief: what many answers do, and why they are counted. The bit is 1; the ceiling is that of the epsilons added up.",
        ),
        Heading("The best guess", 3),
        Words(
            "Who bets on what they believe is right as often as the ceiling says: no attack can do better, and this one does as well."
        ),
        by_epsilon(
            scores,
            without=without.rate,
            caption="Belief: how often the better bet is right, from a belief of one half.",
        ),
    ]
    return Result(0.5, without, scores[EPSILON], pure_coin_up(float(EPSILON)), parts)


BELIEVING = Attack(
    "bayes",
    "Belief: a Bayesian who knows everything else",
    "Somebody who knows all data but one bit bets on it after each release. A bet is right or wrong; the belief before is one half.",
    "Kasiviswanathan and Smith 2014; Dwork and Roth 2014, section 2.3; lecture notes, hypothesis testing",
    _run,
)
