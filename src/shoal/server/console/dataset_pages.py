"""Datasets for their owners: the declaration as a text with a form beside it, what a change would
do before it is saved, a new version of the data, and what the declaration cuts off.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from shoal.errors import ShoalError
from shoal.measures import Measure, budget_of
from shoal.server.console.declaration_form import KNOWN, DeclarationForm, at_path, read_off
from shoal.server.console.forms import SentForm, unreadable_form
from shoal.server.console.visitor import PLACE, Visiting, Visitor
from shoal.server.office.office_app import status_for
from shoal.server.office.request_bodies import DECLARATION
from shoal.vault.people.dataset_access import DatasetAccess
from shoal.vault.people.rights import Right

router = APIRouter(prefix="/datasets")

RELATIONS = {
    "same people": "The same people: rows were added, corrected or taken out. They share the budget that they have. If in doubt, choose this.",
    "new people": "New people: nobody is in both. They get a budget of their own.",
    "all people": "All people: those of several earlier versions. Every budget that they had is charged.",
    "more rows": "More rows: rows were only added. Streams go on.",
    "same rows": "The same rows: the file was only written anew. Released answers still count.",
}
"""How the data can stand to those before, and in which words."""


def desk_of(visitor: Visitor) -> DatasetAccess:
    """The datasets for whoever opened a page."""
    return DatasetAccess(visitor.access, visitor.office.data)


@router.get("")
def datasets(visitor: Visiting) -> Response:
    """The datasets that the person manages."""
    found = [
        each for each in visitor.access.datasets().values() if visitor.may(Right.MANAGE, each.name)
    ]
    return visitor.page("datasets.html", datasets=found, registers=_registers(visitor))


@router.get("/{name}")
def dataset(name: str, visitor: Visiting) -> Response:
    """A declaration, and what can be done with it."""
    return _page(visitor, name)


@router.post("/{name}")
def edit(name: str, visitor: Visiting) -> Response:
    """Write the form into the text, review a change, or save it."""
    sent, desk = visitor.sent, desk_of(visitor)
    form = DeclarationForm.of(sent)
    try:
        match sent.text("do", most=20):
            case "fill":
                return _page(visitor, name, form.written(), column=form.column)
            case "show" | "edit":
                return _page(visitor, name, form.text, column=form.column)
            case "review":
                return _review(visitor, name, form.text)
            case "version":
                path = sent.text("path", most=1000)
                now = desk.declaration(name).text
                return _review(visitor, name, at_path(now, path) if path else now)
            case "save":
                content = reviewed(sent)
                desk.change(name, form.text, follows=_entry(sent), content=content, **_terms(sent))
                return RedirectResponse(f"{PLACE}/datasets/{name}", status_code=303)
    except ShoalError as error:
        return _page(visitor, name, form.text or None, column=form.column, error=error)
    raise unreadable_form()


@router.post("/{name}/check")
def check(name: str, visitor: Visiting) -> Response:
    """What the declaration cuts off, for the owner's eyes; nothing is written."""
    found = desk_of(visitor).check(name)
    return visitor.page("declaration_check.html", name=name, lines=str(found).splitlines())


def _review(visitor: Visitor, name: str, text: str) -> Response:
    sent, terms = visitor.sent, _terms(visitor.sent)
    found = desk_of(visitor).review(name, text, follows=_entry(sent), **terms)
    return visitor.page(
        "declaration_review.html",
        review=found,
        action=f"{PLACE}/datasets/{name}",
        hidden={
            "text": text,
            "follows": str(found.follows),
            "content": found.content,
            "relation": sent.text("relation", most=20),
            "budget": sent.text("budget", most=64),
        },
    )


def _page(
    visitor: Visitor,
    name: str,
    text: str | None = None,
    *,
    column: str = "",
    error: ShoalError | None = None,
) -> Response:
    stored = desk_of(visitor).declaration(name)
    shown = stored.text if text is None else text
    form = read_off(shown)
    chosen = column if column in form["columns"] else next(iter(form["columns"]), "")
    return visitor.page(
        "dataset.html",
        status=200 if error is None else status_for(error, visitor.request),
        stored=stored,
        dataset=visitor.access.dataset(name),
        text=shown,
        form=form,
        column=chosen,
        known=KNOWN,
        relations=RELATIONS,
        files=desk_of(visitor).files() if _registers(visitor) else [],
        problem=error,
        most=DECLARATION,
        sent=visitor.sent,
        has_folder=visitor.office.data is not None,
    )


def _registers(visitor: Visitor) -> bool:
    """Whether to offer files; the vault decides again."""
    return visitor.office.data is not None and visitor.access.member.may_everywhere(Right.MANAGE)


def _terms(sent: SentForm) -> dict[str, Any]:
    """Who is in the data now, and the budget of new people, if these are filled in."""
    budget = sent.text("budget", most=64)
    given: Measure | None = budget_of(budget) if budget else None
    return {"relation": sent.choice("relation"), "budget": given}


def reviewed(sent: SentForm) -> str:
    """The content of the rows that a page was shown for."""
    return sent.text("content", most=200)


def _entry(sent: SentForm) -> int:
    """The place in the journal that a page was made from."""
    found = sent.text("follows", most=16)
    if not (found.isascii() and found.isdecimal()):
        raise unreadable_form()
    return int(found)
