"""Write the shared vectors anew: python -m tests.polls."""

from __future__ import annotations

import json

from tests.polls.samples import VECTORS, vectors

lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in vectors())
VECTORS.write_text(f"[\n{lines}\n]\n")
