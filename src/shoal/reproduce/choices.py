"""Choosing privately: the most common hair colour, and a price."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from shoal.mechanisms import Exponential, NoisyMax, PermuteAndFlip
from shoal.page import Heading, PageTable, Part, Words
from shoal.plots.lines import lines
from shoal.reproduce.experiment import Effort, Experiment
from shoal.reproduce.made_up import Numbers
from shoal.reproduce.number_format import figure, percent

_HAIR = {"dark": 500, "brown": 399, "blond": 60, "red": 41}
_OFFERS = (3.0, 4.0)


def _hair(effort: Effort) -> Sequence[Part]:
    rows = []
    repeats = effort.times(5000)
    for words, rate in (("as in the slides, eps / 2", 0.05), ("counts are monotone, eps", 0.1)):
        weights = {name: math.exp(rate * (count - 500)) for name, count in _HAIR.items()}
        worst = 1 / (1 + 3 * math.exp(rate * (399 - 500)))
        rows.append(
            [
                words,
                figure(1 - 4 * math.exp(-rate * 100), 5),
                figure(worst, 5),
                figure(weights["dark"] / sum(weights.values()), 5),
            ]
        )
    drawn = []
    for mechanism in (Exponential, PermuteAndFlip, NoisyMax):
        for monotone in (False, True):
            chooser = mechanism(epsilon="0.1", sensitivity=1, monotone=monotone)
            counts = Counter(chooser.release(_HAIR) for _ in range(repeats))
            drawn.append(
                [mechanism.__name__, "yes" if monotone else "no", percent(counts["dark"] / repeats)]
            )
    return [
        Words(
            "Counts 500 dark and 399 brown at epsilon 0.1: how likely is 'dark'? The theorem bounds the chance of a colour that is worse by 100; with both other colours at 399 as well the chance itself is the second column."
        ),
        PageTable(
            [
                "calibration",
                "the theorem",
                "worst case of the counts",
                f"with blond {_HAIR['blond']} and red {_HAIR['red']}",
            ],
            rows,
            frozenset((1, 2, 3)),
        ),
        Words(f"Drawn {repeats:,} times:"),
        PageTable(["mechanism", "monotone", "chose dark"], drawn, frozenset((2,))),
    ]


def _noisy_max_costs() -> Part:
    """What Laplace noise of Delta / eps costs where scores may move either way; worst pair (0, ...,
    0) and (1, -1, ..., -1).
    """
    rows = [
        [str(size), *(figure(_ratio(size, scale)) for scale in (1.0, 2.0))] for size in (3, 10, 100)
    ]
    return PageTable(
        ["candidates", "noise Delta / eps", "noise 2 Delta / eps"], rows, frozenset(range(3))
    )


def _ratio(size: int, scale: float) -> float:
    """The logarithm of P(first | worst neighbour) / P(first | all equal), by quadrature over the
    winner's score.
    """
    at = np.linspace(-60, 60, 240_001)
    density = np.exp(-np.abs(at) / scale) / (2 * scale)

    def below(x: Numbers) -> Numbers:
        tail: Numbers = np.exp(-np.abs(x) / scale) / 2
        return np.where(x < 0, tail, 1 - tail)

    ahead = np.trapezoid(density * below(at + 2) ** (size - 1), at)
    level = np.trapezoid(density * below(at) ** (size - 1), at)
    return float(math.log(ahead / level))


def _price(effort: Effort) -> Sequence[Part]:
    grid = [round(0.25 * step, 2) for step in range(1, 25)]
    crowd = [offer for offer in _OFFERS for _ in range(50)]
    rows = [[f"{price:.2f}", f"{_profit(price, _OFFERS):.2f}"] for price in (3.0, 3.01, 4.0, 4.01)]
    scores = {price: _profit(price, crowd) for price in grid}
    best, top = max(scores.values()), max(grid)
    series = {"profit with 50 such pairs": [(price, scores[price]) for price in grid]}
    chances = {}
    for epsilon in ("0.1", "1"):
        chooser = Exponential(epsilon=epsilon, sensitivity=str(top), monotone=True)
        repeats = effort.times(4000)
        counts = Counter(chooser.release(scores) for _ in range(repeats))
        mean = sum(scores[price] * count for price, count in counts.items()) / repeats
        chances[epsilon] = (mean / best, counts)
        series[f"chosen at epsilon {epsilon}, in % x 6"] = [
            (price, 600 * counts[price] / repeats) for price in grid
        ]
    found = [[epsilon, percent(share)] for epsilon, (share, _) in chances.items()]
    return [
        Words(
            "Alice offers 3, Bob 4. Noise on a price is useless: one cent more can lose every buyer."
        ),
        PageTable(["price", "profit from Alice and Bob"], rows, frozenset((0, 1))),
        Words(
            f"With 50 such pairs and a public list of prices up to {top:.2f}, one person moves a profit by at most {top:.2f}, and always upwards; the share of the best profit that is reached:"
        ),
        PageTable(["epsilon", "mean profit, of the best"], found, frozenset((0, 1))),
        lines(
            series,
            x="price",
            y="",
            caption="Prices that nobody pays have no weight to speak of once the crowd is large for its epsilon.",
        ),
    ]


def _profit(price: float, offers: Sequence[float]) -> float:
    return price * sum(offer >= price for offer in offers)


def _run(effort: Effort) -> Sequence[Part]:
    return [
        Heading("The most common hair colour", 3),
        *_hair(effort),
        Heading("Which price makes the most profit", 3),
        *_price(effort),
        Heading("Report noisy max", 3),
        Words(
            "The slides add Laplace noise of scale Delta / eps and claim eps. If one person can raise one score and lower all others, nominal epsilon 1 really costs:"
        ),
        _noisy_max_costs(),
    ]


CHOICES = Experiment(
    "choices",
    "Hair colour, pricing, and the noisy maximum",
    "Raschia's slides",
    _run,
    (12, 31, 32, 33, 34, 35),
)
