"""The exact verifier: for mechanisms with finitely many outputs, the truth by enumeration rather
than by samples.
"""

from shoal.auditing.exact.bits import Bits, law_of
from shoal.auditing.exact.law import Bounds, Law
from shoal.auditing.exact.law_verdict import ExactVerdict, judge
from shoal.auditing.exact.table import read_table, table_from_json
from shoal.auditing.exact.worst_case_losses import Exact, verify

__all__ = [
    "Bits",
    "Bounds",
    "Exact",
    "ExactVerdict",
    "Law",
    "judge",
    "law_of",
    "read_table",
    "table_from_json",
    "verify",
]
