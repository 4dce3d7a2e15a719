"""The doors of local protocols: values that are no answers, and reports that no device sent, are
refused alike everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from shoal import RandomizedResponse
from shoal.errors import DataError, InputError, ShapeError
from shoal.local import TransitionMatrix, warner
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
from shoal.mechanisms import Laplace
from shoal.mechanisms.values import array_of, real_array

PEOPLE = 40
ODDS = Fraction(11, 4)
INDICES = np.arange(PEOPLE) % 2
REALS = np.linspace(0, 1, PEOPLE)


class Raising:
    """A value that raises, and says what it is about, whatever is done with it."""

    def _fail(self, *_: Any) -> Any:
        raise RuntimeError("Anna has HIV")

    __array__ = __float__ = __int__ = __index__ = __len__ = __getitem__ = __iter__ = _fail


@dataclass(frozen=True)
class Protocol:
    """Values as people have them, and the two doors: one for values, and one for reports."""

    values: Any
    report: Callable[[Any], Any]
    estimate: Callable[[Any], Any]


def of(made: Any, values: Any) -> Protocol:
    return Protocol(values, made.report, made.estimate)


BLOOM = BloomRappor.of(bits=6, hashes=2, cohorts=3, noise="1/2", one="3/4", zero="1/4")
COHORTS = np.arange(PEOPLE) % 3
HEAVY = HeavyHitters.for_epsilon(4, bits=4, first=2, step=2)
RESPONSE = RepeatedResponse.for_epsilons(2, single=1, size=3)
HASH = RepeatedHash.for_epsilons(2, single=1, size=8)
HASHED = HASH.start(PEOPLE)
RAPPOR = Rappor.of(size=5, noise="1/2", one="3/4", zero="1/4")
PAIRS = np.stack([INDICES, INDICES], axis=1)
PROTOCOLS: dict[str, Protocol] = {
    "RandomizedResponse": Protocol(INDICES, RandomizedResponse(epsilon=1, categories=3).release, RandomizedResponse(epsilon=1, categories=3).estimate),
    "Design": Protocol(INDICES, warner("3/4").release, warner("3/4").estimate),
    "TransitionMatrix": Protocol(INDICES, TransitionMatrix.for_epsilon(1, answers=["a", "b"]).release, TransitionMatrix.for_epsilon(1, answers=["a", "b"]).estimate),
    "KaryResponse": of(KaryResponse(5, ODDS), INDICES),
    "UnaryEncoding": of(UnaryEncoding.optimised(1, size=5), INDICES),
    "Rappor": Protocol(INDICES, RAPPOR.permanent, RAPPOR.estimate),
    "Rappor again": Protocol(INDICES, RAPPOR.report, RAPPOR.report_again),
    "LocalHash": of(LocalHash(5, ODDS, 4, 8), INDICES),
    "LinearHash": of(LinearHash(7, ODDS, 3), INDICES),
    "HadamardResponse": of(HadamardResponse(5, ODDS, 1), INDICES),
    "SubsetSelection": of(SubsetSelection(6, ODDS, 2), INDICES),
    "LineSelection": of(LineSelection(6, ODDS, 7, 3), INDICES),
    "OneBit": of(OneBit.for_epsilon(1, low=0, high=1), REALS),
    "Piecewise": of(Piecewise.for_epsilon(1, low=0, high=1), REALS),
    "Hybrid": of(Hybrid.for_epsilon(1, low=0, high=1), REALS),
    "NoisyNumber": of(NoisyNumber.laplace(1, low=0, high=1), REALS),
    "Coordinates": of(Coordinates.for_epsilon(6, dimensions=3, low=0, high=1), np.tile(REALS[:, None], (1, 3))),
    "UnitVector": of(UnitVector.for_epsilon(1, dimensions=2), np.stack([REALS + 1, REALS], axis=1)),
    "IntervalTree": of(IntervalTree.for_epsilon(1, size=4), INDICES),
    "SquareWave": of(SquareWave.for_epsilon(1, bins=4), INDICES),
    "SplitAttributes": of(SplitAttributes.for_epsilon(1, sizes=[2, 3]), PAIRS),
    "SampledAttributes": of(SampledAttributes.for_epsilon(1, sizes=[2, 3]), PAIRS),
    "FakedAttributes": of(FakedAttributes.for_epsilon(1, sizes=[2, 3]), PAIRS),
    "BloomRappor": Protocol(["a", "b"] * (PEOPLE // 2), lambda v: BLOOM.report(v, cohorts=COHORTS), lambda r: BLOOM.count(r, cohorts=COHORTS)),
    "BloomRappor again": Protocol(["a", "b"] * (PEOPLE // 2), lambda v: BLOOM.permanent(v, cohorts=COHORTS), BLOOM.report_again),
    "a cohort": Protocol(COHORTS, lambda c: BLOOM.report(["a"] * PEOPLE, cohorts=c), lambda r: BLOOM.count(r, cohorts=COHORTS)),
    "HeavyHitters": Protocol(INDICES, lambda v: HEAVY.report(v)[0], lambda r: HEAVY.find([r, *HEAVY.report(INDICES)[1:]])),
    "RepeatedResponse": Protocol(INDICES, RESPONSE.permanent, RESPONSE.report_again),
    "RepeatedHash": Protocol(INDICES, lambda v: HASH.report(HASHED, v), lambda r: HASH.tally().add(r).estimate()),
}  # fmt: skip
HOSTILE: dict[str, Callable[[Any], Any]] = {
    "masked": lambda good: np.ma.masked_array(
        np.asarray(good), mask=np.asarray(good) == np.asarray(good).flat[0]
    ),
    "a masked entry": lambda good: [np.ma.masked, *list(np.asarray(good))[1:]],
    "complex": lambda good: as_numbers(good) + 1j,
    "complex without imaginary parts": lambda good: as_numbers(good).astype(complex),
    "texts": lambda good: ["Anna"] * len(good) if not isinstance(good, list) else [1] * len(good),
    "one text": lambda good: [*as_numbers(good).tolist()[1:], "Anna"],
    "None": lambda good: [None] * len(good),
    "one None": lambda good: [*as_numbers(good).tolist()[1:], None],
    "NaN": lambda good: np.full(np.shape(as_numbers(good)), np.nan),
    "one NaN": lambda good: [*as_numbers(good).tolist()[1:], float("nan")],
    "a dict": lambda good: {"Anna": 1},
    "nothing": lambda good: None,
    "ragged": lambda good: [[1], [2, 3], "Anna"],
    "huge": lambda good: [10**5000] * len(good),
    "times": lambda good: np.full(np.shape(as_numbers(good)), np.datetime64("2020-01-01")),
    "raising": lambda good: [Raising()] * len(good),
    "a raising list": lambda good: Raising(),
    "surrogates": lambda good: ["\ud800"] * len(good),
    "negative": lambda good: (
        -1 - np.arange(np.size(as_numbers(good))).reshape(np.shape(as_numbers(good)))
    ),
    "too deep": lambda good: np.zeros((2, 2, 2, 2), dtype=np.int64),
}
REAL_VALUES = {"OneBit", "Piecewise", "Hybrid", "NoisyNumber", "Coordinates", "UnitVector"}
each_protocol = pytest.mark.parametrize("name", PROTOCOLS)
each_hostile = pytest.mark.parametrize("kind", HOSTILE)


def as_numbers(good: Any) -> Any:
    return np.arange(len(good)) if isinstance(good, list) else np.asarray(good)


def is_fine(name: str, kind: str) -> bool:
    """Numbers outside the range of a mean are cut to it, and a flat list is a list however deep it
    is.
    """
    return name in REAL_VALUES and kind in {"negative", "too deep"}


@each_protocol
@each_hostile
def test_values_that_are_no_answers_are_refused_without_being_quoted(name: str, kind: str) -> None:
    protocol = PROTOCOLS[name]
    if is_fine(name, kind) or (kind == "too deep" and refuses_no_depth(name)):
        return
    with pytest.raises(InputError) as refused:
        protocol.report(HOSTILE[kind](protocol.values))
    assert "Anna" not in str(refused.value)
    assert "ud800" not in ascii(str(refused.value))


def refuses_no_depth(name: str) -> bool:
    """Values of these are read in any shape, as one flat list."""
    return name not in {"Coordinates", "UnitVector", "SplitAttributes", "SampledAttributes", "FakedAttributes", "BloomRappor", "BloomRappor again", "a cohort", "RepeatedHash"}  # fmt: skip


@each_protocol
@each_hostile
def test_reports_that_no_device_sent_are_refused_without_being_quoted(name: str, kind: str) -> None:
    protocol = PROTOCOLS[name]
    if kind == "negative" and name in {"NoisyNumber", "UnitVector"}:
        return  # noise goes below 0
    if kind == "too deep" and name in {"RandomizedResponse", "Design", "TransitionMatrix", "SquareWave", "NoisyNumber", "RepeatedResponse"}:  # fmt: skip
        return
    reports = protocol.report(protocol.values)
    with pytest.raises(InputError) as refused:
        protocol.estimate(HOSTILE[kind](reports))
    assert "Anna" not in str(refused.value)


@each_protocol
def test_good_values_and_their_reports_pass(name: str) -> None:
    protocol = PROTOCOLS[name]
    protocol.estimate(protocol.report(protocol.values))


# what used to be counted


@pytest.mark.parametrize("oracle", [UnaryEncoding.optimised(1, size=5), RAPPOR])
def test_bits_beyond_the_last_value_are_no_part_of_a_report(oracle: UnaryEncoding) -> None:
    good = oracle.report([1, 2, 3])
    bad = good.copy()
    bad[1, 0] |= 1
    with pytest.raises(DataError, match="cannot come from"):
        oracle.estimate(bad)
    assert oracle.tally().add(good).people == 3


def test_a_bloom_report_with_bits_beyond_its_last_is_refused() -> None:
    bad = BLOOM.report(["a"], cohorts=np.zeros(1, dtype=np.int64))
    bad[0, 0] |= 1
    for act in (
        lambda: BLOOM.count(bad, cohorts=np.zeros(1, dtype=np.int64)),
        lambda: BLOOM.report_again(bad),
    ):
        with pytest.raises(DataError):
            act()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_mean_is_never_made_of_reports_that_are_not_finite(bad: float) -> None:
    with pytest.raises(InputError):
        NoisyNumber.laplace(1, low=0, high=1).estimate([0.5, bad])


def test_infinite_values_are_cut_to_the_range() -> None:
    for made in (OneBit.for_epsilon(1, low=0, high=1), NoisyNumber.laplace(1, low=0, high=1)):
        assert np.isfinite(made.report([np.inf, -np.inf])).all()


@pytest.mark.parametrize(
    ("protocol", "report"),
    [("SampledAttributes", [7, 0]), ("IntervalTree", [9, 0]), ("SampledAttributes", [-1, 0])],
)
def test_a_report_of_a_choice_that_is_not_there_is_refused_and_not_left_out(
    protocol: str, report: list[int]
) -> None:
    good = np.asarray(PROTOCOLS[protocol].report(PROTOCOLS[protocol].values))
    with pytest.raises(DataError):
        PROTOCOLS[protocol].estimate(np.concatenate([good, [report]]))


def test_a_report_that_names_one_coordinate_twice_is_refused() -> None:
    made = Coordinates.for_epsilon(6, dimensions=3, low=0, high=1)
    told = made.report(np.zeros((4, 3)))
    told[0, 1, 0] = told[0, 0, 0]
    with pytest.raises(DataError):
        made.estimate(told)


def test_what_numpy_says_of_a_list_is_not_passed_on() -> None:
    with pytest.raises(ShapeError) as refused:
        array_of(["Anna", Raising(), [1]], what="values")
    assert "Anna" not in str(refused.value)
    with pytest.raises(ShapeError, match="real numbers"):
        real_array([1 + 2j], what="values")
    with pytest.raises(ShapeError):
        NoisyNumber.laplace(1, low=0, high=1).report(["a"])


@pytest.mark.parametrize("far", [[1e308] * 3, [1e308, -1e308], [1e200, -1e200]])
def test_reports_whose_mean_or_spread_is_no_number_are_refused(far: list[float]) -> None:
    """No noise reaches so far: somebody made them up, and the mean was infinite."""
    with pytest.raises(DataError, match="cannot come from"):
        NoisyNumber(Fraction(0), Fraction(10), Laplace.for_epsilon(1, sensitivity=10)).estimate(far)
