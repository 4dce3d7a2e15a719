"""Faults that let one guest of a server harm the others, or a client tell its secret."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_GUARDING = "tests/server/test_connection_limits.py::"
_REPEATS = (
    "tests/server/office/test_office_routes.py::"
    "test_who_asks_the_same_after_somebody_else_finds_the_answer_by_number_too"
)
_GUARDED = "src/shoal/server/connection_limits.py"

_DECLARED = "tests/server/office/test_declaration_routes.py::"

GUESTS = (
    Mutation(
        "answers-that-nobody-takes-hold-places",
        "src/shoal/server/early_refusals.py",
        "            leave()\n            await send(message)",
        "            await send(message)",
        "Sixty-four connections that take no answer keep everybody else out.",
        (_GUARDING + "test_answers_that_nobody_takes_hold_no_place",),
    ),
    Mutation(
        "answers-that-nobody-takes-wait-for-ever",
        _GUARDED,
        "answers == self._answers:\n            self.transport.abort()",
        "answers == self._answers:\n            pass",
        "Connections that take no answer stay until the server ends.",
        (_GUARDING + "test_who_takes_no_answer_is_closed",),
    ),
    Mutation(
        "slow-takers-are-cut-off",
        _GUARDED,
        "if left > before - TAKEN_BYTES and answers == self._answers:",
        "if left:",
        "Whoever has a slow line never gets a large answer.",
        (_GUARDING + "test_an_answer_that_is_taken_in_pieces_comes_whole",),
    ),
    Mutation(
        "only-half-sent-requests-make-room",
        _GUARDED,
        "each for each in others if each.untaken",
        "each for each in others if False",
        "Some hundred connections that take no answer keep every new one out.",
        (_GUARDING + "test_who_takes_no_answer_makes_room_for_others",),
    ),
    Mutation(
        "a-wrong-token-is-quoted",
        "src/shoal/client/token_source.py",
        "    return _one_word(text.strip())",
        "    return text.strip()",
        "The error of a connection shows the token, in a terminal and in logs.",
        ("tests/client/test_client.py::test_a_file_that_is_no_token_is_refused_and_not_quoted",),
    ),
    Mutation(
        "a-refusal-works-for-minutes",
        "src/shoal/query/ask.py",
        "return min(_HALVINGS, _MOST_TRIED // max(1, len(made.recipes)))",
        "return _HALVINGS",
        "An analyst who pays nothing keeps every thread that releases busy for minutes.",
        ("tests/query/test_ask.py::test_a_refusal_is_little_work_however_much_was_asked",),
    ),
    Mutation(
        "texts-of-others-steer-the-terminal",
        "src/shoal/cli/printed_tables.py",
        "table.add_row(*(Text(shown(cell)) for cell in row))",
        "table.add_row(*(Text(cell) for cell in row))",
        "The title of a release clears the screen of whoever lists it, or shows them other words.",
        ("tests/cli/test_people_commands.py::test_what_others_wrote_does_not_steer_a_terminal",),
    ),
    Mutation(
        "a-request-hides-what-it-asks",
        "src/shoal/vault/people/requests.py",
        '        _refuse_hidden(question, "the question")\n',
        "",
        "A steward approves another question than the one that is read on the page.",
        ("tests/vault/people/test_people.py::test_a_steward_sees_every_character_of_a_request",),
    ),
    Mutation(
        "who-was-given-an-answer-again-does-not-find-it",
        "src/shoal/vault/people/access.py",
        "if not (self._sees(found) or self._was_given(found)):",
        "if not self._sees(found):",
        "Whoever asks after somebody else is told in the console that there is no such release.",
        (_REPEATS,),
    ),
    Mutation(
        "anybody-is-given-an-answer-again",
        "src/shoal/ledger/reader.py",
        "here = (ENTRIES.c.caller == caller, under, said)",
        "here = (under, said)",
        "An answer that one analyst was given again is open to all others.",
        (_REPEATS,),
    ),
    Mutation(
        "a-look-changes-an-earlier-one",
        "src/shoal/vault/people/office_facts.py",
        "state = replace(self, tokens=dict(self.tokens))",
        "state = self",
        "A request that is worked on sees tokens change under it.",
        (
            "tests/vault/people/test_people.py::test_many_sign_ins_are_read_in_a_moment_and_change_no_earlier_look",
        ),
    ),
    Mutation(
        "links-in-a-folder-lead-anywhere",
        "src/shoal/vault/sources/data_folder.py",
        "ends = [found, *(each.resolve() for each in members)]",
        "ends = [found]",
        "An owner of the vault reads any file of the machine to which a link leads.",
        (_DECLARED + "test_a_folder_of_files_with_a_link_that_leads_outside_is_not_read",),
    ),
    Mutation(
        "new-people-get-a-budget-that-others-share",
        "src/shoal/vault/people/dataset_access.py",
        "if relation == NEW_PEOPLE:",
        "if False:",
        "The owner of one dataset opens a new budget for people whom other datasets describe too.",
        (_DECLARED + "test_new_people_of_a_shared_budget_take_an_owner_of_all_who_share_it",),
    ),
    Mutation(
        "rows-are-saved-that-nobody-reviewed",
        "src/shoal/vault/registry.py",
        "            writing.check_content(made)\n",
        "",
        "People who are known already get a new budget, under a review of other rows.",
        (_DECLARED + "test_rows_that_were_not_reviewed_are_not_saved",),
    ),
    Mutation(
        "datasets-of-others-are-named",
        "src/shoal/vault/registry.py",
        "    if sees is None:\n        return act(history)\n",
        "    if sees is None or sees:\n        return act(history)\n",
        "The owner of one dataset learns that its people are in another one, and in which.",
        (
            _DECLARED
            + "test_what_concerns_a_dataset_that_an_owner_does_not_manage_is_told_in_one_sentence",
        ),
    ),
    Mutation(
        "keys-of-any-number-of-parts",
        "src/shoal/vault/plain_toml.py",
        'if any(found.count(".") >= MOST_PARTS for found in _DOTTED.findall(bare)):',
        "if False:",
        "A text of 60 kB keeps a server busy for a minute.",
        (_DECLARED + "test_a_text_made_to_take_long_is_refused_at_once",),
    ),
    Mutation(
        "homes-of-the-machine-are-told",
        "src/shoal/vault/people/dataset_access.py",
        "from_text(text, folder.root / _CALLED, homes=False)",
        "from_text(text, folder.root / _CALLED)",
        "An owner of one dataset finds out who has an account on the server.",
        (_DECLARED + "test_nobodys_home_is_looked_for",),
    ),
)
