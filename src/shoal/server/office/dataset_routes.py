"""Datasets, budgets and questions that cost nothing: look, preview, explain, plan."""

from __future__ import annotations

import io
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request, Response

from shoal.errors import RangeError
from shoal.measures import budget_of
from shoal.query import Ask, plan_budget
from shoal.query.stored_answer import plain
from shoal.server.office.authentication import Entered
from shoal.server.office.request_bodies import (
    BudgetBody,
    PlanBody,
    PreviewBody,
    QuestionBody,
    body_of,
    described,
)
from shoal.vault import Dataset

router = APIRouter(tags=["datasets"])

MOST_DUMMY = 100_000
"""So many made-up rows are sent at a time."""
MOST_PLANNED = 100
"""So many columns are planned at a time, over all questions."""


@router.get("/me")
def me(here: Entered) -> Any:
    """Who I am, and what I may do."""
    token = here.access.token
    member = here.access.member
    return {
        **member.to_dict(),
        "read_only": member.read_only,
        "token": None if token is None else token.to_dict(),
    }


@router.get("/datasets")
def datasets(here: Entered) -> Any:
    """What is public about every dataset that I may see."""
    return {"datasets": [told(each) for each in here.access.datasets().values()]}


@router.get("/datasets/{name}")
def dataset(name: str, here: Entered) -> Any:
    """What is public about a dataset."""
    return told(here.access.dataset(name))


@router.get(
    "/datasets/{name}/dummy", responses={200: {"content": {"text/csv": {}, "application/json": {}}}}
)
def dummy(
    name: str,
    here: Entered,
    n: Annotated[int, Query(ge=1, le=MOST_DUMMY)] = 100,
    seed: Annotated[int, Query(ge=0, le=2**32)] | None = None,
    form: Literal["csv", "arrow", "parquet"] = "csv",
) -> Response:
    """Made-up rows with its columns, from public facts alone."""
    rows = here.access.dummy(name, n, seed)
    return file_of(rows, form, f"{name}-made-up")


@router.get("/datasets/{name}/rows")
def rows(name: str, here: Entered) -> Any:
    """The rows of a public dataset: what a client groups by."""
    found = here.access.public_rows(name)
    columns = found.columns.items()
    return {
        "columns": [each for each, _ in columns],
        "types": [str(kind) for _, (kind, _) in columns],
        "rows": [
            [plain(value) for value in row]
            for row in zip(*(values for _, (_, values) in columns), strict=True)
        ],
    }


@router.get("/budgets/{name}")
def budget(name: str, here: Entered) -> Any:
    """What is left of a budget, and of my allowance."""
    return here.access.budget(name).to_dict()


@router.put("/budgets/{name}", openapi_extra=described(BudgetBody))
def set_budget(
    name: str, here: Entered, body: Annotated[BudgetBody, Depends(body_of(BudgetBody))]
) -> Any:
    """Give a dataset another budget, never below what was spent."""
    return here.access.set_budget(name, budget_of(body.budget)).to_dict()


@router.post("/preview", openapi_extra=described(PreviewBody))
def preview(
    request: Request, here: Entered, body: Annotated[PreviewBody, Depends(body_of(PreviewBody))]
) -> Any:
    """What a release would cost, and how far it would be off.  Free."""
    asked = here.access.sql(body.sql, weights=body.weights, intervals=body.intervals)
    request.state.told["question"] = asked.digest
    found = asked.preview(**body.terms, confidence=body.confidence)
    request.state.told["price"] = found.price
    return {**found.to_dict(), "question": asked.digest}


@router.post("/explain", openapi_extra=described(QuestionBody))
def explain(
    request: Request, here: Entered, body: Annotated[QuestionBody, Depends(body_of(QuestionBody))]
) -> Any:
    """What is computed, step by step.  Free."""
    asked = here.access.sql(body.sql, weights=body.weights, intervals=body.intervals)
    request.state.told["question"] = asked.digest
    return {"explanation": str(asked.explain())}


@router.post("/plan", openapi_extra=described(PlanBody))
def plan(here: Entered, body: Annotated[PlanBody, Depends(body_of(PlanBody))]) -> Any:
    """What to spend for a wanted accuracy.  Free."""
    asked = list[Ask]()
    for each in body.sql:
        asked.append(here.access.sql(each))
        count = sum(map(_width, asked))
        if count > MOST_PLANNED:
            raise RangeError(
                f"a plan is of at most {MOST_PLANNED} columns, and these questions have more.",
                remedy="Plan fewer at a time.",
            )
    targets = [
        each.within(
            body.error,
            confidence=body.confidence,
            column=body.column,
            rows=body.rows,
            delta=body.delta,
        )
        for each in asked
    ]
    return plan_budget(targets).to_dict()


def _width(ask: Ask) -> int:
    """How much there is to plan in a question: what it shows, or the statistics behind that."""
    question = ask.question
    return max(len(question.aggregates), len(question.after.columns))


def told(dataset: Dataset) -> dict[str, Any]:
    """What is public about a dataset, with what a client needs to read questions about it."""
    return {
        **dataset.stated,
        "public": dataset.public,
        "accounts": list(dataset.accounts),
        "ids": list(dataset.ids),
        "declared": dataset.declared,
    }


_KINDS = {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "arrow": "application/vnd.apache.arrow.stream",
}


def file_of(rows: Any, form: str, name: str) -> Response:
    """Rows as a file to download; ``name`` is made here and never sent by anybody."""
    body = rows.csv().encode() if form == "csv" else _bytes_of(rows.to_arrow(), form)
    named = {"Content-Disposition": f'attachment; filename="{name}.{form}"'}
    return Response(body, media_type=_KINDS[form], headers=named)


def _bytes_of(table: Any, form: str) -> bytes:
    out = io.BytesIO()
    if form == "parquet":
        from pyarrow import parquet  # noqa: PLC0415 - an extra, for those who ask for it

        parquet.write_table(table, out)
    else:
        from pyarrow import ipc  # noqa: PLC0415 - as above

        with ipc.new_stream(out, table.schema) as stream:
            stream.write_table(table)
    return out.getvalue()
