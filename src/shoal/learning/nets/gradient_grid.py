"""Gradients of rows as whole numbers of bounded length."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from shoal.exact import Number, out_of_range, positive
from shoal.loading import from_extra

LENGTH = 1 << 20
"""A gradient that is clipped has this length at most, in steps of the grid."""

_ROOM = 1 - 2.0**-20
"""What doubles and floats may be off by while a gradient is scaled."""

_WIDEST = Fraction(2) ** 40


def torch_of(needed_by: str) -> Any:
    """torch, which is an extra."""
    return from_extra("torch", needed_by=needed_by, extra="torch")


def read_clip(clip: Number) -> Fraction:
    """The length to which gradients are clipped."""
    found = positive(clip, "clip")
    if not 1 / _WIDEST <= found <= _WIDEST:
        raise out_of_range("clip", found, "between 2^-40 and 2^40")
    return found


def on_grid(gradients: Any, clip: Fraction) -> Any:
    """Each row's gradient in steps of clip / `LENGTH`, scaled down where it is longer than clip.

    Guarantee: row by row the entries are whole numbers, in doubles, and their squares add up to at
        most LENGTH^2, whatever the gradient is.  That rests on the last comparison alone, which is
        exact.
    Needs: at most 2^24 entries a row; floats or doubles.
    Edges: a gradient with NaN or an infinity in it, or too long for a double, becomes zeros.
    Proof: nets.md, *The grid*.
    """
    torch = torch_of("training a network")
    lengths = torch.linalg.vector_norm(gradients, dim=1, dtype=torch.float64)
    whole_clip = torch.full_like(lengths, LENGTH / float(clip))
    factors = torch.minimum(whole_clip, LENGTH / lengths) * _ROOM
    steps = (gradients * factors.to(gradients.dtype)[:, None]).trunc_().double()
    squares = (steps * steps).sum(dim=1)
    steps[~(squares <= float(LENGTH * LENGTH))] = 0.0  # NaN is not below anything
    return steps
