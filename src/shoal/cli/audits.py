"""``shoal audit`` with all its parts: the commands of each file add themselves."""

from __future__ import annotations

from shoal.cli import audit_exact
from shoal.cli.audit import audit

PARTS = (audit_exact,)

__all__ = ["PARTS", "audit"]
