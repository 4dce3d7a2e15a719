"""What a vault charges for: nothing is drawn twice for one debit, and no row counts twice for
one.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from tests.vault.office import office, write

import shoal
from shoal.errors import VaultError


def test_rows_that_may_lie_in_two_datasets_are_not_asked_of_both(tmp_path: Path) -> None:
    numbers = pa.table({"x": list(range(100))})
    with shoal.open(tmp_path / "office.shoal") as vault:
        for name in ("one", "two"):
            path = write(tmp_path, f"{name}.parquet", numbers)
            vault.add(name, path, protects=shoal.Row(), budget=shoal.Pure(9))
        both = vault.sql(
            "SELECT COUNT(*) AS n FROM (SELECT x FROM one UNION ALL SELECT x FROM two)"
        )
        with pytest.raises(VaultError, match="share an account"):
            both.release(epsilon=1)
        assert vault.budget("one").spent == shoal.Pure(0)


@pytest.mark.slow
@pytest.mark.parametrize("select", ["VARIANCE(s)", "AVG(s)", "SUM(s)", "STDDEV(s)"])
def test_no_draw_ends_in_an_error(select: str, tmp_path: Path) -> None:
    """Sums near the largest float, with noise that takes some of them beyond it."""
    wide = pa.table({"s": [1e153] * 1440})
    with shoal.open(tmp_path / "office.shoal") as vault:
        path = write(tmp_path, "wide.parquet", wide)
        columns = {"s": shoal.Range(0, "1e153")}
        vault.add("wide", path, protects=shoal.Row(), columns=columns, budget=shoal.Pure(99))
        ask = vault.sql(f"SELECT {select} AS n FROM wide")
        for at in range(12):
            (row,) = ask.release(epsilon=f"0.2{at}").rows
            assert row[0] is not None


def test_two_texts_that_differ_in_a_line_end_are_two_questions(tmp_path: Path) -> None:
    lines = pa.table({"city": ["q\rb"] * 500 + ["q\nb"] * 20})
    with shoal.open(tmp_path / "office.shoal") as vault:
        path = write(tmp_path, "lines.parquet", lines)
        vault.add("lines", path, protects=shoal.Row(), budget=shoal.Pure(99))
        few, many = (
            int(str(vault.sql(f"SELECT COUNT(*) AS n FROM lines WHERE city = 'q{end}b'").release(epsilon=9).rows[0][0]))
            for end in ("\n", "\r")
        )  # fmt: skip
        assert few < 100 < many


def test_a_key_whose_request_failed_after_reading_is_used_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with office(tmp_path) as vault:
        ask = vault.sql("SELECT COUNT(*) AS n FROM visits")
        with monkeypatch.context() as broken, pytest.raises(shoal.errors.UnansweredError):
            broken.setattr("shoal.query.ask.noisy_groups", _runs_out)
            ask.release(epsilon="0.1", key="k")
        with pytest.raises(shoal.errors.ChargeError, match="ended without an answer"):
            ask.release(epsilon="0.1", key="k")
        assert vault.budget("visits").spent == shoal.Pure("0.1")
        ask.release(epsilon="0.1", key="another")
        assert vault.budget("visits").spent == shoal.Pure("0.2")


def _runs_out(*_: object) -> None:
    raise MemoryError
