"""Tries to prove us wrong, from outside: tests of privacy claims, ours and anybody's, and `attacks`, which stages the classic ones."""

from shoal.auditing.judge import EpsilonVerdict, audit, audit_samples
from shoal.auditing.tradeoff import TradeOff
from shoal.auditing.verdict import Verdict

__all__ = ["EpsilonVerdict", "TradeOff", "Verdict", "audit", "audit_samples"]
