"""Faults in the one spelling of a question: another question would get a stored answer."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_EXPRESSIONS = "tests/plan/test_normal_expressions.py"
_QUESTIONS = "tests/plan/test_normal_questions.py"
_STATED = (
    "tests/query/test_key_selection.py::"
    "test_where_few_rows_of_a_person_are_stated_the_threshold_is_lower_and_still_safe"
)
_RULES = "src/shoal/plan/normal_expressions.py"

_PARTS = "tests/sql/test_node_parts.py"

SPELLINGS = (
    Mutation(
        "a-not-inside-of-a-node-is-passed-over",
        "src/shoal/sql/expressions.py",
        'return call("not", made) if node.args.get("negate") else made',
        "return made",
        "NOT LIKE is answered as LIKE, and gets its stored answer.",
        (_PARTS,),
    ),
    Mutation(
        "words-in-a-node-are-passed-over",
        "src/shoal/sql/expressions.py",
        'self.text.only(node, "negate", *READ[kind])',
        "self.text.only(node, *READ[kind], *node.args)",
        "A newer parser puts a word elsewhere, and the opposite is answered.",
        (_PARTS,),
    ),
    Mutation(
        "all-columns-are-listed-for-every-column",
        "src/shoal/plan/normal_questions.py",
        "return rows, {name: substitute(made, held) for name, made in self.made.items()}",
        "return rows, {name: onto(rows, made) for name, made in self.made.items()}",
        "Whoever previews questions on a wide table, for free, stops the server for all others.",
        (f"{_QUESTIONS}::test_the_columns_of_a_wide_table_are_listed_a_few_times",),
    ),
    Mutation(
        "not-of-less-is-greater",
        _RULES,
        '_OPPOSITE = {"lt": "ge",',
        '_OPPOSITE = {"lt": "gt",',
        "NOT x < 3 leaves out who has 3, and is answered as x > 3.",
        (_EXPRESSIONS,),
    ),
    Mutation(
        "not-of-and-is-and",
        _RULES,
        "self._joined(_OTHER[word], map(self._not",
        "self._joined(word, map(self._not",
        "Who asks for all but the old women gets neither the old nor the women.",
        (_EXPRESSIONS,),
    ),
    Mutation(
        "a-turned-difference",
        _RULES,
        '    "add": "add",\n',
        '    "add": "add",\n    "subtract": "subtract",\n',
        "The mean of b - a is given for that of a - b.",
        (_EXPRESSIONS,),
    ),
    Mutation(
        "equalities-of-two-columns-are-one-list",
        _RULES,
        "lists.setdefault(found[0], []).extend(found[1])",
        "lists.setdefault(next(iter(lists), found[0]), []).extend(found[1])",
        "x = 1 OR y = 2 is answered as x IN (1, 2).",
        (_EXPRESSIONS,),
    ),
    Mutation(
        "a-window-loses-the-columns-that-break-ties",
        "src/shoal/plan/normal_questions.py",
        "under = _same(source, dissolve)  # all values decide the order",
        "under = normal_rows(source, dissolve=dissolve).filtered()[0]",
        "The first visit of a person is another one if the question is written with a sub-query.",
        (f"{_QUESTIONS}::test_a_window_keeps_the_columns_of_its_sub_query",),
    ),
    Mutation(
        "what-a-condition-teaches-is-lost",
        "src/shoal/plan/normal_questions.py",
        "        if _is_as_sharp(made, asked):",
        "        if made:",
        "A sub-query with a condition gets more noise than it was asked with.",
        (f"{_QUESTIONS}::test_what_a_condition_teaches_of_a_computed_column_is_kept",),
    ),
    Mutation(
        "a-place-is-told-for-all-columns",
        "src/shoal/query/canonical.py",
        "return {column.name: at for at, column in enumerate(rows.columns)}",
        "return {column.name: 0 for column in rows.columns}",
        "The sum of one column of a sub-query is given for that of another.",
        (
            f"{_QUESTIONS}::test_another_question_has_another_form",
            "tests/query/test_canonical.py::test_columns_that_a_question_makes_have_places_and_not_names",
        ),
    ),
    Mutation(
        "kept-groups-keep-the-order-of-the-first-question",
        "src/shoal/query/stored_answer.py",
        "        groups, released = [groups[at] for at in places], [released[at] for at in places]",
        "        groups = [groups[at] for at in places]",
        "Whoever asks in other words gets the numbers of other groups.",
        (
            "tests/query/test_canonical.py::test_the_same_question_in_other_words_is_answered_once_and_shown_as_it_is_asked",
        ),
    ),
)

SELECTIONS = (
    Mutation(
        "who-has-more-rows-than-stated-still-votes",
        "src/shoal/query/pricing.py",
        "    term = votes_of(most) if isinstance(unit, Person) else count_of()",
        "    term = votes_of(32 * unit.groups) if isinstance(unit, Person) else count_of()",
        "The threshold stays high where one row a person is stated.",
        (_STATED,),
    ),
    Mutation(
        "the-threshold-forgets-people-in-several-groups",
        "src/shoal/query/key_selection.py",
        "        while few < most:",
        "        while False:",
        "Someone in 32 groups has one of them told more often than delta allows.",
        (_STATED,),
    ),
    Mutation(
        "a-join-adds-no-rows-to-those-stated",
        "src/shoal/plan/contribution_bounds.py",
        "return None if below is None else below * most",
        "return below",
        "People lose their vote because a public join gave them more rows than their table has.",
        (
            "tests/query/test_key_selection.py::test_rows_of_one_person_are_followed_through_the_question",
        ),
    ),
    Mutation(
        "the-law-of-noise-forgets-the-weights",
        "src/shoal/query/pricing.py",
        "best = min(found, key=lambda one: one.variance(weights))",
        "best = min(found, key=lambda one: one.variance())",
        "The number that matters most has more noise than another law would give it.",
        ("tests/query/test_pricing.py::test_the_law_of_noise_follows_what_weighs_most",),
    ),
)

_JOINED = "tests/query/test_keys.py"

JOINED_KEYS = (
    Mutation(
        "rows-without-a-match-have-no-group",
        "src/shoal/query/keys.py",
        '    if join.kind == "left":',
        "    if False:",
        "People whose city is not in the public table are in no group of a left join.",
        (_JOINED,),
    ),
    Mutation(
        "a-city-of-the-table-is-always-joined",
        "src/shoal/query/keys.py",
        "if len(matching) == len(join.on) == 1 else set()",
        "if matching else set()",
        "A join with a second condition has no group for those who do not meet it.",
        (_JOINED,),
    ),
    Mutation(
        "sides-of-a-union-change-places-by-name",
        "src/shoal/plan/normal_questions.py",
        "alike = turned.columns == made.columns and turned.protects == made.protects",
        "alike = turned.protects == made.protects",
        "Columns that are paired by place get the names of the other side: another sum is answered.",
        (
            "tests/plan/test_normal_questions.py::test_another_question_has_another_form",
            "tests/plan/test_normal_questions.py::test_a_relation_and_its_spelling_have_the_same_rows",
        ),
    ),
    Mutation(
        "not-of-less-is-more",
        "src/shoal/plan/normal_expressions.py",
        '_OPPOSITE = {"lt": "ge",',
        '_OPPOSITE = {"lt": "gt",',
        "NOT x < 1 is answered with the answer to x > 1, and nobody is told.",
        ("tests/plan/test_one_form_one_answer.py",),
    ),
)
