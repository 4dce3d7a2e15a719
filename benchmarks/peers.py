"""The peers, each behind one form; a peer that is not installed is skipped, with a line.

None of numpy's is private: its laws are rounded, its bits are not secret.  It stands here as the
speed that people are used to.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Act

LAWS = ("Laplace", "Gaussian")
EPSILON = 0.5


@dataclass(frozen=True)
class Sampler:
    """Something that draws a whole vector of noise."""

    name: str
    law: str
    prepare: Callable[[Fraction, int], Act]
    most: int = 10**9
    """It is timed on at most so many draws at once, because a million would take minutes."""


@dataclass(frozen=True)
class Scalar:
    """Something that adds noise to one number."""

    name: str
    prepare: Callable[[], Act]


@dataclass(frozen=True)
class Selector:
    """Something that picks one of many scored candidates, at EPSILON and sensitivity 1."""

    name: str
    prepare: Callable[[NDArray[np.int64]], Act]
    most: int = 10**9


@cache
def has(module: str) -> bool:
    """Whether a peer can be imported; says so once if not."""
    try:
        importlib.import_module(module)
    except Exception as problem:  # noqa: BLE001 - a peer may fail to import in any way it likes
        print(f"skipped: {module} ({type(problem).__name__}: {problem})")
        return False
    return True


def samplers() -> Iterator[Sampler]:
    yield from _numpy_samplers()
    if has("opendp.prelude"):
        for law in LAWS:
            for kind, words in (("i64", "integers"), ("f64", "floats")):
                yield Sampler(f"OpenDP, {words}", law, _opendp_vector(law, kind), most=2000)


def scalars() -> Iterator[Scalar]:
    generator = np.random.default_rng()
    yield Scalar("numpy Laplace, unsafe", lambda: lambda: 42 + generator.laplace(0.0, 2.0))
    yield Scalar("numpy Gaussian, unsafe", lambda: lambda: 42 + generator.normal(0.0, 2.0))
    if has("opendp.prelude"):
        for law in LAWS:
            for kind, words in (("i64", "integers"), ("f64", "floats")):
                yield Scalar(f"OpenDP {law}, {words}", _opendp_scalar(law, kind))
    if has("diffprivlib.mechanisms"):
        yield Scalar("diffprivlib Laplace", _diffprivlib("Laplace", delta=0.0))
        yield Scalar("diffprivlib Gaussian", _diffprivlib("Gaussian", delta=1e-6))


def selectors() -> Iterator[Selector]:
    yield Selector("numpy argmax of scores + Gumbel, unsafe", _numpy_gumbel)
    yield Selector("numpy softmax by one uniform, unsafe", _numpy_softmax)
    if has("opendp.prelude"):
        yield Selector(
            "OpenDP noisy max, Gumbel", _opendp_noisy_max("zero_concentrated_divergence")
        )
        yield Selector("OpenDP noisy max, exponential", _opendp_noisy_max("max_divergence"))
    if has("diffprivlib.mechanisms"):
        yield Selector("diffprivlib Exponential", _diffprivlib_selector("Exponential"), most=10**4)
        yield Selector(
            "diffprivlib PermuteAndFlip", _diffprivlib_selector("PermuteAndFlip"), most=10**4
        )


# numpy


def _numpy_samplers() -> Iterator[Sampler]:
    generator = np.random.default_rng()

    def laplace(scale: Fraction, size: int) -> Act:
        return lambda: generator.laplace(0.0, float(scale), size)

    def gaussian(scale: Fraction, size: int) -> Act:
        return lambda: generator.normal(0.0, float(scale), size)

    def geometric(scale: Fraction, size: int) -> Act:
        p = -math.expm1(-1 / scale)
        return lambda: generator.geometric(p, size) - generator.geometric(p, size)

    yield Sampler("numpy, unsafe", "Laplace", laplace)
    yield Sampler("numpy, two geometrics, unsafe", "Laplace", geometric)
    yield Sampler("numpy, unsafe", "Gaussian", gaussian)


def _numpy_gumbel(scores: NDArray[np.int64]) -> Act:
    generator = np.random.default_rng()
    return lambda: np.argmax(scores * (EPSILON / 2) + generator.gumbel(size=scores.size))


def _numpy_softmax(scores: NDArray[np.int64]) -> Act:
    generator = np.random.default_rng()

    def act() -> object:
        weights = np.exp((scores - scores.max()) * (EPSILON / 2))
        sums = np.cumsum(weights)
        return np.searchsorted(sums, generator.random() * sums[-1])

    return act


# OpenDP


def _opendp() -> Any:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    return dp


def _opendp_atom(kind: str) -> Any:
    dp = _opendp()
    return dp.atom_domain(T=kind) if kind == "i64" else dp.atom_domain(T=kind, nan=False)


def _opendp_vector(law: str, kind: str) -> Callable[[Fraction, int], Act]:
    def prepare(scale: Fraction, size: int) -> Act:
        dp = _opendp()
        domain = dp.vector_domain(_opendp_atom(kind))
        if law == "Laplace":
            release = dp.m.make_laplace(domain, dp.l1_distance(T=kind), scale=float(scale))
        else:
            release = dp.m.make_gaussian(domain, dp.l2_distance(T="f64"), scale=float(scale))
        zeros = np.zeros(size, dtype=np.int64 if kind == "i64" else np.float64)
        return lambda: release(zeros)

    return prepare


def _opendp_scalar(law: str, kind: str) -> Callable[[], Act]:
    def prepare() -> Act:
        dp = _opendp()
        make = dp.m.make_laplace if law == "Laplace" else dp.m.make_gaussian
        distance = dp.absolute_distance(T=kind if law == "Laplace" else "f64")
        release = make(_opendp_atom(kind), distance, scale=2.0)
        value = 42 if kind == "i64" else 42.0
        return lambda: release(value)

    return prepare


def _opendp_noisy_max(measure: str) -> Callable[[NDArray[np.int64]], Act]:
    def prepare(scores: NDArray[np.int64]) -> Act:
        dp = _opendp()
        release = dp.m.make_noisy_max(
            dp.vector_domain(dp.atom_domain(T="i64")),
            dp.linf_distance(T="i64"),
            getattr(dp, measure)(),
            scale=2 / EPSILON,
        )
        return lambda: release(scores)

    return prepare


# diffprivlib


def _diffprivlib(law: str, *, delta: float) -> Callable[[], Act]:
    def prepare() -> Act:
        from diffprivlib import mechanisms

        mechanism = getattr(mechanisms, law)(epsilon=EPSILON, delta=delta, sensitivity=1)
        return lambda: mechanism.randomise(42.0)

    return prepare


def _diffprivlib_selector(name: str) -> Callable[[NDArray[np.int64]], Act]:
    def prepare(scores: NDArray[np.int64]) -> Act:
        from diffprivlib import mechanisms

        kind = getattr(mechanisms, name)
        return lambda: kind(epsilon=EPSILON, sensitivity=1, utility=scores.tolist()).randomise()

    return prepare
