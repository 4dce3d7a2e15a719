"""The contestants of the row *accounting*: each answers one composition, in its own library's
words.

The peers' words are made from the text alone, so that no process of theirs loads Shoal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from benchmarks.workloads import REFERENCE, Composition

Found = dict[str, float]
NARROW = 3e-6
GRID = 1e-5
"""Width of the grid of losses that dp-accounting rounds to, always to the pessimistic side."""


@dataclass
class Release:
    """One release of a compact text: its kind and numbers, its sampling rate, group and copies."""

    kind: str
    numbers: dict[str, float]
    rate: float = 1.0
    group: int = 1
    copies: int = 1
    unknown: list[str] = field(default_factory=list)


def releases(text: str) -> list[Release]:
    """The releases of a composition whose text is flat: no parentheses."""
    return [_release(part) for part in text.split(" + ")]


def _release(text: str) -> Release:
    first, *modifiers = (part.split() for part in text.split(" | "))
    found = Release(first[0], _numbers(first[1:]))
    for name, *rest in modifiers:
        if name == "x":
            found.copies *= int(rest[0])
        elif name == "group":
            found.group *= int(rest[0])
        elif name == "sampled":  # a sample of a sample is a sample with the product of the rates
            found.rate *= _numbers(rest)["q"]
        else:
            found.unknown.append(name)
    return found


def _numbers(words: list[str]) -> dict[str, float]:
    return {name: float(number) for name, number in (word.split("=") for word in words)}


def shoal(asked: Composition) -> Found:
    from shoal import account

    found = account(asked.events).epsilon(delta=asked.delta)
    ends = {"epsilon": float(found.epsilon)}
    return ends if found.lower is None else {**ends, "gap": float(found.epsilon - found.lower)}


def shoal_more_exactly(asked: Composition) -> Found:
    """The same with a narrower bracket, which takes longer; only its lower end is used."""
    from shoal import account

    losses = account(asked.events).losses
    if losses is None:
        return {}
    found = losses.epsilon(delta=asked.delta, tolerance=NARROW)
    return {"epsilon": found.high, "gap": found.width}


def dp_accounting(asked: Composition) -> Found:
    from dp_accounting.pld import privacy_loss_distribution as pld

    parts = [_distribution(pld, each) for each in releases(asked.events)]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return {}
    together = reduce(lambda one, other: one.compose(other), known)
    return {"epsilon": float(together.get_epsilon_for_delta(float(asked.delta)))}


def _distribution(pld: Any, release: Release) -> Any:
    """The tightest pessimistic distribution that dp-accounting makes of a release; None if it has
    none.
    """
    from dp_accounting.pld.common import DifferentialPrivacyParameters

    numbers = release.numbers
    far = numbers.get("sensitivity", 1) * release.group
    grid: dict[str, Any] = {"value_discretization_interval": GRID}
    noise = {**grid, "sampling_prob": release.rate, "use_connect_dots": True}
    whole = {**noise, "sensitivity": round(far)}

    def response() -> Any:
        buckets = round(numbers.get("categories", 2))
        lied = (1 - numbers["p"]) * buckets / (buckets - 1)  # a lie may hit the truth by chance
        return pld.from_randomized_response(lied, buckets, **grid)

    def promise() -> Any:
        stated = DifferentialPrivacyParameters(numbers["epsilon"], numbers.get("delta", 0))
        return pld.from_privacy_parameters(stated, **grid)

    makers: dict[str, Callable[[], Any]] = {
        "gaussian": lambda: pld.from_gaussian_mechanism(numbers["sigma"], sensitivity=far, **noise),
        "laplace": lambda: pld.from_laplace_mechanism(numbers["scale"], sensitivity=far, **noise),
        "geometric": lambda: pld.from_discrete_laplace_mechanism(1 / numbers["scale"], **whole),
        "discrete_gaussian": lambda: pld.from_discrete_gaussian_mechanism(
            numbers["sigma"], **whole
        ),
        "rr": response,
        "pure": promise,
        "approx": promise,
    }
    if release.unknown or release.kind not in makers:
        return None
    return makers[release.kind]().self_compose(release.copies)


def prv_accountant(asked: Composition) -> Found:
    """Asked the reference workloads only, with an error of 0.01 allowed in epsilon."""
    from prv_accountant import PRVAccountant
    from prv_accountant import privacy_random_variables as prvs

    parts = releases(asked.events)
    if asked not in REFERENCE or any(part.kind == "rr" for part in parts):
        return {}

    def variable(part: Release) -> Any:
        if part.kind == "laplace":
            return prvs.LaplaceMechanism(mu=1 / part.numbers["scale"])
        if part.kind == "pure":
            return prvs.PureDPMechanism(eps=part.numbers["epsilon"])
        sigma = part.numbers["sigma"]
        if part.rate == 1:
            return prvs.GaussianMechanism(noise_multiplier=sigma)
        return prvs.PoissonSubsampledGaussianMechanism(
            sampling_probability=part.rate, noise_multiplier=sigma
        )

    copies, delta = [part.copies for part in parts], float(asked.delta)
    accountant = PRVAccountant(
        prvs=[variable(part) for part in parts],
        max_self_compositions=copies,
        eps_error=0.01,
        delta_error=delta / 1000,
    )
    _, _, high = accountant.compute_epsilon(delta=delta, num_self_compositions=copies)
    return {"epsilon": float(high)}


OURS, PEER, OTHER = "**Shoal**", "dp-accounting", "prv-accountant"
REFEREE = "Shoal, more exactly"
CONTESTANTS: dict[str, Callable[[Composition], Found]] = {
    OURS: shoal,
    REFEREE: shoal_more_exactly,
    PEER: dp_accounting,
    OTHER: prv_accountant,
}
MODULES = {OURS: "shoal", PEER: "dp_accounting", OTHER: "prv_accountant"}
