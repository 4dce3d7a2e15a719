"""What the office reads: the fields of each body, with their limits."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any, TypeVar

from fastapi import Request
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from shoal.server.bodies import read_json
from shoal.server.failures import Refused

MOST_BYTES = 1 << 17
_SQL = 20_000
DECLARATION = 60_000
"""So many characters a declaration has at most."""


def _as_text(value: object) -> object:
    """Numbers as they were written: JSON numbers with a point come as text already."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value


Amount = Annotated[
    str,
    BeforeValidator(_as_text),
    Field(max_length=64, description="An exact number as text, such as 0.1 or 1/3."),
]
Sql = Annotated[str, Field(min_length=1, max_length=_SQL, description="A question in SQL.")]
Words = Annotated[str, Field(max_length=4000)]
DeclarationText = Annotated[
    str, Field(min_length=1, max_length=DECLARATION, description="A declaration in TOML.")
]
Path = Annotated[str, Field(min_length=1, max_length=1000)]
ShortName = Annotated[str, Field(min_length=1, max_length=100)]


class OfficeBody(BaseModel):
    """A body with these fields and no others."""

    model_config = ConfigDict(extra="forbid", strict=True)


class QuestionBody(OfficeBody):
    """A question to explain."""

    sql: Sql
    intervals: Amount | None = None
    weights: dict[ShortName, Amount] | None = None


class PricedBody(QuestionBody):
    """A question at a price."""

    epsilon: Amount | None = None
    delta: Amount | None = None
    rho: Amount | None = None
    noise: ShortName | None = None
    show_clipped: bool = False

    @property
    def terms(self) -> dict[str, Any]:
        """What the release is asked with."""
        names = ("epsilon", "delta", "rho", "noise", "show_clipped")
        return {name: getattr(self, name) for name in names}


class PreviewBody(PricedBody):
    """A question to preview."""

    confidence: Amount | None = None


class PlanBody(OfficeBody):
    """Questions, and how accurate each is to be."""

    sql: Annotated[list[Sql], Field(min_length=1, max_length=20)]
    error: Amount
    confidence: Amount = "0.95"
    column: ShortName | None = None
    rows: Annotated[int, Field(ge=1, le=10**15)] | None = None
    delta: Amount | None = None


class RequestBody(PricedBody):
    """A release to ask a steward for."""

    purpose: Words


class WordBody(OfficeBody):
    """A word to a request."""

    word: Words = ""


class TokenBody(OfficeBody):
    """A token to sign in with."""

    token: Annotated[str, Field(max_length=200)]


class PersonBody(OfficeBody):
    """A role for somebody."""

    person: ShortName
    role: ShortName
    dataset: ShortName | None = None
    allowance: Amount | None = None


class NewTokenBody(OfficeBody):
    """A token for somebody."""

    person: ShortName
    days: Annotated[int, Field(ge=1, le=3660)] = 90
    datasets: Annotated[list[ShortName], Field(max_length=100)] = []
    read_only: bool = False
    once: bool = False


class BudgetBody(OfficeBody):
    """A budget, as it is typed: 1, or 1,1e-7, or rho=0.5."""

    budget: Amount


class ProposalBody(OfficeBody):
    """A file of the data folder to declare."""

    path: Path
    name: ShortName | None = None


class DeclarationBody(OfficeBody):
    """A declaration of a new dataset, as TOML."""

    declaration: DeclarationText
    relation: ShortName | None = None


Content = Annotated[
    str,
    Field(max_length=200, description="The content that a review showed; other rows are refused."),
]


class RegisterBody(DeclarationBody):
    """A declaration of a new dataset to write down."""

    content: Content | None = None


class ReviewBody(DeclarationBody):
    """A declaration of a dataset that is there, and who is in the data now if they changed."""

    budget: Amount | None = None


class VersionBody(ReviewBody):
    """A declaration to write down after another, which was read before."""

    follows: Annotated[int, Field(ge=1, le=2**53)]
    content: Content | None = None


class PublishBody(OfficeBody):
    """A release to publish."""

    release: Annotated[int, Field(ge=1, le=2**53)]
    title: Annotated[str, Field(max_length=200)] = ""


_Kind = TypeVar("_Kind", bound=OfficeBody)


def body_of(kind: type[_Kind]) -> Callable[[Request], Coroutine[Any, Any, _Kind]]:
    """A dependency that reads a body of this kind; nothing of what was sent is quoted."""

    async def read(request: Request) -> _Kind:
        found = await read_json(request, most=MOST_BYTES, numbers_as_text=True)
        try:
            return kind.model_validate(found)
        except ValidationError:
            raise unreadable() from None

    return read


def unreadable() -> Refused:
    """A body or a field that cannot be read; it is not quoted."""
    return Refused(
        400,
        "request-1",
        "the request is not of the form it should have.",
        "GET /api/v1/openapi.json says what is sent where.",
    )


def described(kind: type[OfficeBody]) -> dict[str, Any]:
    """The body of a route as OpenAPI has it."""
    schema = kind.model_json_schema(ref_template="#/components/schemas/{model}")
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
