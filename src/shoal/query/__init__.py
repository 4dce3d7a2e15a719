"""Plan, data and noise: prices a question, previews its error, and is the only caller of
engines.
"""

from shoal.query.answer import Answer
from shoal.query.asking import AccuracyTarget, Ask
from shoal.query.batch import Batch
from shoal.query.batch_plan import BatchPlan
from shoal.query.budget import Budget, CostRequest
from shoal.query.detail import Detail, DetailedTable
from shoal.query.estimates import Interval
from shoal.query.opening import Private, private
from shoal.query.planning import BudgetPlan, Planned, plan_budget
from shoal.query.preview import Expected, Preview
from shoal.query.publication import Publication
from shoal.query.shares import SuggestedShares
from shoal.query.suggesting import SuggestedBounds

__all__ = [
    "AccuracyTarget",
    "Answer",
    "Ask",
    "Batch",
    "BatchPlan",
    "Budget",
    "BudgetPlan",
    "CostRequest",
    "Detail",
    "DetailedTable",
    "Expected",
    "Interval",
    "Planned",
    "Preview",
    "Private",
    "Publication",
    "SuggestedBounds",
    "SuggestedShares",
    "plan_budget",
    "private",
]
