"""Gradients on the grid are never longer than the noise was made for."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import torch

from shoal.errors import RangeError
from shoal.learning.nets.gradient_grid import LENGTH, on_grid, read_clip

WIDTHS = (1, 2, 3, 17, 1000)
SIZES = [0.0, 1e-300, 1e-45, 1e-20, 0.3, 0.999999, 1.0, 1.0000001, 7.0, 1e10, 1e38, 1e200]


def squares(steps: Any) -> list[int]:
    """The squares of each line, added up in whole numbers."""
    return [sum(int(each) ** 2 for each in line) for line in steps.tolist()]


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
@pytest.mark.parametrize("clip", ["1e-6", 1, 1000])
def test_no_gradient_is_longer_than_the_grid_allows(kind: Any, clip: Any) -> None:
    chance = torch.Generator().manual_seed(1)
    for width in WIDTHS:
        lines = [torch.randn(width, generator=chance, dtype=torch.float64) * s for s in SIZES]
        lines += [torch.full((width,), size, dtype=torch.float64) for size in SIZES]
        lines += [line / torch.linalg.vector_norm(line).clamp_min(1e-300) for line in lines]
        found = on_grid(torch.stack(lines).to(kind), read_clip(clip))
        assert bool((found == found.round()).all())
        assert max(squares(found)) <= LENGTH**2
        assert max(squares(found)) > 0.99 * LENGTH**2


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
def test_a_gradient_that_is_not_finite_adds_nothing(kind: Any) -> None:
    rows = torch.ones((4, 3), dtype=kind)
    rows[0, 1], rows[1, 0], rows[2, 2] = float("nan"), float("inf"), -float("inf")
    found = on_grid(rows, Fraction(1))
    assert found[:3].tolist() == [[0.0] * 3] * 3
    assert bool((found[3] > 0.5 * LENGTH).all())


def test_a_short_gradient_is_kept_to_a_step_and_a_long_one_keeps_its_direction() -> None:
    short = torch.tensor([[0.25, -0.5, 0.0]], dtype=torch.float64)
    assert bool(((on_grid(short, Fraction(1)) - short * LENGTH).abs() <= 2).all())
    found = on_grid(short * 1e6, Fraction(1))
    away = found / LENGTH - short / torch.linalg.vector_norm(short)
    assert bool((away.abs() < 1e-5).all())


@pytest.mark.parametrize("clip", [0, -1, "1e-20", "1e20"])
def test_a_clip_that_cannot_be_used_is_refused(clip: Any) -> None:
    with pytest.raises(RangeError):
        read_clip(clip)
