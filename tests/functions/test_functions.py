"""The ready functions: how far they move, what noise they get, what they release."""

from __future__ import annotations

import json
import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.functions.ready import CASES, Case, columns, every_row, sums
from tests.mechanisms import laws
from tests.mechanisms.statistics_of import ACCEPT, REJECT, p_value

from shoal import Approx, Norm, Pure, Relation, ZeroConcentrated, account
from shoal.errors import InputError, RangeError, ShapeError
from shoal.functions import (
    Distribution,
    KernelDensity,
    KernelRegression,
    LossSurface,
    PriestleyChao,
    ReleasedDistribution,
    ReleasedRatio,
    ReleasedRoc,
    RocCurve,
)
from shoal.noise import seam

every = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
GENERATOR = np.random.default_rng


# sensitivity


@pytest.mark.slow
@every
@pytest.mark.parametrize("budget", [Pure(1), ZeroConcentrated(1)], ids=["L1", "L2"])
def test_no_neighbours_are_further_apart_than_the_sensitivity(case: Case, budget: Any) -> None:
    """Rows add up, so two neighbours differ by one row's vector, or by the difference of two."""
    for relation in case.relations:
        mechanism = case.make(budget, relation)
        added = every_row(mechanism, case)
        norm = 1 if mechanism.sensitivity.norm is Norm.L1 else 2
        apart = np.linalg.norm(added, ord=norm, axis=1)
        if relation == "change":
            apart = np.linalg.norm(added[:, None] - added[None, :], ord=norm, axis=2)
        declared = float(mechanism.sensitivity.value)
        assert apart.max() <= declared * (1 + 1e-12)


ATTAINED = ["regression", "priestley-chao", "density", "distribution", "roc", "logistic surface"]


@pytest.mark.parametrize("name", ATTAINED)
def test_in_l1_some_neighbours_are_as_far_apart_as_that(name: str) -> None:
    case = CASES[name]
    for relation in case.relations:
        mechanism = case.make(Pure(1), relation)
        added = every_row(mechanism, case)
        apart = np.abs(added).sum(axis=1)
        if relation == "change":
            apart = np.abs(added[:, None] - added[None, :]).sum(axis=2)
        assert apart.max() >= 0.98 * float(mechanism.sensitivity.value)


@every
def test_the_integers_are_sums_over_rows_in_any_order(case: Case) -> None:
    mechanism = case.make(Pure(1), case.relations[0])
    picked = [case.rows[at] for at in GENERATOR(3).integers(len(case.rows), size=40)]
    total = sums(mechanism, picked)
    one_by_one = sum(sums(mechanism, [row]).astype(object) for row in picked)
    assert list(total) == list(one_by_one) == list(sums(mechanism, picked[::-1]))


def test_sums_beyond_64_bits_are_exact() -> None:
    """Rows are not so many, but a bound of the largest sum decides; both ways give the same
    integers.
    """
    table = KernelRegression.for_epsilon(1, relation="change", low=0, high=1, degree=3).table
    cells, weights = np.arange(2000) % table.cells, np.arange(2000)
    small = table.sums(cells, weights, largest=2000)
    large = table.sums(cells, weights, largest=1 << 50)
    assert small.dtype == np.int64
    assert large.dtype == object
    assert list(small) == list(large)


@pytest.mark.parametrize("kernel", ["triangular", "epanechnikov", "gaussian"])
def test_the_table_holds_the_kernel(kernel: str) -> None:
    density = KernelDensity.for_epsilon(
        1, relation="change", degree=4, kernel=kernel, bandwidth="0.2"
    )
    at = 0.3
    far = abs(at - np.arange(5) / 4) / 0.2
    expected = {
        "triangular": np.maximum(0, 1 - far),
        "epanechnikov": np.maximum(0, 1 - far**2),
        "gaussian": np.exp(-(far**2) / 2),
    }[kernel]
    assert density.sums(np.array([at])) / 2**16 == pytest.approx(expected, abs=2e-3)


# law


def noise_of(mechanism: Any, case: Case, times: int) -> Any:
    """The noise that repeated releases put on the integers."""
    rows = case.rows[:3]
    exact = sums(mechanism, rows).astype(float)
    drawn = []
    for _ in range(times):
        released = mechanism.release(*columns(rows))
        drawn.append(integers(mechanism, released, len(rows)) - exact)
    return np.concatenate(drawn)


def integers(mechanism: Any, released: Any, rows: int) -> Any:
    """The noisy integers behind a released function."""
    if isinstance(released, ReleasedRatio):
        part, over = (np.array(f.coefficients) for f in (released.part, released.over))
        unit = float(mechanism.table.unit) / 2**16
        return np.rint(np.concatenate([over + part, over - part]) / 2 / unit)
    if isinstance(released, ReleasedDistribution):
        return np.array(released.counts)
    if isinstance(released, ReleasedRoc):
        return np.array(released.negatives + released.positives)
    values = np.array(released.coefficients)
    spread = np.array(released.deviation)
    middle = (
        float(mechanism.low + mechanism.high) / 2 if isinstance(mechanism, PriestleyChao) else 0
    )
    return np.rint((values - middle) / spread * mechanism._deviation(1.0))


@pytest.mark.slow
@every
@pytest.mark.parametrize("budget", [Pure(1), ZeroConcentrated("0.5")], ids=["pure", "gaussian"])
def test_the_noise_on_the_integers_has_its_law_and_no_other_scale(case: Case, budget: Any) -> None:
    mechanism = case.make(budget, "change")
    with seam.seeded("ready"):
        noise = noise_of(mechanism, case, 6000 // mechanism.size + 1)
    scale = float(mechanism.noise.spread)

    def law(times: float) -> Any:
        if isinstance(budget, Pure):
            return lambda x: _laplace(x, scale * times)
        return lambda x: 0.5 * math.erfc(-(x + 0.5) / (scale * times) / math.sqrt(2))

    assert p_value(noise, law(1.0)) > ACCEPT
    assert p_value(noise, law(0.7)) < REJECT
    assert p_value(noise, law(1.3)) < REJECT


def _laplace(x: float, scale: float) -> float:
    """P(X <= x) of the discrete law."""
    ratio = math.exp(-1 / scale)
    if x < 0:
        return math.exp(math.floor(x) / scale) / (1 + ratio)
    return 1 - math.exp(-(math.floor(x) + 1) / scale) / (1 + ratio)


def test_the_largest_loss_of_a_small_histogram_is_epsilon_exactly() -> None:
    """All outputs around two neighbours, in rigorous arithmetic from the closed form."""
    mechanism = Distribution.for_epsilon("0.7", relation="change", cells=2, low=0, high=1)
    one, other = mechanism.sums(np.array([0.2, 0.9])), mechanism.sums(np.array([0.7, 0.9]))

    def largest() -> Any:
        weight = laws.discrete_laplace(mechanism.noise.spread)
        return laws.largest(
            laws.loss(
                weight(a - int(one[0])) * weight(b - int(one[1])),
                weight(a - int(other[0])) * weight(b - int(other[1])),
            )
            for a in range(-5, 7)
            for b in range(-5, 7)
        )

    low, high = laws.bounds(largest)
    assert low <= Fraction(7, 10) <= high
    assert high - low < Fraction(1, 10**40)


# price


@every
def test_a_release_costs_what_was_asked_for(case: Case) -> None:
    for relation in case.relations:
        mechanism = case.make(Pure("0.3"), relation)
        assert mechanism.cost == Pure("0.3")
        assert mechanism.event.relation == relation
        assert account([mechanism.event]).epsilon(delta=0).epsilon == Fraction(3, 10)
        assert case.make(Approx(1, "1e-6"), relation).cost.to_approx(delta="1e-6") <= Approx(
            1, "1e-6"
        )


@every
def test_seeded_releases_repeat_and_say_so(case: Case) -> None:
    mechanism = case.make(Pure(1), "change")
    with seam.seeded(4):
        one = mechanism.release(*columns(case.rows))
    with seam.seeded(4):
        assert mechanism.release(*columns(case.rows)) == one
    assert not one.event.private


@pytest.mark.slow
@every
def test_a_used_mechanism_can_be_sent_away_and_is_small(case: Case) -> None:
    mechanism = case.make(Pure(1), "change")
    released = mechanism.release(*columns(case.rows))
    released.plot()
    twin = pickle.loads(pickle.dumps(mechanism))
    assert twin == mechanism
    assert len(pickle.dumps(mechanism)) < 1500
    assert pickle.loads(pickle.dumps(released)) == released
    assert len(pickle.dumps(released)) < 4000
    assert list(twin.sums(*columns(case.rows))) == list(mechanism.sums(*columns(case.rows)))


@pytest.mark.parametrize(
    ("name", "change"),
    [("distribution", {"counts": []}), ("distribution", {"low": 2}), ("roc", {"negatives": [1.0]}),
     ("regression", {"low": 5}), ("regression", {"part": None}), ("roc", {"deviation": None})],
)  # fmt: skip
def test_text_that_does_not_fit_together_is_refused(name: str, change: dict[str, Any]) -> None:
    released = CASES[name].make(Pure(1), "change").release(*columns(CASES[name].rows))
    with pytest.raises(InputError):
        type(released).from_json(json.dumps({**json.loads(released.to_json()), **change}))


def test_mechanisms_are_equal_by_their_parameters() -> None:
    one, same = (CASES["regression"].make(Pure(1), "change") for _ in range(2))
    assert one == same
    assert one != CASES["regression"].make(Pure(2), "change")
    assert "order=1" in repr(one)


# what is released


def curve(x: Any) -> Any:
    return x * np.sin(10 * x)


DATA = GENERATOR(11)
X = DATA.beta(2, 3, size=30_000)
Y = np.clip(X * np.sin(10 * X) + DATA.normal(size=X.size) * 0.2, -1.5, 1.5)
GRID = np.linspace(0, 1, 50)
LARGE: Any = Pure(10**7)


def test_kernel_regression_finds_the_curve_when_noise_is_nothing() -> None:
    released = KernelRegression(
        budget=LARGE, relation="change", low=-1.5, high=1.5, degree=40, order=4
    ).release(X, Y)
    inner = GRID[2:-4]
    assert np.abs(released(inner) - curve(inner)).max() < 0.08


def test_kernel_regression_is_the_quotient_of_its_kernel_sums() -> None:
    mechanism = KernelRegression(
        budget=LARGE,
        relation="change",
        low=-2,
        high=2,
        degree=8,
        kernel="gaussian",
        bandwidth="0.1",
    )
    weights = np.exp(-(((X[:, None] - np.arange(9) / 8) / 0.1) ** 2) / 2)
    released = mechanism.release(X, Y)
    over = weights.sum(axis=0)
    assert np.array(released.over.coefficients) == pytest.approx(over, rel=1e-2)
    assert np.array(released.part.coefficients) * 2 == pytest.approx(
        weights.T @ Y, abs=1e-2 * over.max()
    )


def test_kernel_regression_in_two_dimensions_finds_a_plane() -> None:
    points = GENERATOR(1).uniform(size=(20_000, 2)) * [10, 4]
    mechanism = KernelRegression(
        budget=LARGE, relation="add_remove", low=-4, high=14, degree=6, dims=2,
        order=3, domain=[(0, 10), (0, 4)],
    )  # fmt: skip
    released = mechanism.release(points, points[:, 0] - points[:, 1])
    assert released([5.0, 2.0]) == pytest.approx(3, abs=0.15)
    assert released([[2.0, 1.0], [8.0, 3.0]]) == pytest.approx([1, 5], abs=0.2)
    assert released.plot().to_dict()["mark"]["type"] == "rect"


def test_priestley_chao_finds_the_curve_where_x_is_spread_evenly() -> None:
    x = np.linspace(0, 1, 20_000)
    released = PriestleyChao(
        budget=LARGE, relation="change", low=-1.5, high=1.5, degree=40, order=4
    ).release(x, x * np.sin(10 * x))
    inner = GRID[:-2]
    assert np.abs(released(inner) - curve(inner)).max() < 0.02


@pytest.mark.parametrize("relation", ["change", "add_remove"])
def test_a_density_is_found_and_integrates_to_one(relation: str) -> None:
    density = KernelDensity(
        budget=LARGE, relation=relation, degree=40, order=4, domain=[(0, 2)]
    ).release(2 * X)
    points = np.linspace(0, 2, 2001)
    found = density(points)
    assert (found[:-1].sum() / 1000) == pytest.approx(1, abs=0.01)
    true = 12 * (points / 2) * (1 - points / 2) ** 2 / 2
    assert np.abs(found - true)[200:1800].max() < 0.06


def test_a_distribution_is_found_with_its_density_and_quantiles() -> None:
    with seam.seeded("distribution"):
        found = Distribution(budget=Pure(1), relation="change", cells=200, low=0, high=1).release(X)
    assert np.abs(found(GRID) - np.array([(at >= X).mean() for at in GRID])).max() < 0.01
    assert found.quantile(0.5) == pytest.approx(np.median(X), abs=0.01)
    assert found.density(GRID).min() >= 0
    assert found(found.quantile("0.9")) == pytest.approx(0.9)


@pytest.mark.parametrize("relation", ["change", "add_remove"])
def test_a_distribution_rises_from_zero_to_one_whatever_the_noise(relation: str) -> None:
    with seam.seeded("rises"):
        found = Distribution(
            budget=Pure("0.001"), relation=relation, cells=50, low=0, high=1
        ).release(X[:100])
    values = found(np.linspace(0, 1, 333))
    assert (np.diff(values) >= 0).all()
    assert (values[0], values[-1]) == (0, 1)


def test_the_roc_curve_and_its_area_are_found() -> None:
    generator = GENERATOR(9)
    labels = generator.uniform(size=20_000) < 0.3
    scores = 1 / (1 + np.exp(-generator.normal(size=labels.size) - 1.5 * labels))
    with seam.seeded("roc"):
        roc = RocCurve(budget=Pure(1), relation="add_remove", cells=100).release(scores, labels)
    above = generator.choice(scores[labels], 10**5) > generator.choice(scores[~labels], 10**5)
    assert roc.area == pytest.approx(above.mean(), abs=0.01)
    alarms = np.quantile(scores[~labels], 0.9)
    assert roc(0.1) == pytest.approx((scores[labels] > alarms).mean(), abs=0.02)
    assert roc(1.0) == 1
    assert (np.diff(roc(np.linspace(0, 1, 101))) >= 0).all()


@pytest.mark.parametrize(
    ("loss", "plain"),
    [
        ("logistic", lambda x, y, t: np.logaddexp(0, -y * (x @ t))),
        ("hinge", lambda x, y, t: np.maximum(0, 1 - y * (x @ t))),
        ("squared", lambda x, y, t: (y - x @ t) ** 2),
    ],
)
def test_a_surface_holds_the_mean_loss_at_its_lattice(loss: str, plain: Any) -> None:
    generator = GENERATOR(4)
    x = generator.uniform(-1, 1, size=(5000, 2))
    y = np.where(generator.uniform(size=5000) < 1 / (1 + np.exp(-x @ [2, -1])), 1.0, -1.0)
    mechanism = LossSurface(
        budget=LARGE, relation="change", loss=loss, domain=[(-3, 3), (-3, 1)], degree=4
    )
    lattice = mechanism.operator.lattice() * [6, 4] - 3
    expected = [plain(x, y, theta).mean() for theta in lattice]
    assert mechanism.release(x, y).coefficients == pytest.approx(expected, rel=5e-3, abs=5e-3)


def test_the_least_point_of_a_surface_is_a_fit() -> None:
    x = np.linspace(-1, 1, 3000)[:, None]
    mechanism = LossSurface(
        budget=Pure(2),
        relation="change",
        loss="squared",
        domain=[(-2, 2)],
        degree=4,
        order=6,
        label=2,
    )
    with seam.seeded("surface"):
        surface = mechanism.release(x, 0.8 * x[:, 0])
    (theta,), least = surface.minimum()
    assert theta == pytest.approx(0.8, abs=0.25)
    assert least < 0.1


@every
def test_a_release_is_read_back_equal(case: Case) -> None:
    released = case.make(Pure(1), "change").release(*columns(case.rows))
    assert type(released).from_json(released.to_json()) == released
    with pytest.raises(InputError):
        type(released).from_json(json.dumps({**json.loads(released.to_json()), "kind": "x"}))
    with pytest.raises(InputError):
        type(released).from_json("{}")


@pytest.mark.slow
@every
def test_a_release_draws_itself(case: Case) -> None:
    released = case.make(Pure(1), "change").release(*columns(case.rows))
    assert released.plot().to_dict()


@pytest.mark.slow
def test_expected_errors_tell_good_shapes_from_bad_ones() -> None:
    """The tuned shape does better on fresh data than three others, by a good deal."""
    made: dict[str, Any] = {"relation": "change", "low": -1.5, "high": 1.5}
    tuned = KernelRegression.tuned(Pure(1), curves=curve, rows=500, **made)

    def squared(mechanism: Any) -> float:
        generator, found = GENERATOR(1), []
        with seam.seeded("tuned"):
            for _ in range(25):
                x = generator.uniform(size=500)
                y = curve(x) + generator.normal(size=500) * 0.2
                found.append(float(((mechanism.release(x, y)(GRID) - curve(GRID)) ** 2).mean()))
        return float(np.median(found))

    ours = squared(tuned)
    assert ours < 0.03
    assert math.sqrt(ours) == pytest.approx(tuned.expected_error(curve, rows=500), rel=0.5)
    for degree, order in ((3, 1), (25, 1), (64, 12)):
        other = KernelRegression(budget=Pure(1), degree=degree, order=order, **made)
        assert squared(other) > 1.3 * ours


# refusals


def test_data_outside_are_moved_to_the_edge_and_nan_to_the_low_end() -> None:
    mechanism = CASES["regression"].make(Pure(1), "change")
    inside, outside = (
        mechanism.sums(np.array([x]), np.array([y])) for x, y in ((1.0, -1.0), (77.5, -33.0))
    )
    assert list(inside) == list(outside)
    nothing, low = (
        mechanism.sums(np.array([x]), np.array([y])) for x, y in ((math.nan, math.nan), (0.0, -1.0))
    )
    assert list(nothing) == list(low)


@pytest.mark.parametrize(
    "act",
    [
        lambda: CASES["regression"].make(Pure(1), "change").release(np.zeros(3), np.zeros(2)),
        lambda: CASES["regression"].make(Pure(1), "change").release(np.array(["a"]), np.zeros(1)),
        lambda: CASES["regression"].make(Pure(1), "change").release(np.zeros((3, 2)), np.zeros(3)),
        lambda: CASES["roc"].make(Pure(1), "change").release(np.zeros(3), np.zeros(3)),
        lambda: CASES["regression"].make(1, "change"),
        lambda: CASES["regression"].make(Pure(1), "neighbours"),
    ],
)
def test_data_and_parameters_of_the_wrong_kind_are_refused(act: Any) -> None:
    with pytest.raises((ShapeError, RangeError)):
        act()


@pytest.mark.parametrize(
    "act",
    [
        lambda: PriestleyChao.for_epsilon(1, relation="add_remove", low=0, high=1, degree=2),
        lambda: LossSurface.for_epsilon(
            1, relation="add_remove", loss="hinge", domain=[(0, 1)], degree=2
        ),
        lambda: LossSurface.for_epsilon(
            1, relation="change", loss="cubic", domain=[(0, 1)], degree=2
        ),
        lambda: KernelRegression.for_epsilon(1, relation="change", low=1, high=1, degree=2),
        lambda: KernelDensity.for_epsilon(1, relation="change", degree=2, kernel="square"),
        lambda: KernelDensity.for_epsilon(1, relation="change", degree=2, dims=4),
    ],
)
def test_parameters_without_a_proof_are_refused_with_a_way_out(act: Any) -> None:
    with pytest.raises(RangeError) as refused:
        act()
    assert refused.value.remedy


def test_the_relation_is_a_word_of_sensitivity() -> None:
    assert CASES["roc"].make(Pure(1), "change").relation is Relation.CHANGE
