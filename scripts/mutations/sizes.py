"""Faults in the bounds on size and work, in what a question is called, and in how failures are
told.
"""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

SIZES = (
    Mutation(
        "a-replacement-grows-by-nothing",
        "src/shoal/plan/functions/text.py",
        "return max(whole, whole // old * new + kept)",
        "return whole",
        "A text of one row grows to gigabytes: whether there is an answer tells of that row.",
        (
            "tests/plan/test_sizes.py::test_a_text_that_could_grow_beyond_the_limit_is_refused_at_the_word",
        ),
    ),
    Mutation(
        "long-texts-are-not-refused",
        "src/shoal/plan/sizes.py",
        "if length > LONGEST_TEXT:",
        "if False:",
        "A text of one row grows to gigabytes: whether there is an answer tells of that row.",
        (
            "tests/query/test_payment.py::test_a_text_that_grows_in_one_row_has_one_outcome_on_neighbours",
        ),
    ),
    Mutation(
        "work-is-not-added-up",
        "src/shoal/plan/question.py",
        "require_little(sum((each.cost for each in asked), cost_of(self.relation)))",
        "pass",
        "A question takes a second for one row and none for the others: its time tells of that row.",
        ("tests/plan/test_sizes.py::test_work_is_added_up_over_the_whole_question",),
    ),
    Mutation(
        "columns-of-sub-queries-count-once",
        "src/shoal/plan/nodes.py",
        "        cost=expression.cost,\n",
        "",
        "A short question keeps the engine planning for hours after it was charged.",
        (
            "tests/plan/test_sizes.py::test_columns_that_double_at_each_step_are_refused_before_they_are_spelled_out",
        ),
    ),
    Mutation(
        "table-expressions-count-once",
        "src/shoal/plan/nodes.py",
        "return 1 + sum(source.nodes for source in self.sources)",
        "return 1 + max(source.nodes for source in self.sources)",
        "A question of one page is walked for ever, and nobody else is answered meanwhile.",
        (
            "tests/plan/test_sizes.py::test_a_table_expression_that_doubles_is_refused_before_it_is_walked",
        ),
    ),
    Mutation(
        "a-condition-shortens-texts",
        "src/shoal/plan/condition_facts.py",
        "longest = column.length if column.type.kind is Kind.TEXT else None",
        "longest = None",
        "An engine that computes before it tests the condition meets texts longer than the bound.",
        (
            "tests/plan/test_sizes.py::test_a_condition_on_a_text_does_not_shorten_it_for_the_engine",
        ),
    ),
    Mutation(
        "texts-are-read-whole",
        "src/shoal/engines/sql/relations.py",
        "sql = dialect.cut.format(name, column.length)",
        "pass",
        "One long text makes every bound on size false, and engines disagree about its key.",
        ("tests/engines/test_sizes.py::test_every_engine_cuts_texts_to_the_same_letters",),
    ),
    Mutation(
        "persons-are-cut-as-texts-are",
        "src/shoal/engines/sql/relations.py",
        'outputs += [f"s.{dialect.name(name)} AS p{at}" for at, name in enumerate(person)]',
        'outputs += [f"LEFT(s.{dialect.name(name)}, 4096) AS p{at}" for at, name in enumerate(person)]',
        "Two persons with long ids are bounded as one, and each is hidden half.",
        (
            "tests/engines/test_sizes.py::test_persons_whose_texts_are_cut_alike_stay_different_persons",
        ),
    ),
    Mutation(
        "a-condition-is-tested-on-the-stored-text",
        "src/shoal/engines/sql/relations.py",
        "all(len(str(t)) < column.length for t in texts)",
        "True",
        "Rows whose text was cut to what is asked for are lost on one engine.",
        ("tests/engines/test_sizes.py::test_a_condition_means_the_text_that_was_cut",),
    ),
    Mutation(
        "like-returns-to-earlier-places",
        "src/shoal/plan/functions/logic.py",
        "        found = part.search(text, found.end()) if found else None\n",
        "        found = part.search(text) if found else None\n",
        "LIKE finds what is not there: parts in another order.",
        ("tests/plan/test_sizes.py::test_like_finds_what_a_search_of_every_place_finds",),
    ),
    Mutation(
        "the-kind-of-a-failure-is-told",
        "src/shoal/query/payment.py",
        "    except (ChangedError, KeyboardInterrupt, SystemExit, GeneratorExit) as error:",
        "    except (ChangedError, MemoryError, KeyboardInterrupt, SystemExit, GeneratorExit) as error:",
        "An engine that runs out of memory tells that a row made it do so.",
        ("tests/query/test_payment.py::test_every_failure_after_the_charge_has_the_same_words",),
    ),
    Mutation(
        "the-escape-of-like-is-not-in-the-form",
        "src/shoal/query/canonical.py",
        "parts = [canonical_expression(each, called) for each in arguments]",
        "parts = [canonical_expression(each, called) for each in arguments[:2]]",
        "Whoever asks with an ESCAPE gets the stored answer of another question.",
        (
            "tests/query/test_canonical.py::test_every_function_can_be_read_back_from_its_canonical_form",
        ),
    ),
    Mutation(
        "constants-have-no-type-in-the-form",
        "src/shoal/query/canonical.py",
        'return ["constant", str(kind), _value(value)]',
        'return ["constant", _value(value)]',
        "A question about an exact number gets the stored answer of one about a real.",
        (
            "tests/query/test_canonical.py::test_an_expression_can_be_read_back_from_its_canonical_form",
        ),
    ),
    Mutation(
        "facts-are-not-in-the-form",
        "src/shoal/query/canonical.py",
        "choices = None if column.choices is None else [_value(each) for each in column.choices]",
        "choices = None",
        "Counts of some values are shown under the names of others.",
        (
            "tests/query/test_canonical.py::test_a_relation_can_be_read_back_from_its_canonical_form",
        ),
    ),
    Mutation(
        "reals-are-printed-as-decimals",
        "src/shoal/plan/printing.py",
        'return text if "e" in (text := repr(value)) else f"{text}e0"',
        "return repr(value)",
        "Whoever reads a certificate takes one question for another.",
        ("tests/plan/test_printing.py::test_a_constant_reads_back_with_its_type",),
    ),
    Mutation(
        "advice-counts-missing-values",
        "src/shoal/plan/meaning.py",
        'return f"CASE WHEN {text} IS NOT NULL THEN GREATEST({lo}, LEAST({hi}, {text})) END"',
        'return f"GREATEST({lo}, LEAST({hi}, {text}))"',
        "Who follows the advice counts every missing value as the upper end.",
        (
            "tests/plan/test_facts.py::test_the_advice_to_bound_an_expression_keeps_null_and_has_a_range",
        ),
    ),
)
