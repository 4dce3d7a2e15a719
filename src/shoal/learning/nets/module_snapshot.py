"""Everything that a network and its loss hold, as one text of bytes: two are equal if nothing was
remembered between them.
"""

from __future__ import annotations

import io
import pickle
import weakref
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

_BY_IDENTITY = (FunctionType, BuiltinFunctionType, ModuleType, type, weakref.ReferenceType)


def snapshot(torch: Any, network: Any, loss: Callable[[Any, Any], Any]) -> bytes | None:
    """What the parts of a network, and its loss, hold: attributes, parameters and buffers, with all
    that these hold in turn.  None if a part of it cannot be written down.

    Guarantee: two are equal only if all that is written is equal, to the last bit.
    Edges: what functions hold in closures, and global variables, are not written.
    """
    parts = list(network.modules())
    if isinstance(loss, torch.nn.Module):
        parts += list(loss.modules())
    held = [{**vars(part), "_modules": None} for part in parts]  # these are parts themselves
    apart = None if isinstance(loss, torch.nn.Module) else loss
    written = io.BytesIO()
    try:
        _Writer(written, parts).dump([held, apart, getattr(apart, "__dict__", None)])
    except Exception:  # noqa: BLE001 - an object may refuse in any way
        return None
    return written.getvalue()


class _Writer(pickle.Pickler):
    """Writes functions, types and the parts of a network by what they are, not by what they hold."""

    def __init__(self, file: io.BytesIO, parts: list[Any]) -> None:
        super().__init__(file, protocol=4)
        self._parts = {id(each) for each in parts}

    def persistent_id(self, value: Any) -> int | None:
        is_known = isinstance(value, _BY_IDENTITY) or id(value) in self._parts
        return id(value) if is_known else None
