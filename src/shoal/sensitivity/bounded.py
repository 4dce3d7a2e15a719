"""Sensitivities of sums, means and extremes of rows that lie within public bounds."""

from __future__ import annotations

from fractions import Fraction

from shoal.errors import RangeError
from shoal.exact import Number, non_negative, rational, short, whole
from shoal.sensitivity.sensitivity import Norm, Relation, Sensitivity


def bounded_sum(*, low: Number, high: Number, relation: Relation | str) -> Sensitivity:
    """The sum of numbers from ``low`` to ``high``.

    Guarantee: under ADD_REMOVE max(|low|, |high|); under CHANGE high - low; both are attained.
    Needs: every row is clamped to public bounds before the sum, and the sum is exact.
    Proof: a row that comes or goes moves the sum by x in [low, high]; one that changes, by x - x'.
    """
    least, most = _range(low, high)
    neighbours = Relation.read(relation, "relation")
    value = most - least if neighbours is Relation.CHANGE else max(abs(least), abs(most))
    return Sensitivity(value, Norm.L1, neighbours, dimension=1)


def bounded_mean(*, low: Number, high: Number, size: int, relation: Relation | str) -> Sensitivity:
    """The mean of exactly ``size`` numbers from ``low`` to ``high``, a public number of rows.

    Guarantee: under CHANGE (high - low) / size, and that is attained.
    Needs: every row is clamped to public bounds, and the number of rows is public.
    Edges: under ADD_REMOVE the number of rows is private, so this is refused: release a noisy sum
        and a noisy count.  ``size`` counts what is protected: persons, not the cells of their
        table.
    Proof: the sum moves by at most high - low (`bounded_sum`), and is divided by a constant.
    """
    least, most = _range(low, high)
    neighbours = _public_size(relation)
    value = (most - least) / whole(size, "size", at_least=1)
    return Sensitivity(value, Norm.L1, neighbours, dimension=1)


def vector_mean(
    *,
    dimension: int,
    low: Number,
    high: Number,
    size: int,
    relation: Relation | str,
    norm: Norm | str = Norm.L1,
) -> Sensitivity:
    """The mean of exactly ``size`` vectors whose coordinates each lie from ``low`` to ``high``.

    Guarantee: under CHANGE, with d the dimension and w = (high - low) / size, L1 d w, L2 sqrt(d) w
        (rounded up), LINF w; all are attained.
    Needs: every coordinate is clamped to public bounds, and the number of rows is public.
    Edges: refused under ADD_REMOVE, as `bounded_mean` is.
    Proof: every coordinate of the mean moves by at most w, and all do when the row goes from the
        lowest to the highest corner.
    """
    parts = whole(dimension, "dimension", at_least=1)
    least, most = _range(low, high)
    neighbours, chosen = _public_size(relation), Norm.read(norm, "norm")
    width = (most - least) / whole(size, "size", at_least=1)
    return Sensitivity(_diagonal(width, parts, chosen), chosen, neighbours, dimension=parts)


def ball_mean(
    *,
    dimension: int,
    radius: Number,
    ball: Norm | str,
    size: int,
    relation: Relation | str,
    norm: Norm | str,
) -> Sensitivity:
    """The mean of exactly ``size`` vectors of norm at most ``radius``; the norm of the rows is
    ``ball``.

    Guarantee: under CHANGE, with w = 2 radius / size and d the dimension: w where the norm of the
        rows bounds the one asked for (L1 >= L2 >= LINF); otherwise w times d^(1/q - 1/p), rounded
        up, for rows in norm p and movement in norm q.  All are attained.
    Needs: every row is scaled into the ball, and the number of rows is public.
    Edges: refused under ADD_REMOVE, as `bounded_mean` is.
    Proof: ||x - x'||_p <= 2 radius; a smaller norm is no larger, and a larger one is at most d^(1/q
        - 1/p) times as large (Hölder).  Attained by x = -x' = radius e_1 in the first case and by x
        = -x' = radius d^(-1/p) (1, ..., 1) in the second.  Hence the mean of vectors in an L2 ball
        needs Laplace noise for sqrt(d) w, and Gaussian noise for w only.
    """
    parts = whole(dimension, "dimension", at_least=1)
    width = 2 * non_negative(radius, "radius") / whole(size, "size", at_least=1)
    neighbours = _public_size(relation)
    rows, chosen = Norm.read(ball, "ball"), Norm.read(norm, "norm")
    if rows.bounds(chosen):
        value = width
    elif rows is Norm.LINF:
        value = _diagonal(width, parts, chosen)
    else:  # rows in L2, movement in L1: sqrt(d)
        value = _diagonal(width, parts, Norm.L2)
    return Sensitivity(value, chosen, neighbours, dimension=parts)


def maximum(*, low: Number, high: Number, relation: Relation | str) -> Sensitivity:
    """The largest of numbers from ``low`` to ``high``; the same holds for the smallest.

    Guarantee: high - low under both relations; attained by a single row, so noise for it hides
        everything: a quantile or a noisy selection is the useful question.
    Needs: every row is clamped to public bounds; the maximum of no rows is a public number in them.
    Edges: the same for a unit of several rows.
    Proof: the maximum always lies in [low, high].
    """
    least, most = _range(low, high)
    return Sensitivity(most - least, Norm.L1, Relation.read(relation, "relation"), dimension=1)


def _range(low: Number, high: Number) -> tuple[Fraction, Fraction]:
    least, most = rational(low, "low"), rational(high, "high")
    if least > most:
        raise RangeError(
            f"low must not be above high; got low {short(least)} and high {short(most)}.",
            remedy="Give the public bounds as low <= high.",
        )
    return least, most


def _public_size(relation: Relation | str) -> Relation:
    neighbours = Relation.read(relation, "relation")
    if neighbours is not Relation.CHANGE:
        raise RangeError(
            f"relation must be 'change' for a mean of a public number of rows; got {str(neighbours)!r}.",
            remedy="Under 'add_remove' the number of rows is private: release a noisy sum and a noisy"
            " count, and divide.",
        )
    return neighbours


def _diagonal(width: Fraction, dimension: int, norm: Norm) -> Fraction:
    """The norm of ``dimension`` coordinates of ``width`` each, without listing them."""
    if norm is Norm.LINF:
        return width
    return norm.undo_up(dimension * width * (width if norm is Norm.L2 else 1))
