"""Faults in regular expressions: engines would find different things, or one text would take long."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_TESTS = "tests/plan/patterns/test_patterns.py"
_ROADS = (f"{_TESTS}::test_four_roads_find_the_same",)

PATTERNS = (
    Mutation(
        "duckdb-folds-letters-by-unicode",
        "src/shoal/plan/patterns/syntax.py",
        """return letters_written(letters) + ("{1}" if _is_one_letter(letters) else "")""",
        "return letters_written(letters)",
        "A text with the sign of kelvin counts in one engine and not in another.",
        (f"{_TESTS}::test_letters_of_either_case_are_ascii_in_duckdb_too",),
    ),
    Mutation(
        "patterns-of-a-question-are-not-added-up",
        "src/shoal/sql/pattern_words.py",
        "if number > _MOST or steps > MOST_STEPS:",
        "if False:",
        "An analyst keeps a server busy for minutes with one question, at no charge.",
        (
            "tests/plan/patterns/test_pattern_functions.py::test_the_patterns_of_a_question_are_bounded_together",
        ),
    ),
    Mutation(
        "steps-that-read-nothing-are-free",
        "src/shoal/plan/patterns/transition_table.py",
        "        self.steps += steps\n",
        "        self.steps += len(found)\n",
        "One pattern keeps the planner busy for seconds.",
        (f"{_TESTS}::test_the_walk_that_reads_nothing_counts_too",),
    ),
    Mutation(
        "a-search-begins-at-the-start-only",
        "src/shoal/plan/patterns/automaton.py",
        "found, waiting = set[int](), [*states, self.start]",
        "found, waiting = set[int](), [*states] if before is Side.OTHER else [*states, self.start]",
        "A pattern in the middle of a text is not found by one engine and is by another.",
        _ROADS,
    ),
    Mutation(
        "open-repetitions-count-once",
        "src/shoal/plan/patterns/syntax.py",
        "max(1, least + 1 if most is None else most)",
        "max(1, 1 if most is None else most)",
        "A short pattern becomes an automaton of millions of states, and planning does not end.",
        (f"{_TESTS}::test_large_patterns_are_refused_before_anything_is_built",),
    ),
    Mutation(
        "found-is-forgotten",
        "src/shoal/plan/patterns/transition_table.py",
        "None if ACCEPTED in reached[side] else (frozenset(found), side)",
        "(frozenset(found), side)",
        "Spark does not find a pattern that ends before the text does.",
        _ROADS,
    ),
    Mutation(
        "cases-are-added-to-the-opposite",
        "src/shoal/plan/patterns/classes.py",
        "    letters = cased(letter_set(found))\n    letters = all_but(letters) if turned else letters\n",
        "    letters = letter_set(found)\n    letters = cased(all_but(letters)) if turned else cased(letters)\n",
        "(?i)[^a] matches an A in Shoal's engines and in no other.",
        (f"{_TESTS}::test_places_and_options_mean_one_thing",),
    ),
    Mutation(
        "a-replaced-text-is-longer-than-its-bound",
        "src/shoal/plan/functions/patterns.py",
        "return max(whole, whole // least * new + whole % least)",
        "return whole",
        "One row's text grows beyond the public limit, and the engine may fail for it.",
        ("tests/plan/patterns/test_pattern_functions.py",),
    ),
)
