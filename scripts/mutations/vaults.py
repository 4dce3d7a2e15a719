"""Faults in the ledger and the vault: charges, proofs, and who may see what."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

VAULTS = (
    Mutation(
        "a-commit-waits-for-no-disk",
        "src/shoal/ledger/sqlite.py",
        'cursor.execute("PRAGMA synchronous=FULL")',
        'cursor.execute("PRAGMA synchronous=OFF")',
        "After a loss of power the answer is known and its charge is not.",
        (
            "tests/ledger/test_group_commit_faults.py::test_a_disk_that_cannot_sync_grants_nothing_and_loses_nothing",
        ),
    ),
    Mutation(
        "deleted-rows-stay-in-the-file",
        "src/shoal/ledger/sqlite.py",
        'cursor.execute("PRAGMA secure_delete=ON")',
        'cursor.execute("PRAGMA secure_delete=OFF")',
        "The file goes on telling in which order people answered a poll.",
        (
            "tests/ledger/test_traces.py::test_after_settling_the_places_of_rows_are_the_same_in_whatever_order_they_came",
        ),
    ),
    Mutation(
        "settled-rows-keep-their-order",
        "src/shoal/ledger/sqlite.py",
        "SELECT * FROM {table.name} ORDER BY {keys}",
        "SELECT * FROM {table.name} ORDER BY rowid",
        "After a poll is closed its file still tells who answered first.",
        (
            "tests/ledger/test_traces.py::test_after_settling_the_places_of_rows_are_the_same_in_whatever_order_they_came",
        ),
    ),
    Mutation(
        "one-of-several-accounts-pays",
        "src/shoal/ledger/charge.py",
        "books = [transaction.book(name) for name in request.names]\n    _spend",
        "books = [transaction.book(name) for name in request.names[:1]]\n    _spend",
        "People of a second dataset are asked about for nothing.",
        ("tests/ledger/test_charge.py::test_accounts_of_different_measures_are_charged_together",),
    ),
    Mutation(
        "keys-are-ignored",
        "src/shoal/ledger/charge.py",
        "earlier = _by_key(transaction, request, line, patience) or _by_same(",
        "earlier = _by_same(",
        "A retry draws a second answer, and the mean of both has less noise.",
        ("tests/ledger/test_charge.py::test_the_same_key_and_request_returns_the_stored_answer",),
    ),
    Mutation(
        "a-key-answers-any-request",
        "src/shoal/ledger/charge.py",
        "        if entry.text != request.text:\n            raise _other_request(request)",
        "        if False:\n            raise _other_request(request)",
        "A question that was never charged is taken for one that was.",
        ("tests/ledger/test_charge.py::test_the_same_key_with_another_request_is_an_error",),
    ),
    Mutation(
        "what-was-read-is-given-back",
        "src/shoal/ledger/charge.py",
        "        if self._reads:\n",
        "        if False:\n",
        "A question whose rows were read is given back, and can be asked until its failure tells something.",
        ("tests/ledger/test_charge.py::test_nothing_is_given_back_once_data_was_read",),
    ),
    Mutation(
        "leaving-gives-back",
        "src/shoal/ledger/charge.py",
        "return self._settle(LEFT, self._reason(reason))",
        "return self._settle(FAILED, self._reason(reason), give_back)",
        "An answer that was drawn and not shown costs nothing, so that the asker can choose among draws.",
        (
            "tests/ledger/test_charge.py::test_a_charge_that_ended_without_an_answer_is_never_taken_up",
        ),
    ),
    Mutation(
        "what-was-left-is-drawn-again",
        "src/shoal/ledger/charge.py",
        "        if last.kind == LEFT:\n",
        "        if False:\n",
        "Whoever sees no answer asks again with the same key, and gets another draw for nothing.",
        (
            "tests/ledger/test_charge.py::test_a_charge_that_ended_without_an_answer_is_never_taken_up",
        ),
    ),
    Mutation(
        "who-takes-over-may-give-back",
        "src/shoal/ledger/charge.py",
        "self._reads = attempt > 0",
        "self._reads = False",
        "Rows that someone else read before dying are counted as never read.",
        (
            "tests/ledger/test_charge.py::test_nothing_is_given_back_of_a_charge_that_someone_else_began",
        ),
    ),
    Mutation(
        "one-charge-two-answers",
        "src/shoal/ledger/charge.py",
        "if attempts(outcomes) != self._attempt or (outcomes and outcomes[-1].kind != RESUMED):",
        "if False:",
        "Two processes answer the same charge, with two draws of noise.",
        (
            "tests/ledger/test_charge.py::test_of_two_attempts_at_one_charge_only_the_later_can_answer",
        ),
    ),
    Mutation(
        "a-changed-entry-passes",
        "src/shoal/ledger/history.py",
        "        if not entry.is_whole:\n",
        "        if False:\n",
        "A debit can be made smaller in the file, and nobody notices.",
        (
            "tests/ledger/test_verification.py::test_a_forgery_is_named_and_stops_all_charges_until_the_curator_accepts",
        ),
    ),
    Mutation(
        "the-chain-is-not-followed",
        "src/shoal/ledger/history.py",
        "elif entry.previous != (self.head.hash if self.head.number else NOTHING_BEFORE):",
        "elif False:",
        "Entries can be put in the place of others, and nobody notices.",
        (
            "tests/ledger/test_verification.py::test_a_forgery_is_named_and_stops_all_charges_until_the_curator_accepts",
        ),
    ),
    Mutation(
        "seals-are-not-looked-at",
        "src/shoal/ledger/transaction.py",
        "if not entries or seal_of(tuple(values), entry_from(entries[0]).hash) != seal:",
        "if not entries:",
        "What was spent is set to nothing in the file, and the budget is there again.",
        (
            "tests/ledger/test_verification.py::test_an_account_that_was_refilled_is_not_charged_even_unverified",
        ),
    ),
    Mutation(
        "an-old-copy-passes",
        "src/shoal/ledger/transaction.py",
        "    if marked.number > head.number:\n",
        "    if False:\n",
        "Yesterday's file is put back, and yesterday's budget with it.",
        (
            "tests/ledger/test_verification.py::test_yesterdays_copy_in_the_place_of_todays_ledger_is_found_out",
        ),
    ),
    Mutation(
        "an-alarm-stops-nobody",
        "src/shoal/ledger/transaction.py",
        "        if self.alarm is not None:\n            raise TamperedError(",
        "        if False:\n            raise TamperedError(",
        "Questions go on although the account is known to be wrong.",
        (
            "tests/ledger/test_verification.py::test_a_forgery_is_named_and_stops_all_charges_until_the_curator_accepts",
        ),
    ),
    Mutation(
        "a-new-budget-is-a-fresh-one",
        "src/shoal/ledger/book.py",
        "made.filter = made.filter.restored(self.filter.state())\n        made.events",
        "made.events",
        "Raising a budget by a little forgets all that was spent.",
        ("tests/ledger/test_charge.py::test_a_budget_can_be_changed_but_not_below_what_was_spent",),
    ),
    Mutation(
        "the-cheaper-of-two-sums",
        "src/shoal/ledger/book.py",
        "sum_to_text(max(left, right))",
        "sum_to_text(min(left, right))",
        "Where the file was changed, the smaller of two debts is believed.",
        (
            "tests/ledger/test_verification.py::test_accepting_goes_on_from_the_dearer_of_what_is_known",
        ),
    ),
    Mutation(
        "a-mark-is-not-used-up",
        "src/shoal/ledger/tally.py",
        'store.run("insert mark", self.name, mark, 1)',
        'store.run("insert mark", self.name, mark, 0)',
        "One person answers a poll many times, and each time tells more about themselves.",
        (
            "tests/ledger/test_tally.py::test_a_mark_that_comes_again_changes_nothing_with_the_same_cell_or_another",
        ),
    ),
    Mutation(
        "nobody-need-be-invited",
        "src/shoal/ledger/tally.py",
        "if given_out and not known:",
        "if False:",
        "Whoever makes up a number is counted among those who were invited.",
        (
            "tests/ledger/test_tally.py::test_only_marks_that_were_given_out_count_where_that_is_asked",
        ),
    ),
    Mutation(
        "the-log-keeps-who-answered-what",
        "src/shoal/ledger/tally.py",
        "store.sensitive = True",
        "store.sensitive = False",
        "A copy of the file and its log links an invitation with an answer.",
        (
            "tests/ledger/test_traces.py::test_a_copy_of_the_file_and_its_log_links_no_mark_with_a_cell",
        ),
    ),
    Mutation(
        "known-rows-are-new-people",
        "src/shoal/vault/registry.py",
        "known = with_content(found.digest, history)\n                if known",
        "known = None\n                if known",
        "The same file is declared to be about new people, and has its budget again.",
        (
            "tests/vault/test_vault_datasets.py::test_old_content_that_comes_back_is_charged_to_its_old_account_whatever_is_said",
        ),
    ),
    Mutation(
        "all-people-means-the-last",
        "src/shoal/vault/sources/lineage.py",
        "return Paying.of(own if relation == ALL_PEOPLE else own[-1:])",
        "return Paying.of(own[-1:])",
        "People of earlier versions are asked about again without being charged.",
        (
            "tests/vault/test_vault_datasets.py::test_people_of_several_versions_are_charged_to_every_account",
        ),
    ),
    Mutation(
        "a-place-is-not-asked-about",
        "src/shoal/vault/sources/lineage.py",
        "for each in history if relation is None else ():",
        "for each in ():",
        "The same people under a second name have a second budget.",
        (
            "tests/vault/test_refills.py::test_a_file_that_was_written_anew_is_not_added_without_a_word_on_who_is_in_it",
        ),
    ),
    Mutation(
        "private-rows-are-called-public",
        "src/shoal/vault/sources/lineage.py",
        "if each.location.overlaps(location, secret) is Overlap.TABLE:\n            raise",
        "if False:\n            raise",
        "A private file is declared public, and answers are exact.",
        ("tests/vault/test_refills.py::test_what_lies_where_private_rows_lay_is_not_public",),
    ),
    Mutation(
        "an-analyst-sees-the-hash",
        "src/shoal/vault/vault.py",
        "return dataset if self._analyst is None else dataset.as_told",
        "return dataset",
        "Sizes, dates and hashes of the private files tell an analyst when somebody joined.",
        (
            "tests/vault/test_vault_datasets.py::test_an_analyst_sees_nothing_of_a_dataset_that_depends_on_its_rows",
        ),
    ),
    Mutation(
        "an-analyst-sees-all-releases",
        "src/shoal/vault/vault_history.py",
        "return last_releases(self._ledger, limit, self._analyst)",
        "return last_releases(self._ledger, limit, None)",
        "An analyst reads the answers that others paid for.",
        ("tests/vault/test_vault.py::test_an_analyst_sees_their_own_releases_only",),
    ),
    Mutation(
        "an-analyst-is-a-curator",
        "src/shoal/vault/vault.py",
        '        if self._analyst is not None:\n            raise VaultError(\n                "an analyst asks',
        '        if False:\n            raise VaultError(\n                "an analyst asks',
        "An analyst raises the budget of the people they ask about.",
        ("tests/vault/test_vault.py::test_an_analyst_may_not_change_the_vault",),
    ),
    Mutation(
        "allowances-are-not-charged",
        "src/shoal/vault/accounts/payer.py",
        "            if self.analyst is not None and self.approval is None and not each.public:\n                found[allowance(each.name, self.analyst)] = None\n",
        "",
        "An analyst spends the budget of everybody.",
        (
            "tests/vault/test_vault.py::test_allowances_may_exceed_the_budget_and_spending_never_does",
        ),
    ),
    Mutation(
        "hashes-without-a-key",
        "src/shoal/vault/sources/fingerprint.py",
        "return hmac.new(secret, said.encode(), hashlib.sha256).hexdigest()",
        "return hashlib.sha256(said.encode()).hexdigest()",
        "Whoever knows all rows but one finds the last one by its hash.",
        (
            "tests/vault/test_vault_datasets.py::test_the_same_file_has_another_fingerprint_in_another_vault",
        ),
    ),
    Mutation(
        "a-certificate-tells-the-files",
        "src/shoal/vault/accounts/payer.py",
        '"datasets": [each.stated for each in self.datasets],',
        '"datasets": [each.to_dict() for each in self.datasets],',
        "Published certificates carry the size, the dates and the hash of a private file.",
        (
            "tests/vault/test_vault.py::test_a_certificate_tells_nothing_of_the_files_that_were_read",
        ),
    ),
    Mutation(
        "written-rows-are-read",
        "src/shoal/vault/sources/checked_engine.py",
        "        if now.digest != dataset.digest:\n",
        "        if False:\n",
        "People who were never declared are asked about, on the account of others.",
        (
            "tests/vault/test_vault_datasets.py::test_a_changed_file_is_refused_until_the_curator_says_what_it_is",
        ),
    ),
    Mutation(
        "one-row-in-two-datasets",
        "src/shoal/vault/accounts/payer.py",
        "            if seen & set(each.accounts):\n",
        "            if False:\n",
        "A row that lies in both halves of a question counts twice and is hidden once.",
        (
            "tests/vault/test_paying.py::test_rows_that_may_lie_in_two_datasets_are_not_asked_of_both",
        ),
    ),
    Mutation(
        "an-opening-fails-in-its-own-words",
        "src/shoal/vault/accounts/payer.py",
        "self.charge.leave)(type(error).__name__)",
        "self.charge.leave)(str(error))",
        "The text of an engine, with a cell of somebody in it, is written into the journal for good.",
        (
            "tests/vault/test_vault.py::test_the_words_of_an_error_that_may_quote_a_row_are_not_kept",
        ),
    ),
)
