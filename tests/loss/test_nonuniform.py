"""Sums over masses at any places, at equally spaced frequencies: as far from the truth as is said,
and no further.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import acb, arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.loss.cells import Floats
from shoal.loss.characteristic_functions import spectrum_of
from shoal.loss.fine_cells import Twin
from shoal.loss.inversion_search import LineSearch
from shoal.loss.nonuniform import nodes_away, nodes_up_to
from shoal.loss.sampled_normal import SampledNormalLoss
from shoal.loss.smoothed import Setting, SmoothedLine
from shoal.loss.smoothed_payoff import Kernel
from shoal.loss.summed_laws import Laws


def enclosed(weights: Floats, losses: Floats, arc: float, k: int) -> acb:
    """The sum of weights times (exp(i turn loss) - 1) at the turn 2 pi k / arc, by balls."""
    before = ctx.prec
    ctx.prec = 160
    try:
        turn = acb(0, 1) * 2 * arb.pi() * k / arb(arc)
        terms = (
            arb(float(weight)) * (turn * arb(float(loss))).expm1()
            for weight, loss in zip(weights, losses, strict=True)
        )
        return sum(terms, acb(0))
    finally:
        ctx.prec = before


def law(seed: int, size: int, arc: float) -> tuple[Floats, Floats]:
    """Places from far below to far beyond an arc, and weights of all sizes."""
    rng = np.random.default_rng(seed)
    losses = rng.normal(size=size) * 10.0 ** rng.uniform(-9, 1, size=size) * arc / 20
    weights = rng.random(size) * 10.0 ** rng.uniform(-9, 0, size=size)
    return weights / weights.sum(), losses


@given(
    st.integers(0, 10**6),
    st.integers(1, 60),
    st.integers(2, 3000),
    st.floats(1e-6, 1e3),
    st.floats(0, 1),
)
@settings(max_examples=60)
def test_every_value_is_within_its_doubt(
    seed: int, size: int, count: int, arc: float, where: float
) -> None:
    weights, losses = law(seed, size, arc)
    for found, off in (
        nodes_away(weights, losses, arc, count),
        nodes_up_to(weights, losses, arc, count),
    ):
        for k in {1, count // 9, round(where * (count - 1)), count - 1}:
            truth = enclosed(weights, losses, arc, k)
            assert abs(complex(truth - acb(found[k].real, found[k].imag))) <= off[k]


@pytest.mark.parametrize("arc", [1e-3, 8.0])
def test_few_places_at_many_turns_are_within_their_doubt(arc: float) -> None:
    weights, losses = law(11, 50, arc)
    count = 20_000
    found, off = nodes_up_to(weights, losses, arc, count)
    for k in (1, 141, 142, 9_999, 19_998, 19_999):
        truth = enclosed(weights, losses, arc, k)
        assert abs(complex(truth - acb(found[k].real, found[k].imag))) <= off[k] < 1e-9


def test_doubts_are_small_where_the_turn_is() -> None:
    weights, losses = law(5, 200, 10.0)
    found, off = nodes_away(weights, losses, 10.0, 2000)
    assert off[0] == 0
    assert found[0] == 0
    moved = 2 * math.pi / 10.0 * np.arange(2000) * float((weights * np.abs(losses)).sum())
    assert (off <= 1e-12 * np.minimum(1.0, moved)).all()


@pytest.mark.parametrize(("size", "count"), [(40, 300), (3000, 5000)], ids=["tables", "splines"])
def test_the_two_roads_to_a_spectrum_hold_the_truth(size: int, count: int) -> None:
    weights, losses = law(7, size, 20.0)
    logs, doubts = spectrum_of(weights, losses, 2 * math.pi / 20.0, count, 0.0)
    for k in (1, count // 3, count - 1):
        truth = complex(enclosed(weights, losses, 20.0, k)) + weights.sum()
        assert abs(np.exp(logs[k]) - truth) <= (doubts[k] + 1e-14) * abs(truth) + 1e-15


@pytest.mark.parametrize("arc", [0.9, 7.0], ids=["few steps", "many steps"])
def test_a_lattice_with_steps_too_long_for_the_circle_is_summed_where_it_lies(arc: float) -> None:
    # two equal laws of five losses, 0.05 apart, none of them at a multiple of arc / 64
    masses = np.array([0.1, 0.3, 0.3, 0.2, 0.1])
    twin = Twin(np.zeros(0), np.zeros(0), -0.03, 0.05, masses)
    setting = Setting(2.0, arc, 0.05, Kernel(0.002), 4e3, (1.0, 3.0))
    line = SmoothedLine(Laws([(twin, 2)], 0.0), setting, up=True)
    sums = np.add.outer(twin.lattice, twin.lattice).ravel()
    chances = np.multiply.outer(masses, masses).ravel()
    for epsilon in (0.01, 0.1, 0.2):
        delta = float((chances * np.maximum(0.0, -np.expm1(epsilon - sums))).sum())
        beside = sum(
            math.exp(2.0 * m * setting.closed_arc)
            * float(
                (
                    chances * np.maximum(0.0, -np.expm1(epsilon + m * setting.closed_arc - sums))
                ).sum()
            )
            for m in range(-20, 0)
        )
        assert math.exp(line.log_delta(epsilon)) == pytest.approx(delta + beside, abs=1e-4)
        assert math.exp(line.log_delta(epsilon)) >= delta


def test_a_line_is_taken_with_the_steps_of_its_cells() -> None:
    # losses reach far below 0, the arc is short: the first steps are long beside it
    search = LineSearch(((SampledNormalLoss(1.4e-6, 2.4, removed=False), 128610),), 1e-9)
    lines = search.lines(None, math.log(5.95e-4), 1e-4)
    assert lines is not None
    [line] = lines.above.lines
    setting = line._setting
    assert setting.arc < 64 * setting.step
    assert isinstance(line._laws, Laws)
    assert [twin.step for twin, _ in line._laws.twins] == [setting.step]
