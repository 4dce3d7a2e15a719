"""The owner's acts on datasets: read a declaration, register a file, declare a new version, and see
what a declaration cuts off.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request

from shoal.measures import Measure, budget_of
from shoal.server.office.authentication import Entered
from shoal.server.office.dataset_routes import told
from shoal.server.office.office_state import office_of
from shoal.server.office.request_bodies import (
    DeclarationBody,
    ProposalBody,
    RegisterBody,
    ReviewBody,
    VersionBody,
    body_of,
    described,
)
from shoal.vault.people.dataset_access import DatasetAccess

router = APIRouter(tags=["owner"])


def desk_of(request: Request, here: Entered) -> DatasetAccess:
    """The datasets for whoever sends a request."""
    return DatasetAccess(here.access, office_of(request).data)


Desk = Annotated[DatasetAccess, Depends(desk_of)]


@router.get("/datasets/{name}/declaration")
def declaration(name: str, desk: Desk) -> Any:
    """The declaration of a dataset as TOML, and its place in the journal."""
    found = desk.declaration(name)
    return {"declaration": found.text, "entry": found.entry, "editable": found.is_editable}


@router.get("/files")
def files(desk: Desk) -> Any:
    """The files of the data folder that can be registered."""
    return {"files": desk.files()}


@router.post("/datasets/proposal", openapi_extra=described(ProposalBody))
def propose(desk: Desk, body: Annotated[ProposalBody, Depends(body_of(ProposalBody))]) -> Any:
    """A declaration of a file to fill in; nothing is written."""
    return {"declaration": desk.proposed(body.path, body.name)}


@router.post("/datasets/review", openapi_extra=described(DeclarationBody))
def review_new(
    desk: Desk, body: Annotated[DeclarationBody, Depends(body_of(DeclarationBody))]
) -> Any:
    """What registering a dataset would write; nothing is written."""
    return desk.review_new(body.declaration, relation=body.relation).to_dict()


@router.post("/datasets", status_code=201, openapi_extra=described(RegisterBody))
def register(desk: Desk, body: Annotated[RegisterBody, Depends(body_of(RegisterBody))]) -> Any:
    """Register a file of the data folder as a dataset."""
    made = desk.register(body.declaration, relation=body.relation, content=body.content)
    return told(made)


@router.post("/datasets/{name}/review", openapi_extra=described(ReviewBody))
def review(name: str, desk: Desk, body: Annotated[ReviewBody, Depends(body_of(ReviewBody))]) -> Any:
    """What another declaration of a dataset would change; nothing is written."""
    budget = _budget(body.budget)
    found = desk.review(name, body.declaration, relation=body.relation, budget=budget)
    return found.to_dict()


@router.post("/datasets/{name}/versions", status_code=201, openapi_extra=described(VersionBody))
def change(
    name: str, desk: Desk, body: Annotated[VersionBody, Depends(body_of(VersionBody))]
) -> Any:
    """Declare a dataset anew, after the declaration of an entry."""
    made = desk.change(
        name,
        body.declaration,
        follows=body.follows,
        relation=body.relation,
        budget=_budget(body.budget),
        content=body.content,
    )
    return told(made)


@router.post("/datasets/{name}/check")
def check(name: str, desk: Desk) -> Any:
    """What the declaration cuts off: exact numbers that are not private, for the owner alone."""
    return desk.check(name).to_dict()


def _budget(given: str | None) -> Measure | None:
    return None if given is None else budget_of(given)
