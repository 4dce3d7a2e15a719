"""What one release costs, by kind of event; importing this enters every rule."""

from shoal.accounting.rules import choice, noise, response, sampled, shuffled, stated

__all__ = ["choice", "noise", "response", "sampled", "shuffled", "stated"]
