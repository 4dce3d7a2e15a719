"""One mechanism of a peer, in the peer's own environment: ``python -m benchmarks.peers_audit.worker
PEER NAME SAMPLES PAIRS FILE``.

Writes, as JSON: the version, answers on both inputs, times of pairs of runs with much noise, and
answers of two children of this process and of the process itself, for the tests of seeds.
"""

from __future__ import annotations

import importlib.metadata
import json
import math
import os
import random
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.peers_audit.subjects import PACKAGES, SUBJECTS, Subject

DRAWS = 24
WARM = 50
LOUD = 0.001
"""Times are measured at this epsilon, or noise so many times as large, where loops would show."""
Act = Callable[[Any], Any]


def numpy(name: str, epsilon: float) -> Act:
    import numpy as np

    rng = np.random.default_rng()
    if name == "laplace":
        return lambda value: float(rng.laplace(value, 1 / epsilon))
    if name == "normal":
        return lambda value: float(rng.normal(value, 4 / epsilon))
    chance = -math.expm1(-epsilon)
    return lambda value: value + int(rng.geometric(chance)) - int(rng.geometric(chance))


def diffprivlib(name: str, epsilon: float) -> Act:
    from diffprivlib import mechanisms

    kind = getattr(mechanisms, name)
    if name == "Binary":
        return lambda value: kind(epsilon=epsilon, value0="no", value1="yes").randomise(value)
    if name in {"Exponential", "PermuteAndFlip"}:
        return lambda data: kind(epsilon=epsilon, sensitivity=1, utility=data).randomise()
    extra: dict[str, Any] = {}
    if name in {"Gaussian", "GaussianAnalytic", "GaussianDiscrete"}:
        extra = {"delta": 1e-6}
    if name in {"LaplaceTruncated", "LaplaceFolded", "Snapping"}:
        extra = {"lower": -1e6, "upper": 1e6}
    if name in {"GeometricTruncated", "GeometricFolded"}:
        extra = {"lower": -(10**6), "upper": 10**6}
    if name == "LaplaceBoundedDomain":
        extra = {"lower": 0, "upper": 10}
    return kind(epsilon=epsilon, sensitivity=1, **extra).randomise  # type: ignore[no-any-return]


def pydp(name: str, epsilon: float) -> Act:
    from pydp.algorithms import numerical_mechanisms as mechanisms

    if name == "LaplaceMechanism":
        return mechanisms.LaplaceMechanism(epsilon, 1.0).add_noise  # type: ignore[no-any-return]
    return mechanisms.GaussianMechanism(epsilon, 1e-6, 1.0).add_noise  # type: ignore[no-any-return]


def opendp(name: str, epsilon: float) -> Act:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    if name == "randomized response":
        return dp.m.make_randomized_response_bool(1 / (1 + math.exp(-epsilon)))  # type: ignore[no-any-return]
    if name == "noisy max":
        domain = dp.vector_domain(dp.atom_domain(T=float, nan=False))
        return dp.m.make_noisy_max(domain, dp.linf_distance(T=float), dp.max_divergence(), scale=2 / epsilon)  # type: ignore[no-any-return] # fmt: skip
    kind = int if name.endswith("integers") else float
    domain = dp.atom_domain(T=int) if kind is int else dp.atom_domain(T=float, nan=False)
    space = domain, dp.absolute_distance(T=kind)
    if name == "canonical noise":
        return dp.m.make_canonical_noise(*space, d_in=1.0, d_out=(epsilon, 1e-6))  # type: ignore[no-any-return]
    if name.startswith("laplace"):
        return dp.m.make_laplace(*space, scale=1 / epsilon)  # type: ignore[no-any-return]
    return dp.m.make_gaussian(*space, scale=4 / epsilon)  # type: ignore[no-any-return]


def tumult(name: str, epsilon: float) -> Act:
    import sympy
    from tmlt.core.domains.numpy_domains import NumpyFloatDomain
    from tmlt.core.measurements import noise_mechanisms as noise

    scale = sympy.Integer(round(1 / epsilon))
    if name == "AddLaplaceNoise":
        return noise.AddLaplaceNoise(NumpyFloatDomain(), scale=scale)  # type: ignore[no-any-return]
    if name == "AddGeometricNoise":
        return noise.AddGeometricNoise(alpha=scale)  # type: ignore[no-any-return]
    if name == "AddGaussianNoise":
        return noise.AddGaussianNoise(NumpyFloatDomain(), sigma_squared=16 * scale**2)  # type: ignore[no-any-return]
    return noise.AddDiscreteGaussianNoise(sigma_squared=16 * scale**2)  # type: ignore[no-any-return]


def shoal(name: str, epsilon: float) -> Act:
    import shoal as ours

    if name == "RandomizedResponse":
        return ours.RandomizedResponse.for_epsilon(epsilon).release
    if name in {"Exponential", "PermuteAndFlip"}:
        return getattr(ours, name).for_epsilon(epsilon, sensitivity=1).release  # type: ignore[no-any-return]
    if name.startswith("Gaussian"):
        return ours.Gaussian(sigma=4 / epsilon, sensitivity=1).release
    if name == "DiscreteGaussian":
        return ours.DiscreteGaussian(sigma=4 / epsilon, sensitivity=1).release
    return getattr(ours, name.partition(",")[0]).for_epsilon(epsilon, sensitivity=1).release  # type: ignore[no-any-return]


MAKERS: dict[str, Callable[[str, float], Act]] = {
    "numpy": numpy, "diffprivlib": diffprivlib, "pydp": pydp, "opendp": opendp, "tumult": tumult, "shoal": shoal,
}  # fmt: skip


def plain(answer: Any) -> Any:
    """An answer as JSON has it; floats keep all their bits."""
    item = getattr(answer, "item", None)
    return item() if callable(item) else answer


def given(subject: Subject) -> tuple[Any, Any]:
    """The two inputs in the type that the peer asks for."""
    if subject.peer == "tumult":
        import numpy as np

        kind = np.float64 if isinstance(subject.data[0], float) else np.int64
        return kind(subject.data[0]), kind(subject.data[1])
    return subject.data


def answers(act: Act, data: tuple[Any, Any], samples: int) -> list[list[Any]]:
    """On either input in turn, so that whatever drifts drifts for both."""
    found: list[list[Any]] = [[], []]
    for _ in range(samples):
        for side in (0, 1):
            found[side].append(plain(act(data[side])))
    return found


def times(act: Act, data: tuple[Any, Any], pairs: int) -> tuple[list[Any], list[Any]]:
    """Nanoseconds and answers of runs in pairs, whose order is a coin."""
    spent, told = [], []
    for row in range(pairs + WARM):
        first = random.randrange(2)
        pair, answer = [0, 0], [None, None]
        for side in (first, 1 - first):
            began = time.perf_counter_ns()
            raw = act(data[side])
            pair[side] = time.perf_counter_ns() - began
            answer[side] = plain(raw)
        if row >= WARM:
            spent.append(pair)
            told.append(answer)
    return spent, told


def child(act: Act, data: Any) -> list[Any]:
    """Answers of a child of this process."""
    reading, writing = os.pipe()
    if not os.fork():
        try:
            told = json.dumps([plain(act(data)) for _ in range(DRAWS)])
            with os.fdopen(writing, "w") as pipe:
                pipe.write(told)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = pipe.read()
    os.wait()
    return json.loads(told)  # type: ignore[no-any-return]


def main() -> None:
    warnings.simplefilter("ignore")
    peer, name, samples, pairs, where = sys.argv[1:]
    subject = next(each for each in SUBJECTS if (each.peer, each.name) == (peer, name))
    act, data = MAKERS[peer](name, 1.0), given(subject)
    found: dict[str, Any] = {"version": importlib.metadata.version(PACKAGES[peer])}
    found["fresh"] = [plain(act(data[0])) for _ in range(DRAWS)]
    if int(samples):
        found["answers"] = answers(act, data, int(samples))
        found["children"] = [child(act, data[0]), child(act, data[0]), child(act, data[1])]
    if int(pairs) and subject.timed:
        loud = MAKERS[peer](name, LOUD)
        found["times"], found["loud"] = times(loud, data, int(pairs))
    Path(where).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
