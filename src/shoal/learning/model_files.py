"""Models in files: JSON for what is said, .npy for arrays; nothing that is executed when it is
read.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import DataError, SourceError

FORM = 1
"""The version of the form in which models are written."""


def write_model(
    folder: Path, kind: str, state: Mapping[str, Any], certificate: Mapping[str, Any] | None
) -> None:
    """A new folder with ``model.json`` and the arrays that it names."""
    if folder.exists():
        raise SourceError(
            "the folder for the model is already there.", remedy="Give the name of a new folder."
        )
    folder.mkdir(parents=True)
    said: dict[str, Any] = {}
    for name, value in state.items():
        if isinstance(value, dict) and "array" in value:
            flat = np.frombuffer(base64.b64decode(value["array"]), dtype=np.dtype(value["kind"]))
            np.save(folder / f"{name}.npy", flat.reshape(value["shape"]), allow_pickle=False)
            said[name] = {"npy": f"{name}.npy"}
        else:
            said[name] = value
    body = {"shoal_model": FORM, "kind": kind, "learned": said, "certificate": certificate}
    (folder / "model.json").write_text(json.dumps(body, indent=1, sort_keys=True))


def read_model(folder: Path) -> tuple[str, dict[str, Any], dict[str, Any] | None]:
    """The kind of a model, what it learned, and its certificate."""
    try:
        body = json.loads((folder / "model.json").read_text())
        if body["shoal_model"] != FORM:
            raise _unreadable()
        state = {name: _value(folder, name, value) for name, value in body["learned"].items()}
        return str(body["kind"]), state, body["certificate"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise _unreadable() from None


def _value(folder: Path, name: str, value: Any) -> Any:
    if not (isinstance(value, dict) and "npy" in value):
        return value
    if not name.isidentifier() or value["npy"] != f"{name}.npy":  # no file but those beside it
        raise _unreadable()
    found = np.load(folder / f"{name}.npy", allow_pickle=False)
    text = base64.b64encode(np.ascontiguousarray(found).tobytes()).decode("ascii")
    return {"array": text, "shape": list(found.shape), "kind": found.dtype.str}


def _unreadable() -> DataError:
    return DataError(
        "this is not a folder that a model was saved in.", remedy="Give what model.save() wrote."
    )
