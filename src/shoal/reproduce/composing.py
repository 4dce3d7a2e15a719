"""Many releases, groups and the Gaussian formula: the printed bounds beside what is true."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from shoal.accounting import account
from shoal.events import Gaussian, Repeated, StatedPure
from shoal.measures import gaussian_delta_up, gaussian_mu_down
from shoal.page import Heading, PageTable, Part, Words
from shoal.plots.lines import lines
from shoal.reproduce.experiment import Effort, Experiment
from shoal.reproduce.number_format import figure

_DELTA = Fraction(1, 10**6)


def _run(effort: Effort) -> Sequence[Part]:  # noqa: ARG001 - nothing is repeated here
    return [
        Heading("Advanced composition", 3),
        Words(
            "k releases of epsilon each at delta 10^-6: the bound of lecture 5 as printed, with the mean of the loss in it, the thesis' Theorem 3.4.4 as printed, plain addition, and the least epsilon that holds for any k promises (Kairouz, Oh and Viswanath)."
        ),
        _many(),
        Heading("The Gaussian formula", 3),
        Words(
            "sigma = Delta sqrt(2 ln(1.25 / delta)) / eps is stated for every epsilon. Its true delta, over the nominal one:"
        ),
        _classic(),
        Heading("Rényi to (eps, delta)", 3),
        Words(
            "One Gaussian release of sigma 1 and 100 of sigma 20, at delta 10^-5: the conversion of the talk, the better one at the best order, and the exact value."
        ),
        _converted(),
    ]


def _many() -> Part:
    rows = []
    for count, epsilon in ((10, "0.1"), (100, "0.1"), (1000, "0.01"), (1000, "0.5"), (1000, "1")):
        each = float(epsilon)
        root = each * math.sqrt(8 * count * math.log(1 / float(_DELTA)))
        mean = count * each * (math.exp(each) - 1)
        root2 = each * math.sqrt(2 * count * math.log(1 / float(_DELTA)))
        thesis = 1.5 * count * each**2 + math.sqrt(6 * count * math.log(1 / float(_DELTA)))
        best = account([Repeated(StatedPure(epsilon), count)]).epsilon(delta=_DELTA).epsilon
        verdict = "false" if root < float(best) else "true"
        rows.append(
            [
                str(count),
                epsilon,
                figure(root),
                verdict,
                figure(root2 + mean),
                figure(thesis),
                figure(count * each),
                figure(float(best), 4),
            ]
        )
    head = [
        "k",
        "eps",
        "lecture 5",
        "is it true",
        "with the mean",
        "Theorem 3.4.4 of the thesis",
        "added",
        "optimal",
    ]
    return PageTable(head, rows, frozenset((0, 1, 2, 4, 5, 6, 7)))


def _classic() -> Part:
    series = {}
    for power in (4, 5, 6, 8):
        delta = 10.0**-power
        line = []
        for step in range(1, 61):
            epsilon = step / 4
            mu = epsilon / math.sqrt(2 * math.log(1.25 / delta))
            true = float(gaussian_delta_up(Fraction(mu), Fraction(epsilon)))
            line.append((epsilon, true / delta))
        series[f"delta 1e-{power}"] = line
    ratio = math.sqrt(2 * math.log(1.25e4)) * float(gaussian_mu_down(1, "1e-4"))
    return lines(
        series,
        x="epsilon",
        y="true delta / nominal delta",
        caption=f"Above 1 the formula breaks its promise. Below, it adds too much noise: at (1, 10^-4) {ratio:.2f} times what is needed.",
        scales=("linear", "log"),
    )


def _converted() -> Part:
    rows = []
    delta = 1e-5
    for sigma, count in ((1, 1), (20, 100), (50, 1000)):
        rho = count / (2 * sigma**2)
        plain = rho + 2 * math.sqrt(rho * math.log(1 / delta))
        orders = [1 + 1.05**step / 50 for step in range(300)]
        better = min(
            rho * a + math.log((a - 1) / a) - (math.log(delta) + math.log(a)) / (a - 1)
            for a in orders
        )
        exact = account([Repeated(Gaussian(sigma=sigma, sensitivity=1), count)]).epsilon(
            delta=Fraction(1, 10**5)
        )
        rows.append(
            [
                f"{count} of sigma {sigma}",
                figure(plain),
                figure(better),
                figure(float(exact.epsilon)),
            ]
        )
    return PageTable(
        ["releases", "+ log(1 / delta) / (alpha - 1)", "better conversion", "exact"],
        rows,
        frozenset((1, 2, 3)),
    )


COMPOSING = Experiment(
    "composing",
    "Many releases, and the Gaussian formula",
    "Kamath's lecture 5; Duchi's talk; thesis, section 3.4",
    _run,
    (8, 22, 24, 25, 26, 27, 28, 30, 52),
)
