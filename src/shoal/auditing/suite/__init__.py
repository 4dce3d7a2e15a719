"""The long audit of ourselves: every public mechanism, local protocol, release of a function and
kind of question, each with its own claim.
"""

from shoal.auditing.suite.case import Case, CaseOutcome, run_cases, suite_page
from shoal.auditing.suite.functions import FUNCTIONS
from shoal.auditing.suite.mechanisms import MECHANISMS
from shoal.auditing.suite.protocols import PROTOCOLS
from shoal.auditing.suite.questions import QUESTIONS

SUITE = {case.name: case for case in (*MECHANISMS, *PROTOCOLS, *FUNCTIONS, *QUESTIONS)}
"""Every case by its name."""

__all__ = ["SUITE", "Case", "CaseOutcome", "run_cases", "suite_page"]
