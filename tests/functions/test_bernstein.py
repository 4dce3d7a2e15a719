"""The Bernstein mechanism: what it releases, what it keeps, what it costs, how far it is off."""

from __future__ import annotations

import json
import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.mechanisms.statistics_of import ACCEPT, REJECT, p_value

from shoal import Approx, Event, GaussianDP, Norm, Pure, Sensitivity, ZeroConcentrated, account
from shoal.errors import DataError, InputError, RangeError, ShapeError
from shoal.functions import Bernstein, Operator, ReleasedFunction, Smoothness, choose_operator
from shoal.noise import seam


def wave(x: Any) -> Any:
    return x * np.sin(10 * x)


def test_the_coefficients_are_the_lattice_values_released_by_the_noise_and_nothing_else() -> None:
    mechanism = Bernstein.for_epsilon(1, sensitivity="0.1", degree=9, order=4)
    with seam.seeded("same"):
        released = mechanism.release(wave)
    with seam.seeded("same"):
        expected = mechanism.noise.release(wave(np.arange(10) / 9))
    assert released.coefficients == tuple(expected.tolist())
    points = np.linspace(0, 1, 7)
    assert np.array_equal(released(points), mechanism.operator.evaluate(expected, points))


@pytest.mark.parametrize(
    ("budget", "law"), [(Pure(1), "laplace"), (ZeroConcentrated("0.125"), "normal")]
)
def test_the_noise_on_the_coefficients_has_its_law_and_no_other_scale(
    budget: Any, law: str
) -> None:
    """Sensitivity 1/2, so that the scale is 1/2 and sigma 1; a scale 30 % off is rejected."""
    mechanism = Bernstein.for_budget(budget, sensitivity="0.5", degree=99)
    with seam.seeded(law):
        drawn = np.concatenate([np.array(mechanism.release(wave).coefficients) for _ in range(400)])
    noise = drawn - np.tile(wave(np.arange(100) / 99), 400)

    def distribution(scale: float) -> Any:
        if law == "normal":
            return lambda x: 0.5 * math.erfc(-x / scale / math.sqrt(2))
        return lambda x: 0.5 * math.exp(x / scale) if x < 0 else 1 - 0.5 * math.exp(-x / scale)

    true = 0.5 if law == "laplace" else 1.0
    assert p_value(noise, distribution(true)) > ACCEPT
    assert p_value(noise, distribution(0.7 * true)) < REJECT
    assert p_value(noise, distribution(1.3 * true)) < REJECT


def test_a_pure_budget_is_the_price_to_the_last_digit() -> None:
    mechanism = Bernstein.for_epsilon("0.3", sensitivity="0.1", degree=25)
    assert mechanism.cost == Pure("0.3")
    assert account([mechanism.event]).epsilon(delta=0).epsilon == Fraction(3, 10)


@pytest.mark.parametrize("budget", [ZeroConcentrated("0.2"), Approx(1, "1e-6"), GaussianDP(1)])
def test_other_budgets_buy_gaussian_noise_that_keeps_them(budget: Any) -> None:
    mechanism = Bernstein.for_budget(budget, sensitivity=1, degree=5)
    cost: Any = mechanism.cost
    if isinstance(budget, ZeroConcentrated):
        assert cost.to_zero_concentrated() <= budget
    elif isinstance(budget, Approx):
        assert cost.to_approx(delta=budget.delta) <= budget
    else:
        assert cost <= budget


def test_a_bound_at_each_point_is_multiplied_by_the_number_of_points_or_its_root() -> None:
    each = Sensitivity(Fraction(1, 10), Norm.LINF)
    pure = Bernstein.for_epsilon(1, sensitivity=each, degree=2, dims=2)
    normal = Bernstein.for_budget(ZeroConcentrated("0.5"), sensitivity=each, degree=2, dims=2)
    assert pure.noise.sensitivity.value == Fraction(9, 10)
    assert normal.noise.sensitivity.value == Fraction(3, 10)


def test_a_sensitivity_of_another_number_of_values_is_refused() -> None:
    with pytest.raises(ShapeError, match="is that of 4 numbers"):
        Bernstein.for_epsilon(1, sensitivity=Sensitivity(Fraction(1), Norm.L1, None, 4), degree=4)


# what is kept


def test_a_released_function_is_read_back_equal_and_evaluates_equally() -> None:
    mechanism = Bernstein.for_epsilon(
        2, sensitivity="0.1", degree=3, dims=2, order=2, domain=[(0, 10), (-1, 1)]
    )
    released = mechanism.release(lambda rows: rows[:, 0] * rows[:, 1])
    again = ReleasedFunction.from_json(released.to_json())
    assert again == released
    assert again([3.0, 0.5]) == released([3.0, 0.5])
    assert pickle.loads(pickle.dumps(released)) == released


def test_a_released_function_holds_no_exact_value_and_no_closure() -> None:
    secret = 0.123456789012345
    mechanism = Bernstein.for_epsilon(1, sensitivity=1, degree=4)
    released = mechanism.release(lambda x: secret + 0 * x)
    told = json.loads(released.to_json())
    assert set(told) == {"kind", "version", "degree", "dims", "order", "coefficients", "domain",
                         "deviation", "event"}  # fmt: skip
    assert all(abs(each - secret) > 1e-12 for each in told["coefficients"])
    assert b"lambda" not in pickle.dumps(released)


@pytest.mark.parametrize(
    "change",
    [{"kind": "x"}, {"version": 2}, {"coefficients": [1.0]}, {"degree": 0}, {"domain": [[1, 0]]},
     {"deviation": -1.0}, {"coefficients": None}, {"event": {}}],
)  # fmt: skip
def test_text_that_is_no_released_function_is_refused(change: dict[str, Any]) -> None:
    released = Bernstein.for_epsilon(1, sensitivity=1, degree=4).release(wave)
    with pytest.raises(InputError):
        ReleasedFunction.from_json(json.dumps({**released.to_dict(), **change}))
    with pytest.raises(InputError):
        ReleasedFunction.from_json("[]")


def test_seeded_releases_say_that_they_are_not_private() -> None:
    mechanism = Bernstein.for_epsilon(1, sensitivity=1, degree=4)
    with seam.seeded(1):
        rehearsed = mechanism.release(wave)
    assert not rehearsed.event.private
    assert mechanism.release(wave).event.private
    assert not Event.from_json(rehearsed.event.to_json()).private


def test_the_function_lives_on_its_box() -> None:
    mechanism = Bernstein.for_epsilon(10**6, sensitivity="1e-6", degree=2, domain=[(10, 20)])
    released = mechanism.release(lambda x: x)
    assert released(15.0) == pytest.approx(15, abs=1e-3)
    for outside in (9.9, 20.1, math.nan):
        with pytest.raises(RangeError, match="must lie in"):
            released(outside)


def test_values_that_are_not_finite_are_refused_without_being_quoted() -> None:
    mechanism = Bernstein.for_epsilon(1, sensitivity=1, degree=1)
    with pytest.raises(DataError) as refused:
        mechanism.release(np.array([1.25, math.inf]))
    assert "1.25" not in str(refused.value)
    assert "inf" not in str(refused.value).replace("infinite", "")


@pytest.mark.slow
def test_a_function_draws_itself() -> None:
    mechanism = Bernstein.for_epsilon(1, sensitivity=1, degree=3, dims=1)
    assert "layer" in mechanism.release(wave).plot().to_dict()
    flat = Bernstein.for_epsilon(1, sensitivity=1, degree=3, dims=2)
    assert flat.release(np.zeros(16)).plot().to_dict()["mark"]["type"] == "rect"


# accuracy


@pytest.mark.parametrize("order", [1, 3])
def test_the_noise_stays_within_its_error_as_often_as_promised(order: int) -> None:
    mechanism = Bernstein.for_epsilon(1, sensitivity=1, degree=12, order=order)
    within = mechanism.error("0.9")
    points = np.linspace(0, 1, 101)
    with seam.seeded("error"):
        far = [np.abs(mechanism.release(np.zeros(13))(points)).max() for _ in range(400)]
    assert np.mean(np.array(far) <= within) > 0.86


@pytest.mark.slow
def test_deviations_are_those_of_repeated_releases() -> None:
    mechanism = Bernstein.for_epsilon(1, sensitivity=1, degree=12, order=3)
    points = np.array([0.0, 0.1, 0.5, 0.93])
    with seam.seeded("deviations"):
        drawn = np.array([mechanism.release(np.zeros(13))(points) for _ in range(8000)])
    expected = mechanism.release(np.zeros(13)).deviations(points)
    assert drawn.std(axis=0) == pytest.approx(expected, rel=0.04)


def test_each_value_may_have_a_deviation_of_its_own() -> None:
    spread = (1.0, 2.0, 0.5)
    event = Bernstein.for_epsilon(1, sensitivity=1, degree=2).event
    released = ReleasedFunction(Operator(2), (0.0, 0.0, 0.0), ((0.0, 1.0),), spread, event)
    weights = np.array([0.25, 0.5, 0.25])
    assert released.deviations(0.5) == pytest.approx(math.sqrt(((weights * spread) ** 2).sum()))
    assert ReleasedFunction.from_json(released.to_json()) == released


CURVES: dict[str, tuple[Any, dict[str, int]]] = {
    "sin 10x": (
        lambda x: np.sin(10 * x),
        {"slope": 10, "second": 100, "third": 1000, "fourth": 10**4},
    ),
    "square": (lambda x: x * x, {"slope": 2, "second": 2, "third": 0, "fourth": 0}),
    "cube": (lambda x: x**3, {"slope": 3, "second": 6, "third": 6, "fourth": 0}),
    "exp": (np.exp, {"slope": 3, "second": 3, "third": 3, "fourth": 3}),
}


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("degree", [2, 5, 25, 80])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_no_curve_is_further_off_than_the_theorem_says(name: str, degree: int, order: int) -> None:
    curve, known = CURVES[name]
    operator = Operator(degree, order=order)
    points = np.linspace(0, 1, 501)
    far = np.abs(operator.evaluate(curve(np.arange(degree + 1) / degree), points) - curve(points))
    for bounds in (known, {"slope": known["slope"]}, {"second": known["second"]}):
        assert far.max() <= Smoothness(**bounds).bias_up(operator) * (1 + 1e-9) + 1e-12


def test_the_bound_of_a_parabola_is_attained() -> None:
    far = abs(Operator(10).evaluate((np.arange(11) / 10) ** 2, [0.5])[0] - 0.25)
    assert far == pytest.approx(Smoothness(second=2).bias_up(Operator(10)))


@pytest.mark.slow
def test_expected_error_is_the_mean_square_of_repeated_releases() -> None:
    mechanism = Bernstein.for_epsilon(1, sensitivity="0.3", degree=10, order=2)
    points = np.linspace(0, 1, 257)
    with seam.seeded("expected"):
        squares = [
            ((mechanism.release(wave)(points) - wave(points)) ** 2).mean() for _ in range(1500)
        ]
    assert math.sqrt(np.mean(squares)) == pytest.approx(mechanism.expected_error(wave), rel=0.05)


def test_the_simulated_error_is_between_nothing_and_the_theorem() -> None:
    mechanism = Bernstein.for_epsilon(1, sensitivity="0.1", degree=20, order=2)
    smooth = Smoothness(second=120, third=1300, fourth=14000)
    with seam.seeded("simulated"):
        found = mechanism.simulated_error(wave, confidence="0.9", repetitions=200)
        again = [
            np.abs(
                mechanism.release(wave)(np.linspace(0, 1, 257)) - wave(np.linspace(0, 1, 257))
            ).max()
            for _ in range(300)
        ]
    assert np.mean(np.array(again) <= found) == pytest.approx(0.9, abs=0.06)
    assert found < mechanism.total_error("0.9", smoothness=smooth)


# the choice of degree and order


def test_the_chosen_operator_beats_its_neighbours_on_the_imagined_curve() -> None:
    def error(degree: int, order: int) -> float:
        made = Bernstein.for_epsilon(
            1, sensitivity=Fraction(degree, 500), degree=degree, order=order
        )
        return made.expected_error(wave)

    found = choose_operator(Pure(1), sensitivity=lambda k: Fraction(k, 500), curves=wave)
    best = error(found.degree, found.order)
    assert all(best <= error(d, o) * (1 + 1e-9) for d in (4, 8, 16, 25, 64) for o in (1, 2, 4, 8))


@pytest.mark.slow
def test_more_data_buy_a_finer_lattice() -> None:
    smooth = Smoothness(second=120, third=1300, fourth=14000)

    def chosen(rows: int) -> Operator:
        def sensitivity(degree: int) -> Fraction:
            return Fraction(degree, rows)

        return choose_operator(Pure(1), sensitivity=sensitivity, smoothness=smooth)

    few, many = chosen(100), chosen(10**6)
    assert many.degree > few.degree


def test_a_choice_needs_public_facts_of_exactly_one_kind() -> None:
    with pytest.raises(RangeError):
        choose_operator(Pure(1), sensitivity=lambda k: k)
    with pytest.raises(RangeError):
        Smoothness(third=1)


@pytest.mark.parametrize(
    "made",
    [
        {"noise": 1, "degree": 3},
        {"degree": 3, "domain": [(1, 1)]},
        {"degree": 3, "domain": [(0, 1), (0, 1)]},
    ],
)
def test_a_mechanism_that_cannot_be_is_refused(made: dict[str, Any]) -> None:
    noise = Bernstein.for_epsilon(1, sensitivity=1, degree=3).noise
    with pytest.raises(InputError):
        Bernstein(**{"noise": noise, **made})


def test_lattice_values_of_another_number_are_refused() -> None:
    mechanism = Bernstein.for_epsilon(1, sensitivity=1, degree=3)
    with pytest.raises(ShapeError):
        mechanism.release(np.zeros(3))
    with pytest.raises(ShapeError):
        mechanism.values(lambda x: 0.0)
    assert repr(mechanism).startswith("Bernstein(noise=Laplace(scale=1, sensitivity=1), degree=3")
