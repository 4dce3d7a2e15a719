"""The command ``shoal``: it reads what is typed, asks the floors below, and prints; it decides
nothing.
"""

from shoal.cli.app import app, main

__all__ = ["app", "main"]
