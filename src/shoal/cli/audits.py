"""``shoal audit`` with all its parts: the commands of each file add themselves."""

from __future__ import annotations

from shoal.cli import audit_traces
from shoal.cli.audit import audit

PARTS = (audit_traces,)

__all__ = ["PARTS", "audit"]
