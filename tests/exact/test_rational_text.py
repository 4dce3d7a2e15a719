"""Numbers in text are read by one grammar, wherever text comes in."""

from __future__ import annotations

import time
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import shoal
from shoal.accounting.quantities import sum_from_text
from shoal.cli.app import app
from shoal.cli.options import counts_of, facts_of
from shoal.cli.typed_poll import odds_of
from shoal.errors import ShoalError
from shoal.events import read_events
from shoal.exact import numeral, rational, whole_numeral
from shoal.ledger import Ledger
from shoal.local.written_matrix import _integer
from shoal.measures import budget_of
from shoal.plan import INTEGER, REAL, decimal
from shoal.plan.types import read
from shoal.sql.expressions import number
from shoal.vault.plain_values import choice_from

ENTRIES: dict[str, Callable[[str], Any]] = {
    "a parameter": lambda text: rational(text, "epsilon"),
    "a measure": shoal.Pure,
    "a fact": lambda text: shoal.Range(0, text),
    "an event in short": lambda text: read_events(f"laplace scale={text} sensitivity=1"),
    "a budget on the command line": budget_of,
    "a count on the command line": lambda text: counts_of([f"user_id={text}"]),
    "a range on the command line": lambda text: facts_of([f"x=0:{text}"], []),
    "the odds of a poll": lambda text: rational(odds_of(text), "odds"),
    "a real choice": lambda text: choice_from(text, REAL),
    "a whole choice": lambda text: choice_from(text, INTEGER),
    "a decimal choice": lambda text: choice_from(text, decimal(2)),
    "a literal in SQL": number,
    "a sum of the ledger": sum_from_text,
    "a matrix": _integer,
    "an option with a whole number": lambda text: typed("attack", "--seed", text),
    "a value to release": lambda text: typed(
        "mechanism", "laplace", "--budget", "1", "--release", text
    ),
}

NO_NUMERALS = [
    "1_5", "1_000", "١٢", "１２", "1²", "½", "৪", "0x10", "0b1", "1e1_0", "nan", "NaN", "inf", "-Infinity", "1.2.3", "1e", "e5",
    "--1", "1 5", "1\u00a05", "５e１", "1e٣", "", " ", "1/", "/2", "1/0", "1//2", "1/2/3", "0,5", "1.5f", "١/٢", "1e5j",
]  # fmt: skip
TOO_FAR = ["1e999999999", "-1e999999999", "1e-999999999", "1e99999999999999999999", "9" * 50_000, "1e-9999999999999"]  # fmt: skip
LARGE = ["1e400", "1e-400", "1e5000", "-1e400"]


def typed(*words: str) -> int:
    """The exit code of a command; an error that is not ours is raised."""
    done = CliRunner().invoke(app, list(words))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    if done.exit_code:
        raise shoal.errors.RangeError(done.output, remedy="-")
    return done.exit_code


@pytest.mark.slow
@pytest.mark.parametrize("text", NO_NUMERALS, ids=ascii)
@pytest.mark.parametrize("entry", ENTRIES)
def test_text_that_is_no_ascii_numeral_is_refused_at_every_entry(entry: str, text: str) -> None:
    with pytest.raises((ShoalError, TypeError)):
        ENTRIES[entry](text)


@pytest.mark.parametrize("text", TOO_FAR, ids=lambda text: text[:12])
@pytest.mark.parametrize("entry", ENTRIES)
def test_a_number_that_would_fill_memory_is_refused_before_it_is_computed(
    entry: str, text: str
) -> None:
    if entry == "a sum of the ledger" and text.isdecimal():
        return  # sums of a ledger have as many digits as they have
    start = time.process_time()
    with pytest.raises((ShoalError, TypeError)):
        ENTRIES[entry](text)
    assert time.process_time() - start < 1


@pytest.mark.parametrize("text", LARGE)
@pytest.mark.parametrize("entry", ENTRIES)
def test_a_number_beyond_the_doubles_is_exact_or_refused(entry: str, text: str) -> None:
    try:
        ENTRIES[entry](text)
    except (ShoalError, TypeError):
        return


@pytest.mark.parametrize("text", ["1_5", "١٢", "inf", "nan", "1/2", "1e999999999"])
def test_an_option_with_a_decimal_is_no_other_text(text: str) -> None:
    words = ["audit", "timing", "true", "--d0", "a", "--d1", "b", "--resolution", text]
    done = CliRunner().invoke(app, words, env={"TERMINAL_WIDTH": "200", "NO_COLOR": "1"})
    assert done.exit_code == 2
    assert "is not a number" in done.output


def test_what_a_plain_number_becomes_is_the_same_at_every_entry_that_takes_it() -> None:
    assert rational("12", "x") == sum_from_text("12") == choice_from("12", INTEGER) == 12
    assert counts_of(["user_id=12"]) == {"user_id": 12}
    assert number("12").value == 12
    assert choice_from("0.5", REAL) == 0.5


@given(st.text(max_size=8))
def test_a_numeral_is_what_the_grammar_says_and_nothing_else(text: str) -> None:
    found = numeral(text)
    if found is not None:
        assert set(text.strip()) <= set("0123456789+-.eE/ \t\r\n")
    else:
        with pytest.raises(ShoalError):
            rational(text, "x")


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**40), max_value=10**40))
def test_every_decimal_is_read_back_as_itself(value: Decimal) -> None:
    if not value or abs(value.adjusted()) <= 5000:
        assert numeral(str(value)) == Fraction(value)


@given(st.integers(), st.integers(min_value=1))
def test_every_fraction_is_read_back_as_itself(above: int, below: int) -> None:
    assert numeral(f"{above}/{below}") == Fraction(above, below)
    assert whole_numeral(str(above)) == above


@pytest.mark.parametrize("seconds", ["1e400", "1e10"])
@pytest.mark.parametrize("name", ["patience", "wait"])
def test_a_ledger_waits_no_longer_than_a_clock_can_count(
    name: str, seconds: str, tmp_path: Path
) -> None:
    with pytest.raises(ShoalError, match=name):
        Ledger(tmp_path / "book.shoal", **cast("dict[str, Any]", {name: seconds}))


def test_a_decimal_in_a_row_that_would_fill_memory_is_read_at_once() -> None:
    """Its exponent is data: one row must not decide whether a question is answered."""
    start = time.process_time()
    assert read(Decimal("1e-999999999"), REAL) == 0.0
    assert read(Decimal("1e-10000000"), REAL) == 0.0
    assert read(Decimal("1e999999999"), REAL) is None
    assert read(Decimal("1e-999999999"), decimal(2)) == 0
    assert read(Decimal("1e999999999"), decimal(2)) is None
    assert time.process_time() - start < 1
