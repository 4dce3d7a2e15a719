"""Plan, data and noise: prices a question, previews its error, and is the only caller of
engines.
"""

from shoal.query.answer import Answer
from shoal.query.ask import AccuracyTarget, Ask
from shoal.query.batch import Batch
from shoal.query.batch_plan import BatchPlan
from shoal.query.budget_plan import BudgetPlan, Planned, plan_budget
from shoal.query.detail import Detail, DetailedTable
from shoal.query.estimates import Interval
from shoal.query.payment import Budget, CostRequest
from shoal.query.preview import Expected, Preview
from shoal.query.private_tables import Private, private
from shoal.query.publication import Publication
from shoal.query.suggested_bounds import SuggestedBounds
from shoal.query.suggested_shares import SuggestedShares

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
