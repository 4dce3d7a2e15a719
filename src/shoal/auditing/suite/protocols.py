"""Every local protocol: one report of one person, under two values."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from shoal.auditing.suite.case import Case
from shoal.local import TransitionMatrix, crosswise, warner
from shoal.local.protocols.attributes import FakedAttributes, SampledAttributes, SplitAttributes
from shoal.local.protocols.bloom import BloomRappor
from shoal.local.protocols.heavy_hitters import HeavyHitters
from shoal.local.protocols.numeric import (
    Coordinates,
    Hybrid,
    NoisyNumber,
    OneBit,
    Piecewise,
    UnitVector,
)
from shoal.local.protocols.oracles import (
    HadamardResponse,
    KaryResponse,
    LinearHash,
    LineSelection,
    LocalHash,
    Rappor,
    SubsetSelection,
    UnaryEncoding,
)
from shoal.local.protocols.ranges import IntervalTree, SquareWave
from shoal.local.protocols.repeated import RepeatedHash, RepeatedResponse
from shoal.local.protocols.statistical import StatisticalQueries
from shoal.measures import Measure, Pure

SAMPLES = 60_000
ODDS = Fraction(11, 4)
_COHORT = 0


def _rappor(made: BloomRappor, text: str, wanted: int) -> Any:
    """Reports of one text in one cohort, bit by bit."""
    reports = made.report([text] * wanted, cohorts=np.full(wanted, _COHORT))
    return np.unpackbits(reports, axis=1, count=made.bits)


def _prefixes(made: HeavyHitters, value: int) -> Any:
    """One person's report: which length it is of, and what it says."""
    found = made.report(np.array([value]))
    place = next(at for at, each in enumerate(found) if len(each))
    told = found[place][0].tolist()
    return (place, *told) if isinstance(told, tuple | list) else (place, told)


def _everyone(made: tuple[Pure, int], value: float) -> float:
    """A mean over people who all but one have the value 0."""
    people = np.zeros(made[1])
    people[0] = value
    asked = StatisticalQueries(
        people, tolerance="0.9", queries=1, failure="0.5", epsilon=made[0].epsilon
    )
    return asked.ask(lambda each: each)


def _hashed(made: RepeatedHash, value: int, wanted: int) -> Any:
    """The first report of new people: their hash, and what it says of their bucket."""
    return made.report(made.start(wanted), np.full(wanted, value))


def _several(made: RepeatedResponse, value: int, wanted: int) -> Any:
    """Three reports of one kept answer."""
    kept = made.permanent(np.full(wanted, value))
    return np.stack([made.report_again(kept) for _ in range(3)], axis=1)


def _lifetime(made: RepeatedResponse) -> Measure:
    return Pure(made.lifetime_epsilon)


PROTOCOLS = (
    Case("warner's design", ("Design",), lambda: warner("3/4"), 0, 1, samples=SAMPLES),
    Case("crosswise design", ("Design",), lambda: crosswise("1/4"), 0, 1, samples=SAMPLES),
    Case(
        "transition matrix",
        ("TransitionMatrix",),
        lambda: TransitionMatrix.for_epsilon(1, answers=["a", "b"]),
        0,
        1,
        samples=SAMPLES // 3,
    ),
    Case("k-ary response", ("KaryResponse",), lambda: KaryResponse(5, ODDS), 0, 4, samples=SAMPLES),
    Case(
        "unary encoding",
        ("UnaryEncoding",),
        lambda: UnaryEncoding(4, own=Fraction(5, 8), other=Fraction(3, 8)),
        0,
        3,
        samples=SAMPLES,
    ),
    Case(
        "rappor",
        ("Rappor",),
        lambda: Rappor.of(size=4, noise="1/2", one="3/4", zero="1/4"),
        0,
        3,
        samples=SAMPLES,
    ),
    Case("local hash", ("LocalHash",), lambda: LocalHash(5, ODDS, 4, 8), 0, 4, samples=SAMPLES),
    Case("linear hash", ("LinearHash",), lambda: LinearHash(7, ODDS, 3), 0, 6, samples=SAMPLES),
    Case(
        "hadamard response",
        ("HadamardResponse",),
        lambda: HadamardResponse(5, ODDS, 1),
        0,
        4,
        samples=SAMPLES,
    ),
    Case(
        "subset selection",
        ("SubsetSelection",),
        lambda: SubsetSelection(6, ODDS, 2),
        0,
        5,
        samples=SAMPLES,
    ),
    Case(
        "line selection",
        ("LineSelection",),
        lambda: LineSelection(6, ODDS, 7, 3),
        0,
        5,
        samples=SAMPLES,
    ),
    Case(
        "one bit",
        ("OneBit",),
        lambda: OneBit.for_epsilon(1, low=0, high=1),
        0.0,
        1.0,
        samples=SAMPLES,
    ),
    Case(
        "piecewise",
        ("Piecewise",),
        lambda: Piecewise.for_epsilon(1, low=0, high=1),
        0.0,
        1.0,
        samples=SAMPLES,
    ),
    Case(
        "hybrid",
        ("Hybrid",),
        lambda: Hybrid.for_epsilon(1, low=0, high=1),
        0.0,
        1.0,
        samples=SAMPLES,
    ),
    Case(
        "noisy number",
        ("NoisyNumber",),
        lambda: NoisyNumber.laplace(1, low=0, high=1),
        0.0,
        1.0,
        samples=SAMPLES,
    ),
    Case(
        "coordinates",
        ("Coordinates",),
        lambda: Coordinates.for_epsilon(1, dimensions=2, low=0, high=1),
        [0.0, 0.0],
        [1.0, 1.0],
        samples=SAMPLES,
    ),
    Case(
        "unit vector",
        ("UnitVector",),
        lambda: UnitVector.for_epsilon(1, dimensions=2),
        [1.0, 0.0],
        [-1.0, 0.0],
        samples=SAMPLES // 3,
    ),
    Case(
        "interval tree",
        ("IntervalTree",),
        lambda: IntervalTree.for_epsilon(1, size=16),
        0,
        15,
        samples=SAMPLES // 3,
    ),
    Case(
        "square wave",
        ("SquareWave",),
        lambda: SquareWave.for_epsilon(1, bins=16),
        0,
        15,
        samples=SAMPLES,
    ),
    Case(
        "split attributes",
        ("SplitAttributes",),
        lambda: SplitAttributes.for_epsilon(1, sizes=[2, 3]),
        [0, 0],
        [1, 2],
        samples=SAMPLES,
    ),
    Case(
        "sampled attributes",
        ("SampledAttributes",),
        lambda: SampledAttributes.for_epsilon(1, sizes=[2, 3]),
        [0, 0],
        [1, 2],
        samples=SAMPLES,
    ),
    Case(
        "faked attributes",
        ("FakedAttributes",),
        lambda: FakedAttributes.for_epsilon(1, sizes=[2, 3]),
        [0, 0],
        [1, 2],
        samples=SAMPLES,
    ),
    Case(
        "bloom filters",
        ("BloomRappor",),
        lambda: BloomRappor.of(bits=8, hashes=1, cohorts=2, noise="1/2", one="3/4", zero="1/2"),
        "a",
        "b",
        many=_rappor,
        samples=SAMPLES // 3,
    ),
    Case(
        "heavy hitters",
        ("HeavyHitters",),
        lambda: HeavyHitters.for_epsilon(1, bits=4, first=2, step=2),
        0,
        15,
        act=_prefixes,
        samples=4_000,
    ),
    Case(
        "statistical queries",
        ("StatisticalQueries",),
        lambda: (Pure(1), 400),
        0.0,
        1.0,
        act=_everyone,
        claim=lambda made: made[0],
        samples=4_000,
    ),
    Case(
        "repeated response",
        ("RepeatedResponse",),
        lambda: RepeatedResponse.for_epsilons(2, single=1, size=3),
        0,
        2,
        many=_several,
        claim=_lifetime,
        samples=SAMPLES,
    ),
    Case(
        "repeated hash",
        ("RepeatedHash",),
        lambda: RepeatedHash.for_epsilons(2, single=1, size=8),
        0,
        7,
        many=_hashed,
        claim=lambda made: Pure(made.together.epsilon),
        samples=SAMPLES // 3,
    ),
)
