"""One person answers many times while their value changes: exact probabilities of all reports,
against the epsilon claimed for a lifetime.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from scripts.fuzzing.case import Case, Finding, Seen, ending
from shoal.local.protocols.oracles import KaryResponse
from shoal.local.protocols.oracles.unary import Rappor
from shoal.local.protocols.repeated import RepeatedHash, RepeatedResponse

History = tuple[tuple[int, int], ...]
"""Values one after another, each with how many reports are made while it holds."""


@dataclass(frozen=True)
class Lifetimes(Case):
    """Two histories of one person's values; compared are histories of reports that change only
    where a value does.
    """

    design: str
    given: tuple[Any, ...]
    one: History
    two: History

    def check(self) -> Seen:
        found = ending(lambda: _made(self.design, self.given))
        if not found.answered:
            return Seen.refused(found)
        made = found.result
        claim = claimed(made, self.one, self.two)
        worst = max(_losses(made, self.one, self.two))
        if worst > float(claim) + 1e-9:
            return Seen((Finding("history", f"log-ratio {worst:.3g}, claimed {float(claim):.3g}"),))
        return Seen(())

    def smaller(self) -> Iterator[Case]:
        for scale in (2, 4):
            less = [
                tuple((value, max(1, times // scale)) for value, times in each)
                for each in (self.one, self.two)
            ]
            if (
                sum(n for _, n in less[0])
                == sum(n for _, n in less[1])
                < sum(n for _, n in self.one)
            ):
                yield Lifetimes(self.design, self.given, less[0], less[1])

    def written(self) -> str:
        return (
            "from scripts.fuzzing.kinds.histories import Lifetimes\n"
            f"# {self.design}: (value, reports) one after another\n"
            f"print(*Lifetimes({self.design!r}, {self.given!r}, {self.one!r}, {self.two!r}).check().findings, sep='\\n')\n"
        )


def claimed(made: Any, one: History, two: History) -> Fraction:
    """What the design says that two such lifetimes can differ by."""
    if all(len({value for value, _ in each}) == 1 for each in (one, two)):
        return Fraction(made.lifetime_epsilon)
    apart = sum(n for mine, theirs, n in _spans(one, two) if mine != theirs)
    return Fraction(made.epsilon_if_changed(apart))


def _made(design: str, given: tuple[Any, ...]) -> Any:
    if design == "Rappor":
        size, noise, shown, hidden = given
        return Rappor.of(size=size, noise=noise, one=shown, zero=hidden)
    lifetime, single, size = given
    cls = RepeatedHash if design == "RepeatedHash" else RepeatedResponse
    return cls.for_epsilons(lifetime, single=single, size=size)


def _losses(made: Any, one: History, two: History) -> Iterator[float]:
    """Log-ratios over histories of reports that do not change while neither value does."""
    spans = _spans(one, two)
    for reports in product(range(_size(made)), repeat=len(spans)):
        chances = [_chance(made, [(span[at], n) for *span, n in spans], reports) for at in (0, 1)]
        if all(chances):
            yield abs(math.log(chances[0]) - math.log(chances[1]))
    yield 0.0


def _spans(one: History, two: History) -> list[tuple[int, int, int]]:
    """Both histories cut where either changes: two values, and how many reports."""
    sides = [[value for value, times in each for _ in range(times)] for each in (one, two)]
    spans: list[tuple[int, int, int]] = []
    for pair in zip(*sides, strict=True):
        if spans and spans[-1][:2] == pair:
            spans[-1] = (*spans[-1][:2], spans[-1][2] + 1)
        else:
            spans.append((*pair, 1))
    return spans


def _size(made: Any) -> int:
    return min(3, made.buckets if isinstance(made, RepeatedHash) else made.size)


def _chance(made: Any, spans: Sequence[tuple[int, int]], reports: Sequence[int]) -> Fraction:
    """The chance of all reports: each value has one kept answer, from which its reports are
    drawn.
    """
    chance = Fraction(1)
    for value in {value for value, _ in spans}:
        told = [
            (report, n) for (held, n), report in zip(spans, reports, strict=True) if held == value
        ]
        chance *= _of_value(made, value, told)
    return chance


def _of_value(made: Any, value: int, told: Sequence[tuple[int, int]]) -> Fraction:
    if isinstance(made, Rappor):
        return _of_bits(made, value, told)
    rounds = made._rounds if isinstance(made, RepeatedHash) else made
    first, fresh = rounds.first, rounds.fresh
    return sum(
        (
            _kary(first, value, kept)
            * math.prod((_kary(fresh, kept, report) ** n for report, n in told), start=Fraction(1))
            for kept in range(first.size)
        ),
        Fraction(0),
    )


def _kary(response: KaryResponse, value: int, report: int) -> Fraction:
    return (response.odds if value == report else Fraction(1)) / (response.odds + response.size - 1)


def _of_bits(made: Rappor, value: int, told: Sequence[tuple[int, int]]) -> Fraction:
    """A report is the row of bits in which one is 1; each bit has a permanent one of its own."""
    chance = Fraction(1)
    for bit in range(made.size):
        held = (1 - made.noise / 2) if bit == value else made.noise / 2
        ways = Fraction(0)
        for kept, weight in ((1, held), (0, 1 - held)):
            up = made.one if kept else made.zero
            ways += weight * math.prod(
                ((up if report == bit else 1 - up) ** n for report, n in told), start=Fraction(1)
            )
        chance *= ways
    return chance


def make(number: int) -> Case:
    """A design and two lifetimes of as many reports: constant ones, and ones with a few changes."""
    rng = Random(f"histories {number}")
    design = ("RepeatedHash", "RepeatedResponse", "Rappor")[number % 3]
    given: tuple[Any, ...] = (
        (rng.choice((2, 3)), "1/2", "3/4", "1/4")
        if design == "Rappor"
        else (rng.choice((1, 2)), "1/2", rng.choice((2, 3, 4)))
    )
    span = rng.choice((1, 5, 20, 60))
    plain = ((0, 2 * span),)
    changing = rng.choice(
        (
            ((0, span), (1, span)),
            ((1, span), (0, span)),
            ((1, 2 * span),),
            ((1, 1), (0, 2 * span - 1)),
        )
    )
    return Lifetimes(design, given, plain, changing)
