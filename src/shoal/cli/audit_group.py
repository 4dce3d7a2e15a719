"""``shoal audit`` with all its parts: the commands of each file add themselves."""

from __future__ import annotations

from shoal.cli import audit_exact, audit_traces
from shoal.cli.audit import audit

PARTS = (audit_exact, audit_traces)

__all__ = ["PARTS", "audit"]
