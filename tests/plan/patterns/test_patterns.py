"""Patterns mean the same by four roads: states at once, a table, RE2 and Python's own."""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from random import Random

import duckdb
import pytest
from tests.plan.patterns.random_patterns import random_pattern, random_text

from shoal.errors import ExpressionError
from shoal.plan.patterns import (
    TransitionTable,
    automaton_of,
    pattern_of,
    read_pattern,
    run_of,
    table_of,
)
from shoal.plan.patterns.letters import EVERY, LAST, all_but, in_both_cases, letter_set
from shoal.plan.patterns.syntax import size_of, written
from shoal.plan.patterns.transition_table import MOST_CELLS


def walked(table: TransitionTable, text: str) -> bool:
    """Whether the walk of a text through a table ends in an accepting state."""
    state = table.start
    for letter in text:
        kind = table.kinds[bisect_right(table.cuts, ord(letter)) - 1]
        state = table.cells[state * table.width + kind]
    return state >= table.accepting


def in_duckdb(function: str, texts: list[str], *constants: str) -> list[object]:
    told = ", ".join("'" + each.replace("'", "''") + "'" for each in constants)
    rows = "(SELECT UNNEST(?) AS v, GENERATE_SUBSCRIPTS(?, 1) AS i)"
    with duckdb.connect() as opened:
        found = opened.execute(
            f"SELECT {function}(v, {told}) FROM {rows} ORDER BY i", [texts, texts]
        )
        return [value for (value,) in found.fetchall()]


def python_form(pattern: str) -> re.Pattern[str]:
    """A pattern for Python, which has other words for some of it and other spaces."""
    for ours, theirs in (
        (r"\z", r"\Z"), ("$", r"\Z"), (r"\x{e9}", "é"), ("[[:upper:]]", "[A-Z]"),
        ("[[:^space:]]", r"[^ \t\n\v\f\r]"), (r"\s", r"[ \t\n\f\r]"), (r"\S", r"[^ \t\n\f\r]"),
    ):  # fmt: skip
        pattern = pattern.replace(ours, theirs)
    return re.compile(pattern, re.ASCII)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_four_roads_find_the_same(seed: int) -> None:
    chance = Random(seed)
    for _ in range(40):
        pattern = chance.choice(["", "", "(?i)", "(?s)", "(?is)"]) + random_pattern(chance, 4)
        texts = [random_text(chance) for _ in range(30)]
        automaton, table = automaton_of(pattern), table_of(pattern)
        by_states = [automaton.finds(text) for text in texts]
        assert by_states == [walked(table, text) for text in texts], pattern
        assert by_states == in_duckdb("REGEXP_MATCHES", texts, written(pattern_of(pattern)))
        assert by_states == [python_form(pattern).search(text) is not None for text in texts]


@pytest.mark.parametrize("pattern", ["[Kk]|z", "(?i)k|z", "a[Kk]|a%", "(?:[Ss]|[Tt])+", "(?i)s|t"])
def test_letters_of_either_case_are_ascii_in_duckdb_too(pattern: str) -> None:
    texts = ["\u212a", "a\u212a", "\u017f", "k", "aK", "s", "T"]
    found = [automaton_of(pattern).finds(text) for text in texts]
    assert not any(found[:3])
    assert found == in_duckdb("REGEXP_MATCHES", texts, written(pattern_of(pattern)))


def test_the_walk_that_reads_nothing_counts_too() -> None:
    start = time.process_time()
    pattern = r"(?s)(?:|" + "|".join([r"\b^"] * 230) + ")a.{10}"
    with pytest.raises(ExpressionError, match="too many states"):
        table_of(pattern)
    assert time.process_time() - start < 1  # it took 2 s


def test_places_and_options_mean_one_thing() -> None:
    def found(pattern: str, text: str) -> bool:
        return automaton_of(pattern).finds(text)

    assert not found("a$", "a\n")
    assert not found("a.b", "a\nb")
    assert found("(?s)a.b", "a\nb")
    assert found("(?i)K", "k")
    assert not found("(?i)k", "\u212a")
    assert not found("(?i)[^a]", "A")
    assert found(r"\bé", "aé")
    assert not found(r"\s", "\v\u00a0")
    assert found("", "")


WRONG = {
    r"(.)\1": 5,
    "a(?=b)": 3,
    "(?P<n>a)": 2,
    "a(?i)b": 3,
    r"\p{L}": 2,
    r"a\B": 3,
    "a**": 3,
    "a*+": 3,
    "*a": 1,
    "^*": 2,
    "a{": 3,
    "a{2": 4,
    "a{3,2}": 7,
    "a{1001}": 7,
    "(a": 3,
    "a)": 2,
    "[a": 3,
    "[b-a]": 4,
    r"[\d-z]": 5,
    "[[:vowel:]]": 2,
    r"[^\x{1}-\x{10ffff}]{2}[^\d\D]": 29,
    "a\\": 3,
    r"\x{110000}": 11,
    r"\x{d800}": 9,
    "(" * 51: 52,
}


@pytest.mark.parametrize("pattern", WRONG)
def test_what_is_not_in_the_language_is_refused_at_its_place(pattern: str) -> None:
    with pytest.raises(ExpressionError, match=f"at its character {WRONG[pattern]}, in") as refusal:
        read_pattern(pattern)
    assert refusal.value.remedy


@pytest.mark.parametrize(
    "pattern", ["(a{40}){40}", "[^a]{400}", "[^a]{400,}", "(?:(?:){900}){900}", "a" * 1001]
)
def test_large_patterns_are_refused_before_anything_is_built(pattern: str) -> None:
    with pytest.raises(ExpressionError, match=r"at most 1,000 are allowed"):
        read_pattern(pattern)


def test_a_pattern_of_too_many_states_is_refused_in_little_time() -> None:
    start = time.process_time()
    for pattern in ("a.{20}b", "(a|b)*a(a|b){12}", ".{100}x.{100}y"):
        with pytest.raises(ExpressionError, match="too many states"):
            table_of(pattern)
    assert time.process_time() - start < 2
    assert len(table_of("a.{8}b.{3}c").cells) <= MOST_CELLS


LARGE = [
    "[^é]{330}", "(a{1,30}){1,30}", "((a?){25}){25}b", "x*" * 300 + "y", "^a{999}", "(?i)^[a-y]{490}z",
    "[" + "".join(chr(300 + 2 * at) for at in range(990)) + "]",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("pattern", LARGE)
def test_the_largest_patterns_are_taken_by_every_engine(pattern: str) -> None:
    assert 300 <= size_of(pattern_of(pattern)) <= 1000
    texts = ["", "ab" * 2000, "x" * 4096, "é" * 300, "a" * 1000]
    by_states = [automaton_of(pattern).finds(text) for text in texts]
    assert by_states == [walked(table_of(pattern), text) for text in texts]
    assert by_states == in_duckdb("REGEXP_MATCHES", texts, written(pattern_of(pattern)))


@pytest.mark.parametrize("pattern", ["(x+x+)+y", "(x|x)*y", "(.*)*y", "(x?){30}x{30}y"])
def test_no_text_takes_more_than_text_times_pattern(pattern: str) -> None:
    """Visits to states are counted: Python's own would need more than 2^4000 of them."""
    automaton, text = automaton_of(pattern), "x" * 4096
    visited = 0

    class Counted(tuple[object, ...]):
        __slots__ = ()

        def __getitem__(self, at: object) -> object:  # type: ignore[override]
            nonlocal visited
            visited += 1
            return super().__getitem__(at)  # type: ignore[call-overload]

    object.__setattr__(automaton, "reads", Counted(automaton.reads))
    try:
        assert not automaton.finds(text)
    finally:
        object.__setattr__(automaton, "reads", tuple(automaton.reads))
    assert visited <= 2 * (len(text) + 1) * len(automaton.exits)


RUNS = ["[0-9]+", "[a-c]{2,3}", "[^a]", "^[ab]+", r"\d{2}", "é{1,}", "^a", "[^a-z]+", "a{2}"]


@pytest.mark.parametrize("pattern", RUNS)
def test_runs_are_found_from_left_to_right_as_long_as_possible(pattern: str) -> None:
    chance, run = Random(7), run_of(pattern)
    texts = [random_text(chance, 12) for _ in range(200)]
    spans = [list(run.found_in(text)) for text in texts]
    assert spans == [[each.span() for each in re.finditer(pattern, text)] for text in texts]
    first = [
        text[slice(*found[0])] if found else "" for text, found in zip(texts, spans, strict=True)
    ]
    assert first == in_duckdb("REGEXP_EXTRACT", texts, run.written(possessive=False))


@pytest.mark.parametrize("pattern", ["a|b", "ab", "[0-9]+?", "a*", "a+$", "(ab)+", ""])
def test_other_patterns_find_no_run(pattern: str) -> None:
    with pytest.raises(ExpressionError, match="only for one set of characters"):
        run_of(pattern)


def test_sets_of_characters() -> None:
    assert all_but(()) == EVERY == ((0, 0xD7FF), (0xE000, LAST))
    assert all_but(EVERY) == ()
    some = letter_set([(98, 99), (97, 97), (0xD000, 0xE010)])
    assert all_but(all_but(some)) == some
    assert in_both_cases(letter_set([(70, 75)])) == ((70, 75), (102, 107))
