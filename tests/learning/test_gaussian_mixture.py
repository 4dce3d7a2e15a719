"""Mixtures of normal laws: beside scikit-learn's, in the units of columns, and few rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.mixture import GaussianMixture as PlainMixture

from shoal import Range
from shoal.errors import FactsError, RangeError
from shoal.learning import GaussianMixture
from shoal.learning.exact_sums import Floats
from shoal.learning.mixture_rounds import Mixture, _coordinates, _kept_by_clipping, _parts, reach_of
from shoal.noise.seam import seeded

PRICE: dict[str, Any] = {"epsilon": 1, "delta": "1e-6"}


def _rows(count: int, seed: int = 1) -> Floats:
    """Three normal laws of two columns, one of them long and slanted."""
    rng = np.random.default_rng(seed)
    means = np.array([[-0.5, -0.4], [0.5, 0.1], [-0.1, 0.5]])
    roots = np.array([[[0.2, 0], [0.15, 0.05]], [[0.08, 0], [0, 0.15]], [[0.1, 0], [-0.05, 0.1]]])
    which = rng.choice(3, count, p=[0.5, 0.3, 0.2])
    moved = np.einsum("nij,nj->ni", roots[which], rng.normal(0, 1, (count, 2)))
    return np.asarray(np.clip(means[which] + moved, -1, 1))


def test_with_hardly_any_noise_it_is_that_of_scikit_learn() -> None:
    rows = _rows(6000)
    plain = PlainMixture(3, n_init=3, random_state=0).fit(rows)
    with seeded("plain"):
        model = GaussianMixture(3, rho=10**4, columns=Range(-1, 1)).fit(rows)
    order = [int(((model.means_ - mean) ** 2).sum(axis=1).argmin()) for mean in plain.means_]
    assert sorted(order) == [0, 1, 2]
    assert model.means_[order] == pytest.approx(plain.means_, abs=0.01)
    assert model.covariances_[order] == pytest.approx(plain.covariances_, abs=2e-3)
    assert model.weights_[order] == pytest.approx(plain.weights_, abs=0.01)
    assert model.score(rows) == pytest.approx(plain.score(rows), abs=0.01)
    assert model.predict_proba(rows)[:, order] == pytest.approx(plain.predict_proba(rows), abs=0.15)


def test_an_ordinary_price_comes_close_in_the_units_of_the_columns() -> None:
    rows = _rows(20_000)
    with seeded("price"):
        model = GaussianMixture(3, **PRICE, columns=Range(900, 1100)).fit(1000 + 100 * rows)
    plain = PlainMixture(3, n_init=3, random_state=0).fit(rows)
    assert model.score(1000 + 100 * rows) > plain.score(rows) - 2 * np.log(100) - 0.05
    assert model.means_.min() > 900
    assert set(model.predict(1000 + 100 * rows).tolist()) == {0, 1, 2}


def test_parts_of_a_row_are_never_more_than_the_row_and_clipping_is_made_good() -> None:
    rng = np.random.default_rng(2)
    rows = np.rint(rng.uniform(-1, 1, (500, 3)) * (1 << 14))
    covariances = np.array([np.diag(each) for each in rng.uniform(1e-4, 1, (5, 3))])
    mixture = Mixture(rng.dirichlet(np.ones(5)), rng.uniform(-1, 1, (5, 3)), covariances)
    places = [_coordinates(rows, *each) for each in zip(mixture.means, mixture.roots, strict=True)]
    parts = _parts(places, mixture)
    assert parts.min() >= 0
    assert parts.sum(axis=1).max() <= 1 << 10
    assert parts.sum(axis=1).min() > (1 << 10) - 5
    normal = rng.normal(0, 1, (200_000, 3))
    squares = np.minimum((normal**2).sum(axis=1), reach_of(3) ** 2)
    assert _kept_by_clipping(3, reach_of(3)) == pytest.approx(squares.mean() / 3, abs=0.01)


def test_what_is_no_mixture_of_numbers_is_refused() -> None:
    with pytest.raises(RangeError, match="n_components"):
        GaussianMixture(0, **PRICE, columns=Range(0, 1)).fit(np.zeros((3, 1)))
    with pytest.raises(FactsError, match="nothing is declared"):
        GaussianMixture(2, **PRICE).fit(np.zeros((3, 1)))
