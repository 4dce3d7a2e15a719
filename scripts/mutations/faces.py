"""Faults in what people see: the server and the command."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

FACES = (
    Mutation(
        "the-server-logs-what-was-sent",
        "src/shoal/server/headers.py",
        "type(error).__name__,",
        "error,",
        "A report stands in the log of the server, beside its time.",
        ("tests/server/test_respondents.py::test_an_unexpected_error_says_nothing_of_itself",),
    ),
    Mutation(
        "the-server-logs-who-came",
        "src/shoal/server/server_process.py",
        ('        access_log=False,\n        log_level="warning",\n'),
        ('        access_log=True,\n        log_level="info",\n'),
        "The log tells which address answered a poll, and when.",
        (
            "tests/server/test_server_process.py::test_the_command_serves_until_it_is_stopped_and_logs_no_request",
        ),
    ),
    Mutation(
        "an-invitation-in-the-address",
        "src/shoal/server/api.py",
        'f"{place}#{token}"',
        'f"{place}?once={token}"',
        "The number of an invitation is sent to the server and to every proxy before anything is answered.",
        ("tests/server/test_researchers.py::test_behind_tls_the_cookie_is_sent_by_tls_only",),
    ),
    Mutation(
        "nobody-needs-the-key",
        "src/shoal/server/access_check.py",
        "        if not self.knows(request):\n",
        "        if False:\n",
        "Whoever finds the address reads all counters and closes polls.",
        ("tests/server/test_researchers.py::test_without_the_key_there_is_nothing_to_see",),
    ),
    Mutation(
        "another-site-answers-for-you",
        "src/shoal/server/access_check.py",
        'if told not in {"same-origin", "none"} or not self._ours(origin):',
        "if False:",
        "A page elsewhere sends a report in the name of whoever looks at it.",
        ("tests/server/test_respondents.py::test_a_report_from_a_page_of_another_site_is_refused",),
    ),
    Mutation(
        "pages-stay-in-the-cache",
        "src/shoal/server/headers.py",
        'headers.setdefault("Cache-Control", "no-store")',
        'headers.setdefault("Cache-Control", "max-age=3600")',
        "Whoever uses the same computer later sees the page of a poll on a sensitive question.",
        (
            "tests/server/test_respondents.py::test_every_answer_carries_the_headers_and_leaves_no_cookie",
        ),
    ),
    Mutation(
        "a-closed-poll-takes-reports",
        "src/shoal/polls/published.py",
        "if transaction.kinds(_FILED, self.name)[0] == CLOSED:",
        "if False:",
        "People go on answering after they were told that the poll is over, and are counted.",
        (
            "tests/polls/test_published.py::test_a_closed_poll_counts_nothing_until_it_is_opened_again",
        ),
    ),
    Mutation(
        "the-command-prints-the-error",
        "src/shoal/cli/console.py",
        "something unexpected happened ({type(error).__name__}).",
        "something unexpected happened ({error}).",
        "A value of somebody stands on the terminal, in the text of an error.",
        (
            "tests/cli/test_cli_refusals.py::test_an_error_nobody_foresaw_is_told_without_its_words_which_may_quote_a_row",
        ),
    ),
    Mutation(
        "the-command-writes-over-rows",
        "src/shoal/vault/vault_declarations.py",
        "            if each.location.holds(Path(path), self._registry.secret):\n",
        "            if False:\n",
        "An answer is written over the rows it was computed from.",
        ("tests/cli/test_cli_refusals.py::test_no_file_that_holds_rows_is_written_over",),
    ),
)
