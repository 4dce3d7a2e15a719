"""Faults of the console: what a browser could be made to send or to show."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_PAGES = "tests/server/console/test_console_pages.py::"
_VISITOR = "src/shoal/server/console/visitor.py"

CONSOLES = (
    Mutation(
        "a-form-of-the-console-needs-no-key",
        _VISITOR,
        'if not office.vault.form_fits(here.session, sent.fields.get("form", "")):',
        "if False:",
        "Whoever can make a browser send a form spends the allowance of the person who signed in.",
        (_PAGES + "test_a_form_without_its_key_changes_nothing",),
    ),
    Mutation(
        "another-site-may-send-the-forms-of-the-console",
        _VISITOR,
        "    door.same_origin(request)\n",
        "    return\n",
        "A page of another site signs a browser in as somebody else, who then sees what is asked.",
        (_PAGES + "test_a_form_without_its_key_changes_nothing",),
    ),
    Mutation(
        "texts-on-pages-are-markup",
        "src/shoal/server/rendering.py",
        "autoescape=True",
        "autoescape=False",
        "The purpose of a request becomes markup on the page of the steward who decides it.",
        (_PAGES + "test_what_people_type_is_shown_as_text",),
    ),
    Mutation(
        "an-auditor-sees-answers-on-pages",
        "src/shoal/vault/people/access.py",
        "own = self._own(release) or self._covers(Right.READ, release.datasets)",
        "own = True",
        "An auditor, who may see nothing that depends on rows, reads released answers.",
        (_PAGES + "test_every_page_is_in_the_table_and_open_to_those_it_names",),
    ),
)
