"""How much of a mechanism's own parameter a budget buys, on the safe side."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from shoal.errors import CalibrationError, ShapeError
from shoal.exact import ball, lower, turning_point
from shoal.measures import (
    Approx,
    GaussianDP,
    Measure,
    Pure,
    Renyi,
    ZeroConcentrated,
    gaussian_mu_down,
    pure_delta_up,
    zero_concentrated_delta_up,
)


def pure_epsilon_of(budget: Measure) -> Fraction:
    """The largest epsilon whose pure guarantee implies the budget, rounded down.

    Each case inverts a conversion of `shoal.measures`: e' = ln((e^eps + delta) / (1 - delta)) for
    an approximate budget, eps tanh(eps / 2) = rho for a zero-concentrated one, and the pure
    guarantee that touches the Gaussian trade-off curve, e^eps = Phi(mu / 2) / Phi(-mu / 2).
    """
    if isinstance(budget, Pure):
        epsilon = budget.epsilon
    elif isinstance(budget, Approx) and budget.delta < 1:
        epsilon = _pure_of_approx(budget)
    elif isinstance(budget, ZeroConcentrated | GaussianDP | Renyi):
        epsilon = _largest(budget)
    else:
        raise _unbuyable(budget, "a pure guarantee")
    if epsilon <= 0:
        raise _nothing_left(budget)
    return epsilon


def gaussian_mu_of(budget: Measure) -> Fraction:
    """The largest mu whose Gaussian guarantee implies the budget, rounded down."""
    if isinstance(budget, GaussianDP):
        mu = budget.mu
    elif isinstance(budget, Approx) and 0 < budget.delta < 1:
        mu = gaussian_mu_down(budget.epsilon, budget.delta)
    elif isinstance(budget, ZeroConcentrated):
        mu = _root_down(2 * budget.rho)
    elif isinstance(budget, Renyi):
        mu = min(_root_down(2 * epsilon / order) for order, epsilon in budget.curve)
    else:
        raise _unbuyable(budget, "Gaussian noise, which never gives a pure guarantee")
    if mu <= 0:
        raise _nothing_left(budget)
    return mu


def rho_of(budget: Measure) -> Fraction:
    """The largest rho whose zero-concentrated guarantee implies the budget, rounded down."""
    if isinstance(budget, ZeroConcentrated):
        rho = budget.rho
    elif isinstance(budget, Approx) and 0 < budget.delta < 1:
        target, delta = budget.epsilon, budget.delta
        rho, _ = turning_point(
            lambda rho: zero_concentrated_delta_up(rho, epsilon=target) <= delta,
            start=_about_rho(float(min(target, _LARGE)), float(delta)),
            close=46,
        )
    elif isinstance(budget, Renyi):
        rho = min(epsilon / order for order, epsilon in budget.curve)
    else:
        raise _unbuyable(budget, "a zero-concentrated guarantee")
    if rho <= 0:
        raise _nothing_left(budget)
    return rho


_LARGE = Fraction(10) ** 300


def _about_rho(epsilon: float, delta: float) -> Fraction:
    """About the largest rho that implies (epsilon, delta), a place to start: the best over orders
    of what each allows.
    """
    log_delta = math.log(max(delta, 1e-300))

    def allowed(power: float) -> float:
        less = math.exp(power)  # order - 1
        order = 1 + less
        spare = log_delta + math.log(order) + less * math.log1p(1 / less)
        return (epsilon + spare / less) / order

    low, high = -30.0, 60.0
    while high - low > 1e-9:
        third = (high - low) / 3
        if allowed(low + third) < allowed(high - third):
            low += third
        else:
            high -= third
    return Fraction(max(allowed(low), 1e-300))


def _pure_of_approx(budget: Approx) -> Fraction:
    """A hair below the formula, so that the conversion back, rounded up, is still within the
    budget.
    """
    epsilon, delta = budget.epsilon, budget.delta
    if delta == 0:
        return epsilon

    def extra() -> arb:
        # ln((e^eps + delta) / (1 - delta)) - eps, without forming e^eps
        return (1 + ball(delta) * ball(-epsilon).exp()).log() - ball(1 - delta).log()

    more, hair = lower(extra), Fraction(1, 1 << 62)
    while pure_delta_up(epsilon + more * (1 - hair), at_epsilon=epsilon) > delta:
        hair *= 2
    return epsilon + more * (1 - hair)


def _largest(budget: ZeroConcentrated | GaussianDP | Renyi) -> Fraction:
    if not _has_something(budget):
        return Fraction(0)

    def within(epsilon: Fraction) -> bool:
        spent = Pure(epsilon)
        if isinstance(budget, ZeroConcentrated):
            return spent.to_zero_concentrated() <= budget
        if isinstance(budget, GaussianDP):
            return spent.to_gaussian() <= budget
        return spent.to_renyi([order for order, _ in budget.curve]) <= budget

    epsilon, _ = turning_point(within, start=Fraction(1))
    return epsilon


def _has_something(budget: ZeroConcentrated | GaussianDP | Renyi) -> bool:
    if isinstance(budget, Renyi):
        return all(epsilon > 0 for _, epsilon in budget.curve)
    return (budget.rho if isinstance(budget, ZeroConcentrated) else budget.mu) > 0


def _root_down(square: Fraction) -> Fraction:
    return lower(lambda: ball(square).sqrt()) if square else Fraction(0)


def _unbuyable(budget: Measure, what: str) -> ShapeError | CalibrationError:
    if not isinstance(budget, Measure):
        return ShapeError(
            f"budget must be a measure; got {type(budget).__name__}.",
            remedy="Give a measure such as shoal.Pure(1) or shoal.Approx(1, '1e-6').",
        )
    return CalibrationError(
        f"a budget of {budget} cannot buy {what}.",
        remedy="Give the budget in a measure that the mechanism can meet; its docstring lists them.",
    )


def _nothing_left(budget: Measure) -> CalibrationError:
    return CalibrationError(
        f"a budget of {budget} leaves nothing to spend.",
        remedy="Give a budget above zero.",
    )
