"""What a model has learned, as JSON: numbers exactly, arrays with their shape, columns and events by
their own form.
"""

from __future__ import annotations

import base64
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.errors import DataError
from shoal.events import Event
from shoal.learning.feature_columns import FeatureColumn
from shoal.measures import Approx, Measure, Pure, ZeroConcentrated


def packed(value: Any) -> Any:
    """A learned value as JSON has it."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, np.ndarray) and value.dtype == object:
        return {"objects": [packed(each) for each in value.tolist()]}
    if isinstance(value, np.ndarray):
        plain = np.ascontiguousarray(value)
        little = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
        text = base64.b64encode(little.tobytes()).decode("ascii")
        return {"array": text, "shape": list(plain.shape), "kind": little.dtype.str}
    if isinstance(value, np.generic):
        return packed(value.item())
    if isinstance(value, FeatureColumn):
        return {"column": value.to_dict()}
    if isinstance(value, Event):
        return {"event": value.to_dict()}
    if isinstance(value, ZeroConcentrated):
        return {"rho": str(value.rho)}
    if isinstance(value, Pure):
        return {"pure": str(value.epsilon)}
    if isinstance(value, Approx):
        return {"epsilon": str(value.epsilon), "delta": str(value.delta)}
    if isinstance(value, tuple | list):
        return {"list": [packed(each) for each in value]}
    if isinstance(value, dict):
        return {"pairs": [[packed(a), packed(b)] for a, b in value.items()]}
    raise DataError(
        f"a model cannot be stored with a {type(value).__name__} in it.", remedy="Please report it."
    )


def unpacked(said: Any) -> Any:
    """The value again.  Nothing is executed: unknown forms are refused."""
    if not isinstance(said, dict):
        return said
    if "float" in said:
        return float.fromhex(said["float"])
    if "objects" in said:
        found = np.empty(len(said["objects"]), dtype=object)
        found[:] = [unpacked(each) for each in said["objects"]]
        return found
    if "array" in said:
        kind = np.dtype(said["kind"])
        if kind.kind not in "fiub":
            raise _unreadable()
        flat = np.frombuffer(base64.b64decode(said["array"]), dtype=kind)
        return flat.reshape(said["shape"]).copy()
    if "column" in said:
        return FeatureColumn.from_dict(said["column"])
    if "event" in said:
        return Event.from_dict(said["event"])
    if "list" in said:
        return tuple(unpacked(each) for each in said["list"])
    if "pairs" in said:
        return {unpacked(a): unpacked(b) for a, b in said["pairs"]}
    return _measure(said)


def _measure(said: dict[str, Any]) -> Measure:
    if "rho" in said:
        return ZeroConcentrated(Fraction(said["rho"]))
    if "pure" in said:
        return Pure(Fraction(said["pure"]))
    if "epsilon" in said:
        return Approx(Fraction(said["epsilon"]), Fraction(said["delta"]))
    raise _unreadable()


def _unreadable() -> DataError:
    return DataError("this is not a stored model.", remedy="Give what model.save() wrote.")
