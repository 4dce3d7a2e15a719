"""Events from what other tools print: the settings of Opacus, and the events of dp-accounting as
they print themselves.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from shoal.errors import EventTextError, InputError
from shoal.events.additive import DiscreteGaussian, Gaussian, Geometric, Laplace
from shoal.events.correlated import TreeAggregation
from shoal.events.event import Event
from shoal.events.nested import Composed, PoissonSampled, Repeated, SampledWithoutReplacement
from shoal.events.response import RandomizedResponse
from shoal.events.stated import NonPrivate, StatedApprox, StatedPure, StatedZeroConcentrated
from shoal.events.tokens import nearest
from shoal.events.vocabulary import FINE
from shoal.exact import positive, rational, whole

_OPACUS = "Write noise_multiplier=1.1 sample_rate=0.004 steps=14100, or epochs= in place of steps=."
_PRINTED = (
    "Give an event as dp-accounting prints it, such as "
    "SelfComposedDpEvent(PoissonSampledDpEvent(0.01, GaussianDpEvent(1.0)), 1000)."
)


def read_opacus(text: str) -> Event:
    """Training with Opacus: so many steps, each a Gaussian sum over a Poisson sample.

    Guarantee: Opacus' noise multiplier is sigma over the clipping norm, so sensitivity is 1; its
        default loader samples by Poisson's rule.
    Edges: epochs are ``1 / sample_rate`` steps each, rounded up together.

    >>> read_opacus("noise_multiplier=1.1 sample_rate=0.004 steps=14100").count
    14100
    """
    given: dict[str, str] = {}
    for word in text.replace(",", " ").split():
        name, equals, value = word.partition("=")
        if not equals or name not in {"noise_multiplier", "sample_rate", "steps", "epochs"}:
            raise EventTextError(f"{word!r} is no setting of Opacus.", remedy=_OPACUS)
        if name in given:
            raise EventTextError(f"{name} is given twice.", remedy="Give it once.")
        given[name] = value
    if not {"noise_multiplier", "sample_rate"} <= set(given) or ("steps" in given) == (
        "epochs" in given
    ):
        raise EventTextError("the settings of Opacus are not complete.", remedy=_OPACUS)
    rate = positive(given["sample_rate"], "sample_rate")
    one = PoissonSampled(Gaussian(sigma=given["noise_multiplier"], sensitivity=1), rate=rate)
    if "steps" in given:
        return Repeated(one, rational(given["steps"], "steps"))
    return Repeated(one, math.ceil(rational(given["epochs"], "epochs") / rate))


def read_dp_accounting(text: str) -> Event:
    """An event of dp-accounting, as ``repr`` prints it.

    Edges: discrete Gaussian noise of unknown dimension is taken as its zero-concentrated promise.
        Kinds that Shoal does not have are refused.

    >>> read_dp_accounting("SelfComposedDpEvent(event=GaussianDpEvent(noise_multiplier=2.0), count=3)")
    Repeated(...)
    """
    try:
        found = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise EventTextError("this is not how an event is printed.", remedy=_PRINTED) from None
    read = _value(found)
    if not isinstance(read, Event):
        raise EventTextError("this is not how an event is printed.", remedy=_PRINTED)
    return read


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=int() | float() | None as number):
            return number
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [_value(part) for part in parts]
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return _event(name, node)
    raise EventTextError("this is not how an event is printed.", remedy=_PRINTED)


def _event(name: str, call: ast.Call) -> Event:
    if name not in _KINDS:
        guess = nearest(name, _KINDS)
        hint = f"Did you mean {guess}? " if guess else ""
        known = ", ".join(sorted(_KINDS))
        raise EventTextError(
            f"{name!r} is no event that can be taken over.", remedy=f"{hint}Known are {known}."
        )
    make, fields = _KINDS[name]
    named = [(word.arg, _value(word.value)) for word in call.keywords]
    values = dict(zip(fields, map(_value, call.args), strict=False))
    if len(call.args) > len(fields) or any(arg in values or arg not in fields for arg, _ in named):
        raise EventTextError(
            f"{name} is given other fields than it has.",
            remedy=f"Its fields are {', '.join(fields)}.",
        )
    values.update((arg, value) for arg, value in named if arg is not None)
    try:
        return make(**values)
    except (InputError, TypeError) as refusal:
        problem = refusal.problem if isinstance(refusal, InputError) else "a field is missing."
        raise EventTextError(
            f"{name}: {problem}", remedy=f"Its fields are {', '.join(fields)}."
        ) from None


def _stated(epsilon: Any, delta: Any) -> Event:
    return StatedApprox(epsilon, delta) if delta else StatedPure(epsilon)


def _zero_concentrated(rho: Any, xi: Any = 0.0) -> Event:
    if xi:
        raise InputError("xi must be 0.", remedy="Give rho alone.")
    return StatedZeroConcentrated(rho)


def _response(noise_parameter: Any, num_buckets: Any) -> Event:
    lie = rational(noise_parameter, "noise_parameter")
    return RandomizedResponse(
        num_buckets, truth=1 - lie + lie / whole(num_buckets, "num_buckets", at_least=2)
    )


def _discrete_gaussian(sigma: Any, sensitivity: Any = 1.0, dimension: Any = None) -> Event:
    square = positive(sigma, "sigma") ** 2
    reach = rational(sensitivity, "sensitivity") ** 2
    if dimension is None:
        return StatedZeroConcentrated(reach / (2 * square))
    return DiscreteGaussian(sigma_squared=square, sensitivity_squared=reach, size=dimension)


def _trees(noise_multiplier: Any, step_counts: Any) -> Event:
    """A row is in at most one of the trees, at most once: the highest one bounds them all."""
    counts = step_counts if isinstance(step_counts, list) else [step_counts]
    if not counts:
        raise InputError("step_counts must not be empty.", remedy="Give the steps of each tree.")
    steps = max(whole(one, "step_counts", at_least=1) for one in counts)
    return TreeAggregation(sigma=noise_multiplier, sensitivity=1, steps=steps)


_KINDS: Mapping[str, tuple[Callable[..., Event], tuple[str, ...]]] = MappingProxyType(
    {
        "NoOpDpEvent": (lambda: Composed([]), ()),
        "NonPrivateDpEvent": (NonPrivate, ()),
        "GaussianDpEvent": (
            lambda noise_multiplier: Gaussian(sigma=noise_multiplier, sensitivity=1),
            ("noise_multiplier",),
        ),
        "LaplaceDpEvent": (
            lambda noise_multiplier: Laplace(scale=noise_multiplier, sensitivity=1, steps=FINE),
            ("noise_multiplier",),
        ),
        "DiscreteLaplaceDpEvent": (
            lambda noise_parameter, sensitivity: Geometric(
                scale=1 / positive(noise_parameter, "noise_parameter"), sensitivity=sensitivity
            ),
            ("noise_parameter", "sensitivity"),
        ),
        "DiscreteGaussianDpEvent": (_discrete_gaussian, ("sigma", "sensitivity", "dimension")),
        "RandomizedResponseDpEvent": (_response, ("noise_parameter", "num_buckets")),
        "EpsilonDeltaDpEvent": (_stated, ("epsilon", "delta")),
        "ZCDpEvent": (_zero_concentrated, ("rho", "xi")),
        "ComposedDpEvent": (Composed, ("events",)),
        "SelfComposedDpEvent": (Repeated, ("event", "count")),
        "PoissonSampledDpEvent": (
            lambda sampling_probability, event: PoissonSampled(event, rate=sampling_probability),
            ("sampling_probability", "event"),
        ),
        "SingleEpochTreeAggregationDpEvent": (_trees, ("noise_multiplier", "step_counts")),
        "SampledWithoutReplacementDpEvent": (
            lambda source_dataset_size, sample_size, event: SampledWithoutReplacement(
                event, sample=sample_size, population=source_dataset_size
            ),
            ("source_dataset_size", "sample_size", "event"),
        ),
    }
)
