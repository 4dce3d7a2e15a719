"""Faults that let one guest of a server harm the others, or a client tell its secret."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_GUARDING = "tests/server/test_guarding.py::"
_REPEATS = (
    "tests/server/office/test_office_routes.py::"
    "test_who_asks_the_same_after_somebody_else_finds_the_answer_by_number_too"
)
_GUARDED = "src/shoal/server/guarding.py"

GUESTS = (
    Mutation(
        "answers-that-nobody-takes-hold-places",
        "src/shoal/server/crowd.py",
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
        "src/shoal/query/asking.py",
        "return min(_HALVINGS, _MOST_TRIED // max(1, len(made.recipes)))",
        "return _HALVINGS",
        "An analyst who pays nothing keeps every thread that releases busy for minutes.",
        ("tests/query/test_asking.py::test_a_refusal_is_little_work_however_much_was_asked",),
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
        "src/shoal/ledger/journal.py",
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
)
