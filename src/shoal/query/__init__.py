"""Plan, data and noise: prices a question, previews its error, and is the only caller of engines."""

from shoal.query.answer import Answer
from shoal.query.asking import Ask
from shoal.query.budget import Budget, Request
from shoal.query.estimates import Interval
from shoal.query.opening import Private, private
from shoal.query.preview import Expected, Preview
from shoal.query.suggesting import SuggestedBounds

__all__ = [
    "Answer",
    "Ask",
    "Budget",
    "Expected",
    "Interval",
    "Preview",
    "Private",
    "Request",
    "SuggestedBounds",
    "private",
]
