"""The classic attacks, with and without Shoal in front, and the ceiling that no attack on Shoal's answers can pass.

Everything is drawn from a seed, on made-up people, so that a run can be repeated.
"""

from shoal.audit.attacks.attack import EPSILON, Attack, Result, Score
from shoal.audit.attacks.averaging import AVERAGING
from shoal.audit.attacks.believing import BELIEVING
from shoal.audit.attacks.ceiling import coin_up
from shoal.audit.attacks.differencing import DIFFERENCING
from shoal.audit.attacks.floats import FLOATS
from shoal.audit.attacks.linkage import LINKAGE
from shoal.audit.attacks.membership import MEMBERSHIP
from shoal.audit.attacks.reconstruction import RECONSTRUCTION
from shoal.audit.attacks.report import Outcome, report, run
from shoal.audit.attacks.shaming import SHAMING
from shoal.audit.attacks.tables import TABLES
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
    "Effort",
    "Outcome",
    "Result",
    "Score",
    "coin_up",
    "report",
    "run",
]
