"""The classic attacks, with and without Shoal in front, and the ceiling that no attack on Shoal's
answers can pass.

Everything is drawn from a seed, on made-up people, so that a run can be repeated.
"""

from shoal.auditing.attacks.attack import EPSILON, Attack, Result, Score
from shoal.auditing.attacks.averaging import AVERAGING
from shoal.auditing.attacks.belief_change import BELIEVING
from shoal.auditing.attacks.ceiling import coin_up
from shoal.auditing.attacks.differencing import DIFFERENCING
from shoal.auditing.attacks.floats import FLOATS
from shoal.auditing.attacks.linkage import LINKAGE
from shoal.auditing.attacks.membership import MEMBERSHIP
from shoal.auditing.attacks.name_and_shame import SHAMING
from shoal.auditing.attacks.published_tables import TABLES
from shoal.auditing.attacks.reconstruction import RECONSTRUCTION
from shoal.auditing.attacks.report import AttackOutcome, report, run
from shoal.reproduce import Effort

ATTACKS = {
    each.name: each
    for each in (
        DIFFERENCING,
        AVERAGING,
        RECONSTRUCTION,
        TABLES,
        LINKAGE,
        MEMBERSHIP,
        FLOATS,
        SHAMING,
        BELIEVING,
    )
}
"""Every attack by its name, in the order of the report."""

__all__ = [
    "ATTACKS",
    "EPSILON",
    "Attack",
    "AttackOutcome",
    "Effort",
    "Result",
    "Score",
    "coin_up",
    "report",
    "run",
]
