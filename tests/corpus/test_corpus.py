"""Questions as people type them: each is answered, or refused with a reason and a remedy, as its
file says.
"""

from __future__ import annotations

import re

import pytest
from tests.corpus.corpus import CorpusQuestion, hospital, planned, questions

from shoal.query.ask import Ask
from shoal.query.keys import selects
from shoal.query.private_tables import Private

REFUSED = [each for each in questions() if not each.answered]
KINDS = sorted({each.kind for each in questions()})


@pytest.fixture(scope="module")
def held() -> Private:
    return hospital()


def test_there_are_enough_questions_of_each_class() -> None:
    assert len(questions()) >= 200
    assert all(sum(each.kind == kind for each in questions()) >= 8 for kind in KINDS)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_question_fares_as_its_file_says(kind: str, held: Private) -> None:
    wrong = [
        told
        for each in questions()
        if each.kind == kind and (told := _told(held, each)) is not None
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("question", REFUSED, ids=[each.about for each in REFUSED])
def test_a_remedy_works_when_it_is_followed(question: CorpusQuestion, held: Private) -> None:
    """The remedy names what is new in the question that it leads to, or what is to be left out of
    the refused one; and what it leads to is answered.
    """
    refusal = planned(held, question)
    assert not isinstance(refusal, Ask)
    named, typed, pasted = map(_words, (refusal.remedy, question.sql, question.instead))
    assert named & (typed ^ pasted) or "Leave" in refusal.remedy, refusal.remedy
    other = CorpusQuestion(question.kind, True, question.about, question.instead)
    assert _told(held, other) is None, _told(held, other)


def _words(text: str) -> set[tuple[str, ...]]:
    """Words and signs of a text, and what stands of them side by side."""
    found = [each.lower() for each in re.findall(r"\w+|[^\w\s]", text)]
    return {tuple(found[at : at + size]) for size in (1, 2, 3) for at in range(len(found))}


def _told(held: Private, question: CorpusQuestion) -> str | None:
    """What is wrong with how a question fares; None if nothing is."""
    found = planned(held, question)
    if isinstance(found, Ask) != question.answered:
        return f"{question.sql}: {'answered' if isinstance(found, Ask) else found}"
    if not isinstance(found, Ask):
        complete = found.problem and found.remedy
        return None if complete else f"{question.sql}: refused without a reason or a remedy"
    answer = found.release(epsilon=50, delta="1e-9" if selects(found.question) else None)
    if any(len(row) != len(answer.columns) for row in answer.rows):
        return f"{question.sql}: rows and columns do not agree"
    text = str(answer)
    return None if text and len(answer.to_rows().columns) >= len(answer.columns) else question.sql
