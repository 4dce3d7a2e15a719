"""The picture of errors: a row for each table, with the least and the largest error of its cells."""

from __future__ import annotations

import numpy as np

from shoal.workloads.error_picture import error_picture


def test_a_row_tells_the_least_and_the_largest_error_of_all_cells() -> None:
    many = np.array([[10.0, 2.0] * 60])  # two cells in each strip, which is as dark as the larger
    picture = error_picture([("many", many), ("even <b>", np.array([3.0]))])
    assert "±2.0 to 10.0" in picture
    assert "±3.0</text>" in picture
    assert "even &lt;b&gt;" in picture
    shades = {part[:7] for part in picture.split('fill="')[2:] if part.startswith("#")}
    assert len(shades) == 2, "one shade for each table"
