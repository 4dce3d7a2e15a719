"""Reconstruction: too many answers that are too accurate give the whole table away."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.attacks.attack import EPSILON, Attack, Result, Score
from shoal.auditing.attacks.ceiling import by_epsilon, epsilons, pure_coin_up
from shoal.auditing.extra import audit_module
from shoal.mechanisms import counting
from shoal.noise import uniform_below
from shoal.page import Heading, PageTable, Part, Words
from shoal.plots.lines import lines
from shoal.reproduce import Effort
from shoal.reproduce.number_format import percent

_optimize, _sparse = audit_module("scipy.optimize"), audit_module("scipy.sparse")

PEOPLE = 48
QUESTIONS = 5 * PEOPLE

Bits = NDArray[np.int64]
Numbers = NDArray[np.float64]
Blur = Callable[[Bits], Numbers]
Decoder = Callable[[Bits, Numbers], Bits]


def by_least_squares(asked: Bits, answers: Numbers) -> Bits:
    """The bits nearest to the numbers that fit the answers best in squares."""
    found, *_ = np.linalg.lstsq(asked.astype(np.float64), answers, rcond=None)
    return (found > 0.5).astype(np.int64)


def by_linear_program(asked: Bits, answers: Numbers) -> Bits:
    """The bits nearest to the numbers between 0 and 1 whose answers are least off, in absolute
    sum.
    """
    questions, people = asked.shape
    plain, off = _sparse.csr_matrix(asked.astype(np.float64)), _sparse.eye_array(questions)
    limits = _sparse.vstack(
        [_sparse.hstack([plain, -off]), _sparse.hstack([-plain, -off])], format="csr"
    )
    cost = np.concatenate([np.zeros(people), np.ones(questions)])
    bounds = [(0.0, 1.0)] * people + [(0.0, None)] * questions
    found = _optimize.linprog(
        cost, A_ub=limits, b_ub=np.concatenate([answers, -answers]), bounds=bounds, method="highs"
    )
    return np.asarray(found.x[:people] > 0.5, dtype=np.int64)


DECODERS: dict[str, Decoder] = {
    "linear program": by_linear_program,
    "least squares": by_least_squares,
}


def _scores(blur: Blur, runs: int) -> dict[str, Score]:
    """The share of bits that each way of decoding gets right, in every run."""
    shares: dict[str, list[float]] = {name: [] for name in DECODERS}
    for _ in range(runs):
        bits = uniform_below(2, PEOPLE).astype(np.int64)
        asked = uniform_below(2, QUESTIONS * PEOPLE).reshape(QUESTIONS, PEOPLE).astype(np.int64)
        answers = blur(asked @ bits)
        for name, decode in DECODERS.items():
            shares[name].append(float((decode(asked, answers) == bits).mean()))
    return {name: Score.of(found) for name, found in shares.items()}


def _exact(truth: Bits) -> Numbers:
    return truth.astype(np.float64)


def _within(error: int) -> Blur:
    """Answers that are off by at most this much, each value equally likely: noise without an
    account.
    """

    def blur(truth: Bits) -> Numbers:
        noise = uniform_below(2 * error + 1, len(truth)).astype(np.int64) - error
        return (truth + noise).astype(np.float64)

    return blur


def _shoal(epsilon: Fraction) -> Blur:
    mechanism = counting(epsilon, queries=QUESTIONS, relation="change")

    def blur(truth: Bits) -> Numbers:
        return mechanism.release(truth).astype(np.float64)

    return blur


def _run(effort: Effort) -> Result:
    runs = effort.times(20, least=5)
    errors = (0, 2, 4, 8, 16, 32) if effort.quick else (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64)
    by_error = {error: _scores(_within(error) if error else _exact, runs) for error in errors}
    prices = epsilons(10, 1000) if effort.quick else epsilons(1, 10, 100, 1000, 10_000)
    shared = {each: _scores(_shoal(each), runs * (4 if each == EPSILON else 1)) for each in prices}
    without = by_error[0]["linear program"]
    rows = [
        [
            f"epsilon {float(each):g}",
            f"{QUESTIONS / float(each):,.3g}",
            *(percent(shared[each][name].rate) for name in DECODERS),
            percent(pure_coin_up(float(each))),
        ]
        for each in shared
    ]
    parts: list[Part] = [
        Words(
            f"{PEOPLE} people have a bit each, {QUESTIONS} random groups of them are counted, and nobody is asked about alone. Dinur and Nissim showed that answers whose errors stay well below the square root of the "
            f"number of people ({PEOPLE**0.5:.0f} here) give nearly every bit away, whatever the errors are. Two ways to find the bits: the linear program with the least absolute misfit, and least squares."
        ),
        Heading("Errors of a few units do not help", 3),
        lines(
            {name: [(error, by_error[error][name].rate) for error in errors] for name in DECODERS},
            x="largest error of an answer",
            y="bits that are right",
            shares=True,
            caption="Reconstruction from answers with bounded errors, nobody keeping an account.",
        ),
        Heading("Shoal's answers", 3),
        Words(
            "With Shoal all answers together cost the epsilon in the first column, so each has Laplace noise of the scale in the second. A large epsilon is a reconstruction with Shoal's compliments: the promise is the budget, not the noise."
        ),
        PageTable(
            ["all answers", "scale of the noise", *DECODERS, "ceiling"],
            rows,
            frozenset(range(1, 5)),
        ),
        by_epsilon(
            {each: shared[each]["linear program"] for each in shared},
            without=without.rate,
            y="bits that are right",
            caption="Reconstruction by linear programming from Shoal's answers.",
        ),
    ]
    return Result(
        0.5, without, shared[EPSILON]["linear program"], pure_coin_up(float(EPSILON)), parts
    )


RECONSTRUCTION = Attack(
    "reconstruction",
    "Reconstruction: all bits from many counts",
    "An analyst may count any group of people and wants everybody's bit. The success is the share of bits that are right; half of them are 1.",
    "Dinur and Nissim 2003; Dwork, McSherry and Talwar 2007 for the linear program; Kasiviswanathan, Rudelson and Smith 2013 for least squares",
    _run,
)
