"""One front for any function: numbers, a choice, or a whole function, with a proven or a sampled
sensitivity.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from shoal import events
from shoal.errors import CalibrationError, RangeError, ShapeError
from shoal.exact import Number, rational, whole
from shoal.functions.bernstein import Bernstein
from shoal.functions.operator import Operator, Reals, lattice_values
from shoal.functions.sampler import Sampled, Sampler
from shoal.functions.vector_noise import Noise, noise_for, norm_for, read_budget
from shoal.measures import Approx, Measure, Pure, RandomDP
from shoal.mechanisms import Exponential
from shoal.mechanisms.affordable_parameters import pure_epsilon_of
from shoal.mechanisms.total_functions import called, exact_number, exact_numbers
from shoal.noise import secret
from shoal.sensitivity import Norm, Relation, Sensitivity

Target = Callable[[Any], Any]


@dataclass(frozen=True)
class Privatized:
    """A function of data that is released with noise; `release` takes the data and gives the
    answer.

    Guarantee: `cost`: the budget, for neighbours in the declared relation where the sensitivity was
        given; `RandomDP` where it was sampled.  The answer is made from the noisy values alone and
        holds neither data nor the function.
    Needs: a sensitivity that is true, or an oracle that is public.  Where the function fails on
        some data it counts as ``otherwise``, and the sensitivity must hold for it as it then is.
        What it prints, writes or keeps, and how long it takes, is not hidden.
    Edges: whatever the function does with its rows, the answer has one type: a float, an array of
        ``size`` floats, a candidate or a `ReleasedFunction`.  What it raises, NaN, infinities, and
        another number of values than it said are ``otherwise``, and so is the score of a candidate
        it leaves out.  With a sampler the data must have as many rows as the oracle was asked for.
        A budget pays by `event`.
    Reference: Rubinstein and Aldà 2017.  Proof: bernstein.md, sampler.md, mechanisms/total_functions.md.
    """

    function: Target
    _mechanism: Noise | Exponential | Bernstein = field(repr=False)
    """It believes in its sensitivity, so that its own price is not that of a release whose
    sensitivity was sampled.
    """
    budget: Measure
    candidates: tuple[Hashable, ...] | None
    size: int
    sampled: Sampled | None
    otherwise: Fraction = Fraction(0)

    @property
    def cost(self) -> Measure:
        """What one release costs."""
        if self.sampled is None:
            return self._mechanism.cost
        epsilon, delta = _epsilon_delta(self.budget)
        return RandomDP(epsilon, delta, self.sampled.plan.gamma)

    @property
    def event(self) -> events.Event:
        """The description of a release; that of a sampled one has no price in differential
        privacy.
        """
        cost = self.cost
        if isinstance(cost, RandomDP):
            return events.StatedRandom(
                cost.epsilon,
                cost.delta,
                cost.gamma,
                relation=str(Relation.CHANGE),
                private=secret(),
            )
        if isinstance(self._mechanism, Bernstein):
            return self._mechanism.event
        if isinstance(self._mechanism, Exponential):
            return self._mechanism.event_for(candidates=self.size)
        return self._mechanism.event_for(size=self.size)

    def release(self, data: Any) -> Any:
        """A number or an array of them, a candidate, or a `ReleasedFunction`."""
        if self.sampled is not None:
            _check_rows(data, self.sampled.rows)
        if isinstance(self._mechanism, Bernstein):
            values = self._mechanism.total_values(
                lambda: self.function(data), float(self.otherwise)
            )
            return replace(self._mechanism.release(values), event=self.event)
        if isinstance(self._mechanism, Exponential):
            assert self.candidates is not None
            scores = self._total(data, lambda given: _scores(given, self.candidates or ()))
            return self._mechanism.release(scores, candidates=self.candidates)
        numbers = self._total(data, lambda given: exact_numbers(given, self.size))
        if self.size == 1:
            return self._mechanism.release(numbers[0])
        return self._mechanism.release(np.array(numbers, dtype=object))

    def _total(self, data: Any, read: Callable[[Any], list[Fraction | None]]) -> list[Fraction]:
        """The numbers that the function gives of the data, with the public number wherever it gives
        none.
        """
        none: list[Fraction | None] = [None] * self.size
        (found,) = called(self.function, [data], read=read, otherwise=none)
        return [self.otherwise if number is None else number for number in found]


def privatize(
    function: Target,
    *,
    sensitivity: Number | Sensitivity | None = None,
    sampler: Sampler | None = None,
    epsilon: Number | None = None,
    budget: Measure | None = None,
    candidates: Sequence[Hashable] | None = None,
    degree: int | None = None,
    dims: int = 1,
    order: int = 1,
    domain: Sequence[Sequence[float]] | None = None,
    size: int = 1,
    monotone: bool = False,
    otherwise: Number = 0,
) -> Privatized:
    """A private version of a function of data.

    * Numbers: ``function(data)`` gives a number, or ``size`` of them; the answer is a float, or an
      array of floats.  Laplace noise for ``epsilon`` or a pure budget, in L1; Gaussian noise for
      any other budget, in L2.
    * A choice, with ``candidates``: ``function(data)`` gives a score for each, as a list, a mapping
      or a function of the candidate; the exponential mechanism chooses.  The sensitivity is that of
      one score.
    * A function, with ``degree``: ``function(data)`` gives a function on the box ``domain``, that
      takes an array of points; it is released by the Bernstein mechanism.

    Give ``sensitivity``, proven for all neighbours, or a ``sampler``, which measures it for most
    and makes the promise `RandomDP`.  ``otherwise`` is a public number that stands for what the
    function does not give; nothing it raises on private rows is shown, so try it on made-up rows
    first.

    >>> import numpy as np
    >>> mean = privatize(lambda rows: float(np.mean(rows)), sensitivity="1/100", epsilon=1)
    >>> print(mean.cost, "|", mean.release(np.full(100, 0.5)) != 0.5)
    epsilon 1 | True
    >>> letters = privatize(lambda names: lambda letter: sum(letter in name for name in names),
    ...                     candidates="abc", sensitivity=1, epsilon=2)
    >>> letters.release(["anna", "bob", "cara"]) in "abc"
    True
    """
    paid, default = read_budget(epsilon, budget), rational(otherwise, "otherwise")
    if (sensitivity is None) == (sampler is None):
        raise RangeError(
            "exactly one of sensitivity and sampler must be given.",
            remedy="Give the proven sensitivity, or a Sampler that measures one for most neighbours.",
        )
    if sampler is not None:
        _epsilon_delta(paid)
    if sampler is not None and monotone:
        raise RangeError(
            "monotone scores cannot be measured: a row that changes can raise one score and lower another.",
            remedy="Leave monotone out, or state a proven sensitivity under 'add_remove'.",
        )
    if candidates is not None and degree is not None:
        raise RangeError(
            "candidates and degree were both given.",
            remedy="Give candidates for a choice, or degree for a function.",
        )
    if candidates is not None:
        made = _choice(function, paid, sensitivity, sampler, tuple(candidates), monotone=monotone)
        return replace(made, otherwise=default)
    if degree is not None:
        shape = {"degree": degree, "dims": dims, "order": order}
        target = LatticeValues(function, Operator(degree, dims=dims), domain)
        known, sampled = _known(target, paid, sensitivity, sampler, target.operator.size)
        curve = Bernstein.for_budget(paid, sensitivity=known, domain=domain, **shape)
        return Privatized(function, curve, paid, None, curve.operator.size, sampled, default)
    count = whole(size, "size", at_least=1)
    known, sampled = _known(function, paid, sensitivity, sampler, count)
    noise = noise_for(paid, known, size=count)
    return Privatized(function, noise, paid, None, count, sampled, default)


@dataclass(frozen=True)
class LatticeValues:
    """The lattice values of a function that data give: what a Bernstein release moves by."""

    function: Target
    operator: Operator
    domain: Sequence[Sequence[float]] | None

    def __call__(self, data: Any) -> Reals:
        made = self.function(data)
        return lattice_values(self.operator, lambda cube: made(self._places(cube)))

    def __getattr__(self, name: str) -> Any:
        changes = getattr(self.function, "changes", None) if name == "changes" else None
        if changes is None:
            raise AttributeError(name)
        points = self.operator.lattice()
        places = self._places(points[:, 0] if self.operator.dims == 1 else points)
        return lambda batch: changes(batch, places)

    def _places(self, cube: Reals) -> Reals:
        if self.domain is None:
            return cube
        low, high = np.array(self.domain, dtype=np.float64).T
        return np.asarray(low + cube * (high - low))


def _scores(given: Any, candidates: tuple[Hashable, ...]) -> list[Fraction | None]:
    """One score per candidate, in their order, however the function gives them; None where it gives
    none.
    """
    if isinstance(given, Mapping):
        return called(lambda each: given[each], candidates, read=exact_number, otherwise=None)
    if callable(given):
        return called(given, candidates, read=exact_number, otherwise=None)
    return exact_numbers(given, len(candidates))


def _choice(
    function: Target,
    budget: Measure,
    sensitivity: Number | Sensitivity | None,
    sampler: Sampler | None,
    candidates: tuple[Hashable, ...],
    *,
    monotone: bool,
) -> Privatized:
    sampled, known = None, sensitivity
    if sampler is not None:
        sampled = sampler.measure(
            lambda data: [float(score or 0) for score in _scores(function(data), candidates)],
            norm=Norm.LINF,
        )
        known = Sensitivity(sampled.value, Norm.LINF, Relation.CHANGE)
    assert known is not None
    made = Exponential(epsilon=pure_epsilon_of(budget), sensitivity=known, monotone=monotone)
    return Privatized(function, made, budget, candidates, len(candidates), sampled)


def _known(
    function: Target,
    budget: Measure,
    sensitivity: Number | Sensitivity | None,
    sampler: Sampler | None,
    size: int,
) -> tuple[Number | Sensitivity, Sampled | None]:
    if sampler is None:
        assert sensitivity is not None
        return sensitivity, None
    norm = norm_for(budget)
    sampled = sampler.measure(function, norm=norm)
    return Sensitivity(sampled.value, norm, Relation.CHANGE, size), sampled


def _check_rows(data: Any, rows: int) -> None:
    """Refuse another number of rows than the sensitivity was measured for; both numbers are public
    here.
    """
    given = len(data) if isinstance(data, Sized) else type(data).__name__
    if given != rows:
        raise ShapeError(
            f"the sensitivity was sampled for {rows} rows; {given} were given.",
            remedy="Make the sampler with rows= the number of rows to release, which is public.",
        )


def _epsilon_delta(budget: Measure) -> tuple[Number, Number]:
    """The numbers of a budget for a sampled sensitivity, which are those of a pure or an
    approximate one.
    """
    if isinstance(budget, Pure):
        return budget.epsilon, 0
    if isinstance(budget, Approx):
        return budget.epsilon, budget.delta
    raise CalibrationError(
        f"a budget of {type(budget).__name__} has no meaning for a sampled sensitivity.",
        remedy="Give epsilon=, or budget=shoal.Approx(epsilon, delta).",
    )
