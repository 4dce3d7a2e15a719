"""Whatever runs on private rows is total: one hostile row more or less changes no kind of
outcome.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import shoal.functions
import shoal.mechanisms
from shoal import Grid, Histogram, Pure, privatize
from shoal.errors import ShapeError
from shoal.functions import (
    Bernstein,
    Distribution,
    InverseSensitivity,
    KernelDensity,
    KernelRegression,
    LossSurface,
    NarrowingMean,
    PriestleyChao,
    ProposeTestRelease,
    QuantileClippedMean,
    RocCurve,
    SampleAndAggregate,
    SmoothArsinhNormal,
    SmoothCauchy,
    Smoothed,
    SmoothGaussian,
    SmoothLaplace,
    StableHistogram,
    StableMode,
    TriangleCount,
    TrimmedMean,
)
from shoal.local.protocols.statistical import StatisticalQueries, people_needed
from shoal.mechanisms.total_functions import called, number_of
from shoal.noise.seam import seeded


class Raising:
    """A row that raises, whatever is done with it, and says something about a person."""

    def _fail(self, *_: Any) -> Any:
        raise RuntimeError("Anna has HIV")

    __eq__ = __hash__ = __float__ = __int__ = __index__ = __iter__ = __len__ = __repr__ = _fail
    __lt__ = __gt__ = __le__ = __ge__ = __add__ = __radd__ = __bool__ = __getattr__ = _fail

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        raise RuntimeError("Anna has HIV")


class Number(float):
    """A number with manners of its own."""

    def as_integer_ratio(self) -> Any:
        raise RuntimeError("Anna has HIV")

    __float__ = __eq__ = __hash__ = as_integer_ratio  # type: ignore[assignment]


def deep(levels: int) -> Any:
    row: Any = ()
    for _ in range(levels):
        row = (row,)
    return row


HOSTILE = [
    float("nan"),
    float("inf"),
    float("-inf"),
    None,
    10**5000,
    -(10**5000),
    "\ud800",
    "Anna",
    b"\xff",
    deep(1000),
    deep(200_000),
    [1, 2, 3],
    {"a": 1},
    Raising(),
    Number(0.5),
    1j,
    True,
    np.ma.masked,
    np.ma.array([1.0], mask=[True]),
    np.datetime64("NaT"),
    np.timedelta64(1, "s"),
    np.longdouble("inf"),
    Decimal("sNaN"),
    Decimal("1E+100000"),
    lambda: None,
    type,
]
ROWS = [0.25, 0.5, 0.75, 1.0]
NAMES = [type(row).__name__ + str(place) for place, row in enumerate(HOSTILE)]
hostile = pytest.mark.parametrize("place", range(len(HOSTILE)), ids=NAMES)


def objects(*rows: Any) -> Any:
    found = np.empty(len(rows), dtype=object)
    for place, row in enumerate(rows):
        found[place] = row
    return found


def array(row: Any) -> Any:
    return objects(*ROWS, row)


def listed(row: Any) -> Any:
    return [*ROWS, row]


def steady(row: Any) -> Any:
    return ["tea"] * 90 + [row]


def edges(row: Any) -> Any:
    return [(0, 1), (1, 2), (0, 2), row]


MEDIAN = TrimmedMean.median(size=5, low=0, high=1)
MIDDLE = InverseSensitivity.median(epsilon=1, size=3, low=0, high=1, points=9)
ENDS: dict[str, Any] = {"size": 5, "low": 0, "high": 1}
Act = Callable[[Any], Any]
ACTS: dict[str, Act] = {
    "Histogram": lambda row: Histogram.for_epsilon(1).release(listed(row), categories=[0.25, (1, "a"), 1, "x"]),
    "StableHistogram": lambda row: StableHistogram(epsilon=1, delta="1e-6").release(steady(row)),
    "StableMode": lambda row: StableMode(epsilon=1, delta="1e-6").release(steady(row)),
    "TrimmedMean": lambda row: SmoothCauchy(epsilon=1).release(MEDIAN, listed(row)),
    "SmoothCauchy": lambda row: SmoothCauchy(epsilon=1).release(MEDIAN, array(row)),
    "SmoothLaplace": lambda row: SmoothLaplace(epsilon=1, delta="1e-6").release(MEDIAN, listed(row)),
    "SmoothGaussian": lambda row: SmoothGaussian(epsilon=1, delta="1e-6").release(MEDIAN, listed(row)),
    "SmoothArsinhNormal": lambda row: SmoothArsinhNormal(rho=1).release(MEDIAN, listed(row)),
    "TriangleCount": lambda row: SmoothCauchy(epsilon=1).release(TriangleCount(nodes=4), edges(row)),
    "an end of an edge": lambda row: SmoothCauchy(epsilon=1).release(TriangleCount(nodes=4), edges((row, 1))),
    "ProposeTestRelease": lambda row: ProposeTestRelease(epsilon=1, delta="1e-6", bound=1).release(MEDIAN, listed(row)),
    "InverseSensitivity": lambda row: InverseSensitivity.mean(epsilon=1, points=9, **ENDS).release(listed(row)),
    "QuantileClippedMean": lambda row: QuantileClippedMean(rho=1, points=9, rank=1, **ENDS).release(listed(row)),
    "NarrowingMean": lambda row: NarrowingMean(rho=1, spread=1, **ENDS).release(array(row)),
    "Smoothed": lambda row: Smoothed(SmoothCauchy(epsilon=1), MEDIAN).release(listed(row)),
    "SampleAndAggregate": lambda row: SampleAndAggregate(aggregator=MIDDLE, otherwise=0).release(sum, listed(row)),
    "a value of a block": lambda row: SampleAndAggregate(aggregator=MIDDLE, otherwise=0).release(lambda _: row, [1, 2, 3]),
    "RocCurve": lambda row: RocCurve.for_epsilon(1, relation="change", cells=4).release(array(row), objects(*[True] * 5)),
    "a label": lambda row: RocCurve.for_epsilon(1, relation="change", cells=4).release(np.array([*ROWS, 0.0]), objects(True, True, False, False, row)),
    "Distribution": lambda row: Distribution.for_epsilon(1, relation="change", cells=4, low=0, high=1).release(array(row)),
    "KernelDensity": lambda row: KernelDensity.for_epsilon(1, relation="change", degree=2).release(array(row)),
    "KernelRegression": lambda row: KernelRegression.for_epsilon(1, relation="change", low=0, high=1, degree=2).release(array(row), array(row)),
    "two columns": lambda row: KernelRegression.for_epsilon(1, relation="change", low=0, high=1, degree=2, dims=2).release(objects(*[(0.5, 0.5)] * 4, row), array(row)),
    "PriestleyChao": lambda row: PriestleyChao.for_epsilon(1, relation="change", low=0, high=1, degree=2).release(array(row), array(row)),
    "LossSurface": lambda row: LossSurface.for_epsilon(1, relation="change", loss="hinge", domain=[(-1, 1)], degree=2).release(array(row), array(row)),
    "Privatized": lambda row: privatize(lambda rows: sum(rows) / len(rows), sensitivity=1, epsilon=1).release(listed(row)),
    "a privatized value": lambda row: privatize(lambda _: row, sensitivity=1, epsilon=1).release(ROWS),
    "privatized values": lambda row: privatize(lambda _: [1.0, row], sensitivity=1, epsilon=1, size=2).release(ROWS),
    "a score": lambda row: privatize(lambda _: {"a": 1, "b": row}, candidates="ab", sensitivity=1, epsilon=1).release(ROWS),
    "scores": lambda row: privatize(lambda _: row, candidates="ab", sensitivity=1, epsilon=1).release(ROWS),
    "a privatized curve": lambda row: privatize(lambda _: lambda points: row, sensitivity=1, epsilon=1, degree=2).release(ROWS),
    "Bernstein": lambda row: Bernstein.for_epsilon(1, sensitivity=1, degree=2).release(lambda points: row),
}  # fmt: skip
NOT_OF_ROWS = {
    *("AboveThreshold", "SparseVector", "Laplace", "Gaussian", "DiscreteGaussian", "Geometric"),
    *("TruncatedGeometric", "Staircase", "Exponential", "NoisyMax", "PermuteAndFlip", "TopK"),
    *("Sampler", "SparseVectorRun", "SmoothStatistic"),
    "RandomizedResponse",  # each answer is that of its own sender: tests/local/protocols/test_doors.py
}


def outcome(act: Act, row: Any) -> Any:
    """All that is public about an outcome: its kind, the text of an error, the types of what is
    told.
    """
    with seeded("total"):
        try:
            found = act(row)
        except BaseException as raised:  # noqa: BLE001 - every one is an outcome
            return type(raised), str(raised)
    names = sorted(map(repr, found)) if isinstance(found, dict) else None
    return type(found), names, getattr(found, "shape", None), getattr(found, "dtype", None)


@hostile
@pytest.mark.parametrize("name", ACTS)
def test_one_hostile_row_changes_no_kind_of_outcome(name: str, place: int) -> None:
    row = HOSTILE[place]
    told = outcome(ACTS[name], row)
    assert told == outcome(ACTS[name], 0.5)
    assert not issubclass(told[0], BaseException)


def test_every_class_that_releases_rows_is_among_them() -> None:
    releasing = {
        name
        for module in (shoal.functions, shoal.mechanisms)
        for name in module.__all__
        if any(hasattr(getattr(module, name), act) for act in ("release", "ask", "reading"))
    }
    assert releasing - set(ACTS) - NOT_OF_ROWS == set()


# what stands for a row that has no value


@hostile
def test_a_row_counts_alike_in_an_array_of_objects_and_in_a_list(place: int) -> None:
    row = HOSTILE[place]
    rows = MEDIAN.rows
    assert rows.steps(array(row)).tolist() == rows.steps(listed(row)).tolist()


@pytest.mark.parametrize("row", [np.nan, np.inf, -np.inf, 0.5, -3.0, 1e300])
def test_a_row_counts_alike_in_an_array_of_floats_and_in_one_of_objects(row: float) -> None:
    rows = MEDIAN.rows
    floats = np.array([*ROWS, row])
    assert rows.steps(floats).tolist() == rows.steps(array(row)).tolist()
    curve = Distribution.for_epsilon(1, relation="change", cells=4, low=0, high=1)
    assert curve.sums(floats).tolist() == curve.sums(array(row)).tolist()


def test_a_number_beyond_an_end_is_that_end_and_what_is_no_number_the_low_end() -> None:
    rows = TrimmedMean.median(size=6, low=0, high=4, grid=Grid(0)).rows
    assert rows.steps([-7, 10**5000, np.inf, -np.inf, None, "4"]).tolist() == [0, 4, 4, 0, 0, 0]


@pytest.mark.parametrize("row", [None, "a", 10**400, (1, 2)])
def test_one_row_moves_sums_by_no_more_than_a_row_of_numbers_does(row: Any) -> None:
    for curve in (
        Distribution.for_epsilon(1, relation="add_remove", cells=4, low=0, high=1),
        KernelDensity.for_epsilon(1, relation="add_remove", degree=2),
    ):
        moved = np.abs(curve.sums(array(row)) - curve.sums(np.array(ROWS))).sum()
        assert 0 < moved <= curve.sensitivity.value


def test_a_category_is_the_same_beside_rows_that_are_none() -> None:
    for row in HOSTILE:
        with seeded(3):
            told = Histogram(scale="1e-3").release([*["tea"] * 5, row], categories=["tea", "milk"])
        assert told == {"tea": 5, "milk": 0}


class Colour:
    """A category with manners of its own, and rows of its type that fail to be compared."""

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("Anna has HIV")


def test_a_row_of_a_categorys_own_type_that_fails_to_be_looked_up_is_in_no_category() -> None:
    with seeded(3):
        told = Histogram(scale="1e-3").release([Colour(), "tea"], categories=[Colour(), "tea"])
    assert list(told.values()) == [0, 1]


def test_scores_that_a_function_leaves_out_count_as_the_public_number() -> None:
    from collections import Counter  # noqa: PLC0415 - what a caller would hand in

    letters = privatize(Counter, candidates="abc", sensitivity=1, epsilon=60, otherwise=-5)
    with seeded("counter"):
        assert {letters.release("aab") for _ in range(20)} == {"a"}
        assert {letters.release("xyz") for _ in range(40)} == {"a", "b", "c"}


@pytest.mark.parametrize("rows", [[], [0.5], [1], [0.5, 1]])
def test_an_answer_has_one_type_whatever_the_rows(rows: list[Any]) -> None:
    """The sum of no rows is an integer, that of reals a float, and a mean of none has no value at
    all.
    """
    for function in (sum, lambda rows: sum(rows) / len(rows), np.mean, len):
        assert type(privatize(function, sensitivity=1, epsilon=1).release(rows)) is float
    two = privatize(lambda rows: rows, sensitivity=1, epsilon=1, size=2).release(rows)
    assert (two.shape, two.dtype) == ((2,), np.float64)


def test_what_a_function_does_not_give_is_the_public_number_it_was_declared_with() -> None:
    def failing(_: Any) -> Any:
        raise ZeroDivisionError("Anna")

    for function in (failing, lambda _: np.nan, lambda _: [1, 2], lambda _: "seven"):
        made = privatize(function, sensitivity="1e-9", epsilon=1, otherwise=40)
        assert made.release([1]) == pytest.approx(40, abs=1e-6)


# exceptions of every kind


class Stop(BaseException):
    """An exception that `except Exception` lets through."""


@pytest.mark.parametrize(
    "raised",
    [SystemExit, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError, Stop, MemoryError, RecursionError, StopIteration],
)  # fmt: skip
def test_nothing_that_a_function_raises_on_rows_comes_out(raised: type[BaseException]) -> None:
    def function(_: Any) -> Any:
        raise raised("Anna has HIV")

    try:
        assert called(function, [1, 2], read=lambda each: each, otherwise=0) == [0, 0]
        SampleAndAggregate(aggregator=MIDDLE, otherwise=0).release(function, [1, 2, 3])
        privatize(function, sensitivity=1, epsilon=1).release([1])
        assert asked_of(function).asked == 1
    except raised:
        pytest.fail("what the function raised came out")


@contextlib.contextmanager
def handling(handler: Any) -> Iterator[None]:
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)


def interrupted(_: Any) -> Any:
    try:
        os.kill(os.getpid(), signal.SIGINT)
        for _step in range(10**6):  # the signal arrives between two steps of Python
            pass
    except (KeyboardInterrupt, OSError):
        raise ValueError("Anna has HIV") from None


def test_an_interrupt_from_the_keyboard_goes_on_to_the_caller_without_a_word_of_the_function() -> (
    None
):
    with handling(signal.default_int_handler):
        with pytest.raises(KeyboardInterrupt) as passed:
            called(interrupted, [1], otherwise=0)
        assert passed.value.args == ()
        assert passed.value.__context__ is None


def test_an_interrupt_carries_no_word_that_the_function_adds_to_it() -> None:
    def talking(_: Any) -> Any:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as stopped:
            stopped.args = ("Anna has HIV",)
            stopped.add_note("Anna has HIV")
            stopped.row = "Anna has HIV"  # type: ignore[attr-defined]
            raise stopped from ValueError("Anna has HIV")

    with handling(signal.default_int_handler):
        with pytest.raises(KeyboardInterrupt) as passed:
            called(talking, [1], otherwise=0)
        assert "Anna" not in "".join(traceback.format_exception(passed.value))
        assert (passed.value.args, vars(passed.value)) == ((), {})


def test_a_handler_that_a_function_installs_is_gone_at_the_next_row() -> None:
    def function(row: int) -> Any:
        if row == 1:
            return signal.signal(signal.SIGINT, lambda *_: leaking())
        return signal.raise_signal(signal.SIGINT)

    def leaking() -> None:
        raise RuntimeError("Anna has HIV")

    with handling(signal.default_int_handler), pytest.raises(KeyboardInterrupt) as passed:
        called(function, [1, 2], otherwise=0)
    assert passed.value.args == ()


@pytest.mark.parametrize("raised", [KeyboardInterrupt, OSError])
def test_what_the_handler_of_a_program_raises_goes_on_to_the_caller(
    raised: type[BaseException],
) -> None:
    def handler(*_: Any) -> None:
        raise raised("stopped by the program")

    with handling(handler), pytest.raises(raised, match="stopped by the program") as passed:
        called(interrupted, [1], otherwise=0)
    assert passed.value.__context__ is None


@pytest.mark.parametrize(
    "handler", [signal.default_int_handler, signal.SIG_IGN, signal.SIG_DFL, lambda *_: None]
)
def test_whoever_handles_interrupts_one_that_the_function_raises_stays_inside(handler: Any) -> None:
    def function(_: Any) -> Any:
        raise KeyboardInterrupt("Anna has HIV")

    with handling(handler):
        assert called(function, [1], otherwise=0) == [0]


def test_a_handler_that_lets_the_program_go_on_stops_nothing() -> None:
    seen: list[int] = []
    with handling(lambda number, _: seen.append(number)):
        assert called(interrupted, [1], otherwise=0) == [None]
    assert seen == [signal.SIGINT]


def test_in_another_thread_an_interrupt_can_only_be_the_functions_own() -> None:
    def function(_: Any) -> Any:
        raise KeyboardInterrupt

    found: list[Any] = []
    thread = threading.Thread(
        target=lambda: found.extend(called(function, [1], read=lambda each: each, otherwise=0))
    )
    thread.start()
    thread.join()
    assert found == [0]


@pytest.mark.parametrize("act", ["StableHistogram", "StableMode", "Histogram", "TrimmedMean"])
def test_rows_that_are_made_while_they_are_read_are_refused_by_their_type(act: str) -> None:
    refusing: dict[str, Act] = {
        "StableHistogram": StableHistogram(epsilon=1, delta="1e-6").release,
        "StableMode": StableMode(epsilon=1, delta="1e-6").release,
        "Histogram": lambda rows: Histogram.for_epsilon(1).release(rows, categories=[1]),
        "TrimmedMean": MEDIAN.value,
    }
    with pytest.raises(ShapeError, match="at hand before the release"):
        refusing[act](1 / row for row in [1, 0])


def test_a_masked_array_of_rows_is_refused_by_its_type() -> None:
    rows = np.ma.array([0.5] * 5, mask=[False] * 4 + [True])
    curve = Distribution.for_epsilon(1, relation="change", cells=4, low=0, high=1)
    for act in (curve.release, MEDIAN.value, StableMode(epsilon=1, delta="1e-6").release):
        with pytest.raises(ShapeError, match="masked"):
            act(rows)


@hostile
def test_a_plain_number_is_told_from_everything_else_without_asking_it(place: int) -> None:
    row = HOSTILE[place]
    found = number_of(row)
    assert found is None or type(row) in (float, int, np.longdouble)


# statistical queries


def asked_of(query: Any, *people: Any) -> StatisticalQueries:
    """An oracle of one query that has been asked of people, of whom the first are given."""
    needed = people_needed(tolerance="0.5", queries=1, failure="0.1", epsilon=1)
    given = [*people, *[0.5] * needed][:needed]
    oracle = StatisticalQueries(given, tolerance="0.5", queries=1, failure="0.1", epsilon=1)
    oracle.ask(query)
    return oracle


@hostile
def test_a_query_counts_as_asked_whatever_it_does(place: int) -> None:
    row = HOSTILE[place]
    for query in (
        lambda x: x,
        lambda x: x * np.nan,
        lambda x: 1 / 0,
        lambda x: row,
        lambda x: [1, 2],
    ):
        assert asked_of(query, row).asked == 1


def test_twenty_refused_questions_tell_nothing_because_none_is_refused() -> None:
    """A function that fails where someone lies above a guess once gave the largest value for
    nothing.
    """

    def above(guess: float) -> Any:
        return lambda x: np.where(x > guess, np.nan, 0.0)

    for guess in np.linspace(0, 1, 20):
        assert asked_of(above(float(guess)), 0.7).asked == 1


def test_nobodys_value_in_a_query_depends_on_anyone_else() -> None:
    """Each person is asked alone: with every other row changed, the value of one stays what it
    was.
    """
    seen: list[Any] = []

    def query(x: Any) -> Any:
        seen.append(x.tolist())
        return x - x.mean()

    asked_of(query, 0.9, None, "a")
    assert seen[:3] == [[0.9], [None], ["a"]]
    assert all(len(each) == 1 for each in seen)


def test_a_query_is_counted_before_it_runs() -> None:
    needed = people_needed(tolerance="0.5", queries=1, failure="0.1", epsilon=1)
    oracle = StatisticalQueries(
        [0.5] * needed, tolerance="0.5", queries=1, failure="0.1", epsilon=1
    )
    counted: list[int] = []

    def query(x: Any) -> Any:
        counted.append(oracle.asked)
        return x

    oracle.ask(query)
    assert set(counted) == {1}


def test_a_budget_pays_for_what_was_privatized() -> None:
    assert privatize(len, sensitivity=1, budget=Pure(1)).cost == Pure(1)
