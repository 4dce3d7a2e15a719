"""Sums by matrices of doubles, beside Python's integers."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.learning import exact_sums
from shoal.learning.exact_sums import clipped, products, scores, sums_by_code, whole_weights


def test_products_are_exact_also_where_one_block_of_doubles_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(1)
    most = 1 << 24
    left = rng.integers(-most, most + 1, (200, 3)).astype(float)
    right = rng.integers(-most, most + 1, (200, 2)).astype(float)
    truth = left.astype(object).T @ right.astype(object)
    assert (products(left, right, most, most) == truth).all()  # 32 rows to a block
    assert products(left[:0], right[:0], most, most).tolist() == [[0, 0]] * 3
    codes = rng.integers(0, 5, 200)
    values = rng.integers(-most, most, 200)
    monkeypatch.setattr(exact_sums, "_EXACT", most * 7)
    found = sums_by_code(codes, 6, values, most)
    assert found.tolist() == [sum(values[codes == c].tolist()) for c in range(6)]


def test_scores_are_exact_for_whole_weights_of_any_size() -> None:
    rng = np.random.default_rng(2)
    rows = rng.integers(-(1 << 14), 1 << 14, (50, 30)).astype(float)
    for size in (1e-9, 1.0, 1e6, 1e12):
        weights, bits = whole_weights(rng.normal(0, size, 30), 1 << 14)
        truth = rows.astype(object) @ np.array([int(w) for w in weights], dtype=object)
        assert scores(rows, weights, 1 << 14).tolist() == truth.tolist()
        assert bits <= 20


def test_clipped_rows_are_never_longer_and_hardly_shorter_than_they_may_be() -> None:
    rng = np.random.default_rng(3)
    rows = np.rint(rng.normal(0, 1, (3000, 7)) * np.exp(rng.uniform(0, 14, (3000, 1))))
    rows[0], rows[1], rows[2] = 0, [1 << 14, 0, 0, 0, 0, 0, 0], [(1 << 14) + 1, 0, 0, 0, 0, 0, 0]
    short, factors = clipped(rows, 1 << 14)
    squares = (short.astype(object) ** 2).sum(axis=1)
    assert max(squares) <= 1 << 28
    long = (rows.astype(object) ** 2).sum(axis=1) > 1 << 28
    assert min(squares[long]) > 0.97 * (1 << 28)
    assert (short[~long] == rows[~long]).all()
    assert (factors[~long] == 1 << 15).all()
    assert (factors[long] < 1 << 15).all()
