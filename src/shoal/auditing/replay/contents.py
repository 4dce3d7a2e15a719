"""What an object holds: its fields, and for tables of other libraries their columns."""

from __future__ import annotations

from typing import Any

_PYTHON_MADE = 1 << 9
"""The mark of a class that was made by a class statement."""


def contents(value: Any) -> dict[str, Any] | None:
    """Every attribute that an object of a class written in Python holds; None where it may hold
    more than can be seen.

    >>> class Point:
    ...     __slots__ = ("x",)
    >>> here = Point()
    >>> here.x = 3
    >>> contents(here), contents(iter([3]))
    ({'x': 3}, None)
    """
    kinds = [kind for kind in type(value).__mro__ if kind is not object]
    if isinstance(value, type) or not all(kind.__flags__ & _PYTHON_MADE for kind in kinds):
        return None
    held = dict(getattr(value, "__dict__", {}))
    for kind in kinds:
        slots = vars(kind).get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else tuple(slots):
            name = (
                f"_{kind.__name__.lstrip('_')}{slot}"
                if slot.startswith("__") and not slot.endswith("__")
                else slot
            )
            if slot not in ("__dict__", "__weakref__") and hasattr(value, name):
                held[name] = getattr(value, name)
    return held if held or not kinds or _is_bare(kinds) else None


def _is_bare(kinds: list[type]) -> bool:
    """Whether objects of these classes can hold attributes at all, and just do not."""
    return any("__dict__" in vars(kind) or "__slots__" in vars(kind) for kind in kinds)


def is_frame(value: Any) -> bool:
    """Whether it is a table or column of pandas, polars or Arrow."""
    kind = type(value)
    return kind.__module__.split(".")[0] in {"pandas", "polars", "pyarrow"} and any(
        hasattr(kind, name) for name in ("to_pylist", "to_list", "to_dict")
    )


def told_by(frame: Any) -> dict[str, Any]:
    """All cells of a table or column, with types and labels."""
    library = type(frame).__module__.split(".")[0]
    return {"pandas": _pandas, "polars": _polars, "pyarrow": _arrow}[library](frame)


def _pandas(frame: Any) -> dict[str, Any]:
    if hasattr(frame, "columns"):
        cells = [frame.iloc[:, place].tolist() for place in range(frame.shape[1])]
        types = [str(each) for each in frame.dtypes]
        return {
            "columns": _pandas(frame.columns),
            "index": _pandas(frame.index),
            "types": types,
            "cells": cells,
        }
    own = {
        "names": list(getattr(frame, "names", [])) or [getattr(frame, "name", None)],
        "type": str(frame.dtype),
        "cells": frame.tolist(),
    }
    return {**own, "index": _pandas(frame.index)} if hasattr(frame, "index") else own


def _polars(frame: Any) -> dict[str, Any]:
    if hasattr(frame, "columns"):
        cells = [frame[name].to_list() for name in frame.columns]
        return {
            "columns": list(frame.columns),
            "types": [str(each) for each in frame.dtypes],
            "cells": cells,
        }
    return {"name": frame.name, "type": str(frame.dtype), "cells": frame.to_list()}


def _arrow(frame: Any) -> dict[str, Any]:
    if hasattr(frame, "column_names"):
        cells = [each.to_pylist() for each in frame.columns]
        schema = frame.schema
        return {
            "columns": list(frame.column_names),
            "types": [str(each.type) for each in schema],
            "notes": dict(schema.metadata or {}),
            "cells": cells,
        }
    return {"type": str(frame.type), "cells": frame.to_pylist()}
