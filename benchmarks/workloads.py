"""What the row *accounting* asks: the same releases in Shoal's words, in dp-accounting's and in prv-accountant's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

DELTA = 1e-6

SAMPLED = "gaussian sigma=0.8 | sampled q=0.01 | x "
WORKLOADS: dict[str, str] = {
    "1 Gaussian, sigma 1": "gaussian sigma=1",
    "1000 Gaussians, sigma 30": "gaussian sigma=30 | x 1000",
    "10^3 sampled": SAMPLED + "1000",
    "10^4 sampled": SAMPLED + "10000",
    "10^5 sampled": SAMPLED + "100000",
    "100 Laplace": "laplace scale=10 | x 100",
    "mixed": "laplace scale=10 | x 50 + gaussian sigma=20 | x 50 + rr p=0.55 | x 50",
    "500 pure": "pure epsilon=0.1 | x 500",
}
"""Laplace, Gaussian and randomized response, with numbers as peers' papers use them; delta is 10^-6."""


def shoal(name: str) -> dict[str, float]:
    from shoal import account

    found = account(WORKLOADS[name]).epsilon(delta=DELTA)
    assert found.lower is not None  # the laws of all of these are known
    return {"epsilon": float(found.epsilon), "lower": float(found.lower)}


def dp_accounting(name: str) -> dict[str, float]:
    from dp_accounting.pld import privacy_loss_distribution as pld

    make = _dp_accounting()[name]
    return {"epsilon": make(pld).get_epsilon_for_delta(DELTA)}


def _dp_accounting() -> dict[str, Callable[[Any], Any]]:
    step = {"value_discretization_interval": 1e-4}

    def gaussian(pld: Any, sigma: float) -> Any:
        return pld.from_gaussian_mechanism(sigma, **step)

    def sampled(pld: Any, copies: int) -> Any:
        one = pld.from_gaussian_mechanism(0.8, sampling_prob=0.01, **step)
        return one.self_compose(copies)

    def laplace(pld: Any) -> Any:
        return pld.from_laplace_mechanism(10, **step)

    def mixed(pld: Any) -> Any:
        response = pld.from_randomized_response(0.9, 2, **step)  # tells the truth with 0.55
        both = laplace(pld).self_compose(50).compose(gaussian(pld, 20).self_compose(50))
        return both.compose(response.self_compose(50))

    def pure(pld: Any) -> Any:
        noise = 2 / (1 + math.exp(0.1))
        return pld.from_randomized_response(noise, 2, **step).self_compose(500)

    return {
        "1 Gaussian, sigma 1": lambda pld: gaussian(pld, 1),
        "1000 Gaussians, sigma 30": lambda pld: gaussian(pld, 30).self_compose(1000),
        "10^3 sampled": lambda pld: sampled(pld, 10**3),
        "10^4 sampled": lambda pld: sampled(pld, 10**4),
        "10^5 sampled": lambda pld: sampled(pld, 10**5),
        "100 Laplace": lambda pld: laplace(pld).self_compose(100),
        "mixed": mixed,
        "500 pure": pure,
    }


def prv_accountant(name: str) -> dict[str, float]:
    from prv_accountant import PRVAccountant
    from prv_accountant import privacy_random_variables as prvs

    sampled = prvs.PoissonSubsampledGaussianMechanism(
        sampling_probability=0.01, noise_multiplier=0.8
    )
    known: dict[str, tuple[list[Any], list[int]]] = {
        "1 Gaussian, sigma 1": ([prvs.GaussianMechanism(noise_multiplier=1)], [1]),
        "1000 Gaussians, sigma 30": ([prvs.GaussianMechanism(noise_multiplier=30)], [1000]),
        "10^3 sampled": ([sampled], [10**3]),
        "10^4 sampled": ([sampled], [10**4]),
        "10^5 sampled": ([sampled], [10**5]),
        "100 Laplace": ([prvs.LaplaceMechanism(mu=0.1)], [100]),
        "500 pure": ([prvs.PureDPMechanism(eps=0.1)], [500]),
    }
    if name not in known:
        return {}
    releases, copies = known[name]
    accountant = PRVAccountant(
        prvs=releases, max_self_compositions=copies, eps_error=0.01, delta_error=DELTA / 1000
    )
    low, _, high = accountant.compute_epsilon(delta=DELTA, num_self_compositions=copies)
    return {"epsilon": float(high), "lower": float(low)}


CONTESTANTS: dict[str, Callable[[str], dict[str, float]]] = {
    "**Shoal**": shoal,
    "dp-accounting": dp_accounting,
    "prv-accountant": prv_accountant,
}


def running() -> dict[str, float]:
    """A running account of 200 different releases: the median and the worst answer, in CPU milliseconds."""
    import statistics
    import time

    from shoal.accounting import account
    from shoal.events import read_events

    kinds = (
        "gaussian sigma={}",
        "laplace scale={}",
        "pure epsilon=1/{}",
        "geometric scale={}",
        "gaussian sigma=1.{} | sampled q=0.01",
    )
    events = [read_events(kinds[k % len(kinds)].format(10 + k)) for k in range(200)]
    together = account(events[0])
    together.epsilon(delta=DELTA)
    spent = []
    for event in events[1:]:
        start = time.process_time()
        together = together.plus(event)
        found = together.epsilon(delta=DELTA)
        spent.append(1000 * (time.process_time() - start))
    return {
        "epsilon": float(found.epsilon),
        "median": statistics.median(spent),
        "worst": max(spent),
        "above 5 ms": float(sum(each > 5 for each in spent)),
    }
