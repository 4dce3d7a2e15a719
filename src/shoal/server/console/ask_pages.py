"""The page *Ask*: write a question, preview it for free, try it, then release or request it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from fastapi import APIRouter, Query, Response

from shoal.errors import BudgetExceeded, ShoalError
from shoal.exact import short_up
from shoal.query import plan_budget
from shoal.server.access_check import new_key
from shoal.server.console.answer_view import AnswerView
from shoal.server.console.preview_view import PreviewView
from shoal.server.console.question_form import QuestionForm
from shoal.server.console.sql_builder import COMPARISONS, MEASURES, BuiltQuestion, types_in
from shoal.server.console.visitor import Visiting, Visitor
from shoal.server.office.office_app import status_for
from shoal.server.rendering import page
from shoal.vault.people.rights import Right

router = APIRouter()
MADE_UP_ROWS = 1000
PART_HEADER = "X-Shoal-Part"
"""A script that asks for one part of the page says so; the part is the same as on the page."""
STEPS = ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10")
"""Where the slider stops."""


@dataclass(frozen=True)
class AskProblem:
    """What is wrong with a question: in words, and where in the text."""

    message: str
    place: str
    remedy: str

    @classmethod
    def of(cls, error: ShoalError) -> AskProblem:
        """The problem of an error."""
        message, _, place = error.problem.partition("\n")
        return cls(message, place, error.remedy)


@dataclass(frozen=True)
class WantedError:
    """How accurate a question is to be, as it was typed."""

    error: str = ""
    column: str = ""
    rows: str = ""


@router.get("/ask")
def ask(
    visitor: Visiting,
    dataset: Annotated[str | None, Query(max_length=100)] = None,
    again: Annotated[int | None, Query(ge=1, le=2**53)] = None,
) -> Response:
    """An empty question about a dataset, or one that was released before."""
    form = QuestionForm()
    if again is not None:
        form = QuestionForm(sql=visitor.access.release_at(again, answer=False).question)
    return ask_page(visitor, form, dataset=dataset)


@router.post("/ask")
def asked(visitor: Visiting) -> Response:
    """What costs nothing: build, preview, plan, try, and the question before a release."""
    sent, form = visitor.sent, QuestionForm.of(visitor.sent)
    act = sent.text("do", most=20)
    dataset = sent.choice("build_dataset")
    try:
        if act == "build":
            built = BuiltQuestion.of(sent)
            columns = types_in(visitor.access.dataset(built.dataset).stated)
            made = QuestionForm(built.sql(columns), form.amount, form.delta, form.show_clipped)
            return ask_page(visitor, made, dataset=dataset)
        if act == "plan":
            form = form.at(_planned(visitor, form))
        if act == "try":
            _, terms = form.asked(visitor.access)
            tried = visitor.access.try_out(form.sql, MADE_UP_ROWS, **terms)
            return ask_page(visitor, form, dataset=dataset, tried=AnswerView.of(tried))
        return ask_page(visitor, form, dataset=dataset, confirming=act == "confirm")
    except ShoalError as error:
        return ask_page(visitor, form, dataset=dataset, error=error)


def _planned(visitor: Visitor, form: QuestionForm) -> str:
    """The epsilon, or rho, for a wanted error."""
    wanted = _wanted(visitor)
    rows = int(wanted.rows) if wanted.rows.isdecimal() and len(wanted.rows) < 16 else None
    target = visitor.access.sql(form.sql).within(
        wanted.error or "0", column=wanted.column or None, rows=rows, delta=form.delta or None
    )
    found = plan_budget([target]).to_dict()["questions"][0]
    return short_up(Fraction(found["rho"] if "rho" in found else found["epsilon"]))


def _wanted(visitor: Visitor) -> WantedError:
    text = visitor.sent.text
    return WantedError(
        text("error", most=64), text("error_column", most=100), text("error_rows", most=20)
    )


def ask_page(
    visitor: Visitor,
    form: QuestionForm,
    *,
    dataset: str | None = None,
    error: ShoalError | None = None,
    tried: AnswerView | None = None,
    confirming: bool = False,
) -> Response:
    """The page with a question on it, its preview, and what was wrong with it."""
    preview = None
    if form.sql and not (error is not None and not isinstance(error, BudgetExceeded)):
        try:
            preview = PreviewView.of(form, visitor.access)
        except ShoalError as found:
            error = error or found
    problem = None if error is None else AskProblem.of(error)
    if visitor.request.headers.get(PART_HEADER) == "preview":
        part = page("console/preview.html", preview=preview, problem=problem)
        part.headers[PART_HEADER] = "preview"
        return part
    if error is not None:
        visitor.request.state.told["outcome"] = error.code
    known = {
        name: each.stated for name, each in visitor.access.datasets().items() if not each.public
    }
    chosen = dataset if dataset in known else next(iter(known), None)
    return visitor.page(
        "ask.html",
        status=200 if error is None else status_for(error, visitor.request),
        form=form,
        preview=preview,
        problem=problem,
        tried=tried,
        confirming=confirming and preview is not None and preview.fits,
        asks=visitor.may(Right.ASK),
        datasets=list(known),
        chosen=None if chosen is None else known[chosen],
        built=BuiltQuestion.of(visitor.sent),
        measures=MEASURES,
        comparisons=COMPARISONS,
        wanted=_wanted(visitor),
        steps=STEPS,
        words=visitor.access.words(),
        purpose=visitor.sent.text("purpose"),
        key=new_key(),
    )
