"""Plan, data and noise: prices a question, previews its error, and is the only caller of engines."""

from shoal.query.answer import Answer
from shoal.query.asking import Ask, Target
from shoal.query.budget import Budget, Request
from shoal.query.estimates import Interval
from shoal.query.opening import Private, private
from shoal.query.planning import BudgetPlan, Planned, plan_budget
from shoal.query.preview import Expected, Preview
from shoal.query.shares import SuggestedShares
from shoal.query.suggesting import SuggestedBounds

__all__ = [
    "Answer",
    "Ask",
    "Budget",
    "BudgetPlan",
    "Expected",
    "Interval",
    "Planned",
    "Preview",
    "Private",
    "Request",
    "SuggestedBounds",
    "SuggestedShares",
    "Target",
    "plan_budget",
    "private",
]
