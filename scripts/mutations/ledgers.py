"""Faults in how a ledger guards its past, and how those who ask at once stand in line."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_ANSWERING = "tests/ledger/test_answering_locks.py::"
_LOCKS = "src/shoal/ledger/answering_locks.py"

_CHARGES = "tests/ledger/test_charge.py::"

LEDGERS = (
    Mutation(
        "an-answer-is-given-again-for-another-request",
        "src/shoal/ledger/charge.py",
        "entries = [each for each in entries if each.text == request.text]",
        "pass",
        "Who uses a key twice gets the answer to another question.",
        (_CHARGES + "test_the_same_key_with_another_request_is_an_error",),
    ),
    Mutation(
        "answers-are-given-again-in-spite-of-an-alarm",
        "src/shoal/ledger/ledger.py",
        'if self.read_only or store.seen("about", "alarm"):',
        "if self.read_only:",
        "A journal that was tampered with goes on answering.",
        (_CHARGES + "test_no_answer_is_given_again_while_asking_has_stopped",),
    ),
    Mutation(
        "answers-are-given-again-by-an-old-copy",
        "src/shoal/ledger/ledger.py",
        "if store.head is not None and store.head.read() != Head(*store.look()):",
        "if False:",
        "A vault that was put back goes on answering as if nothing had been spent since.",
        (_CHARGES + "test_no_answer_is_given_again_by_an_old_copy",),
    ),
    Mutation(
        "answers-are-given-again-in-turn",
        "src/shoal/ledger/ledger.py",
        "if (answered := self._answered_before(request)) is not None:",
        "if (answered := None) is not None:",
        "Answers that cost nothing wait for all that are charged, in every process.",
        (_CHARGES + "test_answers_are_given_again_while_another_process_has_the_turn_to_write",),
    ),
    Mutation(
        "a-killed-process-is-waited-for",
        "src/shoal/ledger/charge.py",
        "if line.is_gone(entry.number, attempts(outcomes)):",
        "if False:",
        "A server that was killed locks its questions for a quarter of an hour.",
        (_ANSWERING + "test_a_killed_process_keeps_nobody_waiting",),
    ),
    Mutation(
        "ones-own-charge-is-taken-for-abandoned",
        _LOCKS,
        "file = None if charge in self._held else self._opened(make=False)",
        "file = self._opened(make=False)",
        "Two threads of one server answer one charge, and the first has worked for nothing.",
        (_ANSWERING + "test_who_lives_is_not_gone_in_the_same_ledger_and_in_another",),
    ),
    Mutation(
        "a-charge-that-nobody-locked-is-taken-for-abandoned",
        _LOCKS,
        "if file is not None and os.pread(file, 1, charge) == _mark(attempt):",
        "if file is not None:",
        "A process that could not lock, or has not yet, loses its charge to the next who asks.",
        (_ANSWERING + "test_who_was_taken_for_gone_and_lives_shows_nothing",),
    ),
    Mutation(
        "whoever-waits-does-not-see-that-the-other-has-ended",
        "src/shoal/ledger/answer_waiting.py",
        "if is_gone(pending.charge, pending.attempt):",
        "if False:",
        "Those who wait when a server is killed are refused after a minute.",
        (_ANSWERING + "test_whoever_waits_goes_on_when_the_other_is_killed",),
    ),
    Mutation(
        "outcomes-have-no-salt",
        "src/shoal/ledger/charge.py",
        "one_below(_SALTS)",
        "0",
        "An auditor finds the answer that belongs to a hash by trying all answers.",
        (
            "tests/ledger/test_charge.py::test_the_hash_of_an_outcome_tells_nothing_to_who_can_guess_it",
        ),
    ),
    Mutation(
        "a-server-has-no-head",
        "src/shoal/ledger/postgres.py",
        "MachineHead(_known_as(url)) if head is None else HeadFile(head)",
        "None if head is None else HeadFile(head)",
        "The database is restored from a dump, and what was spent since can be spent again.",
        (
            "tests/ledger/test_postgres.py::test_spending_that_a_restored_dump_has_forgotten_is_noticed_at_the_next_charge",
        ),
    ),
    Mutation(
        "a-copied-database-is-another-ledger",
        "src/shoal/ledger/postgres.py",
        "            self.head.follow(origin)\n",
        "            pass\n",
        "A copy of the database under another name has the budget a second time.",
        (
            "tests/ledger/test_postgres.py::test_a_copy_at_another_address_that_forgets_spending_is_noticed",
        ),
    ),
    Mutation(
        "an-alarm-stays-on-one-machine",
        "src/shoal/ledger/transaction.py",
        "if wrong and marked and not self.store.shares_head and self.recorded_alarm is None:",
        "if False:",
        "One machine knows that spending was forgotten, and the others go on asking.",
        ("tests/ledger/test_postgres.py::test_one_machine_that_saw_more_stops_all_machines",),
    ),
    Mutation(
        "the-journal-of-a-server-can-be-emptied",
        "src/shoal/ledger/schema.py",
        "BEFORE UPDATE OR DELETE OR TRUNCATE ON shoal_entries",
        "BEFORE UPDATE OR DELETE ON shoal_entries",
        "TRUNCATE takes the history away, and every budget is whole again.",
        (
            "tests/ledger/test_postgres.py::test_the_server_refuses_to_change_the_journal_even_for_its_owner",
        ),
    ),
    Mutation(
        "what-others-wrote-is-not-remembered",
        "src/shoal/ledger/group_commit.py",
        "if changed or transaction.lags:",
        "if changed:",
        "An auditor has seen the charges, and does not notice when they are gone.",
        (
            "tests/ledger/test_postgres.py::test_a_machine_remembers_what_others_wrote_once_it_looked",
        ),
    ),
    Mutation(
        "who-asks-at-once-pays-at-once",
        "src/shoal/ledger/charge.py",
        "            pending = Pending(entry.number, left, attempts(outcomes))\n",
        "            pending = None\n",
        "Four threads with one question get four draws, and their mean has half the noise.",
        (
            "tests/ledger/test_together.py::test_four_threads_with_one_question_pay_once_and_hear_one_answer",
            "tests/vault/sources/test_checked_engine.py",
        ),
    ),
    Mutation(
        "a-charge-pays-for-other-accounts",
        "src/shoal/ledger/charge.py",
        'set(request.names) <= set(paid["accounts"])',
        "True",
        "Whoever takes up the charge of somebody who died asks about more people than were paid for.",
        (
            "tests/ledger/test_together.py::test_a_charge_that_took_from_fewer_accounts_is_not_taken_up",
        ),
    ),
    Mutation(
        "everybody-may-write-the-ledger",
        "src/shoal/ledger/sqlite.py",
        "if each.exists() and each.stat().st_mode & stat.S_IWOTH:",
        "if False:",
        "Whoever has an account on the machine writes a new history in which nothing was spent.",
        (
            "tests/ledger/test_sqlite_read_only.py::test_a_ledger_that_everybody_may_write_is_refused",
        ),
    ),
    Mutation(
        "everybody-may-replace-the-ledger",
        "src/shoal/ledger/sqlite.py",
        "if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:",
        "if False:",
        "Whoever has an account on the machine puts a new history and its head in the folder.",
        (
            "tests/ledger/test_sqlite_read_only.py::test_a_ledger_in_a_folder_of_everybody_is_refused",
        ),
    ),
    Mutation(
        "a-file-that-changes-is-read-on",
        "src/shoal/ledger/sqlite.py",
        "        if self._stamp() != before or before[-1]:\n",
        "        if False:\n",
        "An auditor reads half of one state and half of another, and calls it sound.",
        ("tests/ledger/test_sqlite_read_only.py::test_whoever_writes_while_it_is_read_is_noticed",),
    ),
    Mutation(
        "damaged-text-is-quoted",
        "src/shoal/ledger/store.py",
        "if isinstance(error, UnicodeError):",
        "if False:",
        "One flipped bit ends verify in an error of Python that quotes what is stored.",
        (
            "tests/ledger/test_sqlite_read_only.py::test_whatever_byte_is_flipped_verifying_says_something_in_words",
        ),
    ),
    Mutation(
        "a-changed-entry-is-believed",
        "src/shoal/ledger/entry.py",
        "        if not self.is_whole:\n            raise TamperedError(",
        "        if False:\n            raise TamperedError(",
        "The key of the hashes, an answer or a declaration that somebody changed is used until someone verifies.",
        (
            "tests/ledger/test_sqlite_read_only.py::test_a_vault_whose_key_is_damaged_can_be_verified",
        ),
    ),
    Mutation(
        "files-are-written-over",
        "src/shoal/cli/console.py",
        "if path is not None and path.exists() and not force:",
        "if False:",
        "An answer is written over a file that somebody still needed.",
        ("tests/cli/test_cli_refusals.py::test_a_file_that_is_there_is_not_written_over_unasked",),
    ),
    Mutation(
        "known-people-in-a-new-file-are-new",
        "src/shoal/vault/sources/people_sample.py",
        "return _ALIKE * len(mine & theirs) > min(len(mine), len(theirs)) > 0",
        "return False",
        "A file one row shorter has a whole new budget for the same people.",
        (
            "tests/vault/sources/test_people_sample.py::test_a_file_one_row_shorter_at_a_new_path_gets_no_new_budget_unasked",
        ),
    ),
    Mutation(
        "people-are-hashed-without-a-key",
        "src/shoal/vault/sources/people_sample.py",
        'hmac.new(secret, f"sample {kind}".encode(), hashlib.sha256).hexdigest()[:32]',
        'hashlib.sha256(f"sample {kind}".encode()).hexdigest()[:32]',
        "Whoever sees a sample finds out by trying who is in it.",
        (
            "tests/vault/sources/test_people_sample.py::test_a_sample_is_small_and_says_nothing_without_the_key",
        ),
    ),
    Mutation(
        "entries-keep-the-order-of-their-names",
        "src/shoal/ledger/entry.py",
        "    sort_keys=True,\n",
        "    sort_keys=False,\n",
        "Equal bodies have unequal hashes, and a charge that is asked again is paid twice.",
        ("tests/ledger/test_entry.py::test_texts_and_hashes_are_those_of_every_earlier_version",),
    ),
)
