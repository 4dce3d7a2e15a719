"""Tables 3.1 and 3.2 and Figure 3.1 of the thesis: Rényi privacy beside pure privacy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from shoal.accounting import account
from shoal.events import Event, Gaussian, Laplace, RandomizedResponse
from shoal.measures import Pure, Renyi
from shoal.page import Heading, PageTable, Part, Words
from shoal.plots.lines import side_by_side
from shoal.reproduce.experiment import Effort, Experiment
from shoal.reproduce.number_format import figure

_ORDERS = (1.5, 2, 3, 5, 10)


def _response(p: float, order: float) -> float:
    """Table 3.2, first row."""
    odds = p**order * (1 - p) ** (1 - order) + (1 - p) ** order * p ** (1 - order)
    return math.log(odds) / (order - 1)


def _laplace(scale: float, order: float) -> float:
    """Table 3.2, second row."""
    up = order / (2 * order - 1) * math.exp((order - 1) / scale)
    down = (order - 1) / (2 * order - 1) * math.exp(-order / scale)
    return math.log(up + down) / (order - 1)


def _gaussian(sigma: float, order: float) -> float:
    """Table 3.2, third row."""
    return order / (2 * sigma**2)


def _run(effort: Effort) -> Sequence[Part]:  # noqa: ARG001 - nothing is repeated here
    return [
        Heading("Table 3.1, with its rows corrected", 3),
        _table_of_rules(),
        Heading("Table 3.2: formula and accountant", 3),
        Words(
            "The thesis prints formulas; beside each stands what Shoal's accountant says of the mechanism itself, which is never below it. The Laplace event lies on a lattice of 2^-30."
        ),
        _table_of_costs(),
        Heading("Figure 3.1", 3),
        _picture(),
        Words(
            "The thesis concludes that Gaussian and Laplace noise have an epsilon below 1 'when the parameters vary'. That is a matter of the parameters drawn: Gaussian noise grows without bound with the order."
        ),
    ]


def _table_of_rules() -> Part:
    rows = [
        [
            "chance of an outcome S",
            "P(S) <= e^eps Q(S)",
            "P(S) <= (e^eps Q(S))^((alpha - 1) / alpha)",
        ],
        [
            "Bayes factor",
            "at most e^eps, always",
            "mean of its (alpha - 1)-th power at most e^((alpha - 1) eps)",
        ],
        ["log of the Bayes factor", "at most eps, always", "mean at most eps"],
        ["post-processing", "eps", "(alpha, eps)"],
        ["two releases", "eps1 + eps2", "(alpha, eps1 + eps2)"],
        ["groups: 2^c-stable input", "2^c eps", "(alpha / 2^c, 3^c eps) for alpha >= 2^(c + 1)"],
    ]
    return PageTable(["property", "pure, eps", "Rényi, (alpha, eps)"], rows)


def _table_of_costs() -> Part:
    kinds: list[tuple[str, Event, Callable[[float], float]]] = [
        (
            "randomized response, p = 3/4",
            RandomizedResponse(epsilon=math.log(3), categories=2),
            lambda a: _response(0.75, a),
        ),
        (
            "Laplace, lambda = 2",
            Laplace(scale=2, sensitivity=1, steps=2**30),
            lambda a: _laplace(2, a),
        ),
        ("Gaussian, sigma = 2", Gaussian(sigma=2, sensitivity=1), lambda a: _gaussian(2, a)),
    ]
    rows = []
    for words, event, formula in kinds:
        priced = account([event]).cost(Renyi, orders=list(_ORDERS))
        assert isinstance(priced, Renyi)
        pure = "infinite" if isinstance(event, Gaussian) else figure(float(_pure(event)), 5)
        cells = [
            f"{figure(formula(order), 5)} / {figure(float(priced.epsilon_at(order)), 5)}"
            for order in _ORDERS
        ]
        rows.append([words, pure, *cells])
    return PageTable(
        ["mechanism", "pure", *(f"order {order:g}" for order in _ORDERS)],
        rows,
        frozenset(range(1, 7)),
    )


def _pure(event: Event) -> Fraction:
    priced = account([event]).cost(Pure)
    assert isinstance(priced, Pure)
    return priced.epsilon


def _picture() -> Part:
    orders = [1.02 + 9 * step / 60 for step in range(60)]
    panels = {
        "Randomized response": {
            f"p = {p}": [(a, _response(p, a)) for a in orders] for p in (0.55, 0.65, 0.75)
        },
        "Laplace": {f"lambda = {b}": [(a, _laplace(b, a)) for a in orders] for b in (1, 2, 3)},
        "Gaussian": {f"sigma = {s}": [(a, _gaussian(s, a)) for a in orders] for s in (1, 2, 3)},
    }
    return side_by_side(
        panels,
        x="order alpha",
        y="epsilon",
        caption="Figure 3.1 again: the Rényi curves of three mechanisms of sensitivity 1.",
    )


RENYI = Experiment(
    "renyi",
    "Rényi privacy: Tables 3.1 and 3.2, Figure 3.1",
    "Thesis, chapter 3",
    _run,
    (29, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51),
)
