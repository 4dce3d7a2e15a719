"""Where the bins of a key begin and end, read off the expression that made them."""

from __future__ import annotations

from shoal.plan import Call, Expression, Literal, Value, number_of

_BIN, _BUCKET = "bin", "width_bucket"


def is_binned(key: Expression) -> bool:
    """Whether a key is BIN(...) or WIDTH_BUCKET(...)."""
    return isinstance(key, Call) and key.name in (_BIN, _BUCKET)


def bin_of(key: Expression, value: Value) -> tuple[float, float] | None:
    """The ends of the bin that a value of such a key stands for; None for NULL.

    Edges: what lies below the first bucket of WIDTH_BUCKET, or above the last, is given one more of their width.
    """
    assert isinstance(key, Call)
    if value is None:
        return None
    first, second, *more = (_number(argument) for argument in key.arguments[1:])
    if key.name == _BIN:
        start = number_of(value, key.type)
        assert start is not None
        return float(start), float(start) + first
    width = (second - first) / more[0]
    assert isinstance(value, int)
    return first + (value - 1) * width, first + value * width


def _number(argument: Expression) -> float:
    assert isinstance(argument, Literal)
    place = number_of(argument.value, argument.type)
    assert place is not None
    return float(place)
