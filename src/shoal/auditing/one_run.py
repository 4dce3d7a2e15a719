"""Learners in one run: canaries are in or out by a coin, and whoever guesses too many coins refutes
the claim.

A learner is too slow to be run a million times.  So many canaries are offered to it at once, each
put in by its own fair coin, and it runs once.  Of a learner that keeps its promise the coins cannot
be guessed much better than by chance; `guessing.py` says how much, and `one_run.md` why.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.guess_bound import one_run_epsilon, one_run_p_value
from shoal.auditing.verdict import Verdict
from shoal.auditing.verdict_pictures import guesses_against_claim
from shoal.errors import DataError, RangeError
from shoal.exact import Number, closed_unit, non_negative, open_unit, short, whole
from shoal.noise import uniform_below
from shoal.noise.seam import seeded

FEWEST = 8
"""Fewer guesses than this are not tried unless asked for: they can hardly say anything."""
MOST_LEVELS = 6
UNFAIR = 1e-9
"""Coins that fall so unevenly with no more than this probability are no fair coins."""

Coins = NDArray[np.bool_]
Scores = NDArray[np.float64]


def one_run(
    included: Any,
    scores: Any,
    *,
    epsilon: Number | None = None,
    delta: Number = 0,
    guesses: int | None = None,
    confidence: Number = "0.95",
    seed: int | str = 2026,
) -> Verdict:
    """Audit a learner from one run: which canaries were in, and how much what it released speaks
    for each.

    The highest scores are guessed to be in, as many of the lowest to be out, and the rest is left
    open.  How many are guessed must not depend on who was in.  Without ``guesses`` all, a half, a
    quarter ... of the canaries are guessed, and each number has its share of what may go wrong.
    Equal scores stand in a random order.

    Guarantee: a learner that is (epsilon, delta)-private is refuted with probability at most 1 -
        confidence.
    Edges: the coins were fair and independent, the scores were computed from what was released
        alone, and neighbours differ by one canary.
    """
    coins, spoken = _read(included, scores)
    m, slack = len(coins), closed_unit(delta, "delta")
    alpha = 1 - open_unit(confidence, "confidence")
    claim = None if epsilon is None else non_negative(epsilon, "epsilon")
    levels = _levels(m) if guesses is None else [whole(guesses, "guesses", at_least=1)]
    if levels[0] > m:
        raise RangeError(
            f"guesses must be at most the number of canaries; got {levels[0]} for {m}.",
            remedy="Guess each canary at most once.",
        )
    order = _order(spoken, seed)
    each = alpha / len(levels)
    tried = [(r, _right(coins, order, r)) for r in levels]
    bounds = [
        one_run_epsilon(canaries=m, guesses=r, right=v, delta=slack, confidence=1 - each)
        for r, v in tried
    ]
    best, (r, v) = max(zip(bounds, tried, strict=True))
    p_value = (
        None
        if claim is None
        else min(
            1.0,
            len(levels)
            * min(
                one_run_p_value(canaries=m, guesses=r, right=v, epsilon=claim, delta=slack)
                for r, v in tried
            ),
        )
    )
    return Verdict(
        test="one-run",
        claim=_claim(claim, slack),
        refuted=p_value is not None and p_value <= alpha,
        confidence=float(1 - alpha),
        p_value=p_value,
        found=f"Of {r} guesses among {m} canaries {v} were right: epsilon is at least {np.floor(best * 1e4) / 1e4:.4f} at delta {short(slack)}.",
        figures=(
            ("epsilon, at least", best),
            ("delta", float(slack)),
            ("canaries", m),
            ("included", int(coins.sum())),
            ("guesses", r),
            ("right", v),
            ("numbers of guesses tried", ", ".join(map(str, levels))),
        ),
        drawings=(guesses_against_claim(tried, m, claim or Fraction(0), slack, each),),
    )


def audit_learner(
    learn: Callable[[Coins], Any],
    score: Callable[[Any], Any],
    canaries: int,
    *,
    epsilon: Number | None = None,
    delta: Number = 0,
    guesses: int | None = None,
    confidence: Number = "0.95",
) -> Verdict:
    """Throw the coins, run the learner once, and judge it by `one_run`.

    ``learn`` is given one truth value per canary, whether it is among the rows, and returns what it
    releases; ``score`` is given that and nothing else, and returns one number per canary.
    """
    coins = uniform_below(2, whole(canaries, "canaries", at_least=1)) == 1
    return one_run(
        coins,
        score(learn(coins.copy())),
        epsilon=epsilon,
        delta=delta,
        guesses=guesses,
        confidence=confidence,
    )


def _read(included: Any, scores: Any) -> tuple[Coins, Scores]:
    coins, spoken = np.asarray(included), np.asarray(scores, dtype=np.float64)
    if coins.ndim != 1 or coins.shape != spoken.shape or not coins.size:
        raise DataError(
            f"there must be one coin and one score per canary; got {coins.shape} and {spoken.shape}.",
            remedy="Give two lists of the same length.",
        )
    if not np.isin(coins, (0, 1)).all() or np.isnan(spoken).any():
        raise DataError(
            "a coin must be 0 or 1, and a score a number.",
            remedy="Write 1 for a canary that was in, and 0 for one that was not.",
        )
    heads = coins.astype(np.bool_)
    rare = one_run_p_value(
        canaries=heads.size,
        guesses=heads.size,
        right=max(int(heads.sum()), int((~heads).sum())),
        epsilon=0,
    )
    if rare < UNFAIR:
        raise DataError(
            f"{int(heads.sum())} of {heads.size} canaries were in, which fair coins hardly ever do.",
            remedy="Put each canary in by its own fair coin, and list those that were left out, too.",
        )
    return heads, spoken


def _levels(m: int) -> list[int]:
    """All canaries, a half of them, a quarter ...: numbers that depend on nothing but how many
    there are.
    """
    levels = [m]
    while len(levels) < MOST_LEVELS and levels[-1] // 2 >= FEWEST:
        levels.append(levels[-1] // 2)
    return levels


def _order(scores: Scores, seed: int | str) -> NDArray[np.intp]:
    """The canaries by falling score; where scores are equal, in an order that knows nothing of the
    rows' own.
    """
    with seeded(f"{seed}/one-run/order"):
        keys = uniform_below(1 << 62, scores.size)
    return np.lexsort((keys, -scores))


def _right(coins: Coins, order: NDArray[np.intp], r: int) -> int:
    high = order[: (r + 1) // 2]
    low = order[len(order) - r // 2 :]
    return int(coins[high].sum() + (~coins[low]).sum())


def _claim(epsilon: Fraction | None, delta: Fraction) -> str:
    if epsilon is None:
        return "no claim"
    return f"epsilon {short(epsilon)}" + (f", delta {short(delta)}" if delta else "")
