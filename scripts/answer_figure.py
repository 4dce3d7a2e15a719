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

NAME = "answer-wards"
SQL = "SELECT ward, COUNT(*) AS patients FROM visits GROUP BY ward"
WARDS = ["surgery", "medicine", "children", "maternity"]


def visits() -> shoal.query.Private:
    """The table of README.md, which holds nobody."""
    draw = np.random.default_rng(7)
    wards = draw.choice(WARDS, 4000, p=[0.33, 0.42, 0.17, 0.08])
    return shoal.private(
        pa.table({"patient": np.arange(4000), "ward": wards}),
        name="visits",
        protects=shoal.Person("patient", groups=1, rows_per_group=1),
        columns={"ward": shoal.Choices(WARDS)},
        required=["ward"],
        budget=shoal.Pure(1),
    )


def drawn() -> tuple[Picture, dict[str, Any]]:
    """A fresh answer as a picture, and the numbers in it."""
    answer = visits().sql(SQL).release(epsilon="0.1")
    (panel,) = plots.AnswerData.of(answer).panels
    return answer.plot(), json.loads(json.dumps(asdict(panel)))
