"""The picture of an answer in README.md, from one release that is kept beside it.

An answer is drawn with fresh noise each time; `make figures` asks anew and keeps what was said.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import numpy as np
import pyarrow as pa

import shoal
from shoal import plots
from shoal.plots.saving import Picture

NAME = "answer-visits"
SQL = "SELECT WIDTH_BUCKET(spend, 0, 300, 12) AS spend, kind, COUNT(*) AS n FROM visits WHERE kind IS NOT NULL AND spend < 300 GROUP BY ALL"


def visits() -> shoal.query.Private:
    """The table of README.md, which holds nobody."""
    draw = np.random.default_rng(7)
    table = pa.table({
        "user_id": draw.integers(0, 30_000, 100_000),
        "kind": draw.choice(["work", "leisure"], 100_000, p=[0.6, 0.4]),
        "spend": draw.gamma(2, 40, 100_000),
    })  # fmt: skip
    return shoal.private(
        table,
        name="visits",
        protects=shoal.Person("user_id", groups=2, rows_per_group=3),
        columns={"kind": shoal.Choices(["work", "leisure"]), "spend": shoal.Range(0, 500)},
        budget=shoal.Approx(3, "1e-7"),
    )


def drawn() -> tuple[Picture, dict[str, Any]]:
    """A fresh answer as a picture, and the numbers in it."""
    answer = visits().sql(SQL).release(epsilon="0.1")
    (panel,) = plots.AnswerData.of(answer).panels
    return answer.plot(), json.loads(json.dumps(asdict(panel)))
