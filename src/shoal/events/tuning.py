"""The best of a secret number of runs: private tuning."""

# ruff: noqa: RUF009 - a parameter is a descriptor, not a shared default value

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shoal.errors import EventError
from shoal.events.event import Event
from shoal.events.nested import Part, check_nesting, part
from shoal.events.parameter import OptionalExact, Word, optional_exact, word
from shoal.exact import Number, open_unit, out_of_range, positive, rational


def _above_minus_one(value: Number, name: str) -> Fraction:
    number = rational(value, name)
    if number <= -1:
        raise out_of_range(name, number, "above -1")
    return number


@dataclass(frozen=True)
class RepeatAndSelect(Event, kind="repeat_and_select"):
    """One of several runs of a release, the best by its own output.

    Meaning: a secret number of runs is drawn, independently of the data; ``event`` describes each
        run, all on the same data with fresh noise, a choice of settings drawn at random being part
        of a run.  Outputs have a public order, such as a score that is part of them, and only the
        best output is released; without any run a fixed one is.
    Fields: with ``runs`` "negative_binomial" their number is k >= 1 with probability proportional
        to (1 - ``gamma``)^k Π_(l<k) (l + ``eta``) / (l + 1); with "poisson" it is Poisson with
        ``mean``.  ``relation`` and ``private`` as for `Composed`.
    Edges: eta 1 is the geometric law, which stops after each run with probability gamma; eta 0 is
        the logarithmic law.
    Reference: Liu and Talwar 2019; Papernot and Steinke 2022, Definition 1.
    """

    event: Part = part()
    runs: Word = word("negative_binomial", "poisson")
    eta: OptionalExact = optional_exact(_above_minus_one)
    gamma: OptionalExact = optional_exact(open_unit)
    mean: OptionalExact = optional_exact(positive)

    def __post_init__(self) -> None:
        check_nesting(self, (self.event,))
        needed = ("mean",) if self.runs == "poisson" else ("eta", "gamma")
        given = tuple(name for name in ("eta", "gamma", "mean") if getattr(self, name) is not None)
        if given != needed:
            raise EventError(
                f"runs {self.runs!r} need {' and '.join(needed)} and nothing else.",
                remedy='Give runs="negative_binomial" with eta and gamma, such as eta=1 and gamma="0.01", '
                'or runs="poisson" with mean.',
            )
