"""Registering a dataset: choose a file of the data folder, fill in its declaration, review it, and
save it.
"""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from shoal.errors import ShoalError
from shoal.server.console.dataset_pages import desk_of, reviewed
from shoal.server.console.declaration_form import KNOWN, UNITS, DeclarationForm, read_off
from shoal.server.console.forms import unreadable_form
from shoal.server.console.visitor import PLACE, Visiting, Visitor
from shoal.server.office.office_app import status_for
from shoal.server.office.request_bodies import DECLARATION

router = APIRouter(prefix="/register")


@router.get("")
def choose(visitor: Visiting) -> Response:
    """The files that can be registered."""
    return _page(visitor)


@router.post("")
def register(visitor: Visiting) -> Response:
    """Propose a declaration, write the form into it, review it, or save it."""
    sent, desk = visitor.sent, desk_of(visitor)
    form = DeclarationForm.of(sent)
    relation = sent.choice("relation")
    try:
        match sent.text("do", most=20):
            case "propose":
                name = sent.text("name", most=100) or None
                return _page(visitor, desk.proposed(sent.text("path", most=1000), name))
            case "fill":
                return _page(visitor, form.written(), column=form.column)
            case "show" | "edit":
                return _page(visitor, form.text, column=form.column)
            case "review":
                found = desk.review_new(form.text, relation=relation)
                hidden = {
                    "text": form.text,
                    "relation": relation or "",
                    "content": found.content,
                }
                return visitor.page(
                    "declaration_review.html",
                    review=found,
                    action=f"{PLACE}/register",
                    hidden=hidden,
                )
            case "save":
                made = desk.register(form.text, relation=relation, content=reviewed(sent))
                return RedirectResponse(f"{PLACE}/datasets/{made.name}", status_code=303)
    except ShoalError as error:
        return _page(visitor, form.text, column=form.column, error=error)
    raise unreadable_form()


def _page(
    visitor: Visitor, text: str = "", *, column: str = "", error: ShoalError | None = None
) -> Response:
    form = read_off(text)
    has_folder = visitor.office.data is not None
    return visitor.page(
        "register.html",
        status=200 if error is None else status_for(error, visitor.request),
        text=text,
        form=form,
        column=column if column in form["columns"] else next(iter(form["columns"]), ""),
        known=KNOWN,
        units=UNITS,
        files=desk_of(visitor).files() if has_folder else [],
        has_folder=has_folder,
        problem=error,
        most=DECLARATION,
        sent=visitor.sent,
    )
