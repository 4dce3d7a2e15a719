"""Faults in what counts as equal: zeros, texts, and the ids of people in different accounts."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_COLLATED = "tests/engines/test_equality.py::test_collations_of_columns_and_databases_say_nothing"
_UNION = "tests/plan/test_id_spaces.py::test_someone_who_leaves_one_of_two_accounts_moves_a_union_no_further_than_is_claimed"
_JOIN = (
    "tests/plan/test_id_spaces.py::test_a_join_of_two_accounts_is_refused_and_says_what_to_declare"
)

EQUALITY = (
    Mutation(
        "a-column-keeps-its-looks",
        "src/shoal/engines/duckdb/engine.py",
        "return DUCKDB.one_of_equals(reading.sql.format(name), reading.type.kind)",
        "return reading.sql.format(name)",
        "A private key is shown with the spelling, or the sign of zero, of one person's row.",
        (_COLLATED,),
    ),
    Mutation(
        "a-zero-keeps-its-sign",
        "src/shoal/engines/sql/expressions.py",
        "if kind == REAL and _keeps_one_zero(expression):",
        "if kind == REAL:",
        "A private key that a function makes 0 is shown with the sign of one person's row.",
        (_COLLATED,),
    ),
    Mutation(
        "a-product-is-never-minus-zero",
        "src/shoal/engines/sql/expressions.py",
        '*("add", "subtract", "bin"),',
        '*("add", "subtract", "bin", "multiply"),',
        "A private key times 0 is shown with the sign of one person's row.",
        ("tests/query/test_keys.py::test_one_row_does_not_give_a_zero_its_sign",),
    ),
    Mutation(
        "a-constant-has-the-collation-of-the-database",
        "src/shoal/engines/sql/expressions.py",
        "held = dialect.one_of_equals(literal(expression, dialect), expression.type.kind)",
        "held = literal(expression, dialect)",
        "Two groups are one in a database that compares texts loosely, and which name is told depends on a row.",
        (_COLLATED,),
    ),
    Mutation(
        "choices-have-the-collation-of-the-database",
        "src/shoal/engines/duckdb/dialect.py",
        'listed=f"SELECT DISTINCT UNNEST([{{0}}]){_BYTES} AS v"',
        'listed="SELECT DISTINCT UNNEST([{0}]) AS v"',
        "A value that is one of the choices is read as NULL, or not, by the spelling of another choice.",
        (_COLLATED,),
    ),
    Mutation(
        "a-literal-zero-keeps-its-sign",
        "src/shoal/plan/expression.py",
        "if isinstance(self.value, float) and self.value == 0:",
        "if False:",
        "Two plans that mean the same are told apart, and a key can be shown as -0.0.",
        ("tests/plan/test_id_spaces.py::test_a_constant_zero_has_no_sign",),
    ),
    Mutation(
        "equal-ids-of-two-accounts-are-one-person",
        "src/shoal/plan/relation.py",
        "if len(set(spaces.values())) > 1 and not done:",
        "if False:",
        "Someone in one dataset changes how the rows of another person in another dataset are scaled: 1.96 times the claim.",
        (_UNION,),
    ),
    Mutation(
        "persons-of-two-accounts-are-joined",
        "src/shoal/plan/id_spaces.py",
        "if len(firsts) > 1:",
        "if False:",
        "Rows of one person appear and vanish with those of another who has the same id: 2.00 times the claim.",
        (_JOIN,),
    ),
    Mutation(
        "the-reference-forgets-the-space",
        "src/shoal/engines/reference/relations.py",
        "if person and table.space is not None:",
        "if False:",
        "The engine that says what is true takes two people for one, and the others are held to it.",
        (_UNION,),
    ),
    Mutation(
        "sql-forgets-the-space",
        "src/shoal/engines/sql/relations.py",
        "space = dialect.one_of_equals(dialect.text(table.space), Kind.TEXT)",
        "space = dialect.one_of_equals(\"''\", Kind.TEXT)",
        "Equal ids in datasets of two accounts are bounded as one person.",
        (_UNION,),
    ),
    Mutation(
        "who-pays-together-needs-no-word-on-ids",
        "src/shoal/plan/id_spaces.py",
        "if not left.ids.is_apart_from(right.ids):",
        "if False:",
        "Someone in two datasets of one account, under two ids, counts twice for one charge.",
        (
            "tests/plan/test_id_spaces.py::test_tables_that_pay_from_one_account_and_share_no_ids_are_not_read_together",
        ),
    ),
    Mutation(
        "ids-come-with-the-place",
        "src/shoal/vault/registry.py",
        "paying = paying.joined(Paying(met, ()))",
        "paying = paying.joined(Paying(met, met))",
        "A dataset that was moved is taken for one with the ids of the others there, which nobody declared.",
        (
            "tests/vault/test_ids.py::test_a_dataset_that_was_moved_among_others_pays_with_them_and_shares_no_ids",
        ),
    ),
    Mutation(
        "a-shared-id-is-shared-by-all",
        "src/shoal/plan/id_spaces.py",
        "if len(joins) > 1 or any(any(s) and not all(s) for s in at.values()):",
        "if False:",
        "Two datasets are taken for ones with the same ids because a third shares its ids with both.",
        (
            "tests/plan/test_id_spaces.py::test_ids_that_are_shared_with_two_tables_do_not_make_these_two_share_theirs",
        ),
    ),
)
